"""A rule for an entry of a list of differences, and functions that create checks."""

from __future__ import annotations

import re
from typing import NamedTuple

from plait.authoring.analysis.file_facts import OPS, TEMPLATE
from plait.authoring.analysis.source_paths import path_of
from plait.base.extensions import TAGS
from plait.ytt.templates.recovery import STARLARK, TEXT

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from plait.authoring.lint.layout import LintedFile
    from plait.authoring.lint.subject import LintProject
    from plait.tree.nodes import Item


class PortabilityMatch(NamedTuple):
    """A position to which a rule applies."""

    path: str
    line: int
    column: int = 1


class PortabilityRule(NamedTuple):
    """One rule. text: as in the list. says: the difference, as a predicate after the program's name. check: finds
    matches. why: the reason if there is no check.
    """

    text: str
    says: str = ""
    check: Callable[[LintProject], Iterable[PortabilityMatch]] | None = None
    hint: str = ""
    why: str = ""


REFUSED = "plait rejects it, so no run contains it"
MESSAGE = "only messages differ"
AT_RUN_TIME = "only computed values show it"


def unseen(text: str, why: str) -> PortabilityRule:
    """A rule for a difference that files of a project do not show."""
    return PortabilityRule(text, why=why)


# ---- checks


def in_settings(
    commands: str, names: Iterable[str], is_it: Callable[[str], bool]
) -> Callable[[LintProject], Iterator[PortabilityMatch]]:
    """Checks the settings of runs. commands: the commands of the runs."""
    wanted = frozenset(names)

    def check(subject: LintProject) -> Iterator[PortabilityMatch]:
        for ran in subject.runs:
            for setting in ran.run.settings if ran.run.command == commands else ():
                for text, at in setting.texts() if setting.name in wanted else ():
                    path = path_of(at.source)
                    if path is not None and is_it(text):
                        yield PortabilityMatch(path, at.line)

    return check


def in_code(pattern: str) -> Callable[[LintProject], Iterator[PortabilityMatch]]:
    """Finds a pattern in the code of templates, programs and text templates."""
    wanted = re.compile(pattern)

    def check(subject: LintProject) -> Iterator[PortabilityMatch]:
        for file in subject.files():
            if file.kind not in (TEMPLATE, STARLARK, TEXT) or not subject.is_own(file.path):
                continue
            for number, text in enumerate(file.lines, 1):
                begin = 0 if file.kind == STARLARK else text.find("(@" if file.kind == TEXT else "#@")
                found = wanted.search(text, begin) if begin >= 0 else None
                if found is not None:
                    yield PortabilityMatch(file.path, number, found.start() + 1)

    return check


def in_items(
    is_it: Callable[[LintedFile, Item], bool], kinds: Iterable[str] = ()
) -> Callable[[LintProject], Iterator[PortabilityMatch]]:
    """Checks the items of YAML files. kinds: the kinds of files, by default all."""
    wanted = frozenset(kinds)

    def check(subject: LintProject) -> Iterator[PortabilityMatch]:
        for file in subject.files():
            if not subject.is_own(file.path) or (wanted and file.kind not in wanted):
                continue
            layout = subject.layout(file.path)
            for item in () if layout is None else layout.items:
                if layout is not None and is_it(layout, item):
                    yield PortabilityMatch(file.path, item.line, layout.column(item)[0])

    return check


def with_tags(commands: str) -> Callable[[LintProject], Iterator[PortabilityMatch]]:
    """Finds tags in the files of runs that preserve them. commands: the commands of the runs."""
    items = in_items(_has_tag)

    def check(subject: LintProject) -> Iterator[PortabilityMatch]:
        if any(TAGS in ran.run.extensions for ran in subject.runs if ran.run.command == commands):
            yield from items(subject)

    return check


def _has_tag(layout: LintedFile, item: Item) -> bool:
    node = layout.spans.node(item)
    tag = None if node is None else node.tag
    return tag is not None and tag != "!" and not tag.startswith(("!!", "!<"))


def in_operations(is_it: Callable[[str, Item], bool]) -> Callable[[LintProject], Iterator[PortabilityMatch]]:
    """Checks the paths of operations, each with its operation."""

    def is_path(layout: LintedFile, item: Item) -> bool:
        above = layout.parent(item)
        return getattr(item, "key", None) == "path" and above is not None and is_it(str(item.value), above)

    return in_items(is_path, (OPS,))


def has_comment(layout: LintedFile, item: Item, *names: str) -> bool:
    """True if an item has an annotation with one of the names."""
    return any(comment.text.partition(" ")[0] in names for comment in layout.comments_of(item))
