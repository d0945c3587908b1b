"""Finds scalars that readers of YAML 1.1 and 1.2 read differently, in inputs and in the output."""

from __future__ import annotations

from functools import partial

from plait.authoring.analysis.source_paths import path_of
from plait.authoring.lint.finding import LintFinding
from plait.authoring.lint.layout import LintedFile
from plait.authoring.lint.yaml_versions import LONGEST, may_differ, readings
from plait.base.text_edits import Edit
from plait.engine.results import text_like
from plait.tree.nodes import COLLECTIONS, DocumentSet, MapItem
from plait.tree.provenance import Trace
from plait.yaml.lossless.nodes import PLAIN, Collection
from plait.yaml.lossless.scalar_values import body_start, scalar_value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from plait.authoring.lint.subject import LintProject
    from plait.tree.nodes import Item, Scalar
    from plait.yaml.lossless.nodes import Tree


# The message about a secret value.
_ONE_OF_TWO = "this value differs between YAML 1.1 and 1.2"


def inputs(subject: LintProject) -> Iterator[LintFinding]:
    """Ambiguous scalars in the inputs."""
    for path in subject.paths:
        layout = subject.layout(path) if subject.is_own(path) else None
        if layout is not None:
            yield from of_file(layout, partial(subject.is_private, path))


def of_file(layout: LintedFile, is_private: Callable[[int], bool]) -> Iterator[LintFinding]:
    """Ambiguous scalars of one file. is_private: returns True if the value on a line must not be shown."""
    text = layout.text
    in_strings: set[int] | None = None
    for node in layout.tree.values():
        if not 0 < node.end - node.start <= LONGEST or node.style is not PLAIN or node.tag is not None:
            continue
        start = body_start(text, node)
        written = text[start : node.end]
        both = readings(written)
        if both is None:
            continue
        line, column = layout.tree.place(start)
        hidden = is_private(line)
        value = scalar_value(text, node)
        if type(value) is bool and in_strings is None:
            in_strings = set(_booleans_in_strings(layout.tree))
        is_unclear = in_strings is not None and node.start in in_strings
        yield LintFinding(
            "R401",
            layout.path,
            line,
            _ONE_OF_TWO if hidden else f"{written} is {both[0]} in YAML 1.1, and {both[1]} in 1.2",
            column=column,
            end=column + len(written),
            edits=() if hidden or is_unclear else _plainer(value, written, Edit(start, node.end, "", layout.path)),
            hint="quote it if it is a string" if hidden else _hint(value, written, is_unclear=is_unclear),
        )


def _booleans_in_strings(tree: Tree) -> Iterator[int]:
    """Yields the offsets of booleans in sequences whose other items are strings, such as NO in a list of countries."""
    for collection in {id(collection): collection for collection, _ in tree.walk() if not collection.is_map}.values():
        values = [item.value for item in collection.items]
        kinds = [None if type(one) is Collection else type(scalar_value(tree.text, one)) for one in values]
        if set(kinds) == {bool, str}:
            yield from (one.start for one, kind in zip(values, kinds, strict=True) if kind is bool)


def _hint(value: Scalar, written: str, *, is_unclear: bool) -> str:
    if is_unclear:
        return f'write "{written}", a string like the other items, or {("true" if value else "false")}'
    if type(value) is str:
        return f'write "{written}", which is a string in both versions'
    if type(value) is bool:
        return f"write {('true' if value else 'false')}, which is the same in both versions"
    if type(value) in (int, float):
        return f"write {value}, or quote it if it is a string"
    return "put it in quotes"


def _plainer(value: Scalar, written: str, place: Edit) -> list[Edit]:
    """The edit to a spelling that all readers read as plait does now."""
    if type(value) is bool:
        return [place._replace(new="true" if value else "false")]
    if type(value) is str and value == written:
        return [place._replace(new=f'"{written}"')]
    return []


def outputs(subject: LintProject) -> Iterator[LintFinding]:
    """Ambiguous scalars in the output, each at its origin."""
    seen: set[tuple[str, int, str]] = set()
    for ran in subject.runs:
        for document in ran.documents.nodes.items:
            # Few documents have one, and only those are read again.
            text = text_like(ran.documents, DocumentSet([document]))
            printed = LintedFile.of("output", text) if may_differ(text) else None
            if printed is None:
                continue
            for item, written, both in _ambiguous(printed):
                place = _origin(ran.trace, [document], printed, item)
                if place is None or (*place, written) in seen or not subject.text(place[0]):
                    continue
                seen.add((*place, written))
                yield LintFinding(
                    "R402",
                    *place,
                    _ONE_OF_TWO
                    if subject.is_private(*place)
                    else f"{written} in the output is {both[0]} in YAML 1.1, and {both[1]} in 1.2",
                    runs=[ran.run.name],
                )


def _ambiguous(printed: LintedFile) -> Iterator[tuple[Item, str, tuple[str, str]]]:
    """The ambiguous scalars of a text, as they are written, with both readings."""
    for item in printed.items:
        span = None if type(item.value) in COLLECTIONS else printed.spans.value(item)
        written = "" if span is None else printed.text[span.start : span.end]
        both = readings(written) if 0 < len(written) <= LONGEST else None
        if both is not None:
            yield item, written, both


def _origin(trace: Trace, documents: object, printed: LintedFile, expected: Item) -> tuple[str, int] | None:
    """The origin of a printed value: the item at the same path of the documents."""
    way: list[int] = []
    item: Item | None = expected
    while item is not None:
        above = printed.parent(item)
        items = printed.documents.items if above is None else above.value.items  # type: ignore[union-attr]
        way.append(items.index(item))  # type: ignore[arg-type]
        item = above
    items = documents
    found: Item | None = None
    for index in reversed(way):
        if items is None or index >= len(items):  # type: ignore[arg-type]
            return None
        found = items[index]  # type: ignore[index]
        items = getattr(found.value, "items", None)
    if found is None or (type(found) is MapItem and type(expected) is MapItem and found.key != expected.key):
        return None
    original = trace.original(found)
    change = trace.changes.get(original)
    source, line = (original.source, original.line) if change is None else (change.source, change.line)
    path = path_of(source)
    return None if path is None else (path, line)
