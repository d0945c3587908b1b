"""Groups equal errors: one mistake that several runs report, or that is on several lines."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from typing import TypeAlias, TypeVar

    from plait.base.errors import Diagnostic, Finding, PlaitError
    from plait.base.source import Position

    T = TypeVar("T")
    Key: TypeAlias = tuple[object, ...]


def key_of(error: PlaitError, names: Mapping[str, str] | None = None, *, home: str = "") -> Key:
    """A key that is equal for errors with the same cause. It consists of codes, positions and faulty words, not of
    texts.

    names: maps axis values to the names of their axes, which replace the values. home: a directory to ignore.
    """

    def named(text: str) -> str:
        for value, axis in (names or {}).items():
            text = text.replace(value, f"{{{axis}}}")
        return text.replace(home, "") if home else text

    def place(at: Position | None) -> Key:
        if at is None or at.source is None:
            return ()
        return named(at.source.shown), at.line, at.column

    def key(diagnostic: Diagnostic) -> Key:
        at, steps = place(diagnostic.at), [place(step.at) for step in diagnostic.stack if step.at is not None]
        facts = (
            diagnostic.code,
            at,
            diagnostic.word,
            diagnostic.subject,
            tuple(map(place, diagnostic.also)),
            tuple(steps),
        )
        # An error without a position, such as one about an option, can be identified only by its message.
        return (
            facts if at or steps or error.findings else (*facts, named(diagnostic.text("message", complete=True) or ""))
        )

    return tuple(map(key, (error, *error.findings)))


# Codes of mistakes that are the same on any line: a file of values has a comment on every other line.
_ON_ANY_LINE = frozenset({"unmarked-comment"})


def mistake(finding: Finding) -> Key | Finding:
    """A key that is equal for the same mistake on equal lines of one evaluation. A secret line equals no other."""
    at = finding.at
    what = finding.detail if finding.subject else finding.expected or finding.hint
    if at is None or at.text is None or at.source is None or at.source.private or not what:
        return finding
    facts = (finding.code, finding.expected, finding.hint)
    own = () if finding.code in _ON_ANY_LINE else (at.text.strip(), finding.word, finding.found)
    return own, what, facts, tuple(finding.also)


# Maximum number of positions that are shown for a repeated mistake.
_MOST_PLACES = 9


def other_places(others: Iterable[Finding]) -> str:
    """The positions of repetitions of a mistake."""
    places = list(dict.fromkeys(str(one.at) for one in others))
    more = f" and {len(places) - _MOST_PLACES} more" if len(places) > _MOST_PLACES else ""
    return ", ".join(places[:_MOST_PLACES]) + more


def grouped(found: Iterable[T], key: Callable[[T], object]) -> list[list[T]]:
    """Groups items with equal keys, in the order of the first item of each group."""
    groups: dict[object, list[T]] = {}
    for one in found:
        groups.setdefault(key(one), []).append(one)
    return [*groups.values()]
