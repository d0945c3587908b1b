"""The functions that traced code calls by names starting with "$from.". They record reads.

One `DataflowRuntime` serves one program; all programs of a run share a `DependencyTracker`.
"""

from __future__ import annotations

import sys

from plait.tree.provenance import Contributor
from plait.ytt.starlark.attributes import attribute
from plait.ytt.starlark.containers import Dict, List, Set
from plait.ytt.starlark.instrument.dataflow.hooks import Hooks
from plait.ytt.starlark.instrument.dataflow.shadows import (
    PLAIN,
    DependencyScope,
    TracedValue,
    bound,
    of_part,
    opened,
    without,
)
from plait.ytt.starlark.instrument.dataflow.windows import Loop
from plait.ytt.starlark.runtime import index as plain_index
from plait.ytt.starlark.structs import Struct

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from plait.base.source import Source
    from plait.tree.provenance import Origin
    from plait.ytt.starlark.instrument.dataflow.shadows import Shadow
    from plait.ytt.starlark.instrument.dataflow.windows import DependencyTracker

# Maximum number of origins that are compared for a variable computed from itself.
_FEW = 12
# After this number of loop iterations and calls, pure functions always run untraced.
BUSY = 50_000
_CODE = frozenset({"", "code", "condition", "text"})
_NOTHING: frozenset[Origin] = frozenset()
_NO_ARGUMENTS: Mapping[str, Shadow] = {}


class DataflowRuntime(Hooks):
    """Records the reads of one program in the scopes that it opens."""

    __slots__ = ("closed", "exported", "heres", "made", "mutated", "nodes_of", "silent", "source", "stack", "windows")

    def __init__(self, windows: DependencyTracker, source: Source) -> None:
        self.windows = windows
        self.source = source
        # used by every read
        self.stack = windows.stack
        self.mutated = windows.mutated
        self.made = windows.made
        self.exported = windows.exported
        self.closed = windows.closed
        self.nodes_of = windows.nodes_of
        self.silent = windows.silent
        self.heres: dict[int, Shadow] = {}

    def names(self) -> Mapping[str, object]:
        """The functions that the program's code calls, by name."""
        return {
            "$from.add": self.add,
            "$from.also": self.also,
            "$from.aside": self.windows.aside,
            "$from.argument": self.argument,
            "$from.changed": self.changed,
            "$from.calling": self.calling,
            "$from.chose": self.chose,
            "$from.growing": self.growing,
            "$from.selected": self.selected,
            "$from.weighed": self.weighed,
            "$from.changing": self.changing,
            "$from.chosen": self.chosen,
            "$from.clause": self.clause,
            "$from.close": self.close,
            "$from.closed": self.closed.add,
            "$from.ended": self.ended,
            "$from.enter": self.enter,
            "$from.exports": self.exports,
            "$from.field": self.field,
            "$from.found": self.found,
            "$from.gathered": self.gathered,
            "$from.get": self.get,
            "$from.given": self.given,
            "$from.grown": self.grown,
            "$from.held": self.held,
            "$from.here": self.here,
            "$from.hole": self.hole,
            "$from.host": self.host,
            "$from.index": self.index,
            "$from.keyed": self.keyed,
            "$from.length": self.length,
            "$from.listed": self.listed,
            "$from.loaded": self.loaded,
            "$from.loop": self.loop,
            "$from.open": self.open,
            "$from.part": self.part,
            "$from.passed": self.passed,
            "$from.placed": self.placed,
            "$from.quiet": self.quiet,
            "$from.raise": self.raise_,
            "$from.raised": self.raised,
            "$from.began": self.began,
            "$from.ran": self.ran,
            "$from.reached": self.reached,
            "$from.result": self.result,
            "$from.see": self.see,
            "$from.sequence": self.sequence,
            "$from.shadows": self.shadows,
            "$from.shut": self.shut,
            "$from.shaped": self.shaped,
            "$from.start": self.start,
            "$from.stepped": self.stepped,
            "$from.stored": self.stored,
            "$from.storing": self.storing,
            "$from.test": self.test,
            "$from.tested": self.tested,
            "$from.under": self.under,
            "$from.use": self.use,
        }

    def open(self) -> int:
        self.stack.append(DependencyScope())
        return len(self.stack) - 1

    def start(self, _reached_by: Shadow) -> int:
        """Opens a scope for a statement."""
        self.stack.append(DependencyScope())
        return len(self.stack) - 1

    def shut(self, depth: int) -> DependencyScope:
        # An error that the program caught has left inner scopes open.
        window = self.stack[depth]
        del self.stack[depth:]
        return window

    def here(self, line: int) -> Shadow:
        found = self.heres.get(line)
        if found is None:
            found = self.heres[line] = (Contributor("code", self.source, line),)
        return found

    def close(self, depth: int, line: int, *controls: Shadow) -> Shadow:
        window = self.stack[depth]
        del self.stack[depth:]
        for shadow in controls:
            for origin in shadow:
                window[origin] = None
        if not window:
            return self.here(line)
        if len(window) <= _FEW:
            for origin in window:
                if type(origin) is Contributor and origin.line == line and origin.source is self.source:
                    known = origin.because
                    if len(known) <= _FEW and all(one is origin or one in known for one in window):
                        return (origin,)
        return (Contributor("code", self.source, line, tuple(window)),)

    def use(self, value: object, shadow: Shadow) -> object:
        window = self.stack[-1]
        for origin in shadow:
            window[origin] = None
        if id(value) in self.mutated:
            window.update(dict.fromkeys(self.mutated[id(value)][1]))
        if id(value) in self.made:
            window.update(self.made[id(value)][2])
        return value

    def field(self, value: object, shadow: Shadow, name: str) -> object:
        window = self.stack[-1]
        for origin in shadow:
            window[origin] = None
        if id(value) in self.mutated:
            window.update(dict.fromkeys(self.mutated[id(value)][1]))
        if type(value) not in self.silent:
            found = self.windows.field_element(value, name, shadow)
            if found is not shadow:
                window.clear_of(shadow)
                window.update(dict.fromkeys(found))
        return attribute(value, name)

    def see(self, value: object) -> object:
        if id(value) in self.mutated:
            self.stack[-1].update(dict.fromkeys(self.mutated[id(value)][1]))
        if id(value) in self.made:
            self.stack[-1].update(self.made[id(value)][2])
        return value

    def test(self, depth: int, value: object) -> object:
        self.windows.tested = tuple(self.shut(depth))
        return value

    def tested(self, line: int, _names: tuple[str, ...]) -> Shadow:
        return (Contributor("condition", self.source, line, self.windows.tested),)

    def changed(self, shadow: Shadow, *roots: object) -> None:
        for x in roots:
            self.windows.mark(x, shadow)

    def placed(self, depth: int, value: object) -> object:
        return self.chosen(depth, value, ())

    def chosen(self, depth: int, value: object, _names: tuple[str, ...]) -> object:
        """Records the value of a condition. names: the names in the code that it controls."""
        origins = self.shut(depth)
        self.stack[-1].update(origins)
        return value

    def host(self) -> int:
        depth = self.open()
        self.stack[depth].host = True
        return depth

    def under(self, *controls: Shadow) -> Shadow:
        if len(controls) == 1:
            found = controls[0]
        else:
            found = tuple(dict.fromkeys([origin for shadow in controls for origin in shadow]))
        self.stack[-1].control = found
        return found

    def hole(self, value: object) -> TracedValue:
        window = self.stack[-1]
        made = TracedValue(value, tuple(window))
        window.clear()
        return made

    def argument(self, depth: int, value: object, name: str | None) -> object:
        shadow = tuple(self.shut(depth))
        self.stack[-1].adds((value, shadow, name))
        return value

    def passed(self, value: object, shadow: Shadow, name: str | None) -> object:
        if id(value) in self.mutated:
            shadow = (*shadow, *self.mutated[id(value)][1])
        if id(value) in self.made:
            shadow = (*shadow, *self.made[id(value)][2])
        self.stack[-1].adds((value, shadow, name))
        return value

    def result(self, depth: int, value: object) -> object:
        window = self.stack[depth]
        del self.stack[depth:]
        into = self.stack[-1]
        nodes = self.nodes_of(value) if type(value) not in PLAIN else None
        if nodes is not None:
            into[nodes] = None
            if not window.direct:
                # Nodes built by a builtin function have their own history.
                return value
        elif not window.direct and getattr(value, "says_itself", False):
            return value
        elif not window.direct:
            if type(value) is Struct and window.arguments:
                into.update(dict.fromkeys(self.windows.note_fields(value, window.arguments)))
            else:
                for _, shadow, _ in window.arguments:
                    for origin in shadow:
                        into[origin] = None
        into.update(window)
        return value

    def keyed(self, depth: int, key: object) -> object:
        origins = self.shut(depth)
        window = self.stack[-1]
        for shadow in window.elements.values():
            origins.update(dict.fromkeys(shadow))
        window.key = tuple(origins)
        return key

    def part(self, depth: int, value: object) -> object:
        origins = self.shut(depth)
        window = self.stack[-1]
        for origin in window.key:
            origins[origin] = None
        for shadow in window.elements.values():
            origins.update(dict.fromkeys(shadow))
        if window.parts is None:
            window.parts = []
        window.parts.append(tuple(origins))
        return value

    def listed(self, depth: int, value: object) -> object:
        window = self.shut(depth)
        into = self.stack[-1]
        into.update(window)
        into.update(self.windows.note_parts(value, window.parts or []))
        return value

    def stored(self, x: object, key: object, shadow: Shadow, _reached_by: Shadow) -> None:
        """Records `x[key] = ...`, or `x.append(...)` if key is None."""
        known = self.windows.made.get(id(x))
        if known is not None and type(known[1]) is list:
            parts, covered = known[1], known[2]
            place: object = None
            size = -1
            if type(x) is List:
                place, size = len(x) - 1 if key is None else key, len(x)
            elif type(x) is Dict:
                place, size = self.windows.place_of(x, key), len(x)
            if type(place) is int and 0 <= place <= len(parts) and size in (len(parts), len(parts) + 1):
                shadow = of_part(shadow)
                parts[place : place + 1] = [shadow]
                covered.update(dict.fromkeys(shadow))
                self.windows.aside[:] = [True]
                return
        self.windows.mark(x, shadow)

    def length(self, value: object, shadow: Shadow) -> object:
        """Records that only the size of a list or dict is used."""
        if (type(value) is List or type(value) is Dict) and self.windows.parts_of(value) is not None:
            shadow = without(shadow, self.windows.covered(value))
            if id(value) in self.mutated:
                shadow = (*shadow, *self.mutated[id(value)][1])
            self.stack[-1].update(dict.fromkeys(shadow))
            return value
        return self.use(value, shadow)

    def clause(self, number: int, value: object, _names: tuple[str, ...]) -> object:
        window = self.stack[-1]
        shadows = self.windows.shadows_in(value) if type(value) is not Dict else None
        if shadows is not None:
            # A loop over data depends on the position of the data; each element has its own origins.
            for origin in self.windows.covered(value):
                window.pop(origin, None)
            window.coming = {**window.coming, number: shadows}
        return value

    def stepped(self, number: int, iterable: Iterable[object]) -> Iterator[object]:
        """The elements that a comprehension iterates over. The scope has the shadow of the current element."""
        window = self.stack[-1]
        shadows = window.coming.get(number, ())
        if shadows and not window.elements:
            window.elements = {}
        for place, value in enumerate(iterable):
            if place < len(shadows):
                window.elements[number] = opened(shadows[place])
            yield value

    def index(self, depth: int, x: object, key_depth: int, key: object) -> object:
        value = plain_index(x, key)  # if an error occurs, the scopes stay open
        by = self.shut(key_depth)
        window = self.shut(depth)
        window.update(by)
        origins = tuple(window)
        self.stack[-1].update(dict.fromkeys(self.windows.element(x, key, origins)))
        return value

    def get(self, depth: int, x: object, key_depth: int, key: object, *other: object) -> object:
        value = attribute(x, "get")(key, *other)  # type: ignore[operator]
        by = self.shut(key_depth)
        window = self.shut(depth)
        window.update(by)
        origins = tuple(window)
        if type(x) is Dict and key in x:
            origins = self.windows.element(x, key, origins)
        elif type(x) is Dict and self.windows.parts_of(x) is not None:
            origins = without(origins, self.windows.covered(x))
        self.stack[-1].update(dict.fromkeys(origins))
        return value

    def sequence(self, depth: int, name: str, function: Callable[..., object], *args: object) -> object:
        """Calls a function or method that only rearranges items of its arguments."""
        value = function(*args)
        origins = self.shut(depth)
        self.stack[-1].update(origins)
        if type(value) is List or type(value) is tuple:
            self.windows.rearranged(name, args, value, tuple(origins))
        return value

    def gathered(self, depth: int, value: object) -> object:
        """Records a value whose shape depends on the arguments of its function."""
        origins = self.shut(depth)
        self.stack[-1].update(origins)
        return value

    def weighed(self, depth: int, value: object) -> object:
        """An operand of `selected`."""
        origins = self.shut(depth)
        self.stack[-1].update(origins)
        return value

    def selected(self, depth: int, value: object) -> object:
        """The value of an operation whose operands decide which of their parts are in it."""
        return self.gathered(depth, value)

    def chose(self, depth: int, value: object) -> object:
        """The result of a call that returns one of its arguments, or of their items."""
        return self.result(depth, value)

    def growing(self, depth: int, value: object, _x: object) -> object:
        """The operand of an augmented assignment that decides which items a variable keeps."""
        return self.weighed(depth, value)

    def enter(self, names: tuple[str, ...], count: int, star: str, double: str) -> Mapping[str, Shadow]:
        """The shadows of a function's parameters, by name. `count`: number of positional parameters."""
        return self.taken(sys._getframe(2).f_globals, names, count, star, double)

    def shadows(self, names: tuple[str, ...], count: int, star: str, double: str) -> Sequence[Shadow]:
        """The shadows of a lambda's parameters, in their order."""
        found = self.taken(sys._getframe(2).f_globals, names, count, star, double)
        return tuple([found.get(name, ()) for name in (*names, star, double) if name])

    def taken(
        self, caller: Mapping[str, object], names: tuple[str, ...], count: int, star: str, double: str
    ) -> Mapping[str, Shadow]:
        window = self.stack[-1]
        if window.quiet or not (window.called or "$source" in caller):
            # Called by a builtin function, or by a program that does not report its arguments.
            return _NO_ARGUMENTS
        window.direct = True
        return bound(window.arguments, names, count, star, double) if window.arguments else _NO_ARGUMENTS

    def given(self, arguments: Mapping[str, Shadow], name: str, other: Shadow) -> Shadow:
        """The shadow of one parameter."""
        return arguments.get(name, other)

    def loop(
        self,
        depth: int,
        iterated: object,
        line: int,
        names: tuple[str, ...],
        reached_by: Shadow,
        *controls: Shadow,
    ) -> tuple[object, Shadow, object, object]:
        """The iterable of a loop, the shadow of its execution, and functions for the shadows of elements and their
        parts.

        names, reached_by: for a run that uses secrets; see `flows`.
        """
        del names, reached_by
        shadows = self.windows.shadows_in(iterated)
        covered = _NOTHING if shadows is None else self.windows.covered(iterated)
        loop = Loop(self.windows, iterated, self.close(depth, line, *controls), shadows, covered)
        return iterated, loop.control, loop.step, loop.part

    def loaded(self, name: str, value: object) -> Shadow:
        found = self.exported.get((name, id(value)))
        return () if found is None else found[1]

    def exports(self, variables: Mapping[str, object]) -> None:
        for name, value in variables.items():
            shadow = variables.get("$o." + name)
            if shadow and isinstance(shadow, tuple):
                self.exported[name, id(value)] = (value, shadow)

    def add(self, line: int, *controls: Shadow) -> None:
        window = self.stack[-1]
        for shadow in controls:
            for origin in shadow:
                window[origin] = None
        for origin in self.here(line):
            window[origin] = None

    def quiet(self, line: int, shadows: Sequence[Shadow], values: Sequence[object], loaded: Sequence[object]) -> bool:
        """True if the called function may run untraced.

        shadows, values: the shadows and values of the constants that it reads; loaded: the functions it may call.
        """
        return self.runs_untraced(sys._getframe(2).f_globals, line, shadows, values, loaded)

    def runs_untraced(
        self,
        caller: Mapping[str, object],
        line: int,
        shadows: Sequence[Shadow],
        values: Sequence[object],
        loaded: Sequence[object],
    ) -> bool:
        window = self.stack[-1]
        if window.quiet:
            return True
        self.windows.steps += 1
        direct = window.called or "$source" in caller
        arguments = window.arguments if direct else ()
        if self.windows.steps < BUSY:
            if self.windows.follows_all:
                return False
            if not all(type(value) in PLAIN for value, _, _ in arguments):
                return False
            if loaded and not all(
                value in self.closed if callable(value) else type(value) in PLAIN for value in loaded
            ):
                return False
            if any(map(_has_data, (*(shadow for _, shadow, _ in arguments), *shadows))):
                return False
        self.windows.untraced.add((self.source, line))
        if direct:
            window.quiet = True
        for shadow in (self.here(line), *shadows):
            for origin in shadow:
                window[origin] = None
        made_of = tuple(dict.fromkeys([origin for _, shadow, _ in arguments for origin in shadow]))
        for value in (*(value for value, _, _ in arguments), *values):
            kind = type(value)
            if kind is List or kind is Dict or kind is Set:
                self.windows.mark(value, (*made_of, *self.here(line)))
        return True


def _has_data(shadow: Iterable[Origin]) -> bool:
    """True if a shadow leads to data, not only to code."""
    todo = [*shadow]
    seen: set[int] = set()
    while todo:
        origin = todo.pop()
        if type(origin) is not Contributor or origin.action not in _CODE:
            return True
        if origin.because and id(origin) not in seen:
            seen.add(id(origin))
            todo.extend(origin.because)
    return False
