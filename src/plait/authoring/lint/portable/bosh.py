"""Differences from `bosh interpolate`: one rule for each entry of docs/compatibility/bosh.md."""

from __future__ import annotations

import os
import re

from plait.authoring.analysis.file_facts import OPS
from plait.authoring.analysis.source_paths import path_of
from plait.authoring.lint.portable.rule import (
    AT_RUN_TIME,
    MESSAGE,
    REFUSED,
    PortabilityMatch,
    PortabilityRule,
    in_items,
    in_operations,
    in_settings,
    unseen,
    with_tags,
)
from plait.tree.nodes import MapItem

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from plait.authoring.lint.layout import LintedFile
    from plait.authoring.lint.subject import LintProject
    from plait.tree.nodes import Item

_NEIGHBOUR = re.compile(r":(next|prev)\b[^/]{0,200}/")


def _quoted_null(layout: LintedFile, item: Item) -> bool:
    if type(item) is not MapItem or item.key != "value" or item.value not in ("null", "~"):
        return False
    span = layout.spans.value(item)
    return span is not None and layout.text[span.start : span.start + 1] in ("'", '"')


def _dotted(subject: LintProject) -> Iterator[PortabilityMatch]:
    """Dotted variables that are set together with other variables of the same first part."""
    for ran in subject.runs:
        if ran.run.command != "patch" or ran.run.given is None:
            continue
        names = [str(item.key) for item in ran.run.given.items]
        for item in ran.run.given.items:
            first = str(item.key).partition(".")[0]
            path = path_of(item.source)
            others = [name for name in names if name != item.key and name.partition(".")[0] == first]
            if "." in str(item.key) and others and path is not None:
                yield PortabilityMatch(path, item.line)


def _is_several(subject: LintProject) -> Iterator[PortabilityMatch]:
    """Settings that name a directory or a pattern of operations files."""
    for ran in subject.runs:
        for setting in ran.run.settings if ran.run.command == "patch" else ():
            if setting.name != "ops":
                continue
            for path, (text, at) in zip(ran.run.paths(setting), setting.texts(), strict=True):
                there = path_of(at.source)
                if there is not None and (os.path.isdir(path) or any(char in text for char in "*?[")):
                    yield PortabilityMatch(there, at.line)


def _flag(name: str) -> PortabilityRule:
    texts = {
        "input-order": "keeps the order of keys.",
        "in-place": "writes the result to the template's file.",
        "keep-format": "keeps comments, blank lines, quotes, anchors and the order of keys.",
        "null-values": "accepts `value: null`.",
    }
    return PortabilityRule(
        f"`--{name}` {texts[name]}",
        f"has no --{name}",
        in_settings("patch", (name,), lambda text: text == "true"),
        "omit it",
    )


ENTRIES = (
    PortabilityRule(
        "`/`",
        "reads / as the empty key",
        in_operations(lambda path, _: path == "/"),
        'write path: ""',
    ),
    PortabilityRule(
        "`/m=x:next/0` where the neighbour is a list",
        "loses a change inside a list selected by next or prev",
        in_operations(lambda path, _: _NEIGHBOUR.search(path) is not None),
        "name the item itself",
    ),
    PortabilityRule(
        "dotted variables that overlap",
        "merges overlapping dotted variables in random order",
        _dotted,
        "set the whole value",
    ),
    unseen("a map or list as the value for a key", REFUSED),
    unseen("a key that, once filled, equals another key", AT_RUN_TIME),
    unseen("definitions with duplicate, missing or invalid names", REFUSED),
    unseen("new store files", "it concerns the mode of a written file"),
    PortabilityRule(
        '`value: "null"` and `value: "~"`, in quotes',
        "cannot read an operation with the string value null",
        in_items(_quoted_null, (OPS,)),
        "set it with a variable",
    ),
    unseen("a failed `test`", MESSAGE),
    unseen("`--ca-cert` with a path that does not exist", "the flag has no effect on a run"),
    unseen("help", "no run prints help"),
    unseen("standard output on failure", MESSAGE),
    # Additional features
    PortabilityRule(
        "`-o` accepts a directory, or a quoted pattern.", "accepts only one file for -o", _is_several, "list the files"
    ),
    _flag("input-order"),
    _flag("in-place"),
    _flag("keep-format"),
    _flag("null-values"),
    PortabilityRule(
        "`--with operations` accepts `*` in paths, and the types `append`, `copy` and `move`; `--expand` prints the "
        "equivalent plain operations.",
        "does not support * in paths, or the types append, copy and move",
        in_settings("patch", ("with",), lambda text: text == "operations"),
        "--expand prints plain operations",
    ),
    PortabilityRule(
        "`--with embedded` accepts `!FORMAT` in paths, which enters embedded documents.",
        "does not edit embedded documents",
        in_settings("patch", ("with",), lambda text: text == "embedded"),
        "set the whole text",
    ),
    PortabilityRule(
        "`--with tags` keeps tags such as `!Ref`.",
        "drops tags",
        with_tags("patch"),
        "omit them",
    ),
    PortabilityRule(
        "`--vars-first` fills the template before the operations.",
        "applies operations first",
        in_settings("patch", ("vars-first",), lambda text: text == "true"),
        "write paths for the template as it is",
    ),
    PortabilityRule(
        "`--secrets` reads variables that no message shows.",
        "has no --secrets",
        in_settings("patch", ("secrets",), bool),
        "pass the variables with --vars-file",
    ),
    unseen(
        "Messages name the operations file, its line, the number of the operation, the part of the path that failed, "
        "and the value found there.",
        MESSAGE,
    ),
)
