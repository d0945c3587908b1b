"""Programs from pieces, host statements, the stack of calls, use by the host."""

from __future__ import annotations

import _ast
import marshal
import subprocess
import sys

import pytest

from plait.base.errors import Finding, LimitError, PlaitError, StarlarkError
from plait.base.source import Position, Source
from plait.tree.context import Context
from plait.ytt.starlark.arguments import only_argument, unpack
from plait.ytt.starlark.calls import call
from plait.ytt.starlark.containers import Dict
from plait.ytt.starlark.program import Program, compile_program
from plait.ytt.starlark.program_parts import ArgsSlot, CodePart, ExprSlot, TemplateStatement
from plait.ytt.starlark.structs import Module
from plait.ytt.starlark.values import Builtin, type_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from plait.ytt.starlark.program_parts import Piece, Slots


def name(identifier: str) -> _ast.expr:
    return _ast.Name(identifier, _ast.Load())


def appended(value: _ast.expr) -> list[_ast.stmt]:
    method = _ast.Attribute(name("$out"), "append", _ast.Load())
    return [_ast.Expr(_ast.Call(method, [value], []))]


def lower_expression(slots: Slots) -> list[_ast.stmt]:
    (value,) = slots
    assert isinstance(value, _ast.expr)
    return appended(value)


def lower_arguments(slots: Slots) -> list[_ast.stmt]:
    (arguments,) = slots
    assert isinstance(arguments, tuple)
    return appended(_ast.Call(name("$collect"), *arguments))


def expression(text: str, line: int) -> TemplateStatement:
    return TemplateStatement(line, [ExprSlot(text, line)], lower_expression)


def arguments(text: str, line: int) -> TemplateStatement:
    return TemplateStatement(line, [ArgsSlot(text, line)], lower_arguments)


class Hooks:
    """A body collects what its host statements append."""

    def enter(self, hosts: Sequence[TemplateStatement], *, module: bool) -> list[_ast.stmt]:
        return [_ast.Assign([_ast.Name("$out", _ast.Store())], _ast.List([], _ast.Load()))]

    def leave(self, hosts: Sequence[TemplateStatement], *, module: bool) -> list[_ast.stmt]:
        if module:
            return [_ast.Assign([_ast.Name("result", _ast.Store())], name("$out"))]
        return [_ast.Return(name("$out"))]

    def returned(
        self, value: _ast.expr | None, before: Sequence[TemplateStatement], hosts: Sequence[TemplateStatement]
    ) -> _ast.expr | None:
        return value

    def dropped(self, value: _ast.expr, line: int, unused: str) -> _ast.expr:
        return value


SOURCE = Source("t.yml", "\n".join(f"line {number}" for number in range(1, 20)))


def collected(*pieces: Piece) -> list[object]:
    program = compile_program(pieces, SOURCE, hooks=Hooks())
    again = Program(marshal.loads(marshal.dumps(program.code)), SOURCE)
    outcomes = [each.run(names={"$collect": lambda *a, **k: (a, k)})["result"] for each in (program, program, again)]
    assert outcomes[0] == outcomes[1] == outcomes[2]
    return outcomes[0]  # type: ignore[return-value]


def fault(*pieces: Piece) -> PlaitError:
    with pytest.raises(PlaitError) as caught:
        collected(*pieces)
    return caught.value


def test_host_statements_run_in_loops() -> None:
    assert collected(CodePart("for i in range(3):", 1), expression("i * 2", 2), CodePart("end", 3)) == [0, 2, 4]


def test_slots_are_expressions_in_parentheses() -> None:
    assert collected(expression("", 1), expression("1,", 2), expression('"a"\n+ "b"', 3)) == [(), (1,), "ab"]


def test_function_with_host_statements_gives_what_they_built_unless_it_returns() -> None:
    pieces: list[Piece] = [
        CodePart("def f(x):", 1),
        expression("x", 2),
        CodePart("if x: return 5", 3),
        CodePart("end", 4),
    ]
    assert collected(*pieces, expression("f(0)", 5), expression("f(1)", 6)) == [[0], 5]


def test_arguments_and_what_documents_write_in_them() -> None:
    [found] = collected(arguments('1, *[2], k=3, when=2+, **{"z": 4}', 1))
    assert found == ((1, 2), {"k": 3, "when": "2+", "z": 4})
    [found] = collected(arguments("x=[f(5) for f in [lambda n: return n < 10]]", 1))
    assert found == ((), {"x": [True]})
    assert fault(arguments("when=x+", 1)).message == "got ')', want primary expression"


def test_code_pieces_run_on() -> None:
    pieces = [
        CodePart("x = [1,", 1),
        CodePart("   2]", 2),
        CodePart('y = """a', 3),
        CodePart('   b"""', 4),
        CodePart("z = 1 + \\", 5),
    ]
    assert collected(*pieces, CodePart(" 2", 6), expression("(x, y, z)", 7)) == [([1, 2], "a\nb", 3)]


def test_code_does_not_run_on_over_a_host_statement() -> None:
    error = fault(CodePart("x = (1,", 1), expression("5", 2))
    assert (error.message, str(error.at)) == ("got identifier, want primary expression", "t.yml:2")


def test_place_and_trail_of_an_error() -> None:
    error = fault(
        CodePart("def f(x): return [x + y for y in ['a']]", 3),
        CodePart("def g(): return f(1)", 5),
        expression("g()", 7),
    )
    assert error.message == "unknown binary op: int + string"
    assert str(error.at) == "t.yml:3"
    assert [(step.text, str(step.at)) for step in error.stack] == [
        ("in f", "t.yml:3"),
        ("in g", "t.yml:5"),
        ("in <toplevel>", "t.yml:7"),
    ]


def test_all_undefined_names_are_reported_with_hints() -> None:
    error = fault(expression("zz + lenn", 1), arguments("k=true", 4))
    faults: list[PlaitError | Finding] = [error, *error.findings]
    found = [(each.message, str(each.at), each.hint) for each in faults]
    assert found == [
        ("undefined: zz", "t.yml:1", None),
        ("undefined: lenn", "t.yml:1", "did you mean len?"),
        ("undefined: true", "t.yml:4", "use 'True' instead of 'true' for boolean assignment"),
    ]


def test_missing_end_is_reported_where_the_block_opens() -> None:
    assert str(fault(CodePart("if 1:", 2), expression("1", 3)).at) == "t.yml:2"


def compiled(text: str) -> Program:
    return compile_program([CodePart(text)], Source("x.star", text))


def test_program_runs_afresh_every_time_and_prints_to_the_context() -> None:
    lines: list[str] = []
    program = compiled("x = []\nx.append(len(x))\nprint('a', x, sep='-')")
    first = program.run(Context(lines.append))["x"]
    second = program.run(Context(lines.append))["x"]
    assert first == second == [0]
    assert first is not second
    assert lines == ["a-[0]", "a-[0]"]


def test_results_are_frozen() -> None:
    made = compiled("x = [[1], {}]\ndef f(): return x[0].append(1)").run()
    with pytest.raises(StarlarkError, match="cannot append to frozen list"):
        call(made["f"])


def test_load() -> None:
    asked = []

    def load(path: str, at: Position) -> dict[str, object]:
        asked.append((path, str(at)))
        return {"sum": 1, "_private": 2}

    made = compiled("x = 1\nload('lib.star', 'sum', total='sum')\ny = sum + total").run(load=load)
    assert made["y"] == 2
    assert asked == [("lib.star", "x.star:2")]
    with pytest.raises(StarlarkError, match=r"load: name sun not found in module lib.star \(did you mean sum\?\)"):
        compiled("load('lib.star', 'sun')").run(load=load)


def test_call_adds_its_frames_once() -> None:
    inner = compiled("def f(): return 1 + 'a'").run()["f"]

    def through(function: object) -> object:
        return call(function)

    outer = compiled("load('m', 'host', 'f')\ndef g(): return host(f)")
    made = outer.run(load=lambda _path, _at: {"host": Builtin("host", through), "f": inner})
    with pytest.raises(StarlarkError) as caught:
        call(made["g"])
    assert [step.text for step in caught.value.stack] == ["in f", "in g"]


def test_calls_from_the_host_that_do_not_fit() -> None:
    made = compiled("def f(a): return a").run()
    with pytest.raises(StarlarkError, match=r"function f missing 1 argument \(a\)"):
        call(made["f"])
    with pytest.raises(StarlarkError, match=r"invalid call of non-function \(int\)"):
        call(5)


def test_recursion_without_end_names_the_line() -> None:
    with pytest.raises(LimitError) as caught:
        compiled("\ndef f(n): return f(n + 1)\nf(0)").run()
    assert str(caught.value.at) == "x.star:2"
    assert len(caught.value.stack) < 100


def test_faults_of_the_host_are_not_dressed_up() -> None:
    def broken() -> None:
        raise KeyError("ours")

    made = compiled("load('m', 'b')\ndef f(): return b()").run(load=lambda _path, _at: {"b": Builtin("b", broken)})
    with pytest.raises(KeyError):
        call(made["f"])


def test_unpacking_arguments() -> None:
    assert unpack("f", (1,), {"b": "x"}, ["a:int", "b:string", "c"], ["y", None]) == [1, "x", None]
    with pytest.raises(StarlarkError, match="f: missing argument for a"):
        unpack("f", (), {}, ["a"])
    with pytest.raises(StarlarkError, match="f: for parameter a: got string, want int"):
        unpack("f", ("x",), {}, ["a:int"])
    with pytest.raises(StarlarkError, match='f: unexpected keyword argument "z"'):
        unpack("f", (), {"z": 1}, ["a"], [None])
    assert only_argument("f", (5,), {}) == 5
    with pytest.raises(StarlarkError, match="f: got 3 arguments, want 1"):
        only_argument("f", (1, 2, 3), {})


def test_types() -> None:
    made = compiled("def f(): return 1\ng = len").run()
    assert [type_of(value) for value in (made["f"], made["g"], Module("m", {}), Dict(), None, 1.5)] == [
        "function",
        "builtin_function_or_method",
        "module",
        "dict",
        "NoneType",
        "float",
    ]


def test_compiling_is_deterministic() -> None:
    text = "def f(a, b=1): return {k: a for k in 'x y'.split()}\nx = [f(1), f(2)]\n"
    script = (
        "import sys, marshal; from plait.ytt.starlark.program import compile_program; from plait.ytt.starlark.program_parts import CodePart; from plait.base.source import Source;"
        f"sys.stdout.buffer.write(marshal.dumps(compile_program([CodePart({text!r})], Source('x')).code))"
    )
    outs = {
        subprocess.run(
            [sys.executable, "-c", script], env={"PYTHONHASHSEED": seed}, capture_output=True, check=True
        ).stdout
        for seed in ("1", "2")
    }
    assert len(outs) == 1
