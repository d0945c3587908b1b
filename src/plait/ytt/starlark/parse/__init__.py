"""Parses tokens to a syntax tree, by recursive descent (docs/reference/templates.md). This module parses statements.

The parser also records the bindings and uses of each scope, so that `resolve` does not walk the tree.
"""

from __future__ import annotations

from plait.ytt.starlark import syntax
from plait.ytt.starlark.parse.binding import NOT_ASSIGNABLE
from plait.ytt.starlark.parse.deferring import deferred
from plait.ytt.starlark.parse.expression_grammar import ExpressionParser
from plait.ytt.starlark.program_parts import ArgsSlot, TemplateStatement
from plait.ytt.starlark.scan import scan, scan_slot

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from plait.base.source import Source
    from plait.ytt.starlark.program_parts import ExprSlot, Piece
    from plait.ytt.starlark.scan import Token
    from plait.ytt.starlark.syntax import Expression, Scope, Statement

__all__ = ["Parser"]

_ASSIGNMENTS = frozenset(("=", "+=", "-=", "*=", "/=", "//=", "%=", "&=", "|=", "^=", "<<=", ">>="))


class Parser(ExpressionParser):
    """Parses the tokens of a program into statements. Raises ScanFailure at the first unexpected token."""

    __slots__ = ()

    @staticmethod
    def tokens_of(pieces: Sequence[Piece], source: Source) -> list[Token]:
        """The tokens of a program, up to the first invalid one."""
        return scan(pieces, source)

    @staticmethod
    def tokens_of_slot(slot: ExprSlot, source: Source) -> list[Token]:
        """The tokens of a slot of a template statement, up to the first invalid one."""
        return scan_slot(slot, source)

    def program(self) -> list[Statement]:
        statements: list[Statement] = []
        while self.kind != "end of file":
            if self.kind == "newline":
                self.advance()
                continue
            self.check_no_end()
            self.statement(statements)
        return statements

    def check_no_end(self) -> None:
        """Rejects an `end` without a block."""
        if (self.kind == "identifier" and self.value == "end") or self.closes_for_next():
            self.fail("unexpected end")

    def closes_for_next(self) -> bool:
        return self.kind == "elif" or (self.kind == "else" and self.tokens[self.index + 1][0] == ":")

    def statement(self, into: list[Statement]) -> None:
        kind = self.kind
        if kind == "host":
            into.append(self.host_statement())
        elif kind == "if":
            into.append(self.if_statement())
        elif kind == "for":
            into.append(self.for_statement())
        elif kind == "def":
            into.append(self.def_statement())
        elif kind == "while":
            line = self.line
            self.advance()
            test = self.test()
            self.expect(":")
            into.append(syntax.While(test, self.loop_body(), line))
        else:
            self.simple_statements(into)

    def suite(self) -> list[Statement]:
        """The body after a colon: the rest of the line, or everything up to `end` (or the `else` that replaces it)."""
        body: list[Statement] = []
        if self.kind != "newline":
            if self.kind == "end of file":
                self.unexpected("primary expression")
            self.simple_statements(body)
            self.closed_by = ""
            return body
        begin = self.line
        self.open.append((begin, self.column))
        self.advance()
        while True:
            kind = self.kind
            if kind == "newline":
                self.advance()
            elif kind == "identifier" and self.value == "end":
                self.closed.append((begin, self.line))
                self.advance()
                if self.kind == "newline":
                    self.advance()
                kind = "end"
                break
            elif kind in {"else", "elif"}:
                if kind == "else" and not self.closes_for_next():
                    self.unexpected("primary expression")
                break
            elif kind == "end of file":
                self.mismatched()
            else:
                self.statement(body)
        self.open.pop()
        self.closed_by = kind
        return body

    def last_suite(self, block: str = "") -> list[Statement]:
        """A suite after which no `else` can follow. block: its keyword."""
        body = self.suite()
        if self.closed_by in ("else", "elif"):
            self.unexpected(
                "primary expression",
                "else must be the last part of an if: move it below the elif"
                if not block
                else f"{self.kind} belongs to an if, and the innermost block that is open here is a {block}",
            )
        return body

    def loop_body(self) -> list[Statement]:
        self.loops += 1
        body = self.last_suite("loop")
        self.loops -= 1
        return body

    def if_statement(self) -> Statement:
        line = self.line
        self.advance()
        test = self.test()
        self.expect(":")
        yes = self.suite()
        no: list[Statement] = []
        if self.closed_by == "elif":
            no = [self.if_statement()]
        elif self.closed_by == "else":
            self.advance()
            self.expect(":")
            no = self.last_suite()
        return syntax.If(test, yes, no, line)

    def for_statement(self) -> Statement:
        line = self.line
        self.advance()
        target = self.loop_target()
        if self.kind != "in":
            self.unexpected("in")
        self.advance()
        x = self.expression(False)
        self.expect(":")
        self.bind(target, syntax.Each(x))
        return syntax.For(target, x, self.loop_body(), line)

    def def_statement(self) -> Statement:
        line = self.line
        self.advance()
        name = self.identifier()
        self.bind_name(name, line, None)
        self.expect("(")
        scope = syntax.Scope(self.scope)
        parameters = self.parameters(")", scope)
        self.expect(")")
        self.expect(":")
        outer, loops = self.enter(scope), self.loops
        self.loops = 0
        body = self.last_suite("def")
        self.scope, self.loops = outer, loops
        return syntax.Def(name, parameters, body, scope, line)

    def simple_statements(self, into: list[Statement]) -> None:
        while True:
            into.append(self.small_statement())
            if self.kind != ";":
                break
            self.advance()
            if self.kind in {"newline", "end of file"}:
                break
        if self.kind == "newline":
            self.advance()
        elif self.kind != "end of file":
            self.unexpected("newline")

    def small_statement(self) -> Statement:
        kind, line = self.kind, self.line
        if kind == "return":
            self.advance()
            value = None if self.kind in ("newline", "end of file", ";") else self.expression(False)
            if self.function_scope() is None:
                self.problem("return statement not within a function", line, "misplaced-statement")
            return syntax.Return(value, line)
        if kind in {"break", "continue"}:
            self.advance()
            if not self.loops:
                self.problem(f"{kind} not in a loop", line, "misplaced-statement")
            return syntax.Branch(kind, line)
        if kind == "load":
            return self.load_statement()
        first = len(self.scope.uses)
        x = self.expression(False)
        operator = self.kind
        if operator in _ASSIGNMENTS:
            self.advance()
            if type(x) in NOT_ASSIGNABLE:
                # The `return` is at fault; the names in it are not.
                del self.scope.uses[first:]
            value = self.expression(False)
            if operator == "=":
                self.bind(x, value)
                return syntax.Assign(x, "", value, line)
            operator = operator[:-1]
            self.bind_augmented(x, operator, value)
            return syntax.Assign(x, operator, value, line)
        return syntax.Evaluate(x, line, unused=syntax.unused_call(x))

    def function_scope(self) -> Scope | None:
        """The function that is being parsed; None at the top level."""
        return self.scope if self.scope.parent is not None else None

    def load_statement(self) -> Statement:
        line = self.line
        self.advance()
        self.expect("(")
        if self.kind != "string literal":
            self.fail("first operand of load statement must be a string literal")
        path = str(self.value)
        self.advance()
        names: list[tuple[str, str, int]] = []
        while self.kind not in (")", "end of file"):
            self.expect(",")
            if self.kind == ")":
                break
            at = self.line
            if self.kind == "string literal":
                names.append((str(self.value), str(self.value), at))
                self.advance()
            elif self.kind == "identifier":
                name = self.identifier()
                if self.kind != "=":
                    told = f'load operand must be "{name}" or {name}="originalname" (want \'=\' after {name})'
                    is_whole = self.kind in (",", ")")
                    self.fail(told, hint=f'put the name to load in quotes: "{name}"' if is_whole else None)
                self.advance()
                if self.kind != "string literal":
                    self.fail(f'original name of loaded symbol must be quoted: {name}="originalname"')
                names.append((name, str(self.value), at))
                self.advance()
            else:
                self.fail(f'load operand must be "name" or localname="name" (got {self.described()})')
        self.expect(")")
        if not names:
            self.fail("load statement must import at least 1 symbol", line)
        if self.function_scope() is not None:
            self.problem("load statement within a function", line, "load-statement")
        for here, there, at in names:
            if not there:
                self.problem("load: empty identifier", at, "load-statement")
            elif there[0] == "_":
                self.problem(f"load: names with leading underscores are not exported: {there}", at, "load-statement")
                self.problems[-1].hint = f"rename it in {path}: {there.lstrip('_') or 'name'}"
            elif not here.isidentifier():
                self.problem(f"load: not an identifier: {here}", at, "load-statement")
                self.problems[-1].reference = ""  # ytt reads it as a name
                self.scope.bound.setdefault(here, at)
            else:
                self.bind_name(here, at, None)
        return syntax.Load(path, names, line)

    def host_statement(self) -> Statement:
        host = self.value
        assert isinstance(host, TemplateStatement)  # the type of the token implies the type of its value
        line = self.line
        self.advance()
        self.scope.hosts.append(host)
        slots: list[Expression | list[syntax.Argument]] = []
        for slot in host.slots:
            inner = type(self)(self.tokens_of_slot(slot, self.source), self.source, self.scope, self.problems)
            inner.is_slot = True
            # In a function all values are known; otherwise the call of the function is deferred.
            outer = self.enter(syntax.Scope(self.scope)) if slot.deferred and self.scope.parent is None else None
            inner.scope = self.scope
            if type(slot) is ArgsSlot:
                inner.loose = True
                arguments = inner.arguments()
                if outer is not None and len(arguments) == 1:
                    arguments[0].value = deferred(arguments[0].value, self.scope, outer)
                slots.append(arguments)
            elif inner.kind == ")":
                slots.append(syntax.TupleDisplay([], slot.line))
            else:
                value = inner.expression(True)
                slots.append(value if outer is None else deferred(value, self.scope, outer))
            self.scope = outer or self.scope
            inner.expect(")")
            if inner.kind != "end of file":
                inner.unexpected("end of file")
        return syntax.HostStatement(host, slots, line)
