"""The syntax tree to Python's tree, and that to a code object (design 4).

The program becomes one Python function, called "<toplevel>", whose local variables are the program's globals; it ends
by handing them back. Functions are functions, closures read the variables of the outer ones, and since neither
language lets a function assign an outer variable, scoping is the same in both.

What the code can name are its own variables and helpers whose names begin with "$" (`runtime.GLOBALS`). Every line
number is the source's own, so Python's traceback is the program's stack. Columns carry no columns: a fast subscript
has there the number of its row in "$sites", from which `faults` learns which variables took part.

Speed. Where code runs often (in functions and loops), common cases are done in place and guarded by exact types, and
what `kinds` knows makes guards go away: for `x + y`

    ($1 + y if type($1 := x) is type(y) is int else $+($1, y))

Elsewhere helpers are called, because code that runs once is better small.
"""

from __future__ import annotations

import _ast as py

from weft.starlark import syntax
from weft.starlark.budget import FEW, SMALL
from weft.starlark.flow import find, follow_apart
from weft.starlark.folding import format_parts, percent_parts
from weft.starlark.kinds import kind_of
from weft.starlark.runtime import DIRECT

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from typing import Any, Protocol, TypeAlias

    from weft.starlark.flow import Function
    from weft.starlark.scan import Host
    from weft.starlark.syntax import Expression, Scope, Statement

    class Hooks(Protocol):
        """Statements around the module body and every function that directly contains host statements.

        hosts: the host statements there, in order. `bare_return` gives the value of a `return` without one after the
        hosts given, or None.
        """

        def enter(self, hosts: Sequence[Host], *, module: bool) -> list[py.stmt]: ...

        def leave(self, hosts: Sequence[Host], *, module: bool) -> list[py.stmt]: ...

        def bare_return(self, hosts: Sequence[Host]) -> py.expr | None: ...

    Site: TypeAlias = tuple[str | None, object, str | None, object]

_LOAD, _STORE = py.Load(), py.Store()
_NOT_VARIABLES = frozenset(("None", "True", "False", "__debug__"))
_CONSTANTS = {"None": None, "True": True, "False": False}
_ARITHMETIC: dict[str, Callable[[], py.operator]] = {
    "+": py.Add,
    "-": py.Sub,
    "*": py.Mult,
    "//": py.FloorDiv,
    "%": py.Mod,
    "&": py.BitAnd,
    "|": py.BitOr,
    "^": py.BitXor,
}
# Operators that may be done together once all operands are known to be ints.
_FUSED = frozenset(("+", "-", "*", "//", "%"))
_ATOMS = (syntax.Name, syntax.Literal)
_ORDER: dict[str, Callable[[], py.cmpop]] = {"<": py.Lt, "<=": py.LtE, ">": py.Gt, ">=": py.GtE}
_UNARY: dict[str, tuple[str, Callable[[], py.unaryop]]] = {
    "-": ("$neg", py.USub),
    "+": ("$pos", py.UAdd),
    "~": ("$~", py.Invert),
}
_INTS = ("int", "small")
_SMALL = 1 << 62
_SCALARS = frozenset((str, int, float, bool, type(None)))


class Compiler:
    """Lowers one program; `sites` collects what fast subscripts refer to."""

    __slots__ = (
        "apart",
        "hooks",
        "hot",
        "line",
        "loops",
        "lowered",
        "prefix",
        "scope",
        "sites",
        "temps",
        "twice",
        "walrus",
    )

    def __init__(self, hooks: Hooks | None, twice: Mapping[str, Function] | None = None) -> None:
        self.hooks = hooks
        self.twice = twice or {}
        self.apart = False  # code for callers of whom nothing is known
        self.scope: Scope | None = None  # of the function at hand
        self.sites: list[Site] = []
        self.line = 1
        self.hot = False  # code here runs often
        self.walrus = True  # Python allows `:=` here
        self.temps = 0
        self.loops = 0
        self.prefix = "$"
        self.lowered: list[Host] = []  # the host statements of the function at hand, so far

    def module(self, statements: list[Statement], scope: Scope) -> py.Module:
        """A module that defines the function "<toplevel>"."""
        body: list[py.stmt] = []
        if self.hooks is not None:
            body += self.located(self.hooks.enter(scope.hosts, module=True), 1)
        self.block(statements, body)
        if self.hooks is not None:
            body += self.located(self.hooks.leave(scope.hosts, module=True), self.line)
        body.append(py.Return(self.call("$locals", []), **self.at()))
        self.line = 1
        function = py.FunctionDef("<toplevel>", _no_arguments(), body, [], **self.at())
        sites = py.Assign([self.store("$sites")], self.constant(tuple(self.sites)), **self.at())
        names = tuple(sorted(scope.bound))
        names_ = py.Assign([self.store("$globals")], self.constant(names), **self.at())
        return py.Module([sites, names_, function], [])

    # ---- small parts

    def at(self) -> dict[str, Any]:
        return {"lineno": self.line, "col_offset": 0}

    def load(self, name: str) -> py.expr:
        return py.Name(name, _LOAD, lineno=self.line, col_offset=0)

    def store(self, name: str) -> py.Name:
        return py.Name(name, _STORE, lineno=self.line, col_offset=0)

    def constant(self, value: Any) -> py.Constant:
        return py.Constant(value, lineno=self.line, col_offset=0)

    def call(self, name: str, args: list[py.expr]) -> py.expr:
        line = self.line
        return py.Call(py.Name(name, _LOAD, lineno=line, col_offset=0), args, [], lineno=line, col_offset=0)

    def temp(self) -> str:
        self.temps += 1
        return f"{self.prefix}{self.temps}"

    def choose(self, test: py.expr, yes: py.expr, no: py.expr) -> py.expr:
        return py.IfExp(test, yes, no, lineno=self.line, col_offset=0)

    def both(self, *tests: py.expr) -> py.expr:
        return py.BoolOp(py.And(), list(tests), lineno=self.line, col_offset=0)

    def is_type(self, operand: py.expr, *others: py.expr) -> py.expr:
        """`type(operand) is other is ...`."""
        operators: list[py.cmpop] = [py.Is() for _ in others]
        return py.Compare(self.call("$T", [operand]), operators, list(others), lineno=self.line, col_offset=0)

    def simple(self, value: py.expr) -> tuple[py.expr, Callable[[], py.expr]]:
        """An expression twice: the first use evaluates it, the further ones (made by the function) only read it."""
        kind = type(value)
        if kind is py.Name:
            name = value.id  # type: ignore[attr-defined]
            return value, lambda: self.load(name)
        if kind is py.Constant:
            return value, lambda: value
        name = self.temp()
        return py.NamedExpr(self.store(name), value, **self.at()), lambda: self.load(name)

    def located(self, nodes: list[py.stmt], line: int) -> list[py.stmt]:
        """Give a line to host nodes that have none."""
        for node in nodes:
            _locate(node, line)
        return nodes

    # ---- statements

    def block(self, statements: list[Statement], into: list[py.stmt]) -> None:
        for statement in statements:
            self.line = statement.line
            self.temps = 0
            _STATEMENTS[type(statement)](self, statement, into)

    def suite(self, statements: list[Statement]) -> list[py.stmt]:
        body: list[py.stmt] = []
        self.block(statements, body)
        return body or [py.Pass(**self.at())]

    def evaluate(self, node: syntax.Evaluate, into: list[py.stmt]) -> None:
        value = node.value
        if self.hot and type(value) is syntax.Call and type(value.function) is syntax.Attribute:
            receiver, arguments = value.function.x, value.arguments
            own = value.function.name == "append" and kind_of(receiver) == "list"
            plain = len(arguments) == 1 and not arguments[0].name and not arguments[0].star
            if own and plain and type(receiver) is syntax.Name:
                self.append(receiver, arguments[0].value, into)
                return
        into.append(py.Expr(self.expression(node.value), **self.at()))

    def append(self, receiver: syntax.Name, item: Expression, into: list[py.stmt]) -> None:
        """`x.append(item)` of a list of the program's own."""
        at = self.at()
        _, x = self.simple(self.name(receiver))
        value = self.kept(self.expression(item), into)
        method = py.Attribute(x(), "append", _LOAD, **at)
        fast = py.Expr(py.Call(method, [value()], [], **at), **at)
        if self.unshared(receiver):
            into.append(fast)
            return
        slow = py.Expr(self.call("$m.append", [x(), value()]), **at)
        into.append(py.If(self.unlocked(x()), [fast], [slow], **at))

    def if_(self, node: syntax.If, into: list[py.stmt]) -> None:
        at = self.at()
        test = self.expression(node.test)
        yes = self.suite(node.yes)
        no: list[py.stmt] = []
        self.block(node.no, no)
        into.append(py.If(test, yes, no, **at))

    def while_(self, node: syntax.While, into: list[py.stmt]) -> None:
        at = self.at()
        outer, self.hot = self.hot, True
        test = self.expression(node.test)
        into.append(py.While(test, [self.step(), *self.suite(node.body)], [], **at))
        self.hot = outer

    def step(self) -> py.stmt:
        """What counts a step (see `budget`)."""
        return py.Expr(self.call("$step", []), **self.at())

    def for_(self, node: syntax.For, into: list[py.stmt]) -> None:
        at = self.at()
        x = node.x
        self.loops += 1
        name = f"$loop{self.loops}"
        over_range = _range_in_loop(x)
        iterated = self.expression(x) if over_range is None else self.loop_range(over_range, x)
        outer, self.hot = self.hot, True
        body: list[py.stmt] = []
        if type(node.target) is syntax.Name:
            target = self.store(_variable(node.target.name))
        else:
            target = self.store(f"$each{self.loops}")
            self.assign_to(node.target, self.load(f"$each{self.loops}"), body)
        body += self.suite(node.body)
        self.hot = outer
        self.line = node.line
        left = _leaves(node.body)
        if over_range is not None and not left:
            into.append(py.For(target, iterated, body, [], **at))
            self.loops -= 1
            return
        done: list[py.stmt] = []
        if over_range is None:
            into.append(py.Assign([self.store(name)], self.call("$begin", [iterated]), **at))
            done.append(py.Expr(self.call("$finish", [self.load(name)]), **at))
            iterated = self.load(name)
        if left:
            # What the loop paid for and does not iterate is given back.
            rest = f"$rest{self.loops}"
            into.append(py.Assign([self.store(rest)], self.call("$iter", [iterated]), **at))
            done.append(py.Expr(self.call("$refund", [self.load(rest)]), **at))
            iterated = self.load(rest)
        into.append(py.Try([py.For(target, iterated, body, [], **at)], [], [], done, **at))
        self.loops -= 1

    def loop_range(self, name: str, x: Expression) -> py.expr:
        """A `range(...)` that a loop goes through."""
        outer, self.line = self.line, x.line
        result = self.call(name, [self.expression(argument.value) for argument in x.arguments])  # type: ignore[union-attr]
        self.line = outer
        return result

    def def_(self, node: syntax.Def, into: list[py.stmt]) -> None:
        function = self.twice.get(node.name)
        if function is not None and function.definition is node:
            # First for calls from within, under a name of its own; then for all others.
            self.define(node, into)
            known = self.store(f"$f.{node.name}")
            into.append(py.Assign([known], self.load(_variable(node.name)), **self.at()))
            follow_apart(node.scope, node.body)
            self.apart = True
            self.define(node, into)
            self.apart = False
        else:
            self.define(node, into)

    def define(self, node: syntax.Def, into: list[py.stmt]) -> None:
        at = self.at()
        arguments = self.parameters(node.parameters)
        outer = self.hot, self.walrus, self.temps, self.loops, self.prefix
        self.hot = self.walrus = True
        self.temps = self.loops = 0
        self.prefix = "$"
        body = self.prologue(node.parameters)
        if _calls_out(node.scope):
            body.append(self.step())
        outer_scope, self.scope = self.scope, node.scope
        hosts = node.scope.hosts
        hooks = self.hooks if hosts else None
        outer_hosts, self.lowered = self.lowered, []
        if hooks is not None:
            body += self.located(hooks.enter(hosts, module=False), node.line)
        self.block(node.body, body)
        if hooks is not None:
            body += self.located(hooks.leave(hosts, module=False), self.line)
        self.hot, self.walrus, self.temps, self.loops, self.prefix = outer
        self.lowered = outer_hosts
        self.scope = outer_scope
        self.line = node.line
        into.append(py.FunctionDef(_variable(node.name), arguments, body or [py.Pass(**at)], [], **at))

    def prologue(self, parameters: list[syntax.Parameter]) -> list[py.stmt]:
        body: list[py.stmt] = []
        for parameter in parameters:
            if parameter.star == "**":
                value = self.call("$make_dict", [self.load(parameter.name)])
                body.append(py.Assign([self.store(parameter.name)], value, **self.at()))
        return body

    def parameters(self, parameters: list[syntax.Parameter]) -> py.arguments:
        args: list[py.arg] = []
        defaults: list[py.expr] = []
        named: list[py.arg] = []
        named_defaults: list[py.expr | None] = []
        star: py.arg | None = None
        double: py.arg | None = None
        after_star = False
        for parameter in parameters:
            arg = py.arg(parameter.name, **self.at())
            if parameter.star == "*":
                after_star = True
                if parameter.name:
                    star = arg
            elif parameter.star == "**":
                double = arg
            elif after_star:
                named.append(arg)
                named_defaults.append(None if parameter.default is None else self.expression(parameter.default))
            else:
                args.append(arg)
                if parameter.default is not None:
                    defaults.append(self.expression(parameter.default))
        return py.arguments([], args, star, named, named_defaults, double, defaults)

    def return_(self, node: syntax.Return, into: list[py.stmt]) -> None:
        value = None if node.value is None else self.expression(node.value)
        if value is None and self.lowered and self.hooks is not None:
            result = self.hooks.bare_return(self.lowered)
            if result is not None:
                into += self.located([py.Return(result)], self.line)
                return
        into.append(py.Return(value, **self.at()))

    def branch(self, node: syntax.Branch, into: list[py.stmt]) -> None:
        into.append(py.Break(**self.at()) if node.word == "break" else py.Continue(**self.at()))

    def load_(self, node: syntax.Load, into: list[py.stmt]) -> None:
        path = self.constant(node.path)
        module = self.call("$load", [path, self.constant(node.line)])
        into.append(py.Assign([self.store("$module")], module, **self.at()))
        for here, there, line in node.names:
            self.line = line
            value = self.call("$pick", [self.load("$module"), self.constant(there), path])
            into.append(py.Assign([self.store(_variable(here))], value, **self.at()))

    def host(self, node: syntax.HostStatement, into: list[py.stmt]) -> None:
        values: list[py.expr | tuple[list[py.expr], list[py.keyword]]] = []
        for slot in node.slots:
            if type(slot) is list:
                values.append(self.arguments(slot))
            else:
                values.append(self.expression(slot))  # type: ignore[arg-type]
        into += self.located(node.host.lower(values), node.line)
        self.lowered.append(node.host)

    def assign(self, node: syntax.Assign, into: list[py.stmt]) -> None:
        if not node.operator:
            self.assign_to(node.target, self.expression(node.value), into)
            return
        target = node.target
        line = node.line
        if type(target) is syntax.Name:
            value = None
            if node.operator in _FUSED and self.hot and self.walrus:
                value = self.fused(syntax.Binary(node.operator, target, node.value, line), "$+=")
            if value is None:
                value = self.augmented(self.name(target), kind_of(target), node)
            into.append(py.Assign([self.store(_variable(target.name))], value, **self.at()))
        elif type(target) is syntax.Index:
            self.augmented_index(target, node, into)
        elif type(target) is syntax.Attribute:
            x = self.kept(self.expression(target.x), into)
            old = self.call("$attribute", [x(), self.constant(target.name)])
            value = self.augmented(old, "", node)
            into.append(
                py.Expr(self.call("$set_attribute", [x(), self.constant(target.name), value]), **self.at()),
            )
        self.line = line

    def augmented(self, old: py.expr, kind: str, node: syntax.Assign) -> py.expr:
        """`old operator value`."""
        other = kind_of(node.value)
        if node.operator == "+" and kind not in ("int", "small", "float", "str", "tuple"):
            # Only a list is changed in place.
            if not self.hot or other in ("list", "dict", "tuple") or kind == "list":
                return self.call("$+=", [old, self.expression(node.value)])
            return self.arithmetic("+", old, kind, self.expression(node.value), other, "$+=")
        return self.arithmetic(node.operator, old, kind, self.expression(node.value), other)

    def kept(self, value: py.expr, into: list[py.stmt]) -> Callable[[], py.expr]:
        """Evaluate now; the function gives expressions that read the value again."""
        if type(value) is py.Constant:
            return lambda: value
        name = self.temp()
        into.append(py.Assign([self.store(name)], value, **self.at()))
        return lambda: self.load(name)

    def held(self, value: py.expr, into: list[py.stmt]) -> Callable[[], py.expr]:
        """The same for what is used while nothing assigns variables."""
        if type(value) is py.Name:
            name = value.id
            return lambda: self.load(name)
        return self.kept(value, into)

    def augmented_index(self, target: syntax.Index, node: syntax.Assign, into: list[py.stmt]) -> None:
        kind = kind_of(target.x)
        x = self.held(self.expression(target.x), into)
        key = self.held(self.expression(target.key), into)
        value = self.augmented(self.call("$index", [x(), key()]), "", node)
        slow: py.stmt = py.Expr(self.call("$set_index", [x(), key(), value]), **self.at())
        if not self.hot or kind != "dict":
            into.append(slow)
            return
        # A dict of the program's own with a string as key: both steps without a call.
        test = self.unlocked(x())
        if kind_of(target.key) != "str":
            test = self.both(self.is_type(key(), self.load("$T.str")), test)
        old = py.Subscript(x(), key(), _LOAD, **self.at())
        value = self.augmented(old, "", node)
        fast = py.Assign([py.Subscript(x(), key(), _STORE, **self.at())], value, **self.at())
        into.append(py.If(test, [fast], [slow], **self.at()))

    def unshared(self, node: Expression) -> bool:
        """Whether a list can be neither frozen nor iterated here: all that is done with it is known (see `flow`)."""
        if type(node) is not syntax.Name or node.scope is None or node.scope is not self.scope:
            return False
        shape = node.scope.shapes.get(node.name)
        if shape is None or kind_of(node) != "list":
            return False
        shape = find(shape)
        return not shape.open and not shape.looped

    def unlocked(self, x: py.expr) -> py.expr:
        lock = py.Attribute(x, "lock", _LOAD, **self.at())
        return py.UnaryOp(py.Not(), lock, **self.at())

    def assign_to(self, target: Expression, value: py.expr, into: list[py.stmt]) -> None:
        """Assign a value to whatever kind of target."""
        at = self.at()
        if type(target) is syntax.Name:
            into.append(py.Assign([self.store(_variable(target.name))], value, **at))
        elif type(target) is syntax.Index:
            self.assign_index(target, value, into)
        elif type(target) is syntax.Attribute:
            x = self.expression(target.x)
            into.append(py.Expr(self.call("$set_attribute", [x, self.constant(target.name), value]), **at))
        elif type(target) is syntax.TupleDisplay or type(target) is syntax.ListDisplay:
            items = target.items
            if type(value) is py.Tuple and len(value.elts) == len(items):
                unpacked: py.expr = value
            else:
                unpacked = self.unpacked(value, len(items))
            parts: list[py.expr] = []
            later: list[tuple[Expression, str]] = []
            for item in items:
                if type(item) is syntax.Name:
                    parts.append(self.store(_variable(item.name)))
                else:
                    name = self.temp()
                    parts.append(self.store(name))
                    later.append((item, name))
            into.append(py.Assign([py.Tuple(parts, _STORE, **at)], unpacked, **at))
            for item, name in later:
                self.assign_to(item, self.load(name), into)

    def unpacked(self, value: py.expr, count: int) -> py.expr:
        """The parts of a value, as many as there are variables."""
        if not self.hot or not self.walrus:
            return self.call("$unpack", [value, self.constant(count)])
        first, again = self.simple(value)
        length = py.Compare(self.call("$L", [again()]), [py.Eq()], [self.constant(count)], **self.at())
        test = self.both(self.is_type(first, self.load("$T.tuple")), length)
        return self.choose(test, again(), self.call("$unpack", [again(), self.constant(count)]))

    def assign_index(self, target: syntax.Index, value: py.expr, into: list[py.stmt]) -> None:
        at = self.at()
        kind, key_kind = kind_of(target.x), kind_of(target.key)
        fast_list = kind == "list" and key_kind in _INTS and type(target.x) is syntax.Name
        if not self.hot or not (fast_list or (kind == "dict" and key_kind in ("str", "")) or kind == ""):
            if type(value) is not py.Constant and type(value) is not py.Name:
                # The value comes first, as the reference has it.
                name = self.temp()
                into.append(py.Assign([self.store(name)], value, **at))
                value = self.load(name)
            x, key = self.expression(target.x), self.expression(target.key)
            into.append(py.Expr(self.call("$set_index", [x, key, value]), **at))
            return
        if kind == "list" and key_kind in _INTS:
            self.store_item(target, value, into)
            return
        held = self.kept(value, into)
        x_ = self.kept(self.expression(target.x), into)
        key_ = self.kept(self.expression(target.key), into)
        tests = [self.unlocked(x_())]
        if key_kind != "str":
            tests.insert(0, self.is_type(key_(), self.load("$T.str")))
        if kind != "dict":
            tests.insert(0, self.is_type(x_(), self.load("$Dict")))
        slow = py.Expr(self.call("$set_index", [x_(), key_(), held()]), **at)
        if kind == "" and key_kind in _INTS:
            into.append(slow)
            return
        fast = py.Assign([py.Subscript(x_(), key_(), _STORE, **at)], held(), **at)
        into.append(py.If(tests[0] if len(tests) == 1 else self.both(*tests), [fast], [slow], **at))

    def store_item(self, target: syntax.Index, value: py.expr, into: list[py.stmt]) -> None:
        """`x[i] = value` of a list of the program's own and an int."""
        at = self.at()
        held = (lambda: value) if type(value) is py.Constant else self.kept(value, into)
        _, x = self.simple(self.expression(target.x))
        key_value = self.expression(target.key)
        key = self.simple(key_value)[1] if type(key_value) is py.Name else self.kept(key_value, into)
        self.sites.append((*_site(x()), *_site(key())))
        place = py.Subscript(x(), key(), _STORE, lineno=self.line, col_offset=len(self.sites))
        fast = py.Assign([place], held(), **at)
        if self.unshared(target.x):
            into.append(fast)
            return
        slow = py.Expr(self.call("$set_index", [x(), key(), held()]), **at)
        into.append(py.If(self.unlocked(x()), [fast], [slow], **at))

    # ---- expressions

    def expression(self, node: Expression) -> py.expr:
        outer, self.line = self.line, node.line
        result = _EXPRESSIONS[type(node)](self, node)
        self.line = outer
        return result

    def name(self, node: syntax.Name) -> py.expr:
        if node.scope is None:
            if node.name in _CONSTANTS:
                return self.constant(_CONSTANTS[node.name])
            return self.load("$" + node.name)
        return self.load(_variable(node.name))

    def literal(self, node: syntax.Literal) -> py.expr:
        return self.constant(node.value)

    def unary(self, node: syntax.Unary) -> py.expr:
        x = self.expression(node.x)
        if node.operator == "not":
            return py.UnaryOp(py.Not(), x, **self.at())
        helper, operator = _UNARY[node.operator]
        kind = kind_of(node.x)
        if kind in _INTS or (kind == "float" and node.operator != "~"):
            return py.UnaryOp(operator(), x, **self.at())
        if self.hot and self.walrus:
            first, again = self.simple(x)
            test = self.is_type(first, self.load("$T.int"))
            return self.choose(test, py.UnaryOp(operator(), again(), **self.at()), self.call(helper, [again()]))
        return self.call(helper, [x])

    def binary(self, node: syntax.Binary) -> py.expr:
        operator = node.operator
        if operator in {"and", "or"}:
            return self.logical(node, operator)
        if operator == "%" and type(node.x) is syntax.Literal and type(node.y) is syntax.TupleDisplay:
            parts = percent_parts(node.x.value, len(node.y.items)) if type(node.x.value) is str else None
            if parts is not None:
                return self.text(parts[0], parts[1], node.y.items)
        if operator in _FUSED and self.hot and self.walrus:
            fused = self.fused(node)
            if fused is not None:
                return fused
        x, y = self.expression(node.x), self.expression(node.y)
        left, right = kind_of(node.x), kind_of(node.y)
        if operator in {"==", "!="}:
            if _no_bool(node.x) and _no_bool(node.y) and (_is_int(node.x) or _is_int(node.y)):
                # Only True and False are equal to ints in Python alone.
                return py.Compare(x, [py.Eq() if operator == "==" else py.NotEq()], [y], **self.at())
            return self.equality(operator, x, left, y, right)
        if operator in _ORDER:
            return self.order(operator, x, left, y, right)
        if operator in {"in", "not in"}:
            return self.membership(operator, x, left, y, right)
        return self.arithmetic(operator, x, left, y, right)

    def logical(self, node: syntax.Binary, operator: str) -> py.expr:
        values: list[py.expr] = []
        # `a or b or c` is one list for Python.
        chain: list[Expression] = []
        left: Expression = node
        while type(left) is syntax.Binary and left.operator == operator:
            chain.append(left.y)
            left = left.x
        values = [self.expression(part) for part in (left, *reversed(chain))]
        return py.BoolOp(py.Or() if operator == "or" else py.And(), values, **self.at())

    def arithmetic(self, operator: str, x: py.expr, left: str, y: py.expr, right: str, helper: str = "") -> py.expr:
        helper = helper or "$" + operator
        make = _ARITHMETIC.get(operator)
        if make is None:
            return self.call(helper, [x, y])
        by_zero = operator in {"//", "%"}
        if by_zero and not (type(y) is py.Constant and type(y.value) is int and y.value):
            # Python's words for a division by zero are not the reference's.
            if left in _INTS and right in _INTS and self.hot and self.walrus:
                first_x, again_x = self.simple(x)
                first_y, again_y = self.simple(y)
                fast = py.BinOp(first_x if first_x is x else again_x(), make(), again_y(), **self.at())
                # `(x, y)[1]` in spirit: both are evaluated, in order, before the test.
                if first_x is x:
                    return self.choose(first_y, fast, self.call(helper, [again_x(), again_y()]))
            return self.call(helper, [x, y])
        if left in _INTS and right in _INTS:
            if operator != "*" or left == "small" or right == "small":
                return py.BinOp(x, make(), y, **self.at())
            return self.call(helper, [x, y])
        if operator in "+-" and left == right == "float":
            return py.BinOp(x, make(), y, **self.at())
        numbers = ("", "int", "small")
        if not self.hot or not self.walrus or left not in numbers or right not in numbers:
            return self.call(helper, [x, y])
        first_x, again_x = self.simple(x)
        first_y, again_y = self.simple(y)
        number = self.load("$T.int")
        if right in _INTS and first_y is y:
            test = self.is_type(first_x, number)
        elif left in _INTS and first_x is x:
            test = self.is_type(first_y, number)
        else:
            test = self.is_type(first_x, self.call("$T", [first_y]), number)
        if operator == "*" and left != "small" and right != "small":
            # One of the factors must be of ordinary size, or else the product might be enormous.
            low, high = self.constant(-_SMALL), self.constant(_SMALL)
            size = py.Compare(low, [py.Lt(), py.Lt()], [again_x(), high], **self.at())
            test = self.both(test, size)
        fast = py.BinOp(again_x(), make(), again_y(), **self.at())
        return self.choose(test, fast, self.call(helper, [again_x(), again_y()]))

    def fused(self, node: syntax.Binary, addition: str = "$+") -> py.expr | None:
        """Arithmetic on several unknown values at once: one test that all are ints, then Python's own operators.

        addition: the helper for a `+` on top. None if the expression is nothing of the kind, or if operator by operator
        is as good.
        """
        if type(node.x) is not syntax.Binary and type(node.y) is not syntax.Binary:
            return None
        leaves: list[tuple[Expression, str]] = []
        sized: list[int] = []
        if not _flatten(node, leaves, sized):
            return None
        if all(leaf_kind for _, leaf_kind in leaves):
            return None
        unknown = [place for place, (leaf, kind) in enumerate(leaves) if kind == "" or type(leaf) not in _ATOMS]
        heavy = [place for place in unknown if type(leaves[place][0]) not in _ATOMS]
        if not unknown or len(heavy) > 2:
            return None
        # `type(a) is type(b) is ... is int` always evaluates the first two: those with effects come first.
        order = [*heavy, *(place for place in unknown if place not in heavy)]
        reads: dict[int, Callable[[], py.expr]] = {}
        tests: list[py.expr] = []
        for place in order:
            first, reads[place] = self.simple(self.expression(leaves[place][0]))
            tests.append(first)
        for place, (leaf, _) in enumerate(leaves):
            if place not in reads:
                reads[place] = self.simple(self.expression(leaf))[1]
        test = self.is_type(tests[0], *(self.call("$T", [each]) for each in tests[1:]), self.load("$T.int"))
        if sized:
            sizes = [
                py.Compare(
                    self.constant(-_SMALL), [py.Lt(), py.Lt()], [reads[place](), self.constant(_SMALL)], **self.at()
                )
                for place in dict.fromkeys(sized)
            ]
            test = self.both(test, *sizes)
        places = iter(range(len(leaves)))
        fast = self.rebuilt(node, places, reads, native=True)
        places = iter(range(len(leaves)))
        slow = self.rebuilt(node, places, reads, native=False)
        if node.operator == "+" and type(slow) is py.Call:
            slow.func = self.load(addition)
        return self.choose(test, fast, slow)

    def rebuilt(
        self,
        node: Expression,
        places: Iterator[int],
        reads: dict[int, Callable[[], py.expr]],
        *,
        native: bool,
    ) -> py.expr:
        """The expression over its leaves, with Python's operators or with the language's."""
        if type(node) is not syntax.Binary or node.operator not in _FUSED:
            return reads[next(places)]()
        x = self.rebuilt(node.x, places, reads, native=native)
        y = self.rebuilt(node.y, places, reads, native=native)
        if native:
            return py.BinOp(x, _ARITHMETIC[node.operator](), y, **self.at())
        return self.call("$" + node.operator, [x, y])

    def equality(self, operator: str, x: py.expr, left: str, y: py.expr, right: str) -> py.expr:
        compare: py.cmpop = py.Eq() if operator == "==" else py.NotEq()
        if left == "str" or right == "str" or _distinct(x) or _distinct(y) or (left in _INTS and right in _INTS):
            return py.Compare(x, [compare], [y], **self.at())
        if not self.hot or not self.walrus:
            return self.call("$" + operator, [x, y])
        first_x, again_x = self.simple(x)
        first_y, again_y = self.simple(y)
        scalar = py.Compare(
            self.call("$T", [first_x]),
            [py.Is(), py.In()],
            [self.call("$T", [first_y]), self.load("$plain")],
            **self.at(),
        )
        fast = py.Compare(again_x(), [compare], [again_y()], **self.at())
        return self.choose(scalar, fast, self.call("$" + operator, [again_x(), again_y()]))

    def order(self, operator: str, x: py.expr, left: str, y: py.expr, right: str) -> py.expr:
        make = _ORDER[operator]
        numbers = ("int", "small", "float")
        if left in numbers and right in numbers:
            return py.Compare(x, [make()], [y], **self.at())
        if not self.hot or not self.walrus or left not in ("", "int", "small") or right not in ("", "int", "small"):
            return self.call("$" + operator, [x, y])
        first_x, again_x = self.simple(x)
        first_y, again_y = self.simple(y)
        number = self.load("$T.int")
        if right in _INTS and first_y is y:
            test = self.is_type(first_x, number)
        elif left in _INTS and first_x is x:
            test = self.is_type(first_y, number)
        else:
            test = self.is_type(first_x, self.call("$T", [first_y]), number)
        fast = py.Compare(again_x(), [make()], [again_y()], **self.at())
        return self.choose(test, fast, self.call("$" + operator, [again_x(), again_y()]))

    def membership(self, operator: str, x: py.expr, left: str, y: py.expr, right: str) -> py.expr:
        native: py.cmpop = py.In() if operator == "in" else py.NotIn()
        if left == "str" and right in ("dict", "list", "tuple"):
            return py.Compare(x, [native], [y], **self.at())
        if self.hot and self.walrus and right in ("dict", "list", "tuple") and left == "" and type(y) is py.Name:
            first, again = self.simple(x)
            _, again_y = self.simple(y)
            test = self.is_type(first, self.load("$T.str"))
            fast = py.Compare(again(), [native], [again_y()], **self.at())
            return self.choose(test, fast, self.call("$" + operator, [again(), again_y()]))
        return self.call("$" + operator, [x, y])

    def conditional(self, node: syntax.Conditional) -> py.expr:
        return self.choose(self.expression(node.test), self.expression(node.yes), self.expression(node.no))

    def lambda_(self, node: syntax.Lambda) -> py.expr:
        arguments = self.parameters(node.parameters)
        outer = self.hot, self.walrus, self.temps, self.prefix
        self.hot = self.walrus = True
        self.temps = 0
        self.prefix = "$"
        body = self.expression(node.body)
        # What a `def` does in statements before its body: (first, second, body)[-1].
        parts: list[py.expr] = []
        for parameter in node.parameters:
            if parameter.star == "**":
                made = self.call("$make_dict", [self.load(parameter.name)])
                parts.append(py.NamedExpr(self.store(parameter.name), made, **self.at()))
        if _calls_out(node.scope):
            parts.append(self.call("$step", []))
        if parts:
            last = self.constant(len(parts))
            body = py.Subscript(py.Tuple([*parts, body], _LOAD, **self.at()), last, _LOAD, **self.at())
        self.hot, self.walrus, self.temps, self.prefix = outer
        return py.Lambda(arguments, body, **self.at())

    def attribute(self, node: syntax.Attribute) -> py.expr:
        return self.call("$attribute", [self.expression(node.x), self.constant(node.name)])

    def index(self, node: syntax.Index) -> py.expr:
        x, key = self.expression(node.x), self.expression(node.key)
        kind, key_kind = kind_of(node.x), kind_of(node.key)
        if not self.hot or not self.walrus:
            return self.call("$index", [x, key])
        if key_kind == "str":
            if kind == "dict":
                return py.Subscript(x, key, _LOAD, **self.at())
            first_x, again_x = self.simple(x)
            first_key, again_key = self.simple(key)
            if kind == "" and first_key is key:
                fast = py.Subscript(again_x(), again_key(), _LOAD, **self.at())
                test = self.is_type(first_x, self.load("$Dict"))
                return self.choose(test, fast, self.call("$index", [again_x(), again_key()]))
            return self.call("$index", [x, key])
        if key_kind in _INTS:
            text = kind == "str" and type(x) is py.Constant and type(x.value) is str and x.value.isascii()
            if kind in {"list", "tuple"} or text:
                return self.place(x, key)
            if kind == "str" and type(x) is py.Name:
                # A character is a byte there.
                ascii_ = py.Call(py.Attribute(x, "isascii", _LOAD, **self.at()), [], [], **self.at())
                first_key, again_key = self.simple(key)
                if first_key is key:
                    return self.choose(ascii_, self.place(x, key), self.call("$item", [x, again_key()]))
            if kind == "":
                first_x, again_x = self.simple(x)
                first_key, again_key = self.simple(key)
                test = self.is_type(first_x, self.load("$List"))
                if first_key is key:
                    return self.choose(test, self.place(again_x(), again_key()), self.call("$item", [again_x(), key]))
            return self.call("$item", [x, key])
        if key_kind == "" and type(x) is py.Constant and type(x.value) is str and x.value.isascii():
            first_key, again_key = self.simple(key)
            test = self.is_type(first_key, self.load("$T.int"))
            return self.choose(test, self.place(x, again_key()), self.call("$item", [x, again_key()]))
        if kind == "dict" and type(x) is py.Name and key_kind == "":
            first_key, again_key = self.simple(key)
            _, again_x = self.simple(x)
            fast = py.Subscript(again_x(), again_key(), _LOAD, **self.at())
            test = self.is_type(first_key, self.load("$T.str"))
            return self.choose(test, fast, self.call("$index", [again_x(), again_key()]))
        return self.call("$index", [x, key])

    def place(self, x: py.expr, key: py.expr) -> py.expr:
        """`x[key]` of a known sequence and int; what it refers to is noted for the message about a wrong place."""
        first_x, again_x = self.simple(x)
        first_key, again_key = self.simple(key)
        site = (*_site(again_x()), *_site(again_key()))
        self.sites.append(site)
        return py.Subscript(first_x, first_key, _LOAD, lineno=self.line, col_offset=len(self.sites))

    def slice(self, node: syntax.Slice) -> py.expr:
        parts = [self.constant(None) if p is None else self.expression(p) for p in (node.low, node.high, node.step)]
        return self.call("$cut", [self.expression(node.x), *parts])

    def call_(self, node: syntax.Call) -> py.expr:
        function = node.function
        if type(function) is syntax.Attribute:
            if function.name == "format" and type(function.x) is syntax.Literal and type(function.x.value) is str:
                arguments = node.arguments
                texts = format_parts(function.x.value, len(arguments))
                if texts is not None and not any(argument.star or argument.name for argument in arguments):
                    return self.text(texts, "s" * len(arguments), [argument.value for argument in arguments])
            native = self.native_method(function, node)
            if native is not None:
                return native
            callee, receiver = self.method(function)
            args, keywords = self.arguments(node.arguments)
            if receiver is not None:
                args.insert(0, receiver)
            return py.Call(callee, args, keywords, **self.at())
        if type(function) is syntax.Name and function.scope is None:
            special = self.universal_call(function.name, node)
            if special is not None:
                return special
        callee = self.expression(function)
        if self.knows(node):
            callee = self.load(f"$f.{function.name}")  # type: ignore[union-attr]
        if type(callee) is py.Constant or type(callee) is py.Tuple:
            # Python would warn of such a call.
            callee = self.call("$same", [callee])
        args, keywords = self.arguments(node.arguments)
        return py.Call(callee, args, keywords, **self.at())

    def native_method(self, method: syntax.Attribute, node: syntax.Call) -> py.expr | None:
        """Methods of strings that Python can do, given what is known; None for all others."""
        if kind_of(method.x) != "str" or len(node.arguments) != 1 or not self.hot or not self.walrus:
            return None
        argument = node.arguments[0]
        if argument.star or argument.name:
            return None
        at, given = self.at(), argument.value
        if method.name in {"startswith", "endswith"} and kind_of(given) == "str":
            called = py.Attribute(self.expression(method.x), method.name, _LOAD, **at)
            return py.Call(called, [self.expression(given)], [], **at)
        if method.name == "join" and type(method.x) is syntax.Literal and type(given) is syntax.Name:
            separator, scope = str(method.x.value), given.scope
            shape = None if scope is None or kind_of(given) != "list" else scope.shapes.get(given.name)
            if shape is None or find(shape).kind != "str" or len(separator) > FEW:
                return None
            # A few strings: nobody needs to look at the size before.
            parts, between = self.expression(given), self.constant(separator)
            name = self.temp()
            joined = py.Call(py.Attribute(between, "join", _LOAD, **at), [parts], [], **at)
            made = py.NamedExpr(self.store(name), joined, **at)
            ascii_ = py.Call(py.Attribute(made, "isascii", _LOAD, **at), [], [], **at)
            few = py.Compare(self.call("$L", [parts]), [py.LtE()], [self.constant(FEW)], **at)
            small = py.Compare(self.call("$L", [self.load(name)]), [py.Lt()], [self.constant(SMALL)], **at)
            slow = self.call("$m.join", [between, parts])
            return self.choose(self.both(few, ascii_, small), self.load(name), slow)
        return None

    def text(self, texts: Sequence[str], verbs: str, nodes: Sequence[Expression]) -> py.expr:
        """A string of texts and values between them; a verb is "s" or "d"."""
        parts: list[py.expr] = [self.constant(texts[0])]
        for text, verb, node in zip(texts[1:], verbs, nodes, strict=True):
            value = self.expression(node)
            kind = kind_of(node)
            if kind != "small" and verb == "d":
                value = self.call("$%d", [value])
            elif kind not in {"small", "str"}:
                if self.hot and self.walrus:
                    first, again = self.simple(value)
                    value = self.choose(self.is_type(first, self.load("$T.str")), again(), self.call("$str", [again()]))
                else:
                    value = self.call("$str", [value])
            parts.append(py.FormattedValue(value, -1, None, **self.at()))
            if text:
                parts.append(self.constant(text))
        made = py.JoinedStr(parts, **self.at())
        if not self.hot or not self.walrus:
            return self.call("$text", [made])
        first, again = self.simple(made)
        size = py.Compare(self.call("$L", [again()]), [py.Lt()], [self.constant(SMALL)], **self.at())
        ascii_ = py.Call(py.Attribute(first, "isascii", _LOAD, **self.at()), [], [], **self.at())
        return self.choose(self.both(ascii_, size), again(), self.call("$text", [again()]))

    def knows(self, node: syntax.Call) -> bool:
        """Whether a call is one of those that `flow` has followed to a function that is compiled twice."""
        name = node.function
        if self.apart or type(name) is not syntax.Name or name.scope is None or name.scope.parent is not None:
            return False
        function = self.twice.get(name.name)
        return function is not None and function.fits(node)

    def method(self, node: syntax.Attribute) -> tuple[py.expr, py.expr | None]:
        """What to call for `x.name(...)`, and the receiver if it is to be passed."""
        name = node.name
        x = self.expression(node.x)
        wanted = DIRECT.get(name)
        if wanted is None:
            return self.call("$attribute", [x, self.constant(name)]), None
        kind = kind_of(node.x)
        if kind == wanted:
            return self.load("$m." + name), x
        if kind != "" or not self.hot or not self.walrus:
            return self.load("$late." + name), x
        first, again = self.simple(x)
        known = {"str": "$T.str", "list": "$List", "dict": "$Dict"}[wanted]
        test = self.is_type(first, self.load(known))
        return self.choose(test, self.load("$m." + name), self.load("$late." + name)), again()

    def universal_call(self, name: str, node: syntax.Call) -> py.expr | None:
        """Calls of universal functions that can be done better; None for all others."""
        arguments = node.arguments
        if any(argument.star or argument.name for argument in arguments):
            return None
        if name == "len" and len(arguments) == 1:
            kind = kind_of(arguments[0].value)
            value = self.expression(arguments[0].value)
            if kind in {"list", "dict", "tuple"}:
                return self.call("$L", [value])
            if kind == "str" and type(value) is py.Name and self.hot:
                ascii_ = py.Call(py.Attribute(value, "isascii", _LOAD, **self.at()), [], [], **self.at())
                return self.choose(ascii_, self.call("$L", [value]), self.call("$len", [value]))
            if kind == "" and self.hot and self.walrus:
                first, again = self.simple(value)
                test = py.Compare(self.call("$T", [first]), [py.In()], [self.load("$sized")], **self.at())
                return self.choose(test, self.call("$L", [again()]), self.call("$len", [again()]))
            return self.call("$len", [value])
        if name == "range" and 1 <= len(arguments) <= 3:
            return self.call(f"$range{len(arguments)}", [self.expression(argument.value) for argument in arguments])
        if name in {"min", "max"} and len(arguments) > 1:
            if self.hot and self.walrus and len(arguments) <= 4 and all(_is_int(each.value) for each in arguments):
                return self.extreme(name, [self.expression(argument.value) for argument in arguments])
            return self.call(f"${name}_of", [self.expression(argument.value) for argument in arguments])
        return None

    def extreme(self, name: str, values: list[py.expr]) -> py.expr:
        """`min` or `max` of ints: one comparison after the other."""
        best = values[0]
        for value in values[1:]:
            first, again = self.simple(best)
            other, other_again = self.simple(value)
            # Of equal ones the first; all are evaluated in order.
            operator: py.cmpop = py.LtE() if name == "min" else py.GtE()
            test = py.Compare(first, [operator], [other], **self.at())
            best = self.choose(test, again(), other_again())
        return best

    def arguments(self, arguments: list[syntax.Argument]) -> tuple[list[py.expr], list[py.keyword]]:
        args: list[py.expr] = []
        keywords: list[py.keyword] = []
        for argument in arguments:
            value = self.expression(argument.value)
            if argument.star == "*":
                args.append(py.Starred(self.call("$spread", [value]), _LOAD, **self.at()))
            elif argument.star == "**":
                keywords.append(py.keyword(None, self.call("$keywords", [value]), **self.at()))
            elif argument.name:
                if argument.name in _NOT_VARIABLES:
                    value = py.Dict([self.constant(argument.name)], [value], **self.at())
                    keywords.append(py.keyword(None, value, **self.at()))
                else:
                    keywords.append(py.keyword(argument.name, value, **self.at()))
            else:
                args.append(value)
        return args, keywords

    def tuple_display(self, node: syntax.TupleDisplay) -> py.expr:
        return py.Tuple([self.expression(item) for item in node.items], _LOAD, **self.at())

    def list_display(self, node: syntax.ListDisplay) -> py.expr:
        items: list[py.expr] = [self.expression(item) for item in node.items]
        if not items:
            return self.call("$List", [])
        return self.call("$List", [py.Tuple(items, _LOAD, **self.at())])

    def dict_display(self, node: syntax.DictDisplay) -> py.expr:
        if not node.entries:
            return self.call("$Dict", [])
        keys = [self.expression(key) for key, _ in node.entries]
        values = [self.expression(value) for _, value in node.entries]
        plain = {key.value for key in keys if type(key) is py.Constant and type(key.value) is str}
        if len(plain) == len(keys):
            return self.call("$make_dict", [py.Dict(keys, values, **self.at())])  # type: ignore[arg-type]
        parts = [part for pair in zip(keys, values, strict=True) for part in pair]
        return self.call("$pairs_dict", parts)

    def comprehension(self, node: syntax.Comprehension) -> py.expr:
        outer = self.hot, self.walrus, self.temps, self.prefix
        calls = _calls(node.body) or (node.key is not None and _calls(node.key))
        calls = calls or any(_calls(c) for clause in node.clauses for c in clause.conditions)
        calls = calls or any(_calls(clause.x) for clause in node.clauses[1:])
        generators: list[py.comprehension] = []
        iterated: list[py.expr] = []
        for place, clause in enumerate(node.clauses):
            # Python forbids `:=` in what a comprehension iterates.
            self.walrus = False
            if place:
                self.hot = True
            over_range = _range_in_loop(clause.x)
            if over_range is not None:
                iterated.append(self.loop_range(over_range, clause.x))
            else:
                iterated.append(self.call("$hold" if calls else "$each", [self.expression(clause.x)]))
            self.walrus = outer[1]
        self.hot = True
        if self.walrus:
            # `:=` binds in the function around: other names, so that its own variables stay fast.
            self.prefix += "c"
        for clause, x in zip(node.clauses, iterated, strict=True):
            target = self.comprehension_target(clause.target)
            conditions = [self.expression(condition) for condition in clause.conditions]
            if type(clause.target) is not syntax.Name:
                unpacking = self.list_of(self.unpacked_for(clause.target))
                generators.append(py.comprehension(self.store("$part"), x, [], 0))
                generators.append(py.comprehension(target, unpacking, conditions, 0))
            else:
                generators.append(py.comprehension(target, x, conditions, 0))
        if node.key is None:
            made: py.expr = py.ListComp(self.expression(node.body), generators, **self.at())
            result = self.call("$List", [made])
        else:
            key, value = self.expression(node.key), self.expression(node.body)
            if kind_of(node.key) == "str":
                made = py.DictComp(key, value, generators, **self.at())
                result = self.call("$make_dict", [made])
            else:
                made = py.ListComp(py.Tuple([key, value], _LOAD, **self.at()), generators, **self.at())
                result = self.call("$Dict", [made])
        self.hot, self.walrus, self.temps, self.prefix = outer
        return result

    def comprehension_target(self, target: Expression) -> py.expr:
        if type(target) is syntax.Name:
            return self.store(_variable(target.name))
        if type(target) is syntax.TupleDisplay or type(target) is syntax.ListDisplay:
            return py.Tuple([self.comprehension_target(item) for item in target.items], _STORE, **self.at())
        # An element or field as the variable of a comprehension: nobody does, and nothing is lost.
        return self.store("$unused")

    def unpacked_for(self, target: Expression) -> py.expr:
        count = len(target.items) if type(target) in (syntax.TupleDisplay, syntax.ListDisplay) else 1  # type: ignore[union-attr]
        part = self.load("$part")
        length = py.Compare(self.call("$L", [part]), [py.Eq()], [self.constant(count)], **self.at())
        test = self.both(self.is_type(self.load("$part"), self.load("$T.tuple")), length)
        slow = self.call("$unpack", [self.load("$part"), self.constant(count)])
        return self.choose(test, self.load("$part"), slow)

    def list_of(self, value: py.expr) -> py.expr:
        return py.List([value], _LOAD, **self.at())


def _flatten(node: Expression, leaves: list[tuple[Expression, str]], sized: list[int]) -> bool:
    """Collect the operands of arithmetic; `sized` gets those that must be small lest a product be enormous."""
    if type(node) is syntax.Binary and node.operator in _FUSED:
        operator = node.operator
        divisor = type(node.y) is syntax.Literal and type(node.y.value) is int and node.y.value != 0
        if operator in {"//", "%"} and not divisor:
            return False
        before = len(leaves)
        if not _flatten(node.x, leaves, sized):
            return False
        middle = len(leaves)
        if not _flatten(node.y, leaves, sized):
            return False
        if operator == "*":
            small = [place for place in range(before, len(leaves)) if leaves[place][1] == "small"]
            single = [part for part in ((before, middle), (middle, len(leaves))) if part[1] - part[0] == 1]
            if not any(start in small for start, _ in single):
                if not single:
                    return False
                sized.append(single[0][0])
        return True
    kind = kind_of(node)
    if kind not in {"", "int", "small"}:
        return False
    leaves.append((node, kind))
    return True


def _no_bool(node: Expression) -> bool:
    """Whether the value can be no bool: arithmetic gives none."""
    if type(node) is syntax.Binary:
        return node.operator in _ARITHMETIC or node.operator in {"/", "<<", ">>"}
    return kind_of(node) in {"int", "small", "float", "str", "list", "dict", "tuple"}


def _is_int(node: Expression) -> bool:
    return kind_of(node) in _INTS


def _no_arguments() -> py.arguments:
    return py.arguments([], [], None, [], [], None, [])


def _variable(name: str) -> str:
    """The Python variable of a name: the same, except for those that Python keeps for itself."""
    return "$" + name + "$" if name in _NOT_VARIABLES else name


def _distinct(node: py.expr) -> bool:
    """Whether Python compares this constant with anything as the language does: True and 1 are equal only to Python."""
    if type(node) is not py.Constant:
        return False
    value = node.value
    return (
        value is None or (type(value) is int and value not in (0, 1)) or (type(value) is float and value not in (0, 1))
    )


def _site(node: py.expr) -> tuple[str | None, object]:
    if type(node) is py.Name:
        return node.id, None
    return None, node.value  # type: ignore[attr-defined]


def _range_in_loop(node: Expression) -> str | None:
    """The name under which a loop calls `range` (see `budget`); None if the expression is no such call."""
    if type(node) is not syntax.Call or type(node.function) is not syntax.Name:
        return None
    if node.function.name != "range" or node.function.scope is not None:
        return None
    if not 1 <= len(node.arguments) <= 3 or any(argument.star or argument.name for argument in node.arguments):
        return None
    return ("$to", "$from_to", "$from_to_by")[len(node.arguments) - 1]


def _leaves(body: list[Statement], inner: bool = False) -> bool:
    """Whether the body of a loop can leave it; `inner`: the statements stand in a loop within it."""
    for node in body:
        kind = type(node)
        if kind is syntax.Return or (kind is syntax.Branch and node.word == "break" and not inner):  # type: ignore[union-attr]
            return True
        if kind is syntax.If:
            if _leaves(node.yes, inner) or _leaves(node.no, inner):  # type: ignore[union-attr]
                return True
        elif (kind is syntax.For or kind is syntax.While) and _leaves(node.body, inner=True):  # type: ignore[union-attr]
            return True
    return False


def _calls_out(scope: Scope) -> bool:
    """Whether a function may call others than builtins: only such functions count as steps."""
    for call in scope.calls:
        function = call.function
        if type(function) is syntax.Name and function.scope is None:
            continue
        if type(function) is syntax.Attribute and kind_of(function.x) in {"str", "list", "dict"}:
            continue
        return True
    return any(child.is_comprehension and _calls_out(child) for child in scope.children)


def _calls(node: object) -> bool:
    """Whether evaluating an expression may call a function, which might change what is being iterated."""
    kind = type(node)
    if kind is syntax.Name or kind is syntax.Literal or kind is syntax.Lambda:
        return False
    if kind is syntax.Binary:
        return _calls(node.x) or _calls(node.y)  # type: ignore[attr-defined]
    if kind is syntax.Index:
        return _calls(node.x) or _calls(node.key)  # type: ignore[attr-defined]
    if kind is syntax.Unary or kind is syntax.Attribute:
        return _calls(node.x)  # type: ignore[attr-defined]
    if kind is syntax.TupleDisplay or kind is syntax.ListDisplay:
        return any(_calls(item) for item in node.items)  # type: ignore[attr-defined]
    if kind is syntax.DictDisplay:
        return any(_calls(part) for entry in node.entries for part in entry)  # type: ignore[attr-defined]
    if kind is syntax.Conditional:
        return _calls(node.test) or _calls(node.yes) or _calls(node.no)  # type: ignore[attr-defined]
    if kind is syntax.Call:
        function = node.function  # type: ignore[attr-defined]
        if type(function) is syntax.Name and function.scope is None and function.name in _HARMLESS:
            return any(_calls(argument.value) for argument in node.arguments)  # type: ignore[attr-defined]
    return True


# Universal functions that call nothing and change nothing.
_HARMLESS = frozenset(
    ["bool", "chr", "float", "hash", "int", "len", "ord", "range", "repr", "str", "tuple", "type", "list", "hasattr"]
)


def _locate(node: py.AST, line: int) -> None:
    """Set the line of a tree of the host where it has none."""
    todo: list[object] = [node]
    while todo:
        item = todo.pop()
        if isinstance(item, list):
            todo.extend(item)
        elif isinstance(item, py.AST):
            if "lineno" in item._attributes:
                if getattr(item, "lineno", None) is not None:
                    continue
                item.lineno = line  # type: ignore[attr-defined]
                item.col_offset = 0  # type: ignore[attr-defined]
            for field in item._fields:
                value = getattr(item, field, None)
                if type(value) is not str:
                    todo.append(value)


_STATEMENTS: dict[type, Callable[..., None]] = {
    syntax.Assign: Compiler.assign,
    syntax.Branch: Compiler.branch,
    syntax.Def: Compiler.def_,
    syntax.Evaluate: Compiler.evaluate,
    syntax.For: Compiler.for_,
    syntax.HostStatement: Compiler.host,
    syntax.If: Compiler.if_,
    syntax.Load: Compiler.load_,
    syntax.Return: Compiler.return_,
    syntax.While: Compiler.while_,
}
_EXPRESSIONS: dict[type, Callable[..., py.expr]] = {
    syntax.Attribute: Compiler.attribute,
    syntax.Binary: Compiler.binary,
    syntax.Call: Compiler.call_,
    syntax.Comprehension: Compiler.comprehension,
    syntax.Conditional: Compiler.conditional,
    syntax.DictDisplay: Compiler.dict_display,
    syntax.Index: Compiler.index,
    syntax.Lambda: Compiler.lambda_,
    syntax.ListDisplay: Compiler.list_display,
    syntax.Literal: Compiler.literal,
    syntax.Name: Compiler.name,
    syntax.Slice: Compiler.slice,
    syntax.TupleDisplay: Compiler.tuple_display,
    syntax.Unary: Compiler.unary,
}
