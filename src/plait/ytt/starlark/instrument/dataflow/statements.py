"""Instruments statements to assign shadows to variables, and to track conditions."""

from __future__ import annotations

from plait.ytt.starlark import syntax
from plait.ytt.starlark.instrument.dataflow.branches import assigned, has_hosts, has_leaving, may_leave, mentioned
from plait.ytt.starlark.instrument.dataflow.expressions import NOWHERE, SELECTING, ExpressionInstrumenter, parameters_of
from plait.ytt.starlark.instrument.dataflow.pure_functions import PureFunctions

TYPE_CHECKING = False
if TYPE_CHECKING:
    import _ast as py
    from collections.abc import Callable, Sequence

    from plait.ytt.starlark.lower.statements import Lowering
    from plait.ytt.starlark.syntax import Expression, Scope, Statement


def probed(
    statements: Sequence[Statement], scope: Scope, lowering: Callable[[], Lowering]
) -> tuple[list[Statement], list[py.stmt]]:
    """The instrumented program, and definitions that must be executed first.

    lowering: creates the lowering for functions that need not report (see `pure_functions`).
    """
    probe = DataflowInstrumenter(scope, PureFunctions(scope, statements), lowering)
    made = probe.program(statements)
    return made, [] if probe.quiet is None else probe.quiet.tables()


class DataflowInstrumenter(ExpressionInstrumenter):
    """Rewrites the statements of one program."""

    __slots__ = (
        "closed",
        "controlled",
        "controls",
        "in_function",
        "kept",
        "leaves",
        "lowering",
        "mentioned",
        "quiet",
        "window",
    )

    def __init__(self, scope: Scope, closed: PureFunctions, lowering: Callable[[], Lowering]) -> None:
        super().__init__(scope)
        self.closed = closed
        self.lowering = lowering
        self.quiet: Lowering | None = None
        self.window: syntax.Name | None = None  # contains the scope of the function's template statements
        # The variables with the controls of the current statement, and the controls of the last template statement;
        # None if they depend on the path.
        self.controls: list[syntax.Name] = []
        self.controlled: list[syntax.Name] | None = []
        self.leaves = False  # an earlier statement may leave the block
        self.kept: list[syntax.Name] = []  # the variables of controls that apply to the rest of the function
        # The names in the current function, or in the outermost loop outside of all functions.
        self.mentioned: tuple[str, ...] = ()
        self.in_function = False

    # ---- pieces of syntax

    def set(self, target: Expression, value: Expression) -> Statement:
        return syntax.Assign(target, "", value, self.line)

    def do(self, value: Expression) -> Statement:
        return syntax.Evaluate(value, self.line)

    @property
    def reached_by(self) -> syntax.Name:
        """The variable with the secret conditions that led to the current statement; usually empty."""
        return self.variable("$pc")

    def start(self) -> syntax.Call:
        """The call that opens a scope for a statement."""
        return self.call("$from.start", self.reached_by)

    def close(self, depth: syntax.Name) -> Expression:
        """The call that closes a scope and returns its reads and the conditions that led to them."""
        return self.call("$from.close", depth, self.constant(self.line), self.reached_by, *self.controls)

    def opened(self, into: list[Statement]) -> syntax.Name:
        depth = self.fresh("d")
        into.append(self.set(depth, self.start()))
        return depth

    def watched(self, value: Expression, into: list[Statement]) -> tuple[syntax.Name, syntax.Name]:
        """Evaluates an expression now. Returns variables with its value and with its shadow."""
        depth, kept, shadow = self.opened(into), self.fresh("v"), self.fresh("s")
        into.append(self.set(kept, self.expression(value)))
        into.append(self.set(shadow, self.close(depth)))
        return kept, shadow

    def condition(self, test: Expression) -> Expression:
        return self.call("$from.test", self.start(), self.expression(test))

    def noted(self, control: syntax.Name, line: int, branches: Sequence[Statement]) -> list[Statement]:
        """Stores the reads of the last condition. branches: the statements that it decides."""
        names = self.constant(self.reach(branches))
        tested = self.set(control, self.call("$from.tested", self.constant(line), names))
        return [tested, self.raising(control)]

    def raising(self, control: syntax.Name) -> Statement:
        """Adds a control to the secret conditions that were met before this point, if it is secret."""
        added = self.set(self.reached_by, self.call("$from.raise", self.reached_by))
        return syntax.If(control, [added], [], self.line)

    def begun(self) -> list[Statement]:
        """Shadows for all variables of a function, so that they exist at each use."""
        shadows = [self.set(self.shadow(name), self.tuple()) for name in self.scope.bound]
        if self.scope.hosts:
            shadows.append(self.set(self.variable("$u"), self.tuple()))
        return [self.set(self.reached_by, self.call("$from.reached")), *shadows]

    def reach(self, branches: Sequence[Statement]) -> tuple[str, ...]:
        """The names that branches mention; if a branch can leave the code after it, the names of that code, too."""
        return self.mentioned if self.mentioned and has_leaving(branches) else mentioned(branches)

    def met(
        self,
        before: syntax.Name,
        branches: Sequence[Statement],
        targets: Sequence[Expression],
        *,
        kept: int,
        leaves: bool,
    ) -> list[Statement]:
        """The statements after a condition or loop. If it depends on a secret, so does everything that its statements
        could have changed.

        This includes statements that did not run, because an unchanged variable reveals that. before: the secret
        conditions before it. kept: the number of controls that applied to the rest of the function then. leaves: the
        following code may be skipped because of it.
        """
        names = assigned([*branches, *(syntax.For(target, target, [], self.line) for target in targets)], self.scope)
        found: list[Statement] = [
            self.set(self.shadow(name), self.call("$from.also", self.shadow(name), self.reached_by)) for name in names
        ]
        # Which of these were reached reveals the secret.
        found += [self.set(one, self.tuple()) for one in self.kept[kept:]]
        if has_hosts(branches):
            found.append(self.do(self.call("$from.shaped", self.reached_by)))
        if not leaves:
            found.append(self.set(self.reached_by, before))
        raised = self.call("$from.raised", self.reached_by, before)
        return [syntax.If(syntax.Binary("and", self.reached_by, raised, self.line), found, [], self.line)]

    # ---- blocks

    def program(self, statements: Sequence[Statement]) -> list[Statement]:
        body = [*self.begun(), *self.body(statements)]
        body.append(self.do(self.call("$from.exports", self.call("$locals"))))
        return body

    def body(self, statements: Sequence[Statement]) -> list[Statement]:
        """The statements of a function; those that build nodes share a scope."""
        into: list[Statement] = []
        outer, self.window = self.window, None
        if self.scope.hosts:
            self.window = self.fresh("w")
            into.append(self.set(self.window, self.call("$from.host")))
        outer_kept, self.kept = self.kept, []
        into += self.block(statements)
        # Conditions that may leave apply to the following code, even if they were not reached.
        into[:0] = [self.set(one, self.tuple()) for one in self.kept]
        self.kept = outer_kept
        if self.window is not None:
            into.append(self.do(self.call("$from.shut", self.window)))
        if self.leaves:
            # This point is reached only if no condition has left.
            into.append(self.do(self.call("$from.ended", self.reached_by)))
        self.window = outer
        return into

    def block(self, statements: Sequence[Statement]) -> list[Statement]:
        into: list[Statement] = []
        for statement in statements:
            self.line = statement.line
            branches = isinstance(statement, (syntax.If, syntax.For, syntax.While))
            if branches:
                self.controlled = None
            _RULES[type(statement)](self, statement, into)
            if branches:
                self.controlled = None
        return into

    def if_(self, node: syntax.If, into: list[Statement]) -> None:
        control, before = self.fresh("k"), self.fresh("b")
        into.append(self.set(before, self.reached_by))
        test = self.condition(node.test)
        noted, kept = self.noted(control, node.line, [*node.yes, *node.no]), len(self.kept)
        outer_leaves, self.leaves = self.leaves, False
        self.controls.append(control)
        yes = [*noted, *self.block(node.yes)]
        self.controlled = None
        no = [*noted, *self.block(node.no)]
        self.line = node.line
        into.append(syntax.If(test, yes, no, node.line))
        into += self.met(before, [*node.yes, *node.no], [], kept=kept, leaves=may_leave([*node.yes, *node.no]))
        if self.leaves:
            self.kept.append(control)
        else:
            self.controls.remove(control)
        self.leaves = self.leaves or outer_leaves

    def while_(self, node: syntax.While, into: list[Statement]) -> None:
        control, before = self.fresh("k"), self.fresh("b")
        into.append(self.set(control, self.tuple()))
        into.append(self.set(before, self.reached_by))
        noted, kept = self.noted(control, node.line, node.body), len(self.kept)
        self.controls.append(control)
        test = self.condition(node.test)
        outer_leaves, self.leaves = self.leaves, False
        into.append(syntax.While(test, [*noted, *self.block(node.body)], node.line))
        into += noted  # the condition that ended the loop
        into += self.met(before, node.body, [], kept=kept, leaves=may_leave(node.body, in_loop=True))
        self.leaves = self.leaves or outer_leaves

    def for_(self, node: syntax.For, into: list[Statement]) -> None:
        before = self.fresh("b")
        into.append(self.set(before, self.reached_by))
        depth = self.opened(into)
        iterated, control, step, part, made = (self.fresh(kind) for kind in "xknps")
        within = self.constant(self.reach(node.body))
        outer_mentioned = self.mentioned
        if not self.in_function and not self.mentioned:
            self.mentioned = mentioned(node.body)
        # Code that leaves the loop skips the rest of what it iterates over.
        self.mentioned = (*self.mentioned, iterated.name)
        parts = self.expression(node.x), self.constant(node.line), within, self.reached_by
        loop = self.call("$from.loop", depth, *parts, *self.controls)
        into.append(self.set(self.tuple((iterated, control, step, part)), loop))
        into.append(self.raising(control))
        shadows = [self.set(made, syntax.Call(step, [], self.line))]
        target = node.target
        names, _ = _targets(target)
        if isinstance(target, syntax.TupleDisplay) and all(isinstance(item, syntax.Name) for item in target.items):
            # Each target has the shadow of its part of the element.
            for number, name in enumerate(names):
                given = [syntax.Argument(value, "", "", self.line) for value in (self.constant(number), made)]
                shadows.append(self.set(self.shadow(name), syntax.Call(part, given, self.line)))
        else:
            shadows += [self.set(self.shadow(name), made) for name in names]
        self.controls.append(control)
        kept = len(self.kept)
        outer_leaves, self.leaves = self.leaves, False
        body = [*shadows, *self.block(node.body)]
        self.controls.remove(control)
        self.mentioned = outer_mentioned
        self.line = node.line
        into.append(syntax.For(target, iterated, body, node.line))
        into += self.met(before, node.body, [target], kept=kept, leaves=may_leave(node.body, in_loop=True))
        self.leaves = self.leaves or outer_leaves

    def branch(self, node: syntax.Branch, into: list[Statement]) -> None:
        self.leaves = True
        into.append(node)

    # ---- assignments

    def assign(self, node: syntax.Assign, into: list[Statement]) -> None:
        target, value = node.target, node.value
        if not node.operator:
            if isinstance(target, syntax.TupleDisplay) and isinstance(value, syntax.TupleDisplay):
                names = [item for item in target.items if isinstance(item, syntax.Name)]
                if len(names) == len(target.items) == len(value.items):
                    self.assign_each(names, value.items, into)
                    return
            if isinstance(target, syntax.Index) and isinstance(target.x, syntax.Name) and target.x.scope is not None:
                self.assign_item(target.x, target.key, value, into)
                return
        depth, shadow = self.opened(into), self.fresh("s")
        names_, changed = _targets(target)
        if node.operator and isinstance(target, syntax.Name):
            into.append(self.do(self.expression(target)))
        made = self.expression(value)
        if node.operator in SELECTING and isinstance(target, syntax.Name):
            made = self.call("$from.growing", self.open(), made, target)
        into.append(syntax.Assign(self.target(target), node.operator, made, node.line))
        into.append(self.set(shadow, self.close(depth)))
        into += [self.set(self.shadow(name), shadow) for name in names_]
        if node.operator and isinstance(target, syntax.Name):
            into.append(self.do(self.call("$from.grown", target, shadow)))
        if changed:
            into.append(self.do(self.call("$from.changed", shadow, *changed)))

    def target(self, node: Expression) -> Expression:
        """Instruments the target of an assignment so that reads of its container are recorded."""
        if isinstance(node, syntax.Index):
            return syntax.Index(self.expression(node.x), self.placed(node.key), node.line)
        if isinstance(node, syntax.Attribute):
            return syntax.Attribute(self.expression(node.x), node.name, node.line)
        if isinstance(node, (syntax.TupleDisplay, syntax.ListDisplay)):
            return syntax.TupleDisplay([self.target(item) for item in node.items], node.line)
        return node

    def placed(self, key: Expression) -> Expression:
        """The key of a target, which selects the replaced part."""
        return self.call("$from.placed", self.open(), self.expression(key))

    def assign_item(self, x: syntax.Name, key: Expression | None, value: Expression, into: list[Statement]) -> None:
        """Emits code for `x[key] = value`, or for `x.append(value)` if key is None.

        Only the origins of the new item are recorded, not those of the others.
        """
        if key is None:
            into.append(self.do(x))  # first, because the variable may not exist yet
        depth, kept, place, shadow = self.opened(into), *(self.fresh(kind) for kind in "vps")
        into.append(self.set(kept, self.expression(value)))
        into.append(self.set(place, self.constant(None) if key is None else self.placed(key)))
        into.append(self.set(shadow, self.close(depth)))
        into.append(self.do(self.call("$from.storing", x, kept)))
        if key is None:
            into.append(self.do(self.call("$late.append", x, kept)))
        else:
            into.append(self.do(self.call("$set_index", x, place, kept)))
        into.append(self.do(self.call("$from.stored", x, place, shadow, self.reached_by)))

    def assign_each(self, targets: Sequence[syntax.Name], values: Sequence[Expression], into: list[Statement]) -> None:
        """`x, y = a, b`: each variable has its own shadow."""
        made = [(target, *self.watched(value, into)) for target, value in zip(targets, values, strict=True)]
        for target, kept, shadow in made:
            into.append(self.set(target, kept))
            into.append(self.set(self.shadow(target.name), shadow))

    def evaluate(self, node: syntax.Evaluate, into: list[Statement]) -> None:
        value = node.value
        root: syntax.Name | None = None
        if isinstance(value, syntax.Call):
            function, arguments = value.function, value.arguments
            if isinstance(function, syntax.Helper):
                into.append(syntax.Evaluate(self.said(value, "$from.began"), node.line))
                return
            if isinstance(function, syntax.Attribute):
                root = _root(function.x)  # the value that the method may change, if known
                plain = len(arguments) == 1 and not arguments[0].name and not arguments[0].star
                x = function.x
                if function.name == "append" and plain and isinstance(x, syntax.Name) and x.scope is not None:
                    self.assign_item(x, None, arguments[0].value, into)
                    return
        if self.scope.hosts:
            self.say_controls(into)  # the call may affect a node
        depth = self.opened(into)
        into.append(
            syntax.Evaluate(self.expression(value), self.line, calls=syntax.calls_program(value), unused=node.unused)
        )
        closed = self.close(depth)
        into.append(self.do(closed if root is None else self.call("$from.changed", closed, root)))

    # ---- functions

    def def_(self, node: syntax.Def, into: list[Statement]) -> None:
        closed = self.closed.functions.get(node.name)
        twin = None
        if closed is not None and closed.definition is node:
            twin = self.twin(node, into)
        defaults: dict[str, syntax.Name] = {}
        parameters = [self.with_default(parameter, defaults, into) for parameter in node.parameters]
        outer = self.controls, self.scope, self.leaves, self.controlled, self.mentioned, self.in_function
        self.controls, self.scope, self.leaves, self.controlled = [], node.scope, False, None
        self.mentioned, self.in_function = mentioned(node.body), True
        body: list[Statement] = []
        if closed is not None and twin is not None:
            taken = [self.variable(name) for name in closed.constants]
            loaded = [self.variable(name) for name in closed.loaded]
            shadows = self.tuple([self.shadow(name.name) for name in (*taken, *loaded)])
            given = self.constant(node.line), shadows, self.tuple(taken), self.tuple(loaded)
            again = syntax.Return(self.handed_on(twin, parameters), NOWHERE)
            body.append(syntax.If(self.call("$from.quiet", *given), [again], [], node.line))
        body += self.begun()
        body += self.entered(parameters, defaults)
        body += self.body(node.body)
        self.controls, self.scope, self.leaves, self.controlled, self.mentioned, self.in_function = outer
        self.line = node.line
        into.append(syntax.Def(node.name, parameters, body, node.scope, node.line))
        if twin is not None:
            into.append(self.do(self.call("$from.closed", self.variable(node.name))))

    def twin(self, node: syntax.Def, into: list[Statement]) -> syntax.Name:
        """Defines an untraced version of the function, for other untraced code."""
        if self.quiet is None:
            self.quiet = self.lowering()
            self.quiet.instead = {name: f"$q.{name}" for name in self.closed.functions}
        made: list[py.stmt] = []
        self.quiet.line = node.line
        self.quiet.def_(node, made)
        twin = self.variable(f"$q.{node.name}")
        into.append(syntax.Ready(made, node.line))
        into.append(self.set(twin, self.variable(node.name)))
        return twin

    def handed_on(self, twin: syntax.Name, parameters: Sequence[syntax.Parameter]) -> Expression:
        """A call of the untraced version with all arguments of the function."""
        arguments: list[syntax.Argument] = []
        by_name = False
        for parameter in parameters:
            by_name = by_name or parameter.star == "*"
            if parameter.name:
                name = parameter.name if by_name and not parameter.star else ""
                arguments.append(syntax.Argument(self.variable(parameter.name), name, parameter.star, NOWHERE))
        return syntax.Call(twin, arguments, NOWHERE)

    def with_default(
        self, parameter: syntax.Parameter, shadows: dict[str, syntax.Name], into: list[Statement]
    ) -> syntax.Parameter:
        """A parameter whose default, with its shadow, is evaluated before."""
        if parameter.default is None or isinstance(parameter.default, syntax.Literal):
            return parameter
        kept, shadows[parameter.name] = self.watched(parameter.default, into)
        return syntax.Parameter(parameter.name, kept, parameter.star, parameter.line)

    def entered(self, parameters: Sequence[syntax.Parameter], defaults: dict[str, syntax.Name]) -> list[Statement]:
        """The shadows of parameters, as passed by the call."""
        entered = self.call("$from.enter", *map(self.constant, parameters_of(parameters)))
        if not parameters:
            return [self.do(entered)]
        arguments, here = self.fresh("a"), self.fresh("h")
        body = [self.set(arguments, entered), self.set(here, self.call("$from.here", self.constant(self.line)))]
        for parameter in parameters:
            if parameter.name:
                other = defaults.get(parameter.name, here)
                found = self.call("$from.given", arguments, self.constant(parameter.name), other)
                shadow = syntax.Conditional(arguments, found, other, self.line)
                body.append(self.set(self.shadow(parameter.name), shadow))
        return body

    def return_(self, node: syntax.Return, into: list[Statement]) -> None:
        if self.window is not None:
            into.append(self.do(self.call("$from.shut", self.window)))
        into.append(self.do(self.call("$from.add", self.constant(node.line), self.reached_by, *self.controls)))
        self.leaves = True
        into.append(syntax.Return(None if node.value is None else self.expression(node.value), node.line))

    # ---- other files, and the template layer

    def load(self, node: syntax.Load, into: list[Statement]) -> None:
        into.append(node)
        for here, there, line in node.names:
            self.line = line
            found = self.call("$from.loaded", self.constant(there), self.variable(here))
            into.append(self.set(self.shadow(here), found))

    def say_controls(self, into: list[Statement]) -> None:
        """Updates the controls in the scope of the function's template statements for the next statement."""
        if self.controlled != self.controls:
            under = self.variable("$u")  # the controls that the function's scope has
            known: Expression = under
            for one in (*self.controls, self.reached_by):
                known = syntax.Binary("or", one, known, self.line)
            said = self.set(under, self.call("$from.under", self.reached_by, *self.controls))
            into.append(syntax.If(known, [said], [], self.line))
            self.controlled = [*self.controls]

    def host(self, node: syntax.HostStatement, into: list[Statement]) -> None:
        self.say_controls(into)
        slots: list[Expression | list[syntax.Argument]] = []
        for slot in node.slots:
            if isinstance(slot, list):
                slots.append(self.passed(slot))
            else:
                self.line = slot.line
                slots.append(self.call("$from.hole", self.expression(slot)))
                self.line = node.line
        into.append(syntax.HostStatement(node.host, slots, node.line))


def _targets(target: Expression) -> tuple[list[str], list[syntax.Name]]:
    """The variables that an assignment sets, and the variables whose values it changes."""
    names: list[str] = []
    changed: list[syntax.Name] = []
    todo = [target]
    while todo:
        node = todo.pop(0)
        if isinstance(node, syntax.Name):
            names.append(node.name)
        elif isinstance(node, (syntax.TupleDisplay, syntax.ListDisplay)):
            todo[:0] = node.items
        else:
            root = _root(node)
            if root is not None:
                changed.append(root)
    return names, changed


def _root(node: Expression) -> syntax.Name | None:
    """The variable at the start of `x.a[0].b`."""
    while isinstance(node, (syntax.Index, syntax.Attribute)):
        node = node.x
    return node if isinstance(node, syntax.Name) and node.scope is not None else None


_RULES: dict[type, Callable[..., None]] = {
    syntax.Assign: DataflowInstrumenter.assign,
    syntax.Branch: DataflowInstrumenter.branch,
    syntax.Def: DataflowInstrumenter.def_,
    syntax.Evaluate: DataflowInstrumenter.evaluate,
    syntax.For: DataflowInstrumenter.for_,
    syntax.HostStatement: DataflowInstrumenter.host,
    syntax.If: DataflowInstrumenter.if_,
    syntax.Load: DataflowInstrumenter.load,
    syntax.Return: DataflowInstrumenter.return_,
    syntax.While: DataflowInstrumenter.while_,
}
