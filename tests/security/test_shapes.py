"""The size, the keys and the order of what is made of a secret tell nothing of it, whatever made it.

Each way to make or change a container, with a secret in the place of an argument, runs with two secrets that make
different containers. What the runs say besides their output is the same. A builtin, a method, an operator, a function of
a module or an argument of an annotation without an entry fails the suite.
"""

from __future__ import annotations

import pytest

import plait
from plait.tree.context import Context
from plait.ytt.modules import MODULES, load_module
from plait.ytt.overlay.expectations import KEYWORDS
from plait.ytt.overlay.plan import _ACTION_KEYWORDS
from plait.ytt.starlark.parse import _ASSIGNMENTS
from plait.ytt.starlark.parse.expression_grammar import _LEVEL
from plait.ytt.starlark.table.methods import METHODS
from plait.ytt.starlark.table.universal import UNIVERSAL
from plait.ytt.templates.directives import ADDED, KNOWN_BY_NAME

HEAD = "".join(f'#@ load("@ytt:{name}", "{name}")\n' for name in ("data", *sorted(MODULES))) + (
    "#@ pw, n, s, l = data.values.pw, data.values.n, data.values.s, data.values.l\n"
    "#@ D = lambda a, b: dict([(a, 1), (b, 2)])\n"
)
FIRST = {"pw": "h", "n": 2, "s": "h,a", "l": [1, 2], "b": "aGE="}
SECOND = {"pw": "q", "n": 3, "s": "qq,b,c", "l": [1, 2, 3], "b": "cXFx"}

# An expression with a secret for each builtin.
BUILTINS = {
    "all": "[all([c == 'h' for c in s.elems()])] * n",
    "any": "[any([c == 'h' for c in s.elems()])] * n",
    "bool": "[bool(n - 2)]",
    "chr": "D(chr(n + 100), 'f')",
    "dict": "dict([(pw, 1), ('h', 2)])",
    "dir": "dir(struct.make(**{s: 1}))",
    "enumerate": "enumerate(s.split(','))",
    "fail": "[assert.try_to(lambda: fail(s))[1]]",
    "float": "D(float(n), 2.0)",
    "getattr": "getattr(struct.make(h=[1], q=[1, 2]), pw)",
    "hasattr": "D(hasattr(struct.make(h=1), pw), True)",
    "hash": "[1] * (hash(pw) % 7)",
    "int": "[1] * int(str(n))",
    "len": "[1] * len(s)",
    "list": "list(s.elems())",
    "max": "max([[1], [1, 2]], key=lambda x: len(x) * (n - 2.5))",
    "min": "min([[1], [1, 2]], key=lambda x: len(x) * (n - 2.5))",
    "ord": "[1] * (ord(pw) - 100)",
    "print": "[print(s)] * n",
    "range": "list(range(n))",
    "repr": "D(repr(pw), repr('h'))",
    "reversed": "reversed(s.split(','))",
    "set": "set([pw, 'h'])",
    "sorted": "sorted(s.split(','))",
    "str": "D(str(n), '2')",
    "tuple": "tuple(s.elems())",
    "type": "D(type(n - 2 and 1 or 'x'), 'int')",
    "zip": "zip([1, 2, 3], s.split(','))",
}
# An expression, or statements that change the variable `r`, for each method.
METHODS_OF = {
    "str.capitalize": "D(s.capitalize(), 'H,a')",
    "str.codepoint_ords": "list(s.codepoint_ords())",
    "str.codepoints": "list(s.codepoints())",
    "str.count": "[1] * s.count(',')",
    "str.elem_ords": "list(s.elem_ords())",
    "str.elems": "list(s.elems())",
    "str.endswith": "D(s.endswith('a'), True)",
    "str.find": "[1] * s.find(',')",
    "str.format": "D('{}'.format(pw), 'h')",
    "str.index": "[1] * s.index(',')",
    "str.isalnum": "D(s.isalnum(), (n == 2))",
    "str.isalpha": "D(s[:n - 1].isalpha(), (n == 2))",
    "str.isdigit": "D(str(n).isdigit(), (n == 2))",
    "str.islower": "D(s.islower(), (n == 2))",
    "str.isspace": "D(s.isspace(), (n == 3))",
    "str.istitle": "D(s.istitle(), (n == 3))",
    "str.isupper": "D(s.isupper(), (n == 3))",
    "str.join": "D(','.join(s.elems()), 'h,,,a')",
    "str.lower": "D(pw.lower(), 'h')",
    "str.lstrip": "D('hx'.lstrip(pw), 'x')",
    "str.partition": "'ahb'.partition(pw)",
    "str.replace": "D('h'.replace(pw, 'z'), 'z')",
    "str.rfind": "[1] * s.rfind(',')",
    "str.rindex": "[1] * s.rindex(',')",
    "str.rpartition": "'ahb'.rpartition(pw)",
    "str.rsplit": "s.rsplit(',')",
    "str.rstrip": "D('xh'.rstrip(pw), 'x')",
    "str.split": "'xhy'.split(pw)",
    "str.splitlines": "s.replace(',', '\\n').splitlines()",
    "str.startswith": "D('hx'.startswith(pw), True)",
    "str.strip": "D('xh'.strip(pw), 'x')",
    "str.title": "D(pw.title(), 'H')",
    "str.upper": "D(pw.upper(), 'H')",
    "list.append": "r = [[1]]; r[0].append(s.split(','))",
    "list.clear": "r = [[1], [1, 2], [1, 2]]; r[n - 2].clear()",
    "list.extend": "r = [1]; r.extend(s.split(','))",
    "list.index": "[1] * ['z', 'h', 'q'].index(pw)",
    "list.insert": "r = ['z', 'y', 'x', 'w']; r.insert(n, 'a')",
    "list.pop": "r = ['z', 'y', 'x', 'w']; r.pop(n)",
    "list.remove": "r = ['h', 'q', 'h']; r.remove(pw)",
    "dict.clear": "r = {2: {'a': 1}, 3: {'b': 1, 'c': 2}}; r[n].clear()",
    "dict.get": "{'h': [1]}.get(pw, [1, 2])",
    "dict.items": "dict([(pw, 1), ('h', 2)]).items()",
    "dict.keys": "dict([(pw, 1), ('h', 2)]).keys()",
    "dict.pop": "r = {'h': 1, 'q': 2, 'z': 3}; r.pop(pw)",
    "dict.popitem": "r = {'h': {'a': 1}, 'q': {'a': 1}}; r[pw].popitem()",
    "dict.setdefault": "r = {'h': 1}; r.setdefault(pw, 2)",
    "dict.update": "r = {'h': 1}; r.update([(pw, 2)])",
    "dict.values": "dict([(pw, 1), ('h', 2)]).values()",
    "set.union": "set(['h']).union([pw])",
}
OPERATORS = {
    "or": "(n - 2) and [1] or [1, 2]",
    "and": "(n - 1) and [1] * n",
    "not": "D((not (n - 2)), True)",
    "==": "D(pw == 'h', True)",
    "!=": "D(pw != 'h', True)",
    "<": "D(pw < 'i', True)",
    ">": "D(pw > 'i', True)",
    "<=": "D(pw <= 'i', True)",
    ">=": "D(pw >= 'i', True)",
    "in": "D(pw in ['h'], True)",
    "not in": "D(pw not in ['h'], True)",
    "|": "list(set([pw]) | set(['h']))",
    "^": "[1] * (n ^ 1)",
    "&": "[1] * (n & 1)",
    "<<": "[1] * (1 << n)",
    ">>": "[1] * (16 >> n)",
    "-": "[1] * (n - 1)",
    "+": "['a'] + s.split(',')",
    "*": "['a'] * n",
    "%": "D('%s' % pw, 'h')",
    "/": "D(n / 2, 1.0)",
    "//": "[1] * (9 // n)",
    "unary -": "[1, 2, 3, 4][-n:]",
    "[]": "{'h': [1], 'q': [1, 2]}[pw]",
    "[:]": "[1, 2, 3, 4][:n]",
    "if else": "[1] if pw == 'h' else [1, 2]",
    "()": "(pw, [pw] * n, {pw: 1})",
    "[ ]": "[[s.split(',')]]",
    "{ }": "{'a': {'b': s.split(',')}, pw: 1}",
    "[ for ]": "[1 for c in s.elems()]",
    "[ for if ]": "[1 for c in ['h', 'a', 'h'] if c == pw]",
    "{ for }": "{c: 1 for c in [pw, 'h']}",
    "lambda": "(lambda x: x.split(','))(s)",
    "f(*)": "(lambda *x: x)(*s.split(','))",
    "f(**)": "(lambda **x: x)(**{pw: 1, 'a': 2})",
    "data values": "l",
    "data values in a list": "[l, {'a': l}]",
    "zip of a secret and its parts": "zip([s] * 9, s.split(','))",
    "zip of lists and parts": "zip([s, s, s], s.split(','))",
}
ASSIGNMENTS = {
    "=": "r = {'h': 1}; r[pw] = 2",
    "= in a display": "r = [{'h': 1}]; r[0][pw] = 2",
    "= of a part": "r = {'a': {}, 'b': s}; r['a'][s] = 1",
    "= of a tuple": "r = {'h': 1}; (r[pw], x) = (1, 2)",
    "= of a list": "r = [[], [], []]; r[n - 2] = s.split(',')",
    "= of a value": "r = {'a': {}, 'b': s}; r['a']['k'] = s.split(',')",
    "+=": "r = [1]; r += s.split(',')",
    "+= of a part": "r = {'a': [1]}; r['a'] += s.split(',')",
    "-=": "k = 5; k -= n; r = [1] * k",
    "*=": "r = [1]; r *= n",
    "/=": "k = 6.0; k /= n; r = D(k, 3.0)",
    "//=": "k = 6; k //= n; r = [1] * k",
    "%=": "k = 5; k %= n; r = [1] * k",
    "&=": "k = 3; k &= n; r = [1] * k",
    "|=": "r = set(['h']); r |= set([pw]); r = list(r)",
    "^=": "k = 1; k ^= n; r = [1] * k",
    "<<=": "k = 1; k <<= n; r = [1] * k",
    ">>=": "k = 16; k >>= n; r = [1] * k",
    "append, alias": "r = []; o = {'a': r}; o['a'].append(s.split(','))",
    "shared": "r = [[], [], []]; o = {'a': r}; o['a'][n - 2].append(1)",
}
MODULES_OF = {
    "assert.equals": "[assert.try_to(lambda: assert.equals(pw, 'h'))[1]] * n",
    "assert.fail": "[assert.try_to(lambda: assert.fail(pw))[1]] * n",
    "assert.max": "[assert.try_to(lambda: assert.max(n).check(2))[1]] * n",
    "assert.max_len": "[assert.try_to(lambda: assert.max_len(n).check('abc'))[1]] * n",
    "assert.min": "[assert.try_to(lambda: assert.min(n).check(2))[1]] * n",
    "assert.min_len": "[assert.try_to(lambda: assert.min_len(n).check('ab'))[1]] * n",
    "assert.not_null": "[assert.try_to(lambda: assert.not_null(pw))[1]] * n",
    "assert.one_not_null": "[assert.try_to(lambda: assert.one_not_null([pw]).check({pw: 1}))[1]] * n",
    "assert.one_of": "[assert.try_to(lambda: assert.one_of([pw]).check('h'))[1]] * n",
    "assert.try_to": "[1] if assert.try_to(lambda: {'h': 1}[pw])[1] else [1, 2]",
    "base64.decode": "list(base64.decode(data.values.b).elems())",
    "base64.encode": "list(base64.encode(s).elems())",
    "ip.parse_addr": "list(ip.parse_addr('1.1.1.%d' % (n * 4)).string().elems())",
    "ip.parse_cidr": "list(ip.parse_cidr('1.1.1.0/%d' % (n * 4))[1].string().elems())",
    "json.decode": 'json.decode(\'{"%s": 1, "h": 2}\' % s)',
    "json.encode": "list(json.encode(s.split(',')).elems())",
    **{
        f"math.{name}": f"list(range(int(math.{name}(n / 4.0) * 100) % 64))"
        for name in (
            "acos",
            "asin",
            "asinh",
            "atan",
            "atanh",
            "cos",
            "cosh",
            "degrees",
            "exp",
            "fabs",
            "gamma",
            "log",
            "radians",
            "sin",
            "sinh",
            "sqrt",
            "tan",
            "tanh",
        )
    },
    "math.acosh": "list(range(int(math.acosh(n) * 10)))",
    "math.ceil": "list(range(math.ceil(n * 1.5)))",
    "math.floor": "list(range(math.floor(n * 1.5)))",
    "math.round": "list(range(int(math.round(n * 1.6))))",
    **{
        f"math.{name}": f"list(range(int(math.{name}(n, 2.0) * 10) % 97))"
        for name in ("atan2", "hypot", "log", "mod", "pow")
    },
    "math.copysign": "list(range(int(math.copysign(n, 1.0))))",
    "math.remainder": "list(range(int(math.remainder(n, 7.0) + 5)))",
    "math.e": "[math.e] * n",
    "math.pi": "[math.pi] * n",
    "md5.sum": "list(md5.sum(pw).split('a'))",
    "module.make": "dir(module.make('m', **{s: 1}))",
    "overlay.all": "[overlay.all(0, pw, 1)] * n",
    "overlay.and_op": "[overlay.and_op(lambda i, l, r: l == 'h')(0, pw, 1)] * n",
    "overlay.apply": "overlay.apply({'h': [0], 'q': [0]}, yaml.decode('{%s: [%s]}' % (pw, s)))",
    "overlay.index": "[overlay.index(n)(2, 1, 1)] * n",
    "overlay.map_key": "[overlay.map_key('k')(0, {'k': pw}, {'k': 'h'})] * n",
    "overlay.not_op": "[overlay.not_op(lambda i, l, r: l == 'h')(0, pw, 1)] * n",
    "overlay.or_op": "[overlay.or_op(lambda i, l, r: l == 'h')(0, pw, 1)] * n",
    "overlay.subset": "[overlay.subset({'k': pw})(0, {'k': 'h'}, 1)] * n",
    "regexp.match": "D(regexp.match(pw, 'h'), True)",
    "regexp.replace": "list(regexp.replace(pw, 'hhq', '').elems())",
    "sha256.sum": "list(sha256.sum(pw).split('a'))",
    "struct.bind": "struct.bind(lambda x: x.split(','), s)()",
    "struct.decode": "struct.decode(struct.make(**{pw: s.split(',')}))",
    "struct.encode": "struct.encode({pw: s.split(',')})",
    "struct.make": "struct.make(a=s.split(','))",
    "struct.make_and_bind": "struct.make_and_bind(s.split(','), f=lambda x: x).f()",
    "template.replace": "[template.replace] and s.split(',')",  # as an annotation, below
    "toml.decode": "toml.decode('k = [%s]' % ','.join(['1'] * n))",
    "toml.encode": "list(toml.encode({'k': s.split(',')}).elems())",
    "url.parse": "url.parse('http://x/?' + s).string().split('b')",
    "url.path_segment_decode": "list(url.path_segment_decode(s).elems())",
    "url.path_segment_encode": "list(url.path_segment_encode(s).elems())",
    "url.query_param_value_decode": "list(url.query_param_value_decode(s).elems())",
    "url.query_param_value_encode": "list(url.query_param_value_encode(s).elems())",
    "url.query_params_decode": "url.query_params_decode('h=1&%s=2' % pw)",
    "url.query_params_encode": "list(url.query_params_encode({'k': s.split(',')}).elems())",
    "version.require_at_least": "[version.require_at_least('0.%d.0' % n)] * n",
    "yaml.decode": "yaml.decode('[' + s + ']')",
    "yaml.encode": "list(yaml.encode(s.split(',')).elems())",
}
_LEFT = "#@ def left():\nm:\n  h: 1\n  z: 2\nl:\n- name: h\n- name: z\n- name: y\n- name: x\n- name: w\n#@ end\n"


def _applied(*lines: str) -> str:
    return (
        f"{_LEFT}#@ def right():\n"
        + "".join(f"{line}\n" for line in lines)
        + "#@ end\n#@ r = overlay.apply(left(), right())\n"
    )


def _map(annotation: str, item: str = "new: 3") -> str:
    return _applied("m:", f"  {annotation}", *(f"  {line}" for line in item.split("\n")))


def _list(match: str, more: str = "#@overlay/remove") -> str:
    return _applied("l:", f"{match}", more, "- name: new")


_KEY = "#@yaml/text-templated-strings\n(@= pw @): 3"
# Each argument of an annotation of overlays and templates: `r` is the result.
ANNOTATIONS = {
    "overlay/match by": _list("#@overlay/match by=overlay.index(n)"),
    "overlay/match by, a function": _list("#@overlay/match by=lambda i, l, r: l['name'] == pw, expects='0+'"),
    "overlay/match by, positional": _list("#@overlay/match overlay.index(n)"),
    "overlay/match by, a key": _list("#@overlay/match by='name', expects='0+'").replace("- name: new", "- name: #@ pw"),
    "overlay/match expects": _map("#@overlay/match expects='0+' if pw == 'h' else [1, '0+']", "z: 3"),
    "overlay/match missing_ok": _map("#@overlay/match missing_ok=len(s) > 1"),
    "overlay/match when": _map("#@overlay/match when=n - 1", "z: 3"),
    "overlay/match when, missing": _map(
        "#@overlay/match when=1 if pw == 'h' else lambda n: True", "z: 3\n#@overlay/match missing_ok=True\ny: 1"
    ),
    "overlay/match-child-defaults expects": _applied(
        "#@overlay/match-child-defaults expects='0+' if pw else 1", "m:", "  new: 1"
    ),
    "overlay/match-child-defaults missing_ok": _applied(
        "#@overlay/match-child-defaults missing_ok=len(s) > 1", "m:", "  new: 1"
    ),
    "overlay/match-child-defaults when": _applied("#@overlay/match-child-defaults when=n - 1", "m:", "  z: 1"),
    "overlay/replace via": _map("#@overlay/replace via=lambda l, r: s.split(',')", "z: 3"),
    "overlay/replace or_add": _map("#@overlay/match missing_ok=True\n  #@overlay/replace or_add=pw == 'h'"),
    "overlay/insert before": _list(
        "#@overlay/match by=overlay.index(1)", "#@overlay/insert before=pw == 'h', after=True"
    ),
    "overlay/insert after": _list(
        "#@overlay/match by=overlay.index(1)", "#@overlay/insert after=pw == 'h', before=True"
    ),
    "overlay/insert via": _list(
        "#@overlay/match by=overlay.index(1)", "#@overlay/insert before=True, via=lambda l, r: s.split(',')"
    ),
    "overlay/assert via": _map("#@overlay/assert via=lambda l, r: bool(pw)", "z: 3"),
    "overlay/remove": _map("#@overlay/match expects='0+'\n  #@overlay/remove", _KEY),
    "overlay/append": _applied("l:", "#@overlay/append", "- name: #@ s.split(',')"),
    "overlay/merge": _map("#@overlay/match missing_ok=True\n  #@overlay/merge", _KEY),
    "yaml/text-templated-strings": _map("#@overlay/match missing_ok=True", _KEY),
    "yaml/map-key-override": f"#@ def f():\n{_KEY}\n#@yaml/map-key-override\nh: 2\n#@ end\n#@ r = f()\n",
    "yaml/map-key-override of the first": f"#@ def f():\nh: 2\nz: 1\n#@yaml/map-key-override\n{_KEY}\n#@ end\n#@ r = f()\n",
    "template/value": "#@ def f():\na: #@ s.split(',')\n#@ end\n#@ r = f()\n",
    "template/code": "#@ def f():\na: 1\n#@ if len(s.split(',')) == 2:\nb: 1\n#@ end\n#@ end\n#@ r = f()\n",
    "left key": _applied("m:", "  #@overlay/match missing_ok=True", "  h: 3").replace(
        "  h: 1\n", "  #@yaml/text-templated-strings\n  (@= pw @): 1\n"
    ),
    "left key removed": _applied("m:", "  #@overlay/match expects='0+'", "  #@overlay/remove", "  h: 3").replace(
        "  h: 1\n", "  #@yaml/text-templated-strings\n  (@= pw @): 1\n"
    ),
    "a map on the right": "#@ r = overlay.apply({'m': {'h': 1, 'q': 2}}, {'m': yaml.decode(pw + ': 1')})\n",
    "template.replace": "#@ def f():\nh: 2\n_: #@ template.replace({pw: 1})\n#@ end\n#@ r = f()\n",
    "template.replace, decoded": "#@ def f():\nh: 2\n_: #@ template.replace(yaml.decode('{%s}' % s))\n#@ end\n#@ r = f()\n",
    "template.replace, a list": "#@ def f():\na:\n- 1\n- #@ template.replace(s.split(','))\n#@ end\n#@ r = f()\n",
}
# The argument decides whether there is an error, and nothing else.
SAME = {
    "annotation overlay/match expects",
    "annotation overlay/match missing_ok",
    "annotation overlay/match when, missing",
    "annotation overlay/match-child-defaults expects",
    "annotation overlay/match-child-defaults missing_ok",
    "annotation overlay/assert via",
}
# Annotations that take no argument which a secret can be in, or which are about other things than shapes.
WITHOUT = {
    "data/values": "no arguments but the names of libraries, in quotes",
    "data/values-schema": "no arguments but the names of libraries, in quotes",
    "library/ref": "test_decisions.py: a library that a secret chooses",
    "assert/validate": "test_decisions.py: rules and their messages",
    "output/file": "test_decisions.py: paths of output files",
    "overlay/inside": "a form of text, in quotes",
    **dict.fromkeys(
        [
            f"schema/{name}"
            for name in (
                "default", "deprecated", "desc", "examples", "nullable", "title", "type", "validation", "key", "one-of",
                "required", "secret",
            )
        ],
        "schemas are evaluated before there are data values",
    ),
}  # fmt: skip
PROGRAMS: dict[str, str] = {}
for _kind, _entries in (
    ("builtin", BUILTINS), ("method", METHODS_OF), ("operator", OPERATORS), ("assignment", ASSIGNMENTS),
    ("module", MODULES_OF),
):  # fmt: skip
    for _name, _text in _entries.items():
        _statements = _text.split("; ") if _text.startswith(("r =", "k =")) else [f"r = {_text}"]
        PROGRAMS[f"{_kind} {_name}"] = "".join(f"#@ {one}\n" for one in _statements)
for _name, _text in ANNOTATIONS.items():
    PROGRAMS[f"annotation {_name}"] = _text
# The result as a node, in other containers, as a part of a text, in a loop, in a condition, and where it is printed.
USES = (
    "x: #@ r\nwithin: #@ {'a': [r, {'b': r}], 'c': (r, 1)}\n#@ def g(v):\na: #@ v\n#@ end\ncall: #@ g(r)\n"
    "count: #@ [1] * len(repr(r))\n#@ print(len(repr(r)))\n#@ print(r)\nfree: 1\n"
)
LOOPS = (
    "loop:\n#@ for k in r:\n-  each\n#@ end\n#@ kk = [k for k in r]\n#@ print(len(kk))\n#@ print(kk)\nkk: #@ kk\n"
    "#@ print(len(r))\nlist: #@ list(r)\n"
)
# What cannot be iterated.
_ONE = ("module struct.make",)


PROGRAMS = {name: text + USES + ("" if name in _ONE else LOOPS) for name, text in PROGRAMS.items()}


def said(program: str, secret: dict[str, object], *, trace: bool) -> tuple[str, list[str], str]:
    """How a run ends, all that it says besides its output, and the output."""
    try:
        made = plait.render({"a.yml": HEAD + program}, secrets=secret, trace=trace)  # type: ignore[arg-type]
    except plait.PlaitError as error:
        return "failed", [error.report()], ""
    told = [str(one) for one in plait.explain(made)] if trace else []
    return "made", [*made.printed, *made.warnings, *told], made.to_yaml()


@pytest.mark.parametrize("name", PROGRAMS)
def test_the_shape_of_what_is_made_of_a_secret_is_not_told(name: str) -> None:
    for trace in (True, False):
        first, second = (said(PROGRAMS[name], one, trace=trace) for one in (FIRST, SECOND))
        assert first[0] == second[0] == "made", (first[1], second[1])
        assert first[1] == second[1]
        assert not any("free" in line and "secret" in line for line in first[1])


def test_the_outputs_differ() -> None:
    """The test above compares something."""
    same = {
        name
        for name, text in PROGRAMS.items()
        if said(text, FIRST, trace=False)[2] == said(text, SECOND, trace=False)[2]
    }
    assert same == SAME


def test_every_way_has_an_entry() -> None:
    assert set(UNIVERSAL) == set(BUILTINS)
    methods = {f"{kind.__name__.lower()}.{name}" for kind, rows in METHODS.items() for name in rows}
    assert methods == set(METHODS_OF)
    assert set(_LEVEL) <= set(OPERATORS)
    assert set(_ASSIGNMENTS) <= set(ASSIGNMENTS)
    members = {f"{name}.{member}" for name in MODULES for member in load_module(name, Context()).attr_names()}
    assert members == set(MODULES_OF)
    arguments = {f"overlay/match {name}" for name in ("by", *KEYWORDS)}
    arguments |= {f"overlay/match-child-defaults {name}" for name in KEYWORDS}
    arguments |= {f"overlay/{action} {name}" for action, names in _ACTION_KEYWORDS.items() for name in names}
    assert arguments <= set(ANNOTATIONS)
    annotations = {name.removeprefix("@") for name in (*KNOWN_BY_NAME, *ADDED)}
    covered = {name.split(" ")[0] for name in ANNOTATIONS}
    assert annotations == (annotations & covered) | set(WITHOUT)
