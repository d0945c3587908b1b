"""Finds values that Deckhand renders differently, each with the line responsible. See docs/reference/layering.md.

The documents are rendered twice, by plait's rules and by Deckhand's. Writes into shared data are recorded (see
`shared_writes`), so that a differing value can be attributed to a line.
"""

from __future__ import annotations

import json

from plait.base.errors import LayeringError, render
from plait.base.similar_names import counted
from plait.base.text_diff import hunks, marked, visible, with_marks
from plait.layering.data_paths import PathError, compile_path
from plait.layering.deckhand import DeckhandStrategy
from plait.layering.document import read_documents
from plait.layering.rendering import LayeringOptions, plan, render_plan
from plait.layering.shared_writes import SharedWrites
from plait.tree.context import Context
from plait.tree.nodes import Array, ArrayItem, Map, equal, to_plain

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from plait.base.source import Position
    from plait.layering.document import LayeredDocument
    from plait.layering.shared_writes import Writer
    from plait.tree.nodes import DocumentSet, MapItem, Value

    Way = tuple[Value, ...]


class NoValue:
    """Placeholder for a value that is missing in one rendering."""

    __slots__ = ()


ABSENT = NoValue()


class DeckhandDifference:
    """A differing value. path: in the data of the document. cause: the line that caused it, and a text with the reason."""

    __slots__ = ("at", "because", "deckhand", "document", "path", "plait")

    def __init__(
        self,
        document: LayeredDocument,
        path: str,
        plait: Value | NoValue,
        deckhand: Value | NoValue,
        cause: tuple[Position, str],
    ) -> None:
        self.document = document
        self.path = path
        self.plait = plait
        self.deckhand = deckhand
        self.at, self.because = cause


class Comparison:
    """Differences between both renderings. refused: the error of the side that rejects the documents, and which side it
    is.
    """

    __slots__ = ("differences", "refused")

    def __init__(self, differences: list[DeckhandDifference], refused: tuple[str, LayeringError] | None = None) -> None:
        self.differences = differences
        self.refused = refused

    def __bool__(self) -> bool:
        return bool(self.differences) or self.refused is not None


def compare(sets: Sequence[DocumentSet], options: LayeringOptions, context: Context) -> Comparison:
    """The differences between both renderings. Raises LayeringError if both reject the documents, and other errors of
    rendering.
    """
    own, refused = _rendered(sets, _like(options, deckhand=False), context, None)
    origins = SharedWrites()
    deckhand, refused_too = _rendered(sets, _like(options, deckhand=True), Context(), origins)
    if refused is not None and refused_too is not None:
        raise refused
    if refused is not None:
        return Comparison([], ("plait", refused))
    if refused_too is not None:
        return Comparison([], ("Deckhand", refused_too))
    theirs = {document.identity: document for document in deckhand}
    found: list[DeckhandDifference] = []
    for document in own:
        other = theirs[document.identity]
        secret = document.secret and not options.cleartext_secrets
        for way, left, right in _differences(document.data, other.data, ()):
            cause = _cause(other, way, origins)
            if secret:
                # The difference is reported without its path and values.
                found.append(DeckhandDifference(document, ".", ABSENT, ABSENT, cause))
                break
            found.append(DeckhandDifference(document, _text(way), left, right, cause))
    return Comparison(found)


def to_text(comparison: Comparison) -> str:
    """The comparison as text; empty if nothing differs."""
    if comparison.refused is not None:
        who, error = comparison.refused
        other = "Deckhand" if who == "plait" else "plait"
        return f"{who} rejects these documents, {other} renders them:\n{render(error)}\n"
    out: list[str] = []
    for one in comparison.differences:
        out.append(f"{one.document} {one.path}\n")
        if isinstance(one.plait, NoValue) and isinstance(one.deckhand, NoValue):
            out.append("  differs (its values are secret)\n")
        else:
            out.append(_both(one.plait, one.deckhand))
        out.append(f"  because:  {one.at}: {one.because}\n")
    count, lines = len(comparison.differences), len({str(one.at) for one in comparison.differences})
    if count:
        out.append(
            f"{'1 value differs' if count == 1 else f'{count} values differ'} because of {counted(lines, 'line')}\n"
        )
    return "".join(out)


def _both(own: Value | NoValue, other: Value | NoValue) -> str:
    """Both values. Long strings are shortened to their differences."""
    if type(own) is str and type(other) is str:
        parts = marked(own, other) if "\n" not in own + other else None
        lines = [with_marks(parts)] if parts is not None else []
        if "\n" in own or "\n" in other:
            for hunk in hunks(own, other):
                lines += [hunk.header, *(f"{sign} {visible(line)}".rstrip() for sign, line in hunk.lines)]
        if lines:
            return "".join(f"{line}\n" for line in ("  plait (-) and Deckhand (+):", *(f"    {one}" for one in lines)))
    return f"  plait:    {_shown(own)}\n  Deckhand: {_shown(other)}\n"


def _like(options: LayeringOptions, *, deckhand: bool) -> LayeringOptions:
    return LayeringOptions(
        lenient=options.lenient,
        strict=options.strict,
        like_deckhand=deckhand,
        cleartext_secrets=options.cleartext_secrets,
        secret_sources=options.secret_sources,
    )


def _rendered(
    sets: Sequence[DocumentSet], options: LayeringOptions, context: Context, origins: SharedWrites | None
) -> tuple[list[LayeredDocument], LayeringError | None]:
    try:
        planned = plan(read_documents(sets), options, context)
        return render_plan(planned, options, context, DeckhandStrategy(origins) if origins is not None else None), None
    except LayeringError as error:
        return [], error


def _differences(left: Value, right: Value, path: Way) -> Iterator[tuple[Way, Value | NoValue, Value | NoValue]]:
    if left is right:
        return
    if type(left) is Map and type(right) is Map:
        for item in left.items:
            other = right.find(item.key)
            if other is None:
                yield (*path, item.key), item.value, ABSENT
            else:
                yield from _differences(item.value, other.value, (*path, item.key))
        for item in right.items:
            if left.find(item.key) is None:
                yield (*path, item.key), ABSENT, item.value
    elif type(left) is Array and type(right) is Array:
        ours, theirs = left.items, right.items
        for place in range(max(len(ours), len(theirs))):
            if place >= len(theirs):
                yield (*path, place), ours[place].value, ABSENT
            elif place >= len(ours):
                yield (*path, place), ABSENT, theirs[place].value
            else:
                yield from _differences(ours[place].value, theirs[place].value, (*path, place))
    elif not equal(left, right):
        yield path, left, right


def _cause(document: LayeredDocument, path: Way, origins: SharedWrites) -> tuple[Position, str]:
    """The line that changed the shared data, else the document's own step at the path."""
    writer: Writer | None = origins.of(document.data, path)
    if writer is not None:
        return _step(writer.document, writer.step)
    for entry in reversed(document.substitutions):
        value = entry.value.find("dest") if type(entry.value) is Map else None
        dests = [value.value] if value is not None and type(value.value) is Map else []
        if value is not None and type(value.value) is Array:
            dests = [one.value for one in value.value.items if type(one.value) is Map]
        for dest in dests:
            if _leads_to(dest, path):
                return _step(document, dest)
    for action in reversed(document.actions):
        return _step(document, action)
    return document.position, f"{document} is rendered in a different order"


def _leads_to(dest: Map, way: Way) -> bool:
    path = dest.find("path")
    try:
        steps = compile_path(str(path.value)).steps if path is not None else ()
    except PathError:
        return False
    return way[: len(steps)] == steps


def _step(document: LayeredDocument, step: ArrayItem | Map) -> tuple[Position, str]:
    parts = step.value if isinstance(step, ArrayItem) else step
    path: MapItem | None = parts.find("path") if type(parts) is Map else None
    at = path.position if path is not None else step.position
    method = parts.find("method") if type(parts) is Map else None
    text = path.value if path is not None else ""
    if method is None:
        return at, f"{document} substitutes to {text}"
    return at, f"{document} does {method.value} {text}"


def _text(path: Way) -> str:
    out = ""
    for step in path:
        if type(step) is int:
            out += f"[{step}]" if out else f".[{step}]"
        else:
            key = str(step) if type(step) is str else _shown(step)
            out += f".{key}" if key.replace("-", "").replace("_", "").isalnum() else f".'{key}'"
    return out or "."


def _shown(value: Value | NoValue) -> str:
    if isinstance(value, NoValue):
        return "nothing"

    plain = to_plain(value)
    try:
        return json.dumps(plain, ensure_ascii=False)
    except TypeError:  # keys that JSON does not allow
        return repr(plain)
