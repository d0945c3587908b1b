"""One page of a result: as many items as fit, and a note about the rest."""

from __future__ import annotations

from json import dumps
from typing import NamedTuple

from plait.base.lines import lines_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from typing import NotRequired, TypedDict, TypeVar

    from plait.tree.plain_data import Plain

    T = TypeVar("T")

    class Page(TypedDict):
        """One page of a result. total: number of items in all. next_offset: the offset of the rest; None at the end.
        text: the items as text. diagnostics: warnings as data.
        """

        summary: str
        items: list[Plain]
        total: int
        next_offset: int | None
        note: str
        text: str
        diagnostics: NotRequired[list[dict[str, object]]]


# Maximum number of characters of a result, as JSON and as text.
MOST = 6_000
# Maximum number of characters of the diagnostics of a result, as JSON.
_MOST_DIAGNOSTICS = 3_000
# Characters for the parts of a result that are not items, and the maximum of each.
_ROOM, _SUMMARY = 800, 500
# Number of characters of a piece of a long line, and of a part of a long item.
_PIECE, _PART = 1_400, 3_500
# Maximum number of characters of a string of an item, and of items of a list in it: first, and if that is too long.
_CLIPS = ((1_500, 40), (150, 8), (40, 2))


class Item(NamedTuple):
    """An item of a result, as data and as text."""

    data: Plain
    text: str


def page(items: Iterable[Item], summary: str, offset: int = 0, note: str = "") -> Page:
    """The structured result of a tool: the items from an offset that fit, with a summary. note: more for the reader."""
    found = list(items)
    shown: list[Plain] = []
    texts: list[str] = []
    size = written = 0
    for item in found[offset:]:
        item = clipped(item)
        size += len(dumps(item.data, ensure_ascii=False)) + 2
        written += len(item.text) + 1
        if shown and max(size, written) > MOST - _ROOM:
            break
        shown.append(item.data)
        texts.append(item.text)
    end = offset + len(shown)
    rest = (
        f"items {offset + 1} to {end} of {len(found)}; offset={end} returns the next ones" if end < len(found) else ""
    )
    return {
        "summary": _clip(summary, _SUMMARY),
        "items": shown,
        "total": len(found),
        "next_offset": end if rest else None,
        "note": "; ".join(filter(None, (_clip(note, _SUMMARY // 2), rest))),
        "text": "\n".join(texts),
    }


def fitting(diagnostics: Iterable[dict[str, object]]) -> list[dict[str, object]]:
    """The first diagnostics, as many as fit into a result."""
    found: list[dict[str, object]] = []
    size = 0
    for one in diagnostics:
        size += len(dumps(one, ensure_ascii=False)) + 2
        if size > _MOST_DIAGNOSTICS:
            break
        found.append(one)
    return found


def text_of(result: Page) -> str:
    """A result as text: the summary, the items, the note."""
    return "\n".join(filter(None, (result["summary"], result["text"], result["note"])))


def clipped(item: Item) -> Item:
    """An item that fits into a page."""
    for characters, count in _CLIPS:
        found = Item(_shortened(item.data, characters, count), _clip(item.text, MOST - _ROOM))
        if len(dumps(found.data, ensure_ascii=False)) <= MOST - _ROOM:
            return found
    return Item(None, _clip(item.text, MOST - _ROOM))


def _shortened(value: Plain, characters: int, count: int) -> Plain:
    if isinstance(value, str):
        return _clip(value, characters)
    if isinstance(value, list):
        return [_shortened(one, characters, count) for one in value[:count]]
    if isinstance(value, dict):
        return {key: _shortened(one, characters, count) for key, one in value.items()}
    return value


def _clip(text: str, most: int) -> str:
    return text if len(text) <= most else f"{text[: most - 30]}... ({len(text) - most + 30} more characters)"


def lines(text: str) -> Sequence[Item]:
    """Each line of a text as an item, a long one as several."""
    return [Item(piece, piece) for line in lines_of(text) for piece in _pieces(line)]


def _pieces(line: str) -> Sequence[str]:
    """A line in pieces; "…" is where they continue."""
    return [item.text for item in line_items("", line)]


def line_items(kind: str, line: str) -> Sequence[Item]:
    """A line as an item of a kind, or as several that are joined without a character between: those after the first
    are of the kind "continued". "…" in the text is where they continue.
    """
    starts = range(0, len(line) or 1, _PIECE)
    return [
        Item(
            {"kind": "continued" if start else kind, "text": line[start : start + _PIECE]},
            f"{'…' * (start > 0)}{line[start : start + _PIECE]}{'…' * (start + _PIECE < len(line))}",
        )
        for start in starts
    ]


def parts(data: dict[object, Plain], key: str, text: str) -> Sequence[Item]:
    """An item, or several that continue it if it is too long. key: the key of the list in the data that is distributed."""
    several = data[key]
    assert isinstance(several, list)
    rows = _grouped([_shortened(one, *_CLIPS[0]) for one in several], lambda one: len(dumps(one, ensure_ascii=False)))
    texts = _grouped([piece for line in lines_of(text) for piece in _pieces(line)], len)
    count = max(len(rows), len(texts))
    rows += [[] for _ in range(count - len(rows))]
    texts += [[] for _ in range(count - len(texts))]
    return [Item({**data, key: row}, "\n".join(some)) for row, some in zip(rows, texts, strict=True)]


def _grouped(several: Iterable[T], size: Callable[[T], int]) -> list[list[T]]:
    """Groups in order, of items that fit into a part."""
    found: list[list[T]] = [[]]
    room = _PART
    for one in several:
        room -= size(one) + 2
        if room < 0 and found[-1]:
            found.append([])
            room = _PART - size(one) - 2
        found[-1].append(one)
    return found
