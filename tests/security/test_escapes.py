"""Ways out of the sandbox, as other template engines had them: each ends in a named error or in a harmless value.

Every attempt is an expression or a program in a template that is rendered by the command line, so that what protects is
the whole way from text to output. Harmless is a value whose text shows nothing of Python, of this process or of files
outside the inputs.
"""

from __future__ import annotations

import os
import pathlib

import pytest

from plait.cli import main

SECRET = "the-secret-outside"
# What no output may hold: parts of Python's own texts, and of what lies around the inputs.
TRACES = (
    SECRET,
    "<class",
    "<module '",
    "<frame",
    "<code",
    "object at 0x",
    "<built-in method __",
    "plait.ytt.starlark",
    "Traceback",
    "site-packages",
    "/usr/",
    "root:",
    "<cell",
    "<generator",
    "<bound method",
    "mappingproxy",
)

DUNDERS = (
    "__class__", "__dict__", "__globals__", "__code__", "__closure__", "__subclasses__", "__mro__", "__base__",
    "__init__", "__reduce_ex__", "__getattribute__", "__builtins__", "__self__", "__func__", "__wrapped__", "__module__",
    "__defaults__", "__doc__", "__call__", "__slots__",
)  # fmt: skip
RECEIVERS = (
    '""', "[]", "{}", "()", "1", "1.5", "True", "None", "len", "(lambda: 1)", "range(3)", "struct.make(a=1)", "data",
    "data.values", "fragment()", "set([1])", '"a".upper', "function", "overlay.subset({})", "{}.keys", "load_error",
    '"ab".elems()', "struct.make", "yaml", "data.values.inner",
)  # fmt: skip

# Each receiver with several dunders: the walk of all others begins with one of these.
WALKS = [
    f"{receiver}.{DUNDERS[(place * 3 + step) % len(DUNDERS)]}"
    for place, receiver in enumerate(RECEIVERS)
    for step in range(3)
]
GETATTRS = [f'getattr({receiver}, "{DUNDERS[place % len(DUNDERS)]}")' for place, receiver in enumerate(RECEIVERS)]

# Names of the slots and methods that the classes behind the values have in Python.
INNARDS = [
    "[].lock", "{}.odd", "{}.__missing__", "[].sort", "[].copy", "[].count", "[].__add__", "{}.copy", "{}.fromkeys",
    "set([]).add", "set([]).pop", "set([]).lock", '"".encode', '"".format_map', '"".translate', '"".maketrans', '"".casefold',
    '"".zfill', '"".isidentifier', '"".center', "(1).real", "(1).bit_length", "(1).to_bytes", "(1.5).hex",
    "(1.5).as_integer_ratio", "().index", "().count", "range(3).start", "range(3).count", "True.real",
    "struct.make(a=1).members", "struct.make(a=1).attr", "struct.make(a=1).type_name", "struct.make(a=1).freeze",
    "struct.make(a=1).truth", "data.values.value", "data.values.attr", "data.values.mapping", "data.values.source",
    "data.values.position", "fragment().value", "fragment().items", "fragment().source", "fragment().line",
    "fragment().annotations", "fragment().find", "fragment()[0].position", "yaml.members", "yaml.name", "data.attr",
    "len.function", "len.name", "len.receiver", '"".join.function', '"".join.receiver', '"".join.name', "function.func_code",
    "function.func_globals", "function.gi_frame", "function.cr_frame", "function.f_back", "function.co_consts",
    '"x".elems().string', '"x".elems().kind', '"x".elems().iterate', "overlay.subset({}).function",
    'getattr([], "lock")', 'getattr({}, "odd")', 'getattr(function, "f_globals")', 'getattr(len, "function")',
    'getattr(struct.make(a=1), "members")', 'getattr(data.values, "value")', 'hasattr("", "__class__") or fail("none")',
    'hasattr([], "lock") or fail("none")', 'hasattr(function, "__globals__") or fail("none")', 'dir("").index("encode")',
    'dir([]).index("lock")', "dir(function)[0]", "dir(1)[0]", "dir(data.values.inner)",
]  # fmt: skip

FORMATS = [
    '"{0.__class__}".format(1)', '"{0[0]}".format([1])', '"{x.__class__.__mro__}".format(x=1)', '"{!a}".format(1)',
    '"{:>{}}".format(1, 5)', '"{0:100000000}".format(1)', '"{:c}".format(1)', '"{.real}".format(1)', '"{0!s:5}".format(1)',
    '"{__class__}".format()', '"{self}".format()', '"{0.__init__.__globals__}".format(len)', '"{" + "0" * 50 + "}"',
    '("{" + "9" * 50 + "}").format(1)', '("{0." + "__class__" + "}").format(1)', '"{x[__class__]}".format(x={})',
    '"{a.b.c}".format(a=data)', '"".join(["{0.__", "class__}"]).format(1)', '"{0.lock}".format([])', '"%*d" % (5, 1)',
    '"%(a)*d" % {"a": 1}', '"%1000000000d" % 1', '"%.1000000000f" % 1.0', '"%(__class__)s" % {}',
    '"%(__class__)s" % struct.make(a=1)', '"%(members)s" % struct.make(a=1)', '"%(value)s" % data.values', '"%a" % 1',
    '"%#x" % 1', '"%n" % 1', '"%-5s" % 1', '"%s" % function', '"%r" % len', '"%s" % data', '"%r" % [function, data, len]',
    '"%c" % 1114112', '"%(a" % {}', '"%" % ()', '"%z" % 1', '"{}".format(function)', '"{!r}".format([len, data])',
]  # fmt: skip

NAMES = [
    "eval", "exec", "open", "__import__", "__builtins__", "__name__", "__file__", "__loader__", "__spec__", "globals",
    "locals", "vars", "compile", "object", "super", "input", "memoryview", "bytes", "bytearray", "breakpoint", "classmethod",
    "property", "staticmethod", "isinstance", "issubclass", "callable", "iter", "next", "map", "filter", "id", "help", "exit",
    "quit", "copyright", "sys", "os", "self", "cls", "__debug__", "Ellipsis", "NotImplemented", "StopIteration", "Exception",
    "BaseException", "delattr", "setattr", "format", "slice", "frozenset", "complex", "pow", "abs", "sum", "round",
]  # fmt: skip

KEYWORDS = [
    "len(obj=1)", "len(**{'__class__': 1})", "function(**{'__globals__': 1})", "function(__class__=1)", "str(object=1)",
    "sorted([1], cmp=len)", "sorted([1], key=eval)", "sorted([2, 1], key='__class__')", "print(1, file=data)",
    "print(1, end='', flush=True)", "dict(__class__=1)", "struct.make(__class__=1, __init__=2)", "struct.make(__dict__=1)",
    "struct.make(**{'a b': 1})", "type('X', (), {})", "type(1)(2)", "int('1', **{'base': 2, 'x': 1})", "max(1, 2, key=len)",
    "max([1], default=1)", "enumerate([1], **{'start': 1})", "range(**{'stop': 3})", "list(**{'a': 1})",
    "zip(strict=True)", "fail(sep=1)", "getattr({}, 'get', **{'x': 1})", "hash(key=1)", "'a'.replace('a', 'b', count=1)",
    "'a'.split(sep='a')", "[].append(item=1)", "{}.update(**{1: 2})", "(lambda **k: k)(**{'self': 1, 'args': 2})",
    "(lambda self: self)(self=1)", "(lambda *a, **k: [a, k])(*range(3), **{'$source': 1})", "json.encode({}, cls=1)",
    "json.encode({}, default=len)", "yaml.decode('!!python/object/apply:os.system [ls]')", "yaml.decode('!!python/name:os.system')",
    "yaml.decode('!!python/object/new:type [a, [], {}]')", "json.decode('{', object_hook=len)", "toml.decode('a = 1', len)",
]  # fmt: skip

PROGRAMS = [
    "def f(): yield 1", "async def f(): return 1", "x = await f()", "class A: x", "import os", "from os import path",
    "try: x", "with open('f'): x", "del x", "global x", "nonlocal x", "raise 1", "@f\ndef g(): return 1", "x = f'{1}'",
    "x = `1`", "x: int = 1", "(x := 1)", "assert 1", "$locals()", "x = $source", "def f($a): return 1", "x = $T", "$f.g()",
    "x = \\u0024source", "x = (i for i in [1])", "x = {i for i in [1]}", "x = [*[1]]", "x = {**{}}", "x = 1 if 1",
    "x = lambda: (yield)", "def __class__(): return 1\nx = [].__class__", "def len(x): return x.__class__\nx = len(1)",
    "__builtins__ = {}\nx = open('/etc/passwd')", "None = 1", "True = 0", "__debug__ = 1\nx = __debug__.real",
    "def f(x): return x.f(x.f)\nx = f(f)", "x = [].append\nx.__self__", "x = (lambda: x)()", "x, y = {}.__class__, 1",
    "[].lock = 1", "struct.make(a=1).a = 2", "data.values.name = 1", "data.values['name'] = 1", "data.x = 1", "len.x = 1",
    "function.__code__ = 1", "range(3)[0] = 1", "data.values.inner.a += 1", "[x for x.__class__ in [1]]",
    "for x.__class__ in [1]: y = 1", "def f(a=[].__class__): return a", "def f(__class__): return __class__.__mro__\nf(1)",
    "x = assert_.try_to(lambda: [].__class__)[1].__traceback__", "x = assert_.try_to(lambda: 1 // 0)[1].with_traceback",
    "x = assert_.try_to(lambda: 1 // 0)[1].args", "x = assert_.try_to(lambda: 1 // 0)[1].__context__",
    "x = assert_.try_to(lambda: fail('x'))[1].stack", "x = assert_.try_to(function)[0].gi_frame",
    "x = template.replace(1).value", "x = template.replace(function)", "x = overlay.apply(function, function)",
    "x = library.get('..')", "x = library.get('/etc')", "x = library.get('a/../../b').eval()", "x = data.read('../outside.txt')",
    "x = data.read('/etc/passwd')", "x = data.read('link.txt')", "x = data.read('a\\0b')", "x = data.read('')",
    "x = data.read('./../in/../../outside.txt')", "x = data.read('file:///etc/passwd')", "x = data.read('..\\\\outside.txt')",
    "x = data.read('in/../../outside.txt')", "x = data.read('/proc/self/environ')", "x = data.read('~/.ssh/id_rsa')",
    "x = data.read('$HOME')", "x = data.list('..')", "x = data.list('/')", "x = data.read(b'x')", "x = data.read(['/etc/passwd'])",
    "load('../outside.star', 'x')", "load('/../outside.star', 'x')", "load('/etc/passwd', 'x')", "load('link.star', 'x')",
    "load('a\\0b.star', 'x')", "load('', 'x')", "load('os', 'system')", "load('@os', 'system')", "load('@ytt:os', 'system')",
    "load('@ytt:../plait', 'x')", "load('@ytt:__init__', 'x')", "load('@ytt:module', 'sys')", "load('@ytt:struct', '__builtins__')",
    "load('@ytt:data', '_data')", "load('@ytt:json', '$json')", "load('@../:x.star', 'x')", "load('@lib:/../../x.star', 'x')",
    "load('file:///etc/passwd', 'x')", "load('http://127.0.0.1:1/x.star', 'x')", "load('funcs.lib.yml/../../outside.star', 'x')",
    "load('@ytt:data', x='__class__')", "load('@ytt:data', data='data.__class__')", "load('/proc/self/environ', 'x')",
    "load('fifo.star', 'x')", "load('directory', 'x')",
]  # fmt: skip

# The names that compiled code has for itself, and texts that look like others: in every place where a name can stand.
OWN = [
    f"x = {place.replace('NAME', name)}"
    for number, place in enumerate((
        "NAME", "NAME()", "NAME(1)", "[].NAME", "function.NAME", "data.values.NAME", "getattr(function, 'NAME')",
        "getattr(data, 'NAME')", "struct.make(**{'NAME': 1}).NAME", "function(**{'NAME': 1})", "function(NAME=1)",
        "(lambda NAME: NAME)(1)", "[NAME for NAME in [1]]", "{'NAME': 1}.NAME", "'{NAME}'.format(**{'NAME': 1}) + '%(NAME)s' % {'NAME': 2}",
        "dict(**{'NAME': 1}).keys()[0].NAME", "hasattr(function, 'NAME') and NAME",
    ))
    for name in ("$budget", "$spend", "$globals", "$f.function", "$source", "$T")[number % 3 :: 3]
] + [
    f"load('{path}', {names})\nx = 1"
    for path in ("@ytt:data", "@ytt:json", "helpers.star", "/in/helpers.star")
    for names in ("'$budget'", "'__builtins__'", "x='$source'", "'$x', y='$x'")
] + [
    "x = \uff45val('1')", "x = [].__cl\u200dass__", "x = \u212fval", "x = ().\u005f\u005fclass__", "\uff58 = 1\ny = x",
    "x = '\\udc80' + '\\ud800'", "x = {'\\udc80': 1}['\\udc80']", "x = '\\x80'.elems()", "x = chr(0xdc80) + chr(0xd800)",
    "x = struct.make(**{chr(0xdc80): 1})", "x = getattr(data.values, chr(0xdc80))", "x = hasattr([], '\\u0000')",
    "x = function(**{'': 1})", "x = function(**{'a': 1, chr(97): 2})", "def f(a, a): return a", "def f(*, **k): return k",
    "x = (lambda *a, **k: k)(**{'$0': 1, '.0': 2, '<x>': 3})", "def None(): return 1", "lambda = 1", "x = lambda None: 1",
    "def toplevel(): return toplevel\nx = toplevel().f_globals", "x = [y.f_locals for y in [function]]",
]  # fmt: skip

LIMITS = [
    "x = 1 << 100000", "x = 'a' * 1000000000", "x = [0] * 1000000000", "x = ('a' * 30000000) * 100",
    "x = 3\nfor i in range(60): x = x * x", "x = 'ab'\nfor i in range(60): x = x + x", "x = 'ab'\nfor i in range(60): x += x",
    "x = [1]\nfor i in range(60): x = x + x", "x = [1]\nfor i in range(60): x += x", "x = (1,)\nfor i in range(60): x = x + x",
    "x = 1\nfor i in range(100000): x = x << 500", "x = 'ab'\nfor i in range(60): x = x.replace('a', 'ab' * 1000)",
    "x = 'ab'\nfor i in range(60): x = x.join([x, x, x])", "x = 'ab'\nfor i in range(60): x = '%s%s' % (x, x)",
    "x = 'ab'\nfor i in range(60): x = '{0}{0}'.format(x)", "x = 'ab'\nfor i in range(60): x = '{}{}'.format(x, x)",
    "x = 'a' * 30000000\ny = ''.join([x] * 1000)", "x = 'a' * 30000000\ny = ('%s' * 100) % ((x,) * 100)",
    "x = []\nfor i in range(60): x = [x, x]\ny = str(x)", "x = (1,)\nfor i in range(60): x = (x, x)\ny = {x: 1}",
    "x = ()\nfor i in range(100000): x = (x,)\ny = {x: 1}", "x = list(range(2000000000))", "x = sorted(range(2000000000))",
    "x = [i for i in range(2000000000)]", "x = all(range(1, 2000000000))", "x = max(range(2000000000))",
    "x = []\nx.extend(range(2000000000))", "x = (lambda *a: a)(*range(2000000000))", "x, y = range(2000000000)",
    "x = list(zip(range(2000000000), range(2000000000)))", "x = {}\nfor i in range(2000000000): x[i] = i",
    "x = 'a'.join(range(2000000000))", "x = set(range(2000000000))", "x = tuple(range(2000000000))",
    "def f(n): return f(n + 1)\nx = f(0)", "def f(n): return sorted([n, n], key=f)\nx = f(0)",
    "def f(n): return [f(i) for i in [n]]\nx = f(0)", "def f(n): return f(n - 1) + f(n - 1) if n else 1\nx = f(60)",
    "x = 0\nwhile True: x += 1", "for i in range(2000000000):\n  for j in range(2000000000): x = 1\nend",
]  # fmt: skip

HEAD = """\
#! The template of every attempt.
#@ load("@ytt:data", "data")
#@ load("@ytt:struct", "struct")
#@ load("@ytt:overlay", "overlay")
#@ load("@ytt:template", "template")
#@ load("@ytt:library", "library")
#@ load("@ytt:yaml", "yaml")
#@ load("@ytt:json", "json")
#@ load("@ytt:toml", "toml")
#@ load("@ytt:assert", assert_="assert")
#@ def fragment():
- name: a
#@ end
#@ def function(a=1):
#@   return a
#@ end
#@ load_error = assert_.try_to(lambda: 1 // 0)[1]
---
"""


@pytest.fixture(scope="module")
def inputs(tmp_path_factory: pytest.TempPathFactory) -> pathlib.Path:
    base = tmp_path_factory.mktemp("escape")
    (base / "outside.txt").write_text(SECRET)
    (base / "outside.star").write_text(f"x = '{SECRET}'\n")
    inside = base / "in"
    (inside / "directory").mkdir(parents=True)
    (inside / "schema.yml").write_text("#@data/values-schema\n---\nname: n\ninner:\n  a: 1\n")
    (inside / "note.txt").write_text("note\n")
    return inside


def attempt(inputs: pathlib.Path, text: str, capsys: pytest.CaptureFixture[str], *flags: str) -> tuple[int, str]:
    template = inputs / "escape.yml"
    template.write_text(HEAD + text, "utf-8")
    status = main(["render", "-f", str(inputs), "--file-mark", "note.txt:type=data", *flags])
    shown = capsys.readouterr()
    assert status in {0, 1, 3}, shown.err
    assert "internal error" not in shown.err
    if status:
        assert shown.err.startswith("plait: "), shown.err
    # An error may quote the attempt itself; what it adds must show nothing.
    told = (shown.out + shown.err).replace(str(inputs), "")
    for line in text.split("\n"):
        told = told.replace(line.strip(), "") if line.strip() else told
    for trace in TRACES:
        assert trace not in told, told
    return status, shown.out + shown.err


def test_the_template_around_the_attempts_works(inputs: pathlib.Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = 'x: #@ [data.values.inner.a, function(2), fragment()[0].name, len(load_error) > 5, data.read("note.txt")]\n'
    assert attempt(inputs, text, capsys) == (0, "x:\n- 1\n- 2\n- a\n- true\n- |\n  note\n")


@pytest.mark.parametrize("expression", [*WALKS, *GETATTRS, *INNARDS])
def test_attributes(expression: str, inputs: pathlib.Path, capsys: pytest.CaptureFixture[str]) -> None:
    status, told = attempt(inputs, f"x: #@ {expression}\n", capsys)
    if "name" not in expression and "dir(data" not in expression:
        assert status == 1, told


@pytest.mark.parametrize("expression", [*FORMATS, *KEYWORDS])
def test_formats_and_keywords(expression: str, inputs: pathlib.Path, capsys: pytest.CaptureFixture[str]) -> None:
    attempt(inputs, f"x: #@ {expression}\n", capsys)


@pytest.mark.parametrize("name", NAMES)
def test_names_of_python(name: str, inputs: pathlib.Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert attempt(inputs, f"x: #@ {name}\n", capsys)[0] == 1


@pytest.mark.parametrize("program", [*PROGRAMS, *OWN])
def test_programs(program: str, inputs: pathlib.Path, capsys: pytest.CaptureFixture[str]) -> None:
    lines = "".join(f"#@ {line}\n" for line in program.split("\n"))
    attempt(inputs, f"{lines}result: #@ str(x)\n", capsys)


@pytest.mark.parametrize("program", [*PROGRAMS, *OWN])
def test_programs_that_are_traced(
    program: str, inputs: pathlib.Path, tmp_path: pathlib.Path, capsys: pytest.CaptureFixture[str]
) -> None:
    lines = "".join(f"#@ {line}\n" for line in program.split("\n"))
    attempt(inputs, f"{lines}result: #@ str(x)\n", capsys, "--source-map", str(tmp_path / "map.json"))


@pytest.mark.parametrize("program", LIMITS)
def test_limits(program: str, inputs: pathlib.Path, capsys: pytest.CaptureFixture[str]) -> None:
    lines = "".join(f"#@ {line}\n" for line in program.split("\n"))
    status, told = attempt(inputs, f"{lines}x: 1\n", capsys, "--limit", "steps=300000")
    assert status in {1, 3}, told


@pytest.mark.parametrize("name", ["link.star", "link.txt", "link.yml"])
def test_links_out_of_the_inputs(
    name: str, inputs: pathlib.Path, tmp_path: pathlib.Path, capsys: pytest.CaptureFixture[str]
) -> None:
    place = tmp_path / "in"
    place.mkdir()
    os.symlink(inputs.parent / "outside.txt", place / name)
    assert main(["render", "-f", str(place)]) == 1
    shown = capsys.readouterr()
    assert SECRET not in shown.out + shown.err


def test_there_are_many() -> None:
    assert len({*WALKS, *GETATTRS, *INNARDS, *FORMATS, *KEYWORDS, *NAMES, *PROGRAMS, *OWN, *LIMITS}) >= 500
