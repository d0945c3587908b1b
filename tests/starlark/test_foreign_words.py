"""Words and syntax of Helm, Jinja, Python and shells: hints name the equivalent, and each equivalent is evaluated."""

from __future__ import annotations

from time import process_time

import pytest

import plait
from plait.base import message_text
from plait.base.errors import PlaitError
from plait.base.foreign_words import EXPRESSIONS, FACTS
from plait.base.syntax_hints import foreign_syntax
from plait.ytt.starlark.error_names import _WRITTEN
from plait.ytt.starlark.parse.tokens import _FOREIGN_ENDS

LOADS = "".join(
    f'load("@ytt:{name}", "{name}")\n'
    for name in ("assert", "base64", "data", "json", "math", "md5", "regexp", "sha256", "struct", "toml", "url", "yaml")
)
# Values for x and y that the expressions accept.
OPERANDS = (
    '"ab", "a"',
    '"YQ==", 1',
    '"1", 2',
    "7, 2",
    "-1.5, 2",
    "[1, 2], 1",
    '["a"], "a"',
    '{"a": 1}, {"b": 2}',
    '[("a", 1)], 0',
)


def program(code: str) -> str:
    """The result of a program, as YAML."""
    return plait.render({"t.yml": "#@ " + "\n#@ ".join(code.strip().split("\n")) + "\nr: #@ repr(r)\n"}).to_yaml()


def is_accepted(expression: str) -> bool:
    for operands in OPERANDS:
        try:
            program(f"{LOADS}x, y = {operands}\ncondition = True\nr = {expression}")
        except PlaitError:
            continue
        return True
    return False


@pytest.mark.parametrize("expression", sorted({*EXPRESSIONS.values()}))
def test_an_equivalent_is_valid(expression: str) -> None:
    assert is_accepted(expression)


@pytest.mark.parametrize("name", sorted(_WRITTEN))
def test_the_equivalent_of_a_method_is_valid(name: str) -> None:
    expression = (
        _WRITTEN[name]
        .removeprefix("there is no padding: ")
        .partition(" is ")[0]
        .partition(" returns ")[0]
        .partition(" converts ")[0]
    )
    if "x" in expression and not expression.startswith(("a ", '"')):
        assert is_accepted(expression.partition(" and ")[0].partition(" tests ")[0])


def hint_of(template: str) -> str:
    with pytest.raises(PlaitError) as failed:
        plait.render({"t.yml": template})
    error = failed.value
    return message_text.hint_of(error.findings[0] if getattr(error, "findings", None) else error) or ""


@pytest.mark.parametrize("name", sorted({*EXPRESSIONS, *FACTS}))
def test_an_undefined_name_of_another_language(name: str) -> None:
    known = EXPRESSIONS.get(name) or FACTS[name]
    hint = hint_of(f"a: #@ {name}(1)\n")
    assert known in hint or (hint.startswith("did you mean") and known.startswith(hint[13:].split("?")[0] + "("))


def test_a_filter_becomes_the_expression_with_its_operands() -> None:
    assert 'write data.values.a or "b"' in hint_of('#@ load("@ytt:data", "data")\na: #@ data.values.a | default("b")\n')
    assert "yaml.encode(x), with load" in hint_of("#@ x = 1\na: #@ x | toYaml\n")


def test_similar_names_of_the_program_come_first() -> None:
    assert hint_of("#@ quotes = 1\na: #@ quote\n") == "did you mean quotes?"


@pytest.mark.parametrize("load", ["", '#@ load("@ytt:data", "data")\n'])
@pytest.mark.parametrize("name", ["values.a.b", "Values.a"])
def test_data_values_without_data(load: str, name: str) -> None:
    assert "data.values" in hint_of(f"{load}a: #@ {name}\n")


LINES = [
    ('assert x, "b"', 'no statement "assert"'),
    ("def f() -> str:", 'remove "-> str"'),
    ("def f(a: str):", "parameters have no types"),
    ("y: int = 1", "variables have no types: y = 1"),
    ("y = x ++", "x += 1"),
    ('print "x"', 'a call has parentheses: print("x")'),
    ("set y = 1", "an assignment has no keyword: y = 1"),
    ("let y = x", "y = x"),
    ("y := 1", "y = 1"),
    ("y = z = 1", "in two lines"),
    ("elseif x:", "elif x:"),
    ("end if", 'a block ends with "end"'),
    ("function f(a):", "def f(a):"),
    ("foreach y in x:", "for y in x:"),
    ("for y of x:", "for y in x:"),
    ("unless x:", "if not (x):"),
    ("y = x**2", "x * x"),
    ("y = $x", "its name alone: x"),
    ("y = ${x}", "its name alone: x"),
    ("y = `x`", '"x"'),
    ("if x then:", "if x:"),
    ("if x {", "if x:"),
    ("switch x:", "if ...:, elif ...:"),
    ("y = x => x", "lambda x"),
    ('include "x" .', "is loaded"),
    ("y = .Values.a.b", "data.values.a.b"),
    ("y = $.Values.a", "data.values.a"),
    ("y = .Release.Name", "declare a data value"),
    ("y = toYaml x", "yaml.encode(x), with load"),
    ("y = f x", "f(x)"),
    ("y = {{ x }}", "no braces around it: x"),
    ('y = x === "a"', "x == ..."),
    ('y = x <> "a"', "x != ..."),
    ("y = x.class", 'getattr(x, "class")'),
    ("y = data.values.a.class-name", 'data.values.a["class-name"]'),
    ("y = data.values.if", 'data.values["if"]'),
    ("with x:", "reserved word: a block"),
    ("del x", "x.pop(KEY)"),
    ("global x", "a function returns values"),
    ("async def f():", "neither async"),
    ('y = "a" "b"', "joined with +"),
    ('y = "a" x', "joined with +"),
    ("y = 1_000", "1000"),
    ("y = x->a", "x.a"),
    ("y = x::a", "x.a"),
    ("y = x; z = 1", None),
]


@pytest.mark.parametrize(("line", "hint"), LINES)
def test_a_line_of_another_language(line: str, hint: str | None) -> None:
    template = f"#@ x = 1\n#@ {line}\n"
    if hint is None:
        plait.render({"t.yml": template})
    else:
        assert hint in hint_of(template)


@pytest.mark.parametrize("opener", ["#! if x:", "# if x:", "#if x:", "#!if x:", "#! for e in x:", "#!@ if x:"])
def test_an_end_whose_block_begins_in_a_comment(opener: str) -> None:
    template = f"#! text\n{opener}\n#@ if True:\na: 1\n#@ end\n#@ end\n"
    with pytest.raises(PlaitError) as failed:
        plait.render({"t.yml": template}, ignore_unknown_comments=True)
    error = failed.value
    hint = message_text.hint_of(error.findings[0] if getattr(error, "findings", None) else error)
    assert hint is not None
    assert hint.startswith("line 2 is a comment, and opens no block: write #@ ")
    right = hint.partition("write ")[2]
    with_block = template.replace(opener, right)
    assert plait.render({"t.yml": f"#@ x = [1]\n{with_block}"}).to_yaml() == "a: 1\n"


@pytest.mark.parametrize(
    "line", ['if x == "a" or x in ["b", "c"]:', "for a in x if x else []:", "def f(a, b=1):", "while not x:"]
)
def test_a_block_without_an_end(line: str) -> None:
    assert hint_of(f"#@ x = 1\n#@ {line}\na: 1\n").startswith("add an end")


@pytest.mark.parametrize("word", [*_FOREIGN_ENDS])
def test_an_end_of_another_language(word: str) -> None:
    assert "line 4 ends no block" in hint_of(f"#@ x = 1\n#@ if x:\na: 1\n#@ {word}\n")


def test_a_loop_that_takes_maps_apart() -> None:
    template = '#@ items = [{"name": "a", "value": 1}]\n#@ for i, e in items:\n---\na: #@ e.name\n#@ end\n'
    assert "for i, e in enumerate(items)" in hint_of(template)


@pytest.mark.parametrize("name", ["items", "keys", "values"])
def test_a_struct_as_a_dict(name: str) -> None:
    load = '#@ load("@ytt:struct", "struct")\n#@ x = struct.make(a=1)\n'
    assert f"struct.decode(x).{name}()" in hint_of(f"{load}a: #@ list(x.{name}())\n")
    plait.render({"t.yml": f"{load}a: #@ list(struct.decode(x).{name}())\n"})


def test_a_path_as_a_key_of_data_values() -> None:
    files = {
        "v.yml": "#@data/values\n---\na:\n  b: 1\n",
        "t.yml": '#@ load("@ytt:data", "data")\nr: #@ data.values["a.b"]\n',
    }
    with pytest.raises(PlaitError) as failed:
        plait.render(files)
    assert failed.value.hint == 'this is a path, not a key: .a.b, or ["a"]["b"]'
    for right in (".a.b", '["a"]["b"]'):
        assert plait.render({**files, "t.yml": files["t.yml"].replace('["a.b"]', right)}).to_yaml() == "r: 1\n"


def test_a_name_in_a_format() -> None:
    assert ".format(name=...)" in hint_of('a: #@ "{name}".format("x")\n')


@pytest.mark.parametrize("loaded", [True, False])
def test_a_module_is_called_by_a_member(loaded: bool) -> None:
    load = '#@ load("@ytt:struct", "struct")\n' if loaded else ""
    assert "struct.make" in hint_of(f"{load}a: #@ struct(a=1)\n")


@pytest.mark.parametrize("text", ["a ", "a.", "a(", "for a in ", "def a(b:", " \t", "{{", '"a" ', "if a b "])
def test_hints_about_long_lines_are_quick(text: str) -> None:
    start = process_time()
    foreign_syntax("#@ " + text * 20_000)
    assert process_time() - start < 0.2
