"""What the code of a traced program calls, by the names that begin with "$from." (see `tracing`)."""

from __future__ import annotations

import sys

from plait.provenance import Cause
from plait.starlark.attributes import attribute
from plait.starlark.runtime import GLOBALS
from plait.starlark.tracing.quiet import PLAIN, closed_names
from plait.starlark.tracing.shadows import Hole, Loop, Window, bound, without
from plait.starlark.values import Dict, List, Struct

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from plait.provenance import Origin
    from plait.source import Source
    from plait.starlark.tracing.shadows import Shadow
    from plait.starlark.tracing.windows import Windows

# How many origins a variable that is made of itself is compared with.
_FEW = 12
_NOTHING: frozenset[Origin] = frozenset()
_NO_ARGUMENTS: Mapping[str, Shadow] = {}


def called_names(windows: Windows, source: Source) -> Mapping[str, object]:
    """What the code of one program calls."""
    stack = windows.stack
    mutated, made = windows.mutated, windows.made
    exported = windows.exported
    nodes_of, silent = windows.nodes_of, windows.silent
    heres: dict[int, Shadow] = {}
    plain_index = GLOBALS["$index"]

    def open_() -> int:
        stack.append(Window())
        return len(stack) - 1

    def shut(depth: int) -> Window:
        # Windows above were left by an error that somebody caught.
        window = stack[depth]
        del stack[depth:]
        return window

    def here(line: int) -> Shadow:
        found = heres.get(line)
        if found is None:
            found = heres[line] = (Cause("code", source, line),)
        return found

    def close(depth: int, line: int, *controls: Shadow) -> Shadow:
        window = stack[depth]
        del stack[depth:]
        for shadow in controls:
            for origin in shadow:
                window[origin] = None
        if not window:
            return here(line)
        if len(window) <= _FEW:
            for origin in window:
                if type(origin) is Cause and origin.line == line and origin.source is source:
                    known = origin.because
                    if len(known) <= _FEW and all(one is origin or one in known for one in window):
                        return (origin,)
        return (Cause("code", source, line, tuple(window)),)

    def use(value: object, shadow: Shadow) -> object:
        window = stack[-1]
        for origin in shadow:
            window[origin] = None
        if id(value) in mutated:
            window.update(dict.fromkeys(mutated[id(value)][1]))
        if id(value) in made:
            window.update(made[id(value)][2])
        return value

    def field(value: object, shadow: Shadow, name: str) -> object:
        window = stack[-1]
        for origin in shadow:
            window[origin] = None
        if id(value) in mutated:
            window.update(dict.fromkeys(mutated[id(value)][1]))
        if type(value) not in silent:
            found = windows.field_element(value, name, shadow)
            if found is not shadow:
                window.clear_of(shadow)
                window.update(dict.fromkeys(found))
        return attribute(value, name)

    def see(value: object) -> object:
        if id(value) in mutated:
            stack[-1].update(dict.fromkeys(mutated[id(value)][1]))
        if id(value) in made:
            stack[-1].update(made[id(value)][2])
        return value

    def test(depth: int, value: object) -> object:
        windows.tested = tuple(shut(depth))
        return value

    def tested(line: int) -> Shadow:
        return (Cause("condition", source, line, windows.tested),)

    def host() -> int:
        depth = open_()
        stack[depth].host = True
        return depth

    def under(*controls: Shadow) -> None:
        if len(controls) == 1:
            stack[-1].control = controls[0]
        else:
            stack[-1].control = tuple(dict.fromkeys([origin for shadow in controls for origin in shadow]))

    def hole(value: object) -> Hole:
        window = stack[-1]
        made = Hole(value, tuple(window))
        window.clear()
        return made

    def argument(depth: int, value: object, name: str | None) -> object:
        shadow = tuple(shut(depth))
        stack[-1].adds((value, shadow, name))
        return value

    def passed(value: object, shadow: Shadow, name: str | None) -> object:
        if id(value) in mutated:
            shadow = (*shadow, *mutated[id(value)][1])
        if id(value) in made:
            shadow = (*shadow, *made[id(value)][2])
        stack[-1].adds((value, shadow, name))
        return value

    def result(depth: int, value: object) -> object:
        window = stack[depth]
        del stack[depth:]
        into = stack[-1]
        nodes = nodes_of(value) if type(value) not in PLAIN else None
        if nodes is not None:
            into[nodes] = None
            if not window.direct:
                # What a builtin function makes of nodes has a history of its own.
                return value
        elif not window.direct and getattr(value, "says_itself", False):
            return value
        elif not window.direct:
            if type(value) is Struct and window.arguments:
                windows.note_fields(value, window.arguments)
            for _, shadow, _ in window.arguments:
                for origin in shadow:
                    into[origin] = None
        into.update(window)
        return value

    def keyed(depth: int, key: object) -> object:
        origins = shut(depth)
        window = stack[-1]
        if window.elements is not None:
            for shadow in window.elements.values():
                origins.update(dict.fromkeys(shadow))
        window.key = tuple(origins)
        return key

    def part(depth: int, value: object) -> object:
        origins = shut(depth)
        window = stack[-1]
        for origin in window.key:
            origins[origin] = None
        if window.elements is not None:
            for shadow in window.elements.values():
                origins.update(dict.fromkeys(shadow))
        if not window.parts:
            window.parts = []
        window.parts.append(tuple(origins))  # type: ignore[attr-defined]
        return value

    def listed(depth: int, value: object) -> object:
        window = shut(depth)
        into = stack[-1]
        into.update(window)
        into.update(windows.note_parts(value, window.parts or []))
        return value

    def stored(x: object, key: object, shadow: Shadow) -> None:
        """`x.append(...)`, for which key is None, and `x[key] = ...`."""
        known = windows.made.get(id(x))
        if known is not None and type(known[1]) is list:
            parts, covered = known[1], known[2]
            if type(x) is List:
                place = len(x) - 1 if key is None else key
            elif type(x) is Dict:
                place = next((number for number, one in enumerate(x.keys()) if one == key), -1)
            else:
                place = -1
            if type(place) is int and 0 <= place <= len(parts) and len(x) in (len(parts), len(parts) + 1):  # type: ignore[arg-type]
                parts[place : place + 1] = [shadow]
                covered.update(dict.fromkeys(shadow))
                return
        windows.mark(x, shadow)

    def length(value: object, shadow: Shadow) -> object:
        """A list or dict of which only the size counts."""
        if (type(value) is List or type(value) is Dict) and windows.parts_of(value) is not None:
            shadow = without(shadow, windows.covered(value))
            if id(value) in mutated:
                shadow = (*shadow, *mutated[id(value)][1])
            stack[-1].update(dict.fromkeys(shadow))
            return value
        return use(value, shadow)

    def clause(number: int, value: object) -> object:
        window = stack[-1]
        shadows = windows.shadows_in(value) if type(value) is not Dict else None
        if shadows is not None:
            # A loop over data depends on where the data is; its elements come one by one.
            for origin in windows.covered(value):
                window.pop(origin, None)
            if window.elements is None:
                window.elements = {}
            window.elements[number] = shadows  # type: ignore[assignment]
        return value

    def stepped(number: int, iterable: Iterable[object]) -> Iterator[object]:
        window = stack[-1]
        elements = window.elements
        shadows: Sequence[Shadow] = () if elements is None else elements.pop(number, ())  # type: ignore[assignment]
        for place, value in enumerate(iterable):
            if place < len(shadows):
                elements[number] = shadows[place]  # type: ignore[index]
            yield value

    def index(depth: int, x: object, key: object) -> object:
        origins = tuple(shut(depth))
        value = plain_index(x, key)  # type: ignore[operator]
        stack[-1].update(dict.fromkeys(windows.element(x, key, origins)))
        return value

    def get(depth: int, x: object, key: object, *other: object) -> object:
        value = attribute(x, "get")(key, *other)  # type: ignore[operator]
        origins = tuple(shut(depth))
        if type(x) is Dict and key in x:
            origins = windows.element(x, key, origins)
        elif type(x) is Dict and windows.parts_of(x) is not None:
            origins = without(origins, windows.covered(x))
        stack[-1].update(dict.fromkeys(origins))
        return value

    def sequence(depth: int, name: str, function: Callable[..., object], *args: object) -> object:
        """Functions and methods that only put items of their arguments together anew."""
        value = function(*args)
        origins = shut(depth)
        stack[-1].update(origins)
        if type(value) is List or type(value) is tuple:
            windows.rearranged(name, args, value, tuple(origins))
        return value

    def enter(names: tuple[str, ...], count: int, star: str, double: str) -> Mapping[str, Shadow]:
        """The shadows of a function's parameters: names, of which count can be given by position."""
        window = stack[-1]
        if window.quiet or not (window.called or "$source" in sys._getframe(2).f_globals):
            # Called by a builtin function, or by a program that does not say what it gives.
            return _NO_ARGUMENTS
        window.direct = True
        return bound(window.arguments, names, count, star, double) if window.arguments else _NO_ARGUMENTS

    def loop(depth: int, iterated: object, line: int, *controls: Shadow) -> Loop:
        shadows = windows.shadows_in(iterated)
        covered = _NOTHING if shadows is None else windows.covered(iterated)
        return Loop(windows, iterated, close(depth, line, *controls), shadows, covered)

    def loaded(name: str, value: object) -> Shadow:
        found = exported.get((name, id(value)))
        return () if found is None else found[1]

    def exports(variables: Mapping[str, object]) -> None:
        for name, value in variables.items():
            shadow = variables.get("$o." + name)
            if shadow:
                exported[name, id(value)] = (value, shadow)  # type: ignore[assignment]

    def add(line: int, *controls: Shadow) -> None:
        window = stack[-1]
        for shadow in controls:
            for origin in shadow:
                window[origin] = None
        for origin in here(line):
            window[origin] = None

    return {
        "$from.open": open_,
        "$from.close": close,
        "$from.use": use,
        "$from.field": field,
        "$from.see": see,
        "$from.changed": windows.mark,
        "$from.test": test,
        "$from.tested": tested,
        "$from.host": host,
        "$from.under": under,
        "$from.hole": hole,
        "$from.argument": argument,
        "$from.passed": passed,
        "$from.result": result,
        "$from.part": part,
        "$from.keyed": keyed,
        "$from.stored": stored,
        "$from.length": length,
        "$from.listed": listed,
        "$from.clause": clause,
        "$from.stepped": stepped,
        "$from.index": index,
        "$from.get": get,
        "$from.sequence": sequence,
        "$from.enter": enter,
        "$from.here": here,
        "$from.add": add,
        "$from.shut": shut,
        "$from.loop": loop,
        "$from.loaded": loaded,
        "$from.exports": exports,
        **closed_names(windows, here),
    }


__all__ = ["called_names"]
