"""Parses expressions: operators by precedence, everything else by recursive descent (docs/reference/language.md).

The names that expressions bind and use are recorded with their scope. In the arguments of an annotation, `when=2+`
means `when="2+"`, and `lambda x: return x < 10` is a lambda: ytt's documentation shows both.
"""

from __future__ import annotations

from plait.ytt.starlark import syntax
from plait.ytt.starlark.parse.binding import Binding

TYPE_CHECKING = False
if TYPE_CHECKING:
    from plait.ytt.starlark.syntax import Expression, Scope

_LEVEL = {
    "or": 0,
    "and": 1,
    "not": 2,
    "==": 3,
    "!=": 3,
    "<": 3,
    ">": 3,
    "<=": 3,
    ">=": 3,
    "in": 3,
    "not in": 3,
    "|": 4,
    "^": 5,
    "&": 6,
    "<<": 7,
    ">>": 7,
    "-": 8,
    "+": 8,
    "*": 9,
    "%": 9,
    "/": 9,
    "//": 9,
}
_COMPARISON = 3
_NO_MORE = frozenset(("end of file", "newline", "=", "}", "]", ")", ";"))
# Names that Python reserves. They are not accepted as parameters.
_NOT_PARAMETERS = frozenset(("None", "True", "False", "__debug__"))


# Maximum nesting of conditional expressions, each of which is visited by all enclosing ones.
_MOST_ELSES = 100


class ExpressionParser(Binding):
    """Parses expressions, parameters and arguments."""

    __slots__ = ()

    def loop_target(self) -> Expression:
        line = self.line
        target = self.primary_with_suffix()
        if self.kind != ",":
            return target
        items = [target]
        while self.kind == ",":
            self.advance()
            if self.kind in _NO_MORE:
                break
            items.append(self.primary_with_suffix())
        return syntax.TupleDisplay(items, line)

    def parameters(self, closing: str, scope: Scope) -> list[syntax.Parameter]:
        """Parses parameters up to `closing`. Defaults belong to the current scope, the names to `scope`."""
        parameters: list[syntax.Parameter] = []
        seen_star = seen_double = optional = False
        double = ""
        bare: int | None = None
        named_after_star = 0
        while self.kind not in (")", ":", "end of file"):
            if parameters:
                self.expect(",")
            if self.kind == closing:
                if seen_star or seen_double:
                    self.unexpected("parameter")
                break
            line = self.line
            if self.kind in {"*", "**"}:
                star = self.kind
                self.advance()
                name = ""
                if star == "**" or self.kind == "identifier":
                    name = self.identifier()
                if star == "*":
                    if seen_double:
                        self.problem(f"* parameter may not follow **{double}", line, "parameter-list")
                    elif seen_star:
                        self.problem("multiple * parameters not allowed", line, "parameter-list")
                    seen_star = True
                    if not name:
                        bare = line
                else:
                    if seen_double:
                        self.problem("multiple ** parameters not allowed", line, "parameter-list")
                    seen_double, double = True, name
                parameters.append(syntax.Parameter(name, None, star, line))
            else:
                name = self.identifier()
                default = None
                if self.kind == "=":
                    self.advance()
                    default = self.test()
                    if seen_double:
                        self.problem(f"optional parameter may not follow **{double}", line, "parameter-list")
                    optional = True
                elif seen_double:
                    self.problem(f"required parameter may not follow **{double}", line, "parameter-list")
                elif optional and not seen_star:
                    self.problem("required parameter may not follow optional", line, "parameter-list")
                if seen_star:
                    named_after_star += 1
                parameters.append(syntax.Parameter(name, default, "", line))
            if name:
                if name in scope.bound:
                    self.problem(f"duplicate parameter: {name}", line, "parameter-list")
                if name in _NOT_PARAMETERS:
                    self.problem(f"can't use {name} as a parameter", line, "parameter-list")
                scope.bound[name] = line
                scope.writes.append((name, None))
        if bare is not None and not named_after_star:
            self.problem("bare * must be followed by keyword-only parameters", bare, "parameter-list")
        return parameters

    # ---- expressions

    def expression(self, in_parentheses: bool) -> Expression:
        """Parses a test, or several with commas as a tuple."""
        line = self.line
        x = self.test()
        if self.kind != ",":
            return x
        items = [x]
        self.more(items, in_parentheses)
        return syntax.TupleDisplay(items, line)

    def more(self, items: list[Expression], trailing_comma: bool) -> None:
        while self.kind == ",":
            line, column = self.line, self.column
            self.advance()
            if self.kind in _NO_MORE:
                if not trailing_comma:
                    self.fail("unparenthesized tuple with trailing comma", line, column)
                break
            items.append(self.test())

    def test(self) -> Expression:
        if self.kind == "lambda":
            return self.lambda_expression(True)
        x = self.binary(0)
        if self.kind != "if":
            return x
        line, column = self.line, self.column
        self.advance()
        condition = self.binary(0)
        if self.kind != "else":
            self.fail("conditional expression without else clause", line, column)
        self.advance()
        self.elses += 1
        if self.elses > _MOST_ELSES:
            self.fail("conditional expression within too many others", line, column)
        other = self.test()
        self.elses -= 1
        return syntax.Conditional(condition, x, other, line)

    def lambda_expression(self, conditional: bool) -> Expression:
        line = self.line
        self.advance()
        scope = syntax.Scope(self.scope)
        parameters = self.parameters(":", scope) if self.kind != ":" else []
        self.expect(":")
        if self.kind == "return":
            self.advance()
        outer = self.enter(scope)
        if conditional:
            body = self.test()
        else:
            body = self.lambda_expression(False) if self.kind == "lambda" else self.binary(0)
        self.scope = outer
        return syntax.Lambda(parameters, body, scope, line)

    def binary(self, level: int) -> Expression:
        """Parses an expression of operators with at least this precedence."""
        if self.kind == "not" and level <= 2:
            line = self.line
            self.advance()
            x: Expression = syntax.Unary("not", self.binary(2), line)
        else:
            x = self.primary_with_suffix()
        compared = ""
        while True:
            operator = self.kind
            if operator == "not":
                if level > _COMPARISON:
                    # `not in` has a lower precedence than the operator being parsed.
                    return x
                self.advance()
                if self.kind != "in":
                    self.unexpected("in")
                operator = "not in"
            found = _LEVEL.get(operator, -1)
            if found < level:
                return x
            if found == _COMPARISON:
                if compared:
                    self.fail(f"{compared} does not associate with {operator} (use parens)")
                compared = operator
            elif found < _COMPARISON:
                compared = ""
            line = self.line
            if self.loose and operator == "+" and self.tokens[self.index + 1][0] in (",", ")"):
                if type(x) is not syntax.Literal or type(x.value) is not int:
                    self.advance()
                    self.unexpected("primary expression")
                self.advance()
                return syntax.Literal(f"{x.value}+", line)
            self.advance()
            y = self.binary(found + 1)
            x = syntax.Binary(operator, x, y, line)

    def primary_with_suffix(self) -> Expression:
        x = self.primary()
        while True:
            kind = self.kind
            if kind == ".":
                line = self.line
                self.advance()
                x = syntax.Attribute(x, self.identifier(), line)
            elif kind == "(":
                line = self.line
                loose, self.loose = self.loose, False
                self.advance()
                arguments = self.arguments()
                self.expect(")")
                self.loose = loose
                x = syntax.Call(x, arguments, line)
                self.scope.calls.append(x)
            elif kind == "[":
                x = self.subscript(x)
            else:
                return x

    def subscript(self, x: Expression) -> Expression:
        line = self.line
        self.advance()
        low = high = step = None
        if self.kind != ":":
            low = self.expression(False)
            if self.kind == "]":
                self.advance()
                return syntax.Index(x, low, line)
        if self.kind == ":":
            self.advance()
            if self.kind not in {":", "]"}:
                high = self.test()
        if self.kind == ":":
            self.advance()
            if self.kind != "]":
                step = self.test()
        self.expect("]")
        return syntax.Slice(x, low, high, step, line)

    def arguments(self) -> list[syntax.Argument]:
        arguments: list[syntax.Argument] = []
        seen_star = seen_double = False
        names: set[str] = set()
        while self.kind not in {")", "end of file"}:
            if arguments:
                self.expect(",")
            if self.kind == ")":
                if seen_star or seen_double:
                    self.unexpected("argument")
                break
            line = self.line
            if self.kind in {"*", "**"}:
                star = self.kind
                self.advance()
                value = self.test()
                if star == "**":
                    if seen_double:
                        self.problem("multiple **kwargs not allowed", line, "argument-list")
                    seen_double = True
                elif seen_double:
                    self.problem("*args may not follow **kwargs", line, "argument-list")
                elif seen_star:
                    self.problem("multiple *args not allowed", line, "argument-list")
                else:
                    seen_star = True
                arguments.append(syntax.Argument(value, "", star, line))
                continue
            x = self.test()
            if self.kind == "=":
                if type(x) is not syntax.Name:
                    self.fail("keyword argument must have form name=expr")
                self.unuse(x)
                self.advance()
                if seen_double:
                    self.problem("argument may not follow **kwargs", line, "argument-list")
                if x.name in names:
                    self.problem(f"keyword argument {x.name} repeated", line, "argument-list")
                names.add(x.name)
                arguments.append(syntax.Argument(self.test(), x.name, "", line))
                continue
            if seen_star:
                self.problem("argument may not follow *args", line, "argument-list")
            elif seen_double:
                self.problem("argument may not follow **kwargs", line, "argument-list")
            elif names:
                self.problem("positional argument may not follow named", line, "argument-list")
                if type(x) is syntax.Name:
                    self.problems[-1].hint = f"give it a name: {x.name}=True" if self.loose else None
                    self.problems[-1].word = x.name
            arguments.append(syntax.Argument(x, "", "", line))
        return arguments

    def primary(self) -> Expression:
        kind, value, line = self.kind, self.value, self.line
        if kind == "identifier":
            if value == "end":
                self.unexpected("primary expression")
            text = str(value)
            name = syntax.Name(text, line, text not in self.scope.bound)
            self.scope.uses.append(name)
            self.advance()
            return name
        if kind in {"string literal", "int literal", "float literal"}:
            self.advance()
            return syntax.Literal(value, line)
        if kind == "[":
            return self.list_display()
        if kind == "{":
            return self.dict_display()
        if kind == "(":
            loose, self.loose = self.loose, False
            self.advance()
            if self.kind == ")":
                self.advance()
                self.loose = loose
                return syntax.TupleDisplay([], line)
            x = self.expression(True)
            self.expect(")")
            self.loose = loose
            return x
        if kind in {"-", "+", "~"}:
            self.advance()
            return syntax.Unary(kind, self.primary_with_suffix(), line)
        return self.unexpected("primary expression")

    def list_display(self) -> Expression:
        line = self.line
        loose, self.loose = self.loose, False
        self.advance()
        mark = len(self.scope.uses), len(self.scope.children)
        items: list[Expression] = []
        if self.kind != "]":
            items.append(self.test())
            if self.kind == "for":
                result = self.comprehension(None, items[0], "]", mark, line)
                self.loose = loose
                return result
            self.more(items, True)
        self.expect("]")
        self.loose = loose
        return syntax.ListDisplay(items, line)

    def dict_display(self) -> Expression:
        line = self.line
        loose, self.loose = self.loose, False
        self.advance()
        mark = len(self.scope.uses), len(self.scope.children)
        entries: list[tuple[Expression, Expression]] = []
        while self.kind != "}":
            key = self.test()
            self.expect(":")
            entries.append((key, self.test()))
            if self.kind == "for" and len(entries) == 1:
                result = self.comprehension(key, entries[0][1], "}", mark, line)
                self.loose = loose
                return result
            if self.kind != ",":
                break
            self.advance()
        self.expect("}")
        self.loose = loose
        return syntax.DictDisplay(entries, line)

    def comprehension(
        self,
        key: Expression | None,
        body: Expression,
        closing: str,
        mark: tuple[int, int],
        line: int,
    ) -> Expression:
        outer = self.scope
        scope = syntax.Scope(outer, is_comprehension=True)
        # Names used in the body belong to the comprehension, which is recognized only now.
        scope.uses = outer.uses[mark[0] :]
        scope.children = outer.children[mark[1] :]
        del outer.uses[mark[0] :]
        del outer.children[mark[1] :]
        for child in scope.children:
            child.parent = scope
        clauses: list[syntax.Clause] = []
        while self.kind != closing:
            if self.kind == "for":
                at = self.line
                self.advance()
                self.scope = scope
                target = self.loop_target()
                self.scope = scope if clauses else outer
                if self.kind != "in":
                    self.unexpected("in")
                self.advance()
                x = self.binary(0)
                self.scope = scope
                self.bind(target, syntax.Each(x))
                clauses.append(syntax.Clause(target, x, at))
            elif self.kind == "if":
                self.advance()
                condition = self.lambda_expression(False) if self.kind == "lambda" else self.binary(0)
                clauses[-1].conditions.append(condition)
            else:
                self.unexpected(f"'{closing}', for, or if")
        self.scope = outer
        outer.children.append(scope)
        self.advance()
        return syntax.Comprehension(key, body, clauses, scope, line)
