"""A compiled template: a Starlark program and what it builds."""

from __future__ import annotations

import _ast

from weft.starlark import Code, compile_program
from weft.templates import text
from weft.templates.construct import Construction
from weft.templates.outcome import Outcome
from weft.templates.yaml_template import NodeHost, Plan, plan

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from weft.context import Context
    from weft.source import Source
    from weft.starlark import Host, Load, Piece, Program
    from weft.templates.yaml_file import YamlFile


class Template:
    """A compiled file; it can run any number of times, and runs share nothing but constants."""

    __slots__ = ("_implicit_overrides", "_plan", "_program", "source")

    def __init__(
        self, program: Program, source: Source, plan: Plan | None = None, *, implicit_overrides: bool = False
    ) -> None:
        self._program = program
        self._plan = plan
        self._implicit_overrides = implicit_overrides
        self.source = source

    def run(self, context: Context, load: Load) -> Outcome:
        """Evaluate. load: gives the exports of a loaded module. Raises StarlarkError or TemplateError."""
        if self._plan is None:
            parts: list[str] = []
            names = {"$text.insert": text.inserter(self.source), "$text.join": "".join, "$text.finish": parts.append}
            exports = self._program.run(context, load, names)
            return Outcome(exports, text="".join(parts))
        built = Construction(self._plan, self.source, implicit_overrides=self._implicit_overrides)
        exports = self._program.run(context, load, built.names())
        return Outcome(exports, built.documents)


def compile_yaml(file: YamlFile, *, ignore_unknown_comments: bool, implicit_map_key_overrides: bool) -> Template:
    """Compile a YAML template. Raises TemplateError for its comments and nodes, StarlarkError for its code."""
    assert file.comments is not None
    pieces, made = plan(
        file.documents,
        file.comments,
        file.source,
        ignore_unknown=ignore_unknown_comments,
        repeated_keys=file.repeats_keys,
    )
    program = compile_program(pieces, file.source, hooks=_YamlHooks())
    return Template(program, file.source, made, implicit_overrides=implicit_map_key_overrides)


def compile_text(source: Source) -> Template:
    """Compile a text template (spec ytt 4). Raises TemplateError and StarlarkError."""
    return Template(compile_program(text.pieces(text.parse(source.text, source)), source, hooks=_TextHooks()), source)


def compile_starlark(source: Source) -> Template:
    """Compile a `.star` file. Raises StarlarkError."""
    pieces: list[Piece] = [Code(source.text, 1)]
    return Template(compile_program(pieces, source), source)


def _name(identifier: str) -> _ast.expr:
    return _ast.Name(id=identifier, ctx=_ast.Load())


def _call(function: str, *args: str) -> _ast.expr:
    return _ast.Call(func=_name(function), args=[_name(arg) for arg in args], keywords=[])


def _set(name: str, value: _ast.expr) -> _ast.stmt:
    return _ast.Assign(targets=[_ast.Name(id=name, ctx=_ast.Store())], value=value)


class _TextHooks:
    """A text template appends to `$parts`; so does each def with text in it, which returns it."""

    def enter(self, hosts: Sequence[Host], *, module: bool) -> list[_ast.stmt]:
        return text.begin() if hosts or module else []

    def leave(self, hosts: Sequence[Host], *, module: bool) -> list[_ast.stmt]:
        if module:
            return [_ast.Expr(value=_ast.Call(func=_name("$text.finish"), args=[text.joined()], keywords=[]))]
        return [_ast.Return(value=text.joined())] if hosts else []

    def bare_return(self, hosts: Sequence[Host]) -> _ast.expr | None:
        return text.joined() if hosts else None


class _YamlHooks:
    """A YAML template builds with `$builder`; a def that has nodes returns them, one that has only text returns the text."""

    def enter(self, hosts: Sequence[Host], *, module: bool) -> list[_ast.stmt]:
        if module or any(type(host) is NodeHost for host in hosts):
            return [_set("$builder", _call("$node.begin"))]
        return text.begin() if hosts else []

    def leave(self, hosts: Sequence[Host], *, module: bool) -> list[_ast.stmt]:
        if module:
            return [_ast.Expr(value=_call("$node.finish", "$builder"))]
        result = self.bare_return(hosts)
        return [] if result is None else [_ast.Return(value=result)]

    def bare_return(self, hosts: Sequence[Host]) -> _ast.expr | None:
        if any(type(host) is NodeHost for host in hosts):
            return _call("$node.end", "$builder")
        return text.joined() if hosts else None
