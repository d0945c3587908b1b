"""What traced programs call: windows collect what is read, and become the shadows of values (see `tracing`).

A *shadow* is what a value was made of. A variable has its shadow beside it, in another variable; a container that is
changed, a list that was made of data, the items of a display have theirs here, by identity.

Long loops over numbers stay bounded: a variable that is made of itself and nothing new keeps its shadow.
"""

from __future__ import annotations

import sys

from weft.nodes import Array, Map
from weft.provenance import Cause
from weft.starlark.attributes import attribute
from weft.starlark.runtime import GLOBALS
from weft.starlark.tracing.quiet import PLAIN, closed_names
from weft.starlark.tracing.shadows import Hole, Loop, Window, bound, of_item, without
from weft.starlark.values import Dict, List, Struct

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
    from collections.abc import Set as AbstractSet
    from typing import TypeAlias

    from weft.nodes import DocumentSet, Item
    from weft.nodes import Value as NodeValue
    from weft.provenance import Origin
    from weft.source import Source
    from weft.starlark.tracing.shadows import Argument, Shadow

    Nodes: TypeAlias = Map | Array | DocumentSet

# How many origins a variable that is made of itself is compared with.
_FEW = 12
_NOTHING: frozenset[Origin] = frozenset()
_NO_ARGUMENTS: Mapping[str, Shadow] = {}


class Windows:
    """The windows that are open in a run, and what is known aside of variables. Names for programs: `names`."""

    __slots__ = (
        "_exported",
        "_fields",
        "_lists",
        "_made",
        "_mutated",
        "_tested",
        "closed",
        "nodes_of",
        "note_parts_of",
        "stack",
        "steps",
    )

    def __init__(
        self,
        nodes_of: Callable[[object], Nodes | None] = lambda _value: None,
        note_parts_of: Callable[[Windows, NodeValue, object, str], AbstractSet[Origin]] = lambda *_given: frozenset(),
    ) -> None:
        # What the template layer knows: the nodes of a fragment; how to record nodes that were made of a value.
        self.nodes_of = nodes_of
        self.note_parts_of = note_parts_of
        self.stack: list[Window] = [Window()]
        self.steps = 0  # of loops and calls that were traced
        self.closed: set[object] = set()  # functions that can run untraced (see `quiet`)
        self._tested: Shadow = ()
        self._fields: dict[int, tuple[object, dict[str, Shadow], AbstractSet[Origin]]] = {}
        # By identity; the values are held so that no other gets their identity.
        self._mutated: dict[int, tuple[object, Shadow]] = {}
        self._lists: dict[int, tuple[object, Array]] = {}
        self._made: dict[int, tuple[object, Sequence[Shadow], dict[Origin, None]]] = {}
        self._exported: dict[tuple[str, int], tuple[object, Shadow]] = {}

    def read(self, origin: Origin) -> None:
        """Say that something was read."""
        self.stack[-1][origin] = None

    def read_list(self, made: object, array: Array) -> None:
        """Say that an array was read, and which list was made of it."""
        self.note_list(made, array)
        self.read(array)

    def note_list(self, made: object, array: Array) -> None:
        """Say which list was made of an array."""
        self._lists[id(made)] = (made, array)

    def array_of(self, made: object) -> Array | None:
        """The array that a list was made of."""
        found = self._lists.get(id(made))
        return None if found is None else found[1]

    def note_parts(self, made: object, parts: Sequence[Shadow], also: Iterable[Origin] = ()) -> dict[Origin, None]:
        """Say what the items of a list or dict are made of; gives all of that together.

        also: what else stands for items, such as the array that they come from.
        """
        covered = dict.fromkeys([origin for shadow in parts for origin in shadow])
        covered.update(dict.fromkeys(also))
        self._made[id(made)] = (made, parts, covered)
        return covered

    def parts_of(self, made: object) -> Sequence[Shadow] | None:
        """The shadows of the items of a list or dict that the program wrote as one, in order."""
        found = self._made.get(id(made))
        if found is None or len(found[1]) != len(made):  # type: ignore[arg-type]
            return None
        return found[1]

    def shadows_in(self, x: object) -> Sequence[Shadow] | None:
        """The shadows of the items of a list, dict or tuple, whether made of data or written; None if not known."""
        if type(x) is List:
            array = self.array_of(x)
            if array is not None and len(array.items) == len(x):
                return [(of_item(item),) for item in array.items]
        if type(x) is List or type(x) is Dict or type(x) is tuple:
            return self.parts_of(x)
        nodes = self.nodes_of(x)
        if nodes is None:
            return None
        # The keys of a map are where they are, whatever stands under them.
        return [() for _ in nodes.items] if type(nodes) is Map else [(of_item(item),) for item in nodes.items]

    def covered(self, x: object) -> AbstractSet[Origin]:
        """What `shadows_in` tells one by one, and what stands for all of it."""
        array = self.array_of(x) if type(x) is List else None
        if array is not None and len(array.items) == len(x):  # type: ignore[arg-type]
            return {array}
        nodes = self.nodes_of(x)
        return self._made[id(x)][2].keys() if nodes is None else {nodes}

    def rearranged(self, name: str, args: Sequence[object], value: Sequence[object], all_of: Shadow) -> None:
        """Note what the items of a new list are made of that holds those of others."""
        known = [self.shadows_in(arg) for arg in args]
        first = known[0]
        parts: Sequence[Shadow]
        if name == "zip":
            parts = []
            for place, item in enumerate(value):
                each = [all_of if shadows is None else shadows[place] for shadows in known]
                self.note_parts(item, each)
                parts.append(tuple(dict.fromkeys([origin for shadow in each for origin in shadow])))
        elif first is None:
            return
        elif name == "reversed":
            parts = first[::-1]
        else:
            parts = first
            if name in {"enumerate", "items"}:
                for item, shadow in zip(value, first, strict=False):
                    self.note_parts(item, ((), shadow))
        also = [
            origin
            for arg, shadows in zip(args, known, strict=True)
            if shadows is not None
            for origin in self.covered(arg)
        ]
        if len(parts) == len(value):
            self.note_parts(value, parts, also)

    def element(self, x: object, key: object, shadow: Shadow) -> Shadow:
        """The shadow of `x[key]`, where that of x and key together is known: what the other items are made of is left out."""
        if (type(x) is List or type(x) is tuple) and type(key) is int:
            place = key
        elif type(x) is Dict:
            place = next((number for number, known in enumerate(x.keys()) if known == key), len(x))
        else:
            return self.node_element(self.nodes_of(x), key, shadow)
        array, parts = self.array_of(x), self.parts_of(x)
        if array is None and parts is None:
            return shadow
        if array is not None and len(array.items) == len(x):
            item = array.items[place]
            return (*without(shadow, {array}), of_item(item))
        if parts is not None and place < len(parts):
            return (*without(shadow, self._made[id(x)][2].keys()), *parts[place])
        return shadow

    def node_element(self, nodes: Nodes | None, key: object, shadow: Shadow) -> Shadow:
        """The shadow of a part of a fragment."""
        item: Item | None = None
        if type(nodes) is Map:
            item = nodes.find(key)  # type: ignore[arg-type]
        elif nodes is not None and type(key) is int:
            item = nodes.items[key]
        return shadow if item is None or nodes is None else (*without(shadow, {nodes}), of_item(item))

    def field_element(self, x: object, name: str, shadow: Shadow) -> Shadow:
        """The shadow of a field of a fragment, or of a struct that was put together."""
        made = self._fields.get(id(x))
        if made is not None and name in made[1]:
            return (*without(shadow, made[2]), *made[1][name])
        return self.node_element(self.nodes_of(x), name, shadow)

    def note_fields(self, made: object, arguments: Sequence[Argument]) -> None:
        """Say what the fields of a struct are made of."""
        if all(name is not None and name[0] != "*" for _, _, name in arguments):
            fields = {str(name): shadow for _, shadow, name in arguments}
            covered = dict.fromkeys([origin for shadow in fields.values() for origin in shadow])
            self._fields[id(made)] = (made, fields, covered.keys())

    def call(self, function: Callable[..., object], *arguments: tuple[object, Shadow]) -> tuple[object, Shadow]:
        """Call a function from outside of any program; gives what it gives, and what that was made of."""
        window = Window()
        window.called = True
        window.arguments = [(value, shadow, None) for value, shadow in arguments]
        depth = len(self.stack)
        self.stack.append(window)
        try:
            value = function(*(value for value, _ in arguments))
        finally:
            del self.stack[depth:]
        found = dict(window)
        if not window.direct:
            found.update(dict.fromkeys([origin for _, shadow, _ in window.arguments for origin in shadow]))
        return value, tuple(found)

    def argument(self, value: object) -> Shadow:
        """The shadow of a value that was given to the function being called."""
        for window in reversed(self.stack):
            for given, shadow, _ in window.arguments:
                if given is value:
                    return shadow
        return ()

    def take(self) -> Shadow:
        """What the innermost window holds, what decided that the statement runs included; it is forgotten there."""
        window = self.stack[-1]
        if not window and not window.arguments:
            return window.control
        origins = dict.fromkeys(window.control)
        origins.update(window)
        for _, shadow, _ in window.arguments:
            origins.update(dict.fromkeys(shadow))
        window.clear()
        window.arguments = ()
        return tuple(origins)

    def mark(self, value: object, shadow: Shadow) -> None:
        """Say that a container was changed."""
        known = self._mutated.get(id(value))
        if known is not None:
            if len(shadow) <= _FEW and all(origin in known[1] for origin in shadow):
                return
            shadow = (Cause("", None, 0, (*known[1], *shadow)),)
        self._mutated[id(value)] = (value, shadow)

    def names(self, source: Source) -> Mapping[str, object]:
        """What the code of one program calls."""
        stack = self.stack
        mutated, made = self._mutated, self._made
        exported = self._exported
        nodes_of = self.nodes_of
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
            if type(value) not in PLAIN:
                found = self.field_element(value, name, shadow)
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
            self._tested = tuple(shut(depth))
            return value

        def tested(line: int) -> Shadow:
            return (Cause("condition", source, line, self._tested),)

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
                    self.note_fields(value, window.arguments)
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
            into.update(self.note_parts(value, window.parts or []))
            return value

        def stored(x: object, key: object, shadow: Shadow) -> None:
            """`x.append(...)`, for which key is None, and `x[key] = ...`."""
            known = self._made.get(id(x))
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
            self.mark(x, shadow)

        def length(value: object, shadow: Shadow) -> object:
            """A list or dict of which only the size counts."""
            if (type(value) is List or type(value) is Dict) and self.parts_of(value) is not None:
                shadow = without(shadow, self.covered(value))
                if id(value) in mutated:
                    shadow = (*shadow, *mutated[id(value)][1])
                stack[-1].update(dict.fromkeys(shadow))
                return value
            return use(value, shadow)

        def clause(number: int, value: object) -> object:
            window = stack[-1]
            shadows = self.shadows_in(value) if type(value) is not Dict else None
            if shadows is not None:
                # A loop over data depends on where the data is; its elements come one by one.
                for origin in self.covered(value):
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
            stack[-1].update(dict.fromkeys(self.element(x, key, origins)))
            return value

        def get(depth: int, x: object, key: object, *other: object) -> object:
            value = attribute(x, "get")(key, *other)  # type: ignore[operator]
            origins = tuple(shut(depth))
            if type(x) is Dict and key in x:
                origins = self.element(x, key, origins)
            elif type(x) is Dict and self.parts_of(x) is not None:
                origins = without(origins, self.covered(x))
            stack[-1].update(dict.fromkeys(origins))
            return value

        def sequence(depth: int, name: str, function: Callable[..., object], *args: object) -> object:
            """Functions and methods that only put items of their arguments together anew."""
            value = function(*args)
            origins = shut(depth)
            stack[-1].update(origins)
            if type(value) is List or type(value) is tuple:
                self.rearranged(name, args, value, tuple(origins))
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
            shadows = self.shadows_in(iterated)
            covered = _NOTHING if shadows is None else self.covered(iterated)
            return Loop(self, iterated, close(depth, line, *controls), shadows, covered)

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
            "$from.changed": self.mark,
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
            **closed_names(self, here),
        }


__all__ = ["Windows"]
