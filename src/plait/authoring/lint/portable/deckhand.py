"""Differences from Deckhand: one rule for each entry of docs/compatibility/deckhand.md."""

from __future__ import annotations

import re

from plait.authoring.lint.portable.rule import AT_RUN_TIME, MESSAGE, REFUSED, PortabilityMatch, PortabilityRule, unseen
from plait.layering.data_paths import compile_path
from plait.tree.nodes import Array, Map, MapItem
from plait.yaml.document_names import document_name

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from plait.authoring.lint.subject import LintProject
    from plait.tree.nodes import Item, Value

    # Finds items in the metadata of a document, with its rendered data.
    Parts = Callable[[Map, Value], Iterator[Item]]

_SPECIAL = re.compile(r"[\\^$.|?*+()\[\]{}]")
_INDEX_LAST = re.compile(r"\[\d+\]$")


def _look(parts: Parts) -> Callable[[LintProject], Iterator[PortabilityMatch]]:
    """Returns a check of the metadata of layered documents, in runs without --like-deckhand."""

    def check(subject: LintProject) -> Iterator[PortabilityMatch]:
        for ran in subject.runs:
            if ran.run.command != "layer" or any(one.name == "like-deckhand" for one in ran.run.settings):
                continue
            made = {document_name(document): _find(document.value, "data") for document in ran.documents.nodes.items}
            for path in subject.paths:
                layout = subject.layout(path) if path in ran.view.files else None
                for document in () if layout is None else layout.documents.items:
                    metadata = _find(document.value, "metadata")
                    if layout is not None and type(metadata) is Map:
                        for item in parts(metadata, made.get(document_name(document))):
                            yield PortabilityMatch(path, item.line, layout.column(item)[0])

    return check


def _find(value: Value, key: str) -> Value:
    item = value.find(key) if type(value) is Map else None
    return None if item is None else item.value


def _actions(metadata: Map) -> Iterator[tuple[str, MapItem]]:
    """The method and the path of each action."""
    actions = _find(_find(metadata, "layeringDefinition"), "actions")
    for action in actions.items if type(actions) is Array else ():
        path = action.value.find("path") if type(action.value) is Map else None
        if path is not None:
            yield str(_find(action.value, "method")), path


def _entries(metadata: Map) -> Iterator[tuple[Map, list[Map]]]:
    """The source and the destinations of each substitution."""
    listed = _find(metadata, "substitutions")
    for entry in listed.items if type(listed) is Array else ():
        source, dest = _find(entry.value, "src"), _find(entry.value, "dest")
        several = [item.value for item in dest.items] if type(dest) is Array else [dest]
        if type(source) is Map:
            yield source, [one for one in several if type(one) is Map]


def _deletes_item(metadata: Map, _made: Value) -> Iterator[Item]:
    """Deletions of list items: Deckhand removes the first equal item."""
    return (path for method, path in _actions(metadata) if method == "delete" and str(path.value).strip(".") != "")


def _root(metadata: Map, _made: Value) -> Iterator[Item]:
    return (path for _, path in _actions(metadata) if str(path.value).startswith("$"))


def _recurse(metadata: Map, _made: Value) -> Iterator[Item]:
    for _, several in _entries(metadata):
        for dest in several:
            pattern = dest.find("pattern")
            if pattern is not None and dest.find("recurse") is not None and _SPECIAL.search(str(pattern.value)):
                yield pattern


def _deepcopy(metadata: Map, _made: Value) -> Iterator[Item]:
    for source, _ in _entries(metadata):
        found = source.find("deepcopy")
        if found is not None:
            yield found


def _dest_path(metadata: Map) -> Iterator[Item]:
    for _, several in _entries(metadata):
        for dest in several:
            path = dest.find("path")
            if path is not None:
                yield path


def _at_index(metadata: Map, made: Value) -> Iterator[Item]:
    """Destinations that are items of a list and receive a list. Unknown for abstract documents."""
    for path in _dest_path(metadata):
        if _INDEX_LAST.search(str(path.value)) and (made is None or type(_at(made, str(path.value))) is Array):
            yield path


def _at(value: Value, text: str) -> object:
    """The value at a path, or None."""
    for step in compile_path(text).steps:
        if type(step) is str:
            value = _find(value, step)
        elif type(step) is int and type(value) is Array and -len(value.items) <= step < len(value.items):
            value = value.items[step].value
        else:
            return None
    return value


def _at_root(metadata: Map, made: Value) -> Iterator[Item]:
    """Destinations that are the whole data and receive an empty value."""
    is_full = bool(made.items) if type(made) is Map or type(made) is Array else bool(made)
    return (path for path in _dest_path(metadata) if path.value in (".", "$") and not is_full)


def _odd_labels(metadata: Map, _made: Value) -> Iterator[Item]:
    """Labels and selectors that are not strings."""
    for around in (_find(metadata, "labels"), _find(_find(metadata, "layeringDefinition"), "parentSelector")):
        for item in around.items if type(around) is Map else ():
            if type(item.value) is not str:
                yield item


ENTRIES = (
    PortabilityRule(
        "`delete` removes the item at its path; Deckhand removes the first equal value anywhere.",
        "deletes the first equal value anywhere in the data",
        _look(_deletes_item),
        "make sure that no value before it is equal, or use --like-deckhand",
    ),
    PortabilityRule(
        "`$` is the root for all three actions; `.database` is the key `database`.",
        "does not treat $ as the root in every action",
        _look(_root),
        'write "."',
    ),
    PortabilityRule(
        "Patterns with `recurse` are expressions throughout; Deckhand requires the pattern's literal text to occur first.",
        "requires the pattern to occur literally, with recurse",
        _look(_recurse),
        "use a pattern without special characters",
    ),
    unseen(
        "Backslashes in substituted text are inserted as they are; maps and lists are not inserted into text.",
        AT_RUN_TIME,
    ),
    PortabilityRule(
        "A substituted value is never shared with its source; `deepcopy` is accepted and has no effect.",
        "shares a substituted value with its source, without deepcopy",
        _look(_deepcopy),
        "keep it, if Deckhand reads the documents",
    ),
    PortabilityRule(
        "A list at an index, `.l[0]`, is inserted whole; Deckhand uses only its first item.",
        "uses only the first item of a list at an index",
        _look(_at_index),
        "check that the value is not a list",
    ),
    PortabilityRule(
        "`false`, `0` and empty values can replace the whole data at `.`; Deckhand rejects them.",
        "rejects false, 0 and empty values as a replacement of all data",
        _look(_at_root),
        "make sure that the value is none of these",
    ),
    unseen(
        "A path with `..` or `[*]` that matches nothing is an error; with `..` Deckhand creates a key with an empty name.",
        REFUSED,
    ),
    unseen(
        "Two replacements of one document, a layer named twice, and `DataSchema` names under `deckhand/` or `metadata/` "
        "are errors.",
        REFUSED,
    ),
    PortabilityRule(
        "Labels are compared with their types: `true` is not `1`, and a null selector value does not match an absent label.",
        "compares labels that are not strings differently",
        _look(_odd_labels),
        "put it in quotes",
    ),
    unseen(
        "Where Deckhand stops with an internal error, plait names the document, the action or substitution, and the path.",
        MESSAGE,
    ),
    # Differences with --like-deckhand
    unseen("Two replacements of one document are an error.", REFUSED),
    unseen("Labels are compared with their types.", "covered by the entry above"),
    unseen(
        "A map that would contain itself is an error, and so is a path with `..` that matches inside the value it writes. "
        "Deckhand crashes or does not end.",
        REFUSED,
    ),
    unseen("An alias of YAML is a copy.", "only later changes in place reveal it"),
    unseen(
        "Where Deckhand rejects documents with an internal error because of a part that is not needed, such as "
        "`substitutions: null`, plait renders them.",
        AT_RUN_TIME,
    ),
    unseen(
        "`plait explain` and `--source-map` name, for both documents, the values written into shared data.", MESSAGE
    ),
    unseen("`--relaxed` cannot be combined with this mode.", REFUSED),
)
