"""Shadows: the origins of values, and the scopes that collect them (see `windows`)."""

from __future__ import annotations

import sys

from plait.tree.nodes import Array
from plait.tree.provenance import Contributor, Control
from plait.ytt.starlark.containers import Dict, List, Set

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from collections.abc import Set as AbstractSet
    from typing import TypeAlias

    from plait.base.source import Source
    from plait.tree.nodes import Item
    from plait.tree.provenance import Origin

    # The origins of a value. The parts of a shadow are shared, never joined.
    Shadow: TypeAlias = tuple[Origin, ...]
    # An argument of a call: its value, its shadow, and its name, "*", "**" or None.
    Argument: TypeAlias = tuple[object, Shadow, str | None]

# Depth to which `without` searches: a variable's line, and that of the variable it was computed from. Beyond that,
# origins without effect may be included. A larger depth would search the chain of a long loop again at each step.
_DEPTH = 4


class DependencyScope(dict["Origin", None]):
    """The reads recorded since the scope was opened, in order.

    arguments: the arguments of a call. direct: a function of a program received them. quiet: for a function that does
    not report its reads. parts: the shadows of the items of a list or dict literal. key: the shadow of its next key.
    elements: the shadows of the current elements of a comprehension's loops. coming: the shadows of all their elements.
    shape: the origins that decided which nodes the function builds. receiver: a value that the called method may
    change. candidates: values, with their origins, of which an operation returns some. reached_by: the secret
    conditions that led here. entered_by: those of the current statement. outermost: for a call from the host, outside
    all programs. host: for statements that build nodes. control: decides if the next statement runs. called: for a call
    that no program contains, but which reports its result.
    """

    arguments: Sequence[Argument] = ()
    direct = False
    quiet = False
    parts: list[Shadow] | None = None
    key: Shadow = ()
    elements: dict[int, Shadow] = {}  # noqa: RUF012 - replaced before it is written to
    coming: Mapping[int, Sequence[Shadow]] = {}
    host = False
    called = False
    outermost = False
    control: Shadow = ()
    receiver: object = None
    candidates: Sequence[tuple[object, Shadow]] = ()
    shape: Shadow = ()
    entered_by: Shadow = ()
    reached_by: Shadow = ()

    def clear_of(self, shadow: Shadow) -> None:
        """Removes the origins of a shadow from the scope."""
        for origin in shadow:
            self.pop(origin, None)

    def given(self) -> list[Origin]:
        """The origins of the arguments."""
        return [origin for _, shadow, _ in self.arguments for origin in shadow]

    def adds(self, argument: Argument) -> None:
        self.arguments = [*self.arguments, argument]


class PartShadow(Contributor):
    """The shadow of one part of a container, as a separate object. Conditions are shared objects, so the conditions of
    the container would look like those of a part, and must stay when that part is left out.
    """

    __slots__ = ()


def of_part(shadow: Shadow) -> Shadow:
    """The shadow of a part as its container records it."""
    if any(type(one) is Control or (type(one) is Contributor and one.action == "") for one in shadow):
        return (PartShadow("", None, 0, shadow),)
    return shadow


def opened(shadow: Shadow) -> Shadow:
    """The shadow of a part as that of a value."""
    while any(type(one) is PartShadow for one in shadow):
        shadow = tuple(origin for one in shadow for origin in (one.because if type(one) is PartShadow else (one,)))
    return shadow


class TracedValue:
    """A value that will become a node, with its origins."""

    __slots__ = ("origins", "value")

    def __init__(self, value: object, origins: Shadow) -> None:
        self.value = value
        self.origins = origins


def of_item(item: Item) -> Origin:
    """The origin of an array item's value."""
    return item.value if type(item.value) is Array else item


def bound(
    arguments: Iterable[Argument], names: tuple[str, ...], count: int, star: str, double: str
) -> dict[str, Shadow]:
    """The shadows of parameters, by name, as the language binds arguments."""
    found: dict[str, Shadow] = {}
    place = 0
    rest: Shadow = ()
    for value, shadow, name in arguments:
        if name is None:
            taker = names[place] if place < count else star
            found[taker] = (*found[taker], *shadow) if taker in found else shadow
            place += 1
        elif name == "*":
            size = len(value) if type(value) is List or type(value) is tuple else count
            for taker in (*names[place : min(place + size, count)], star):
                found[taker] = (*found.get(taker, ()), *shadow)
            place += size
        elif name == "**":
            rest = (*rest, *shadow)
        else:
            taker = name if name in names else double
            found[taker] = (*found.get(taker, ()), *shadow)
    if rest:
        for taker in (*names, double):
            found.setdefault(taker, rest)
    return found


def without(shadow: Shadow, covered: AbstractSet[Origin], depth: int = _DEPTH) -> Shadow:
    """A shadow without the origins in `covered`, as far as a search of limited depth finds them."""
    if not covered:
        return shadow
    out: list[Origin] = []
    for origin in shadow:
        if origin in covered:
            continue
        if depth and type(origin) is Contributor and origin.because:
            because = without(origin.because, covered, depth - 1)
            if len(because) != len(origin.because) or any(
                x is not y for x, y in zip(because, origin.because, strict=True)
            ):
                origin = Contributor(origin.action, origin.source, origin.line, because)
        out.append(origin)
    return tuple(out)


CHANGEABLE = frozenset({List, Dict, Set})


def joined_shadows(x: Shadow, y: Shadow) -> Shadow:
    """The union of both shadows, without duplicates. A new object unless y is empty."""
    if not y:
        return x
    return tuple(dict.fromkeys((*x, *y)))


# Types of values without reads of their own.
PLAIN = frozenset({bool, int, float, str, type(None), tuple, range, List, Dict, Set})


def caller() -> tuple[Source | None, int]:
    """The current line of the program."""
    frame = sys._getframe(1)
    while frame.f_back is not None and "$source" not in frame.f_globals:
        frame = frame.f_back
    return frame.f_globals.get("$source"), frame.f_lineno
