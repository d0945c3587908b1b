"""Programs that keep track of what their values were made of (design 8). Imported only when a run is traced.

`TracedCompiler` compiles like `Compiler`, and puts calls of `Windows` around what it compiles. A window is open while a
statement, a condition, an argument or a hole of a node is evaluated, and collects what is read meanwhile: data values,
variables, conditions. When it closes, what it holds becomes the *shadow* of the variable that is assigned, `$o.x` for
`x`, or goes with the value of the hole to whoever makes the node. Shadows are variables of the program, so scopes and
closures need no thought; a container that is changed has its shadow aside, by identity.

    x = data.values.a + 1      ->    $d1 = $from.open()
                                     x = $+($attribute(...), 1)
                                     $o.x = $from.close($d1, line)

Conditions and loops count for all that happens under them, and, if they can leave, for what comes after. A function
gets the shadows of its arguments by their identity, for Python binds the arguments.
"""

from __future__ import annotations

import _ast as py
import sys

from weft.nodes import Array
from weft.provenance import Cause
from weft.starlark import syntax
from weft.starlark.compile import EXPRESSIONS, Compiler
from weft.starlark.compile.emit import LOAD, variable
from weft.starlark.compile.statements import STATEMENTS
from weft.starlark.runtime import GLOBALS
from weft.starlark.values import Dict, List

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping
    from collections.abc import Set as AbstractSet
    from typing import TypeAlias

    from weft.provenance import Origin
    from weft.source import Source
    from weft.starlark.compile import Hooks
    from weft.starlark.syntax import Expression, Scope, Statement

    # What a value was made of; the parts of a shadow are shared, never joined.
    Shadow: TypeAlias = tuple[Origin, ...]


# Stand in for what most windows do not need; never changed.
_NO_ARGUMENTS: list[tuple[object, tuple[Origin, ...]]] = []
_NO_PARTS: list[tuple[Origin, ...]] = []
_NO_ELEMENTS: dict[int, tuple[Origin, ...]] = {}


class Window:
    """What was read since it was opened.

    arguments: of a call, (value, shadow) each. direct: a template's function ran. parts: the shadows of a display's items.
    elements: what the loops of a comprehension are at.
    """

    __slots__ = ("arguments", "direct", "elements", "origins", "parts")

    def __init__(self) -> None:
        self.origins: dict[Origin, None] = {}
        self.arguments: list[tuple[object, Shadow]] = _NO_ARGUMENTS
        self.direct = False
        self.parts: list[Shadow] = _NO_PARTS
        self.elements: dict[int, Shadow] = _NO_ELEMENTS


class Hole:
    """A value on its way into a node, with what it was made of."""

    __slots__ = ("origins", "value")

    def __init__(self, value: object, origins: Shadow) -> None:
        self.value = value
        self.origins = origins


class Windows:
    """The windows that are open in a run, and what is known aside of variables. Names for programs: `names`."""

    __slots__ = ("_exported", "_lists", "_made", "_mutated", "_tested", "stack")

    def __init__(self) -> None:
        self.stack: list[Window] = [Window()]
        self._tested: Shadow = ()
        # By identity; the values are held so that no other gets their identity.
        self._mutated: dict[int, tuple[object, Shadow]] = {}
        self._lists: dict[int, tuple[object, Array]] = {}
        self._made: dict[int, tuple[object, list[Shadow], AbstractSet[Origin]]] = {}
        self._exported: dict[tuple[str, int], tuple[object, Shadow]] = {}

    def read(self, origin: Origin) -> None:
        """Say that something was read."""
        self.stack[-1].origins[origin] = None

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

    def parts_of(self, made: object) -> list[Shadow] | None:
        """The shadows of the items of a list or dict that the program wrote as one, in order."""
        found = self._made.get(id(made))
        if found is None or len(found[1]) != len(made):  # type: ignore[arg-type]
            return None
        return found[1]

    def element(self, x: object, key: object, shadow: Shadow) -> Shadow:
        """The shadow of `x[key]`, where that of x and key together is known: what the other items are made of is left out."""
        if type(x) is List and type(key) is int:
            place = key
        elif type(x) is Dict:
            place = next((number for number, known in enumerate(x.keys()) if known == key), len(x))
        else:
            return shadow
        array, parts = self.array_of(x), self.parts_of(x)
        if array is None and parts is None:
            return shadow
        if array is not None and len(array.items) == len(x):
            item = array.items[place]
            return (*without(shadow, {array}), item.value if type(item.value) is Array else item)
        if parts is not None and place < len(parts):
            return (*without(shadow, self._made[id(x)][2]), *parts[place])
        return shadow

    def argument(self, value: object) -> Shadow:
        """The shadow of a value that was given to the function being called."""
        for window in reversed(self.stack):
            for given, shadow in window.arguments:
                if given is value:
                    return shadow
        return ()

    def take(self) -> Shadow:
        """What the innermost window holds, which is forgotten there."""
        window = self.stack[-1]
        origins = dict(window.origins)
        for _, shadow in window.arguments:
            origins.update(dict.fromkeys(shadow))
        window.origins.clear()
        if window.arguments:
            window.arguments.clear()
        return tuple(origins)

    def names(self, source: Source) -> Mapping[str, Callable[..., object]]:
        """What the code of one program calls."""
        stack = self.stack
        mutated = self._mutated
        exported = self._exported
        plain_index = GLOBALS["$index"]

        def open_() -> int:
            stack.append(Window())
            return len(stack) - 1

        def shut(depth: int) -> Window:
            # Windows above were left by an error that somebody caught.
            window = stack[depth]
            del stack[depth:]
            return window

        def close(depth: int, line: int, *controls: Shadow) -> Shadow:
            origins = shut(depth).origins
            for shadow in controls:
                origins.update(dict.fromkeys(shadow))
            return (Cause("code", source, line, tuple(origins)),)

        def use(value: object, shadow: Shadow) -> object:
            origins = stack[-1].origins
            for origin in shadow:
                origins[origin] = None
            if id(value) in mutated:
                origins.update(dict.fromkeys(mutated[id(value)][1]))
            return value

        def see(value: object) -> object:
            if id(value) in mutated:
                stack[-1].origins.update(dict.fromkeys(mutated[id(value)][1]))
            return value

        def changed(value: object, shadow: Shadow) -> None:
            known = mutated.get(id(value))
            if known is not None:
                shadow = (Cause("", None, 0, (*known[1], *shadow)),)
            mutated[id(value)] = (value, shadow)

        def test(depth: int, value: object) -> object:
            self._tested = tuple(shut(depth).origins)
            return value

        def tested(line: int) -> Shadow:
            return (Cause("condition", source, line, self._tested),)

        def hole(depth: int, value: object) -> Hole:
            return Hole(value, tuple(shut(depth).origins))

        def argument(depth: int, value: object) -> object:
            shadow = tuple(shut(depth).origins)
            window = stack[-1]
            if window.arguments is _NO_ARGUMENTS:
                window.arguments = []
            window.arguments.append((value, shadow))
            return value

        def result(depth: int, value: object) -> object:
            window = shut(depth)
            origins = stack[-1].origins
            if not window.direct:
                for _, shadow in window.arguments:
                    origins.update(dict.fromkeys(shadow))
            origins.update(window.origins)
            return value

        def part(depth: int, value: object) -> object:
            origins = shut(depth).origins
            window = stack[-1]
            for shadow in window.elements.values():
                origins.update(dict.fromkeys(shadow))
            if window.parts is _NO_PARTS:
                window.parts = []
            window.parts.append(tuple(origins))
            return value

        def listed(depth: int, value: object) -> object:
            window = shut(depth)
            origins = stack[-1].origins
            origins.update(window.origins)
            covered = dict.fromkeys([origin for shadow in window.parts for origin in shadow])
            origins.update(covered)
            self._made[id(value)] = (value, window.parts, covered.keys())
            return value

        def clause(number: int, value: object) -> object:
            array = self.array_of(value)
            if array is not None:
                # A loop over data depends on where the data is; its elements come one by one.
                stack[-1].origins.pop(array, None)
                if stack[-1].elements is _NO_ELEMENTS:
                    stack[-1].elements = {}
                stack[-1].elements[number] = (array,)
            return value

        def stepped(number: int, iterable: Iterable[object]) -> Iterator[object]:
            window = stack[-1]
            array = window.elements.pop(number, (None,))[0]
            items = array.items if type(array) is Array else None
            for place, value in enumerate(iterable):
                if items is not None and place < len(items):
                    item = items[place]
                    window.elements[number] = (item if type(item.value) is not Array else item.value,)
                yield value

        def index(depth: int, x: object, key: object) -> object:
            origins = tuple(shut(depth).origins)
            value = plain_index(x, key)  # type: ignore[operator]
            stack[-1].origins.update(dict.fromkeys(self.element(x, key, origins)))
            return value

        def enter() -> list[tuple[object, Shadow]]:
            window = stack[-1]
            if "$source" not in sys._getframe(2).f_globals:  # called by a builtin function
                return []
            window.direct = True
            return window.arguments

        def parameter(arguments: list[tuple[object, Shadow]], value: object, line: int) -> Shadow:
            found: dict[Origin, None] = {}
            for given, shadow in arguments:
                if given is value or (type(value) is tuple and any(given is part for part in value)):
                    found.update(dict.fromkeys(shadow))
            return tuple(found) or (() if arguments else (Cause("code", source, line),))

        def add(line: int, *controls: Shadow) -> None:
            origins = stack[-1].origins
            for shadow in controls:
                origins.update(dict.fromkeys(shadow))
            origins[Cause("code", source, line)] = None

        def host(*controls: Shadow) -> int:
            depth = open_()
            window = stack[-1]
            for shadow in controls:
                window.origins.update(dict.fromkeys(shadow))
            return depth

        def loop(depth: int, iterated: object, line: int, *controls: Shadow) -> _Loop:
            parts = self.parts_of(iterated) if type(iterated) is List else None
            return _Loop(iterated, close(depth, line, *controls), self.array_of(iterated), parts)

        def loaded(name: str, value: object) -> Shadow:
            found = exported.get((name, id(value)))
            return () if found is None else found[1]

        def exports(variables: Mapping[str, object]) -> None:
            for name, value in variables.items():
                shadow = variables.get("$o." + name)
                if shadow:
                    exported[name, id(value)] = (value, shadow)  # type: ignore[assignment]

        return {
            "$from.open": open_,
            "$from.close": close,
            "$from.use": use,
            "$from.see": see,
            "$from.changed": changed,
            "$from.test": test,
            "$from.tested": tested,
            "$from.hole": hole,
            "$from.argument": argument,
            "$from.result": result,
            "$from.part": part,
            "$from.listed": listed,
            "$from.clause": clause,
            "$from.stepped": stepped,
            "$from.index": index,
            "$from.enter": enter,
            "$from.parameter": parameter,
            "$from.add": add,
            "$from.host": host,
            "$from.shut": shut,
            "$from.loop": loop,
            "$from.loaded": loaded,
            "$from.exports": exports,
        }


class _Loop:
    """The shadows of a loop: of its elements, one after the other, and of its being run at all."""

    __slots__ = ("_array", "_parts", "_place", "_shadow", "control", "iterated")

    def __init__(self, iterated: object, shadow: Shadow, array: Array | None, parts: list[Shadow] | None) -> None:
        self.iterated = iterated
        self._parts = parts
        self._array = array if type(iterated) is List and array is not None else None
        self._place = -1
        self._shadow = shadow
        # How often a loop over data runs says where the data is, not what is in it.
        self.control = shadow
        if self._array is not None:
            self.control = without(shadow, {self._array})
        elif parts is not None:
            self.control = without(shadow, {origin for part in parts for origin in part})

    def step(self) -> Shadow:
        self._place += 1
        if self._array is not None and self._place < len(self._array.items):
            item = self._array.items[self._place]
            return (*self.control, item.value if type(item.value) is Array else item)
        if self._parts is not None and self._place < len(self._parts):
            return (*self.control, *self._parts[self._place])
        return self._shadow


# How far `without` looks: to a variable's line, and that of the variable it was made of. Beyond that an origin may be
# named that has no part, but no chain of a long loop is gone through again at each step.
_DEPTH = 4


def without(shadow: Shadow, covered: AbstractSet[Origin], depth: int = _DEPTH) -> Shadow:
    """A shadow without some origins, as far as that can be seen in a few steps."""
    if not covered:
        return shadow
    out: list[Origin] = []
    for origin in shadow:
        if origin in covered:
            continue
        if depth and type(origin) is Cause and origin.because:
            because = without(origin.because, covered, depth - 1)
            if len(because) != len(origin.because) or any(
                x is not y for x, y in zip(because, origin.because, strict=True)
            ):
                origin = Cause(origin.action, origin.source, origin.line, because)
        out.append(origin)
    return tuple(out)


class _Passed:
    """An expression that is an argument."""

    __slots__ = ("line", "x")

    def __init__(self, x: Expression) -> None:
        self.x = x
        self.line = x.line


class _Part:
    """An expression that is an item of a display or a comprehension."""

    __slots__ = ("line", "x")

    def __init__(self, x: Expression) -> None:
        self.x = x
        self.line = x.line


class _Clause:
    """An expression that a comprehension goes through."""

    __slots__ = ("line", "number", "x")

    def __init__(self, x: Expression, number: int) -> None:
        self.x = x
        self.line = x.line
        self.number = number


class _Tested:
    """An expression that is a condition."""

    __slots__ = ("line", "x")

    def __init__(self, x: Expression) -> None:
        self.x = x
        self.line = x.line


class _Iterated:
    """An expression that a loop goes through. depth: the variable with its window; loop: the one for its shadows."""

    __slots__ = ("depth", "line", "loop", "x")

    def __init__(self, x: Expression, depth: str, loop: str) -> None:
        self.x = x
        self.line = x.line
        self.depth = depth
        self.loop = loop


class TracedCompiler(Compiler):
    """A compiler whose programs say what they read."""

    __slots__ = ("controls", "count", "leaves", "looping", "prelude", "scope", "started")

    def __init__(self, hooks: Hooks | None) -> None:
        self.controls: list[str] = []
        self.count = 0
        self.started = False
        self.scope: Scope | None = None
        self.leaves = False
        self.prelude: list[py.stmt] = []  # goes before the body of the loop at hand
        self.looping: list[str] = []
        super().__init__(hooks)

    @property
    def hot(self) -> bool:
        """Never: every step is to go through a helper, or at least through `expression`."""
        return False

    @hot.setter
    def hot(self, value: bool) -> None:
        pass

    def module(self, statements: list[Statement], scope: Scope) -> py.Module:
        self.scope = scope
        return super().module(statements, scope)

    def fresh(self, kind: str) -> str:
        self.count += 1
        return f"${kind}{self.count}"

    def do(self, name: str, *args: py.expr) -> py.stmt:
        return py.Expr(self.call(name, list(args)), **self.at())

    def set(self, target: str, value: py.expr) -> py.stmt:
        return py.Assign([self.store(target)], value, **self.at())

    def under(self) -> list[py.expr]:
        return [self.load(name) for name in self.controls]

    def nothing(self) -> py.expr:
        return py.Tuple([], LOAD, **self.at())

    def shadows(self, scope: Scope) -> list[py.stmt]:
        """Shadows for all variables of a function, so that each use finds one."""
        return [self.set(f"$o.{name}", self.nothing()) for name in scope.bound]

    # ---- statements

    def block(self, statements: list[Statement], into: list[py.stmt]) -> None:
        outermost = not self.started
        if outermost:
            self.started = True
            assert self.scope is not None
            into += self.shadows(self.scope)
        for statement in statements:
            self.line = statement.line
            self.temps = 0
            kind = type(statement)
            own = _TRACED.get(kind)
            if own is not None:
                own(self, statement, into)
            else:
                STATEMENTS[kind](self, statement, into)
        if outermost:
            into.append(self.do("$from.exports", self.call("$locals", [])))

    def traced_assign(self, node: syntax.Assign, into: list[py.stmt]) -> None:
        depth = self.fresh("d")
        into.append(self.set(depth, self.call("$from.open", [])))
        names: list[str] = []
        changed: list[syntax.Name] = []
        _targets(node.target, names, changed)
        if node.operator and type(node.target) is syntax.Name:
            into.append(py.Expr(self.expression(node.target), **self.at()))
        Compiler.assign(self, node, into)
        closed = self.call("$from.close", [self.load(depth), self.constant(node.line), *self.under()])
        made = self.fresh("s")
        into.append(self.set(made, closed))
        into += [self.set(f"$o.{name}", self.load(made)) for name in names]
        into += [self.do("$from.changed", Compiler.name(self, name), self.load(made)) for name in changed]

    def traced_evaluate(self, node: syntax.Evaluate, into: list[py.stmt]) -> None:
        depth = self.fresh("d")
        into.append(self.set(depth, self.call("$from.open", [])))
        Compiler.evaluate(self, node, into)
        closed = self.call("$from.close", [self.load(depth), self.constant(node.line), *self.under()])
        root = _receiver(node.value)
        if root is None:
            into.append(py.Expr(closed, **self.at()))
        else:
            into.append(self.do("$from.changed", Compiler.name(self, root), closed))

    def condition(self, test: Expression) -> py.expr:
        return self.call("$from.test", [self.call("$from.open", []), self.expression(test)])

    def traced_if(self, node: syntax.If, into: list[py.stmt]) -> None:
        at = self.at()
        control = self.fresh("k")
        test = self.condition(node.test)
        noted = self.call("$from.tested", [self.constant(node.line)])
        outer_leaves, self.leaves = self.leaves, False
        self.controls.append(control)
        yes: list[py.stmt] = [py.Assign([self.store(control)], noted, **at)]
        self.block(node.yes, yes)
        no: list[py.stmt] = [py.Assign([self.store(control)], noted, **at)]
        self.block(node.no, no)
        into.append(py.If(test, yes, no, **at))
        if not self.leaves:
            self.controls.remove(control)
        self.leaves = self.leaves or outer_leaves
        self.line = node.line

    def traced_while(self, node: syntax.While, into: list[py.stmt]) -> None:
        control = self.fresh("k")
        into.append(self.set(control, self.nothing()))
        self.prelude = [self.set(control, self.call("$from.tested", [self.constant(node.line)]))]
        self.controls.append(control)
        Compiler.while_(self, syntax.While(_Tested(node.test), node.body, node.line), into)  # type: ignore[arg-type]

    def traced_for(self, node: syntax.For, into: list[py.stmt]) -> None:
        at = self.at()
        depth, control, loop = (self.fresh(kind) for kind in "dki")
        into.append(self.set(depth, self.call("$from.open", [])))
        names: list[str] = []
        changed: list[syntax.Name] = []
        _targets(node.target, names, changed)
        made = self.fresh("s")
        step = py.Call(py.Attribute(self.load(loop), "step", LOAD, **at), [], [], **at)
        self.prelude = [
            self.set(control, py.Attribute(self.load(loop), "control", LOAD, **at)),
            self.set(made, step),
            *(self.set(f"$o.{name}", self.load(made)) for name in names),
        ]
        iterated = _Iterated(node.x, depth, loop)
        self.looping.append(control)
        Compiler.for_(self, syntax.For(node.target, iterated, node.body, node.line), into)  # type: ignore[arg-type]

    def suite(self, statements: list[Statement]) -> list[py.stmt]:
        prelude, self.prelude = self.prelude, []
        if self.looping:
            control = self.looping.pop()
            self.controls.append(control)
            body = super().suite(statements)
            self.controls.remove(control)
        else:
            body = super().suite(statements)
        return prelude + body

    def traced_def(self, node: syntax.Def, into: list[py.stmt]) -> None:
        outer = self.controls, self.scope, self.leaves
        self.controls, self.scope, self.leaves = [], node.scope, False
        Compiler.def_(self, node, into)
        self.controls, self.scope, self.leaves = outer

    def prologue(self, parameters: list[syntax.Parameter]) -> list[py.stmt]:
        assert self.scope is not None
        body = self.shadows(self.scope)
        arguments = self.fresh("a")
        body.append(self.set(arguments, self.call("$from.enter", [])))
        for parameter in parameters:
            if parameter.name:
                name = parameter.name
                found = self.call("$from.parameter", [self.load(arguments), self.load(name), self.constant(self.line)])
                body.append(self.set(f"$o.{name}", found))
        return body + super().prologue(parameters)

    def traced_return(self, node: syntax.Return, into: list[py.stmt]) -> None:
        into.append(self.do("$from.add", self.constant(node.line), *self.under()))
        self.leaves = True
        Compiler.return_(self, node, into)

    def traced_branch(self, node: syntax.Branch, into: list[py.stmt]) -> None:
        self.leaves = True
        Compiler.branch(self, node, into)

    def traced_load(self, node: syntax.Load, into: list[py.stmt]) -> None:
        Compiler.load_(self, node, into)
        for here, there, _ in node.names:
            value = self.call("$from.loaded", [self.constant(there), self.load(variable(here))])
            into.append(self.set(f"$o.{here}", value))

    def traced_host(self, node: syntax.HostStatement, into: list[py.stmt]) -> None:
        depth = self.fresh("d")
        into.append(self.set(depth, self.call("$from.host", self.under())))
        values: list[py.expr | tuple[list[py.expr], list[py.keyword]]] = []
        for slot in node.slots:
            if type(slot) is list:
                values.append(self.arguments(slot))
            else:
                self.line = slot.line  # type: ignore[union-attr]
                opened = self.call("$from.open", [])
                values.append(self.call("$from.hole", [opened, self.expression(slot)]))  # type: ignore[arg-type]
                self.line = node.line
        into += self.located(node.host.lower(values), node.line)
        self.lowered.append(node.host)
        into.append(self.do("$from.shut", self.load(depth)))

    # ---- expressions

    def expression(self, node: Expression) -> py.expr:
        kind: object = type(node)
        if kind is syntax.Name and node.scope is not None:  # type: ignore[union-attr]
            return self.traced_name(node)  # type: ignore[arg-type]
        if kind is syntax.Call:
            outer, self.line = self.line, node.line
            made = self.call("$from.result", [self.call("$from.open", []), Compiler.call_(self, node)])  # type: ignore[arg-type]
            self.line = outer
            return made
        if kind is _Passed:
            return self.call("$from.argument", [self.call("$from.open", []), self.expression(node.x)])  # type: ignore[union-attr]
        if kind is syntax.Index:
            outer, self.line = self.line, node.line
            parts = [self.call("$from.open", []), self.expression(node.x), self.expression(node.key)]  # type: ignore[union-attr, arg-type]
            made = self.call("$from.index", parts)
            self.line = outer
            return made
        if kind is _Part:
            return self.call("$from.part", [self.call("$from.open", []), self.expression(node.x)])  # type: ignore[union-attr]
        if kind is _Clause:
            number = self.constant(node.number)  # type: ignore[union-attr]
            return self.call("$from.clause", [number, self.expression(node.x)])  # type: ignore[union-attr]
        if kind is syntax.ListDisplay or kind is syntax.DictDisplay or kind is syntax.Comprehension:
            outer, self.line = self.line, node.line
            made = self.call("$from.listed", [self.call("$from.open", []), self.display(node)])
            self.line = outer
            return made
        if kind is _Tested:
            return self.condition(node.x)  # type: ignore[union-attr]
        if kind is _Iterated:
            return self.iterated(node)  # type: ignore[arg-type]
        outer, self.line = self.line, node.line
        result = EXPRESSIONS[type(node)](self, node)
        self.line = outer
        return result

    def display(self, node: Expression) -> py.expr:
        """A list or dict whose items say what they are made of."""
        if type(node) is syntax.ListDisplay:
            return Compiler.list_display(self, syntax.ListDisplay([_Part(item) for item in node.items], node.line))  # type: ignore[misc]
        if type(node) is syntax.DictDisplay:
            entries = [(key, _Part(value)) for key, value in node.entries]
            return Compiler.dict_display(self, syntax.DictDisplay(entries, node.line))  # type: ignore[arg-type]
        assert type(node) is syntax.Comprehension
        clauses: list[syntax.Clause] = []
        for number, clause in enumerate(node.clauses):
            clauses.append(syntax.Clause(clause.target, _Clause(clause.x, number), clause.line))  # type: ignore[arg-type]
            clauses[-1].conditions = clause.conditions
        body: Expression = _Part(node.body)  # type: ignore[assignment]
        return Compiler.comprehension(self, syntax.Comprehension(node.key, body, clauses, node.scope, node.line))

    def call(self, name: str, args: list[py.expr]) -> py.expr:
        made = super().call(name, args)
        first = args[0] if args else None
        if name in ("$hold", "$each") and type(first) is py.Call and getattr(first.func, "id", "") == "$from.clause":
            return super().call("$from.stepped", [first.args[0], made])
        return made

    def iterated(self, node: _Iterated) -> py.expr:
        arguments = [self.load(node.depth), self.expression(node.x), self.constant(node.line), *self.under()]
        loop = py.NamedExpr(self.store(node.loop), self.call("$from.loop", arguments), **self.at())
        return py.Attribute(loop, "iterated", LOAD, **self.at())

    def traced_name(self, node: syntax.Name) -> py.expr:
        value = Compiler.name(self, node)
        scope = node.scope
        assert scope is not None
        if scope.is_comprehension or (scope is not self.scope and not _has_shadows(scope, self.scope)):
            return self.call("$from.see", [value])
        return self.call("$from.use", [value, self.load(f"$o.{node.name}")])

    def arguments(self, arguments: list[syntax.Argument]) -> tuple[list[py.expr], list[py.keyword]]:
        passed = [
            syntax.Argument(_Passed(argument.value), argument.name, argument.star, argument.line)  # type: ignore[arg-type]
            for argument in arguments
        ]
        return super().arguments(passed)


def _has_shadows(scope: Scope, inner: Scope | None) -> bool:
    """Whether a scope is one of the functions around, not a lambda."""
    while inner is not None:
        if inner is scope:
            return True
        inner = inner.parent
    return False


def _targets(target: Expression, names: list[str], changed: list[syntax.Name]) -> None:
    """The variables that an assignment sets, and those whose values it changes."""
    if type(target) is syntax.Name:
        names.append(target.name)
    elif type(target) is syntax.TupleDisplay or type(target) is syntax.ListDisplay:
        for item in target.items:
            _targets(item, names, changed)
    else:
        root = _root(target)
        if root is not None:
            changed.append(root)


def _root(node: object) -> syntax.Name | None:
    """The variable that `x.a[0].b` begins with."""
    while type(node) is syntax.Index or type(node) is syntax.Attribute:
        node = node.x
    return node if type(node) is syntax.Name and node.scope is not None else None


def _receiver(node: Expression) -> syntax.Name | None:
    """The variable that `x.append(...)` changes, as far as one can tell."""
    if type(node) is syntax.Call and type(node.function) is syntax.Attribute:
        return _root(node.function.x)
    return None


_TRACED: dict[type, Callable[..., None]] = {
    syntax.Assign: TracedCompiler.traced_assign,
    syntax.Branch: TracedCompiler.traced_branch,
    syntax.Def: TracedCompiler.traced_def,
    syntax.Evaluate: TracedCompiler.traced_evaluate,
    syntax.For: TracedCompiler.traced_for,
    syntax.HostStatement: TracedCompiler.traced_host,
    syntax.If: TracedCompiler.traced_if,
    syntax.Load: TracedCompiler.traced_load,
    syntax.Return: TracedCompiler.traced_return,
    syntax.While: TracedCompiler.traced_while,
}
