"""Finds the output values that depend on an input line.

The trace of an evaluation provides candidates, which are verified: the run is evaluated with other values on the line,
and all values that change belong to the impact. A line without a record has no effect if the output does not change.
That proves nothing for code that may be skipped, so its impact is unknown.
"""

from __future__ import annotations

import os

from plait.base.errors import PlaitError, UsageError
from plait.base.similar_names import counted, did_you_mean
from plait.base.source import Source
from plait.insight.explain import Explainer
from plait.insight.extents import Extents
from plait.insight.node_paths import all_places
from plait.tree.nodes import equal
from plait.yaml.document_names import document_name

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from plait.insight.extents import Scalar
    from plait.insight.node_paths import NodePath
    from plait.tree.context import Context
    from plait.tree.nodes import DocumentSet
    from plait.tree.provenance import Trace

    Files = Mapping[str, bytes | None]
    Rerun = Callable[[Mapping[str, bytes]], tuple[DocumentSet, Trace | None]]


class Impact:
    """The effect of a line.

    places: the values, in order. unknown: the reason why the values are unknown, or "". needed: the run fails if the
    line is changed. If all are empty or false, the line has no effect.
    """

    __slots__ = ("needed", "places", "unknown")

    def __init__(self, places: Sequence[NodePath], unknown: str = "", *, needed: bool = False) -> None:
        self.places = places
        self.unknown = unknown
        self.needed = needed


def impact(
    trace: Trace,
    documents: DocumentSet,
    file: str,
    line: int,
    *,
    files: Files | None = None,
    rerun: Rerun | None = None,
    context: Context | None = None,
) -> Impact:
    """The scalars of an output, and the lines of its text files, that depend on an input line.

    trace: the trace of an evaluation that records all functions (`Trace.follows_all`). files: contents of the inputs by
    absolute path. rerun: evaluates with replaced texts; raises PlaitError. context: the context of the evaluation, for
    observers.
    """
    documents = _visible(trace, documents)
    found = _impact(trace, documents, file, line, files, rerun, context)
    names = Explainer(trace).names  # names without secrets
    return Impact([place.named(names) for place in found.places], found.unknown, needed=found.needed)


def _visible(trace: Trace | None, documents: DocumentSet) -> DocumentSet:
    """The documents without items whose existence depends on a secret."""
    marks = None if trace is None else trace.marks
    return documents if marks is None else documents.with_items(marks.visible(documents.items))


def _impact(
    trace: Trace,
    documents: DocumentSet,
    file: str,
    line: int,
    files: Files | None,
    rerun: Rerun | None,
    context: Context | None,
) -> Impact:
    """The impact of a line, with unredacted paths."""
    path, text = content_of(file, files or {})
    extents = None if text is None else Extents(Source(path, text))
    exact = (
        {line}
        if extents is None
        else {inner for one in extents.starts(line) for inner in (one, *_outer(extents, trace, one))}
    )
    within = set() if extents is None else extents.within(line) - exact
    found, inside = _places(trace, documents, file, exact, within, context)
    found = found or inside
    if extents is None:
        return Impact(found, "" if found else "the file was not read")
    if not found and extents.is_blank(line):
        return Impact([])
    if rerun is None:
        return Impact(found, "" if found else "the line has no record")
    if found and extents.has_code(line):
        return Impact(found)
    if trace.marks is not None and not trace.marks.shows_all:
        # The result with another value may reveal secrets.
        return Impact(
            found, "" if found else "the line has no record, and runs with secrets are not evaluated with other values"
        )
    tried = _tried(extents, path, line, documents, trace, rerun)
    if not found:
        return tried
    keys = {_key(place) for place in (*found, *tried.places)}
    return Impact([place for place in all_places(documents.items, Explainer(trace).texts) if _key(place) in keys])


def _places(
    trace: Trace, documents: DocumentSet, file: str, exact: set[int], within: set[int], context: Context | None
) -> tuple[list[NodePath], list[NodePath]]:
    """The values that lines of a file contribute to, and the values that lines inside them contribute to."""
    explainer = Explainer(trace)
    if context is not None:
        context.done = context.total = 0
    found: list[NodePath] = []
    inside: list[NodePath] = []
    for place in all_places(documents.items, Explainer(trace).texts):
        if context is not None:
            context.begin(place)
        history = explainer.history(place)
        numbers = {number for name, number in explainer.lines(history, structure=True) if same_file(name, file)}
        # In a file that was read as a whole, every line may have an effect.
        if 0 in numbers or not exact.isdisjoint(numbers):
            found.append(place)
        elif not within.isdisjoint(numbers):
            inside.append(place)
    return found, inside


def _outer(extents: Extents, trace: Trace, line: int) -> Iterable[int]:
    """The first lines of enclosing functions, which represent a line that was not recorded."""
    if not trace.untraced or not extents.function(line):
        return ()
    return [first for source, first in trace.untraced if same_file(source.shown, extents.source.name)]


def _tried(extents: Extents, path: str, line: int, documents: DocumentSet, trace: Trace, rerun: Rerun) -> Impact:
    """The impact of a line without a record: the values that differ if the line is changed."""
    text = extents.source.text
    texts = [other for scalar in extents.scalars(line) for other in changed(text, scalar)]
    is_code = extents.has_code(line) or not texts
    if is_code:
        rows = text.split("\n")
        texts = ["\n".join([*rows[: line - 1], "", *rows[line:]])]
    before = [*all_places(documents.items, Explainer(trace).texts)]
    found: dict[tuple[str | int, str], NodePath] = {}
    failed = same = 0
    for one in texts:
        try:
            other, other_trace = rerun({path: one.encode("utf-8", "surrogateescape")})
        except PlaitError:
            failed += 1
            continue
        after = [
            *all_places(_visible(other_trace, other).items, {} if other_trace is None else Explainer(other_trace).texts)
        ]
        changes = _changes(before, after)
        if not changes and len(after) == len(before):
            same += 1
            continue
        found.update((_key(place), place) for place in changes or before)
    if found:
        return Impact([place for place in before if _key(place) in found])
    if failed:
        return Impact([], "" if not same else "the run fails with some other values on this line", needed=not same)
    return Impact([], "the output is the same without this code" if is_code else "")


def _changes(before: Sequence[NodePath], after: Sequence[NodePath]) -> list[NodePath]:
    """The values that differ in another output.

    Values are matched by name, or by order if there are equally many: a value may be the same even if its document or
    item has another name.
    """
    named = {_key(place): place for place in after}
    in_order: Sequence[NodePath | None] = after if len(after) == len(before) else [None] * len(before)
    return [
        place
        for place, opposite in zip(before, in_order, strict=True)
        if not _is_same(place, named.get(_key(place)))
        and not (opposite is not None and _has_same_key(place, opposite) and _is_same(place, opposite))
    ]


def _has_same_key(node_path: NodePath, other: NodePath) -> bool:
    return [getattr(item, "key", None) for item in node_path.way] == [getattr(item, "key", None) for item in other.way]


def _key(node_path: NodePath) -> tuple[str | int, str]:
    """The document and the path by names, which do not change when documents are added or removed."""
    file: str = getattr(node_path, "file", "")
    return file or document_name(node_path.document) or node_path.number, node_path.path


def _is_same(node_path: NodePath, other: NodePath | None) -> bool:
    return other is not None and type(node_path.value) is type(other.value) and equal(node_path.value, other.value)


def changed(text: str, scalar: Scalar) -> list[str]:
    """Variants of a text with a scalar replaced by another one of the same type."""
    value, written = scalar.value, text[scalar.start : scalar.end]
    others: list[str] = []
    if value is True or value is False:
        others = ["false" if value else "true"]
    elif isinstance(value, (int, float)):
        others = [f"{written}1", f"1{written}"]
    elif isinstance(value, str) and written:
        quote = written[-1] if written[-1] in "'\"" else ""
        inner = written[1:-1] if quote else written
        others = (
            [f"{quote}{inner}x{quote}", f"{quote}x{inner}{quote}"] if written[0] not in "|>&*!" else [f"{written}x"]
        )
    return [text[: scalar.start] + other + text[scalar.end :] for other in others]


def content_of(file: str, files: Files) -> tuple[str, str | None]:
    """The absolute path and the text of an input; None as the text if it was not read."""
    own = os.path.abspath(file)
    for path, content in sorted(files.items(), key=lambda one: one[0] != own):
        if content is not None and same_file(_shown(path), file):
            return path, content.decode("utf-8", "surrogateescape")
    return os.path.abspath(file), None


def same_file(name: str, file: str) -> bool:
    """True if a source's name and a path given by the user mean the same file. Inputs are named relative to their
    directory.
    """
    name, file = (path.replace(os.sep, "/").removeprefix("./") for path in (name, file))
    return name == file or name.endswith("/" + file) or file.endswith("/" + name)


def check_line(files: Files, file: str, number: int, whose: str) -> None:
    """Raises UsageError for a file that is not an input, and for a line beyond its end. Leading directories may be
    omitted.

    files: contents by absolute path. whose: owner of the inputs in messages.
    """
    read = {_shown(path): content for path, content in files.items() if content is not None}
    content = next((content for name, content in read.items() if same_file(name, file)), None)
    if content is None and file.startswith("stdin"):
        return
    if content is None:
        missing = not os.path.lexists(file)
        raise UsageError(
            f"file {file} not found" if missing else f"{file} is not an input of {whose}",
            found=", ".join(sorted(read)[:12]) or None,
            hint=did_you_mean(file, [*sorted(read), *sorted(map(os.path.basename, read))]),
            code="not-an-input",
        )
    lines = content.count(b"\n") + (not content.endswith(b"\n"))
    if not 0 < number <= lines:
        raise UsageError(
            f"{file} has no line {number}",
            expected=f"a line from 1 to {lines}" if lines else None,
            found=counted(lines, "line"),
            code="invalid-value",
        )


def _shown(path: str) -> str:
    return path.removeprefix(os.path.join(os.getcwd(), ""))
