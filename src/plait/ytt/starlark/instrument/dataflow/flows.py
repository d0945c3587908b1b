"""The dataflow runtime of evaluations with secrets: it also follows what conditions reveal about them.

A value can reveal a secret without being computed from it. A variable that a skipped branch would have changed reveals
which branch was taken, a list reveals the number of iterations of a loop, and the code after a conditional return
reveals that it did not happen. If a condition depends on a secret, a `Control` becomes an origin of everything that it
decides:

- everything evaluated under it, in the same function (the variable `$pc`) and in called functions (`DependencyScope.reached_by`);
- each variable that a branch assigns, even if the branch did not run (`also`);
- each list, dict or set that a branch could change (`mark_named`): everything reachable from its names;
- everything after it, if a branch may leave.

A `Control` is never removed from a shadow. A value that cannot be followed counts as computed from a secret:
`Marks.unknown`.
"""

from __future__ import annotations

import sys
from types import FunctionType

from plait.tree.provenance import Control
from plait.ytt.starlark.containers import Dict
from plait.ytt.starlark.instrument.dataflow.recorder import DataflowRuntime
from plait.ytt.starlark.instrument.dataflow.shadows import (
    CHANGEABLE,
    PLAIN,
    DependencyScope,
    TracedValue,
    joined_shadows,
    opened,
)
from plait.ytt.starlark.structs import LEAVES, Struct, reachable
from plait.ytt.starlark.values import is_callable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from plait.base.source import Source
    from plait.tree.provenance import Origin
    from plait.tree.provenance.marks import Marks
    from plait.ytt.starlark.instrument.dataflow.shadows import Shadow
    from plait.ytt.starlark.instrument.dataflow.windows import DependencyTracker


class _All(dict[str, "Shadow"]):
    """A shadow that is the same for all parameters."""

    def __init__(self, shadow: Shadow) -> None:
        super().__init__()
        self.shadow = shadow

    def __bool__(self) -> bool:
        return True

    def get(self, _name: str, _other: object = None) -> Shadow:
        return self.shadow


class ProgramFlows(DataflowRuntime):
    """Records the reads of one program, and what its conditions reveal about secrets."""

    __slots__ = ("_controls", "_keyed", "last", "marks", "placed_by_secret", "quick")

    def __init__(self, windows: DependencyTracker, source: Source, marks: Marks) -> None:
        super().__init__(windows, source)
        self.marks = marks
        self.placed_by_secret = False
        self.quick = windows.quick
        self.last: Control | None = None  # the last condition, if it depends on a secret
        self._controls: dict[int, Control] = {}  # by line
        self._keyed: dict[int, Control] = {}  # keys of comprehensions, by line

    def names(self) -> Mapping[str, object]:
        return {**super().names(), "$from.outside": self.outside}

    def outside(self, function: Callable[..., object], args: Sequence[object], kwargs: Mapping[str, object]) -> object:
        """A call from the host. If no program is running, nothing is known about its arguments."""
        depth = len(self.stack)
        if depth > 1:
            return function(*args, **kwargs)
        window = DependencyScope()
        window.outermost = True
        self.stack.append(window)
        try:
            return function(*args, **kwargs)
        finally:
            del self.stack[depth:]

    # ---- secrets

    def secret(self, shadow: Iterable[Origin]) -> bool:
        return self.marks.is_secret(*shadow)

    def control(self, line: int, shadow: Shadow) -> Control:
        """The control for the condition on a line. All its evaluations share one object, because a secret may decide
        each of them.
        """
        found = self._controls.get(line)
        if found is None:
            found = self._controls[line] = self.marks.control("condition", self.source, line, shadow)
        return found

    def unknown(self) -> Control:
        """The control for values that cannot be followed."""
        return self.control(sys._getframe(2).f_lineno, (self.marks.unknown,))

    def decided(self, shadow: Iterable[Origin], line: int | None = None) -> Control | None:
        """The control for a decision with these origins; None if it does not depend on a secret."""
        if not shadow or not self.secret(shadow):
            return None
        return self.control(sys._getframe(2).f_lineno if line is None else line, tuple(shadow))

    def deep(self, *values: object) -> dict[Origin, None]:
        """The recorded origins of values and of everything reachable from them."""
        windows = self.windows
        found: dict[Origin, None] = {}
        for value in reachable(values, self.followed):
            place = id(value)
            if place in windows.mutated:
                found.update(dict.fromkeys(windows.mutated[place][1]))
            if place in windows.made:
                found.update(windows.made[place][2])
            if type(value) in CHANGEABLE:
                found.update(dict.fromkeys(windows.changed_by))
        return found

    def followed(self, value: object) -> list[object] | None:
        """The parts of a value that no secret selected; None for all. The origins of a selected part are in the record
        of its container. A function reports its own reads.
        """
        if isinstance(value, FunctionType):
            return []
        if isinstance(value, Struct):
            fields = self.windows.fields_of(value)
            if not any(map(self.secret, fields.values())):
                return None
            return [part for name, part in value.mapping() or () if not self.secret(fields.get(name, ()))]  # type: ignore[call-overload]
        parts = self.windows.parts_of(value)
        if parts is None or not any(map(self.secret, parts)):
            return None
        inner: Iterable[object] = value.values() if isinstance(value, Dict) else value  # type: ignore[assignment]
        found = [part for part, shadow in zip(inner, parts, strict=True) if not self.secret(shadow)]
        return [*found, *value.keys()] if isinstance(value, Dict) else found

    def mark_all(self, shadow: Shadow, *values: object) -> None:
        """Marks every container reachable from the values, because the changed one is unknown."""
        self.windows.mark_all(shadow, *values)

    # ---- windows

    def open(self) -> int:
        window = DependencyScope()
        if self.stack[-1].reached_by:
            window.reached_by = self.stack[-1].reached_by
        self.stack.append(window)
        return len(self.stack) - 1

    def start(self, reached_by: Shadow) -> int:
        window = DependencyScope()
        if reached_by:
            window.reached_by = reached_by
        self.stack.append(window)
        return len(self.stack) - 1

    def shut(self, depth: int) -> DependencyScope:
        window = super().shut(depth)
        if window.shape:
            self.stack[-1].update(dict.fromkeys(window.shape))
            self.marks.shaped.add(self.source)
        return window

    def host(self) -> int:
        depth = super().host()
        window = self.stack[depth]
        window.reached_by = window.entered_by = self.stack[depth - 1].reached_by
        return depth

    def under(self, *controls: Shadow) -> Shadow:
        window = self.stack[-1]
        window.reached_by = window.entered_by = controls[0]
        return super().under(*controls)

    def hole(self, value: object) -> TracedValue:
        window = self.stack[-1]
        window.reached_by = window.entered_by
        return super().hole(value)

    def reached(self) -> Shadow:
        return self.stack[-1].reached_by

    def raise_here(self, control: Control) -> None:
        """Marks everything that the current scope evaluates from now on as decided by a secret."""
        window = self.stack[-1]
        window[control] = None
        window.reached_by = joined_shadows(window.reached_by, (control,))

    def began(self, ran: Callable[[int], object], way: int, reached_by: Shadow) -> None:
        (ran if reached_by else getattr(ran, "independent", ran))(way)

    def ran(self, ran: Callable[[int], object], way: int, reached_by: Shadow) -> None:
        self.began(ran, way, reached_by or self.stack[-1].reached_by)

    # ---- decisions

    def tested(self, line: int, names: tuple[str, ...]) -> Shadow:
        self.last = control = self.decided(self.windows.tested, line)
        if control is None:
            return super().tested(line, names)
        self.mark_named(control, names, sys._getframe(1).f_locals)
        return (control,)

    def mark_named(self, control: Control, names: tuple[str, ...], variables: Mapping[str, object]) -> None:
        """Marks everything that statements or expressions with these names can change, evaluated or not."""
        self.mark_all((control,), *(variables[name] for name in names if name in variables))

    def raise_(self, reached_by: Shadow) -> Shadow:
        return reached_by if self.last is None else joined_shadows(reached_by, (self.last,))

    def chosen(self, depth: int, value: object, names: tuple[str, ...]) -> object:
        origins = self.shut(depth)
        self.stack[-1].update(origins)
        control = self.decided(origins)
        if control is not None:
            self.decides(control, names)
        return value

    def decides(self, control: Control, names: tuple[str, ...]) -> None:
        """Records that a control decides if, or how often, an expression is evaluated. names: those in the expression."""
        self.raise_here(control)
        self.mark_named(control, names, sys._getframe(2).f_locals)

    def placed(self, depth: int, value: object) -> object:
        origins = self.shut(depth)
        self.stack[-1].update(origins)
        self.placed_by_secret = self.placed_by_secret or (bool(origins) and self.secret(origins))
        return value

    def raised(self, reached_by: Shadow, before: Shadow) -> bool:
        return reached_by is not before

    def also(self, shadow: Shadow, reached_by: Shadow) -> Shadow:
        return joined_shadows(shadow, reached_by)

    def shaped(self, reached_by: Shadow) -> None:
        self.windows.shape(reached_by)

    def ended(self, reached_by: Shadow) -> None:
        self.stack[-1].update(dict.fromkeys(reached_by))

    def add(self, line: int, *controls: Shadow) -> None:
        super().add(line, *controls)
        window = self.stack[-1]
        window.reached_by = joined_shadows(window.reached_by, controls[0])

    def loop(
        self,
        depth: int,
        iterated: object,
        line: int,
        names: tuple[str, ...],
        reached_by: Shadow,
        *controls: Shadow,
    ) -> tuple[object, Shadow, object, object]:
        whole = self.whole(iterated)
        iterated, control, step, part = super().loop(depth, iterated, line, names, reached_by, reached_by, *controls)
        self.last = decided = self.decided((*control, *whole), line)
        if decided is not None:
            self.mark_named(decided, names, sys._getframe(1).f_locals)
        return iterated, control if decided is None else (*control, decided), step, part

    def whole(self, x: object) -> Shadow:
        """The origin of an array whose size is secret, because a source of secrets contains the whole array; else
        empty.
        """
        array = self.windows.array_of(x)
        if array is not None and self.marks.is_secret_line(array.source, array.line):
            return (array,)
        return ()

    # ---- reads

    def use(self, value: object, shadow: Shadow) -> object:
        super().use(value, shadow)
        if self.windows.nested and type(value) not in LEAVES:
            self.stack[-1].update(self.deep(value))
        return value

    def see(self, value: object) -> object:
        super().see(value)
        window = self.stack[-1]
        for outer in reversed(self.stack):
            for shadow in outer.elements.values():
                for origin in shadow:
                    window[origin] = None
        if self.windows.nested and type(value) not in LEAVES:
            window.update(self.deep(value))
        return value

    def passed(self, value: object, shadow: Shadow, name: str | None) -> object:
        if self.windows.nested and type(value) not in LEAVES:
            shadow = (*shadow, *self.deep(value))
        super().passed(value, shadow, name)
        self.decides_change(self.stack[-1].arguments[-1][1])
        return value

    def found(self, value: object) -> object:
        """A part of a value, which may have been changed through another name."""
        if self.windows.nested and type(value) not in LEAVES:
            self.stack[-1].update(self.deep(value))
        return value

    def field(self, value: object, shadow: Shadow, name: str) -> object:
        return self.found(super().field(value, shadow, name))

    def index(self, depth: int, x: object, key_depth: int, key: object) -> object:
        control = self.decided(self.stack[key_depth])
        value = super().index(depth, x, key_depth, key)
        if control is not None:
            self.picked(control, x, value)
        return self.found(value)

    def picked(self, control: Control, x: object, value: object) -> None:
        """Records that a secret selected the part of a value that is read. Uses of the part reveal which one it
        was.
        """
        self.stack[-1][control] = None
        if type(value) not in LEAVES:
            self.mark_all((control,), x)

    def get(self, depth: int, x: object, key_depth: int, key: object, *other: object) -> object:
        control = self.decided(self.stack[key_depth])
        value = super().get(depth, x, key_depth, key, *other)
        if control is not None:
            self.picked(control, x, value)
        return self.found(value)

    def gathered(self, depth: int, value: object) -> object:
        control = self.decided(self.stack[depth])
        super().gathered(depth, value)
        if control is not None and type(value) not in LEAVES:
            self.stack[-1][control] = None
        return value

    def weighed(self, depth: int, value: object) -> object:
        origins = self.shut(depth)
        window = self.stack[-1]
        window.update(origins)
        window.candidates = [*window.candidates, (value, tuple(origins))]
        return value

    def selected(self, depth: int, value: object) -> object:
        given = self.stack[depth].candidates
        for place, (candidate, _) in enumerate(given):
            if type(candidate) not in LEAVES:
                others = [one for number, one in enumerate(given) if number != place]
                self.select([origin for one in others for origin in self.windows.shape_of(*one)], candidate)
        origins = self.shut(depth)
        self.stack[-1].update(origins)
        return value

    def chose(self, depth: int, value: object) -> object:
        window = self.stack[depth]
        given = (*window.candidates, *((one, shadow) for one, shadow, _ in window.arguments))
        origins = (*window, *(origin for _, shadow in given for origin in shadow))
        self.select(origins, *(one for one, _ in given))
        return self.result(depth, value)

    def growing(self, depth: int, value: object, x: object) -> object:
        origins = self.shut(depth)
        self.stack[-1].update(origins)
        if type(x) not in LEAVES:
            self.select(self.windows.shape_of(value, tuple(origins)), x)
        return value

    def select(self, origins: Iterable[Origin], *candidates: object) -> None:
        """Marks all parts of values if a secret decides which part an operation returns, because later changes of the
        returned part reveal the choice.
        """
        control = self.decided([*origins], sys._getframe(2).f_lineno)
        if control is not None:
            self.mark_all((control,), *candidates)

    def length(self, value: object, shadow: Shadow) -> object:
        if self.windows.changed_by and type(value) in CHANGEABLE:
            self.stack[-1].update(dict.fromkeys(self.windows.changed_by))
        array = self.windows.array_of(value)
        if array is not None and array in shadow and not self.whole(value):
            shadow = tuple(origin for origin in shadow if origin is not array)
        return super().length(value, shadow)

    def sequence(self, depth: int, name: str, function: Callable[..., object], *args: object) -> object:
        window = self.stack[depth]
        value = super().sequence(depth, name, function, *args)
        rest: Shadow = tuple(window)
        if all(self.windows.shadows_in(arg) is not None for arg in args):
            for arg in args:
                rest = self.windows.shape_of(arg, rest)
        control = self.decided(rest)
        if control is not None:
            # The number of items depends on the secret, even if the items do not.
            self.stack[-1][control] = None
            if name == "zip":
                self.mark_all((control,), *args)
        return value

    # ---- comprehensions

    def clause(self, number: int, value: object, names: tuple[str, ...]) -> object:
        before = tuple(self.stack[-1])
        super().clause(number, value, names)
        window = self.stack[-1]
        if number not in window.coming:
            # It is unknown from which part an element comes.
            window.coming = {**window.coming, -1 - number: [before]}
        control = self.decided((*window, *self.whole(value)))
        if control is not None:
            self.decides(control, names)
        return value

    def stepped(self, number: int, iterable: Iterable[object]) -> Iterator[object]:
        window = self.stack[-1]
        whole = window.coming.get(-1 - number)
        if whole is not None:
            window.elements = {**window.elements, number: whole[0]}
        return super().stepped(number, iterable)

    def keyed(self, depth: int, key: object) -> object:
        super().keyed(depth, key)
        shadow = self.stack[-1].key
        if shadow and self.secret(shadow):
            # The number of keys depends on which of them are equal, and their order on their first occurrence. These
            # are properties of the whole, so this is not the control of an element.
            line = sys._getframe(1).f_lineno
            if line not in self._keyed:
                self._keyed[line] = self.marks.control("condition", self.source, line, shadow)
            self.stack[-1][self._keyed[line]] = None
        return key

    def part(self, depth: int, value: object) -> object:
        super().part(depth, value)
        window = self.stack[-1]
        if type(value) not in LEAVES:
            window.candidates = [*window.candidates, (value, ())]
        return value

    def listed(self, depth: int, value: object) -> object:
        window = self.stack[depth]
        if type(value) is Dict and window.candidates:
            keyed = [origin for origin in window if origin in self._keyed.values()]
            if keyed:
                # Of several values with one key, the last one counts.
                self.mark_all(tuple(keyed), *(one for one, _ in window.candidates))
        return super().listed(depth, value)

    # ---- calls

    def taken(
        self, caller: Mapping[str, object], names: tuple[str, ...], count: int, star: str, double: str
    ) -> Mapping[str, Shadow]:
        window = self.stack[-1]
        if not window.quiet and not (window.called or "$source" in caller):
            # A builtin function calls it with its own arguments, or the host calls it with any value.
            shadows = (window, window.given(), self.windows.leading, *window.elements.values())
            made_of = tuple(dict.fromkeys([origin for shadow in shadows for origin in shadow]))
            if window.outermost:
                made_of = (self.marks.unknown,)
            if not self.secret(made_of):
                return {}
            # The number of its calls reveals the secret as well.
            self.raise_here(self.control(sys._getframe(2).f_lineno, made_of))
            return _All(made_of)
        if any(name == "*" and self.secret(shadow) for _, shadow, name in window.arguments):
            window.direct = True
            return _All(tuple(dict.fromkeys([origin for _, shadow, _ in window.arguments for origin in shadow])))
        return super().taken(caller, names, count, star, double)

    def runs_untraced(
        self,
        caller: Mapping[str, object],
        line: int,
        shadows: Sequence[Shadow],
        values: Sequence[object],
        loaded: Sequence[object],
    ) -> bool:
        if not super().runs_untraced(caller, line, shadows, values, loaded):
            return False
        window = self.stack[-1]
        control = self.decided((*window, *window.reached_by, *window.given()), line)
        if control is not None:
            # Neither it nor the functions it calls report their reads.
            self.raise_here(control)
            self.mark_all((control,), *(value for value, _, _ in window.arguments))
        return True

    def held(self, x: object) -> object:
        if type(x) in CHANGEABLE:
            self.mark_all((self.unknown(),), x)
        return x

    def changing(self, x: object) -> object:
        self.stack[-1].receiver = x
        if type(x) in CHANGEABLE and (changes := self.windows.changes_of(x)):
            # Which part of it the method returns depends on them.
            self.mark_all(changes, x)
        return x

    def calling(self, function: object) -> object:
        if isinstance(function, FunctionType):
            # A secret may select the function, and so everything that it does, or another would have done.
            control = self.decided(self.stack[-1])
            if control is not None:
                if not self.stack[-2].reached_by:  # otherwise it may not be reached at all, and the names here count
                    self.windows.note_any_change(control)
                self.raise_here(control)
        return function

    def argument(self, depth: int, value: object, name: str | None) -> object:
        super().argument(depth, value, name)
        self.decides_change(self.stack[-1].arguments[-1][1])
        return value

    def decides_change(self, shadow: Shadow) -> None:
        """Marks the receiver of a method whose argument may decide which part of it is returned and removed."""
        receiver = self.stack[-1].receiver
        if shadow and type(receiver) in CHANGEABLE:
            control = self.decided(self.windows.shape_of(self.stack[-1].arguments[-1][0], shadow))
            if control is not None:
                self.mark_all((control,), receiver)

    def result(self, depth: int, value: object) -> object:
        window = self.stack[depth]
        if type(window.receiver) in CHANGEABLE:
            control = self.decided((*window.reached_by, *window.given()))
            if control is not None:
                self.mark_all((control,), window.receiver)
        if not window.direct:
            made_of = (*window, *window.reached_by, *window.given())
            if made_of and any(type(given) not in LEAVES for given, _, _ in window.arguments) and self.secret(made_of):
                functions = [one for one in reachable(given for given, _, _ in window.arguments) if is_callable(one)]
                if not self.stack[depth - 1].reached_by and any(
                    is_callable(given) and self.secret(shadow) for given, shadow, _ in window.arguments
                ):
                    # Another function could have changed anything.
                    self.windows.note_any_change(self.control(sys._getframe(1).f_lineno, made_of))
                if functions:
                    # If a host function calls them, the calls and their number reveal the secret.
                    control = self.control(sys._getframe(1).f_lineno, made_of)
                    self.mark_all((control,), *functions)
                    window[control] = None
        controls = [origin for origin in opened(tuple(window)) if type(origin) is Control]
        if not window.direct:
            controls += self.passed_on(window, value)
        value = super().result(depth, value)
        if controls:
            self.stack[-1].update(dict.fromkeys(controls))
        return self.found(value)

    def passed_on(self, window: DependencyScope, value: object) -> list[Control]:
        """The decisions that led to the arguments of a host function that returns nodes, and to their shapes.

        Nodes have their own histories, which do not cover nodes that were not inserted or were removed.
        """
        if type(value) in PLAIN or self.nodes_of(value) is None:
            return []
        return [
            self.control(sys._getframe(2).f_lineno, shadow)
            for given, shadow, _ in window.arguments
            if self.windows.is_shaped_by_secret(given, shadow)
        ]

    # ---- changes

    def storing(self, *values: object) -> None:
        if self.placed_by_secret:
            # A secret may select the replaced part, and so the effects on the last node.
            self.placed_by_secret = False
            self.mark_all((self.unknown(),), *values)

    def stored(self, x: object, key: object, shadow: Shadow, reached_by: Shadow) -> None:
        if reached_by:
            self.windows.mark(x, reached_by)
            self.windows.note_nested()
        if self.secret(shadow):
            self.windows.note_nested()
        super().stored(x, key, shadow, reached_by)

    def changed(self, shadow: Shadow, *roots: object) -> None:
        self.storing(*roots)
        if self.secret(shadow):
            self.mark_all(shadow, *roots)
        else:
            super().changed(shadow, *roots)

    def grown(self, x: object, shadow: Shadow) -> None:
        if type(x) in CHANGEABLE and self.secret(shadow):
            self.mark_all(shadow, x)

    def exports(self, variables: Mapping[str, object]) -> None:
        for name, value in variables.items():
            shadow = variables.get("$o." + name)
            if shadow and isinstance(shadow, tuple):
                known = self.exported.get((name, id(value)))
                # Small values are shared between files.
                self.exported[name, id(value)] = (value, shadow if known is None else joined_shadows(known[1], shadow))
