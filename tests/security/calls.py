"""Single calls that ask for much: of every builtin, method, operator and module function, with arguments as large as the
limits allow. No step is counted within one call, so what it costs has to be known before it is made.

`python tests/security/calls.py [--isolated | --command] [NAME...]` runs each in a process of its own and prints a table:
the operation, how it ended, seconds, and MiB beyond what the process had before. `test_calls.py` holds them to their bounds.
"""

from __future__ import annotations

import os
import pathlib
import subprocess
import sys
import tempfile
import time

SOURCES = pathlib.Path(__file__).resolve().parents[2] / "src"

# What the expressions are made of; only those that one names are put before it.
NAMES = {
    "s": '"a" * 30000000',
    "sb": '"a" * 30000000 + "b"',
    "sc": '"a" * 30000000 + "c"',
    "t": '"ab" * 15000000',
    "u": '"ā" * 30000000',
    "spaces": '" " * 30000000',
    "lines": '"a\\n" * 15000000',
    "digits": '"9" * 30000000',
    "nested": '"[" * 900 + "]" * 900',
    "n": "1 << 8000",
    "items": "[0] * 4000000",
    "texts": '["a" * 1000] * 1000000',
    "same": "[sb, sc] * 100000",
    "numbers": "list(range(1000000))",
    "colliding": "[i * 2305843009213693951 for i in range(60000)]",
    "floats": "[0.5] * 4000000",
    "table": "{i: i for i in range(500000)}",
    "pairs": "[(i, i) for i in range(300000)]",
}
# Names that are made by statements: a value within itself many times over.
SHARED = {
    "tuples": "#@ tuples = (1,)\n#@ for _ in range(40):\n#@   tuples = (tuples, tuples)\n#@ end\n",
    "lists": "#@ lists = [1]\n#@ for _ in range(40):\n#@   lists = [lists, lists]\n#@ end\n",
    "dicts": "#@ dicts = {}\n#@ for _ in range(40):\n#@   dicts = {'a': dicts, 'b': dicts}\n#@ end\n",
    "lists2": "#@ lists2 = [1]\n#@ for _ in range(40):\n#@   lists2 = [lists2, lists2]\n#@ end\n",
    "tuples2": "#@ tuples2 = (1,)\n#@ for _ in range(40):\n#@   tuples2 = (tuples2, tuples2)\n#@ end\n",
    "dicts2": "#@ dicts2 = {}\n#@ for _ in range(40):\n#@   dicts2 = {'a': dicts2, 'b': dicts2}\n#@ end\n",
    "wide": "#@ wide = [0] * 1000\n#@ for _ in range(3):\n#@   wide = [wide] * 100\n#@ end\n",
    "wide2": "#@ wide2 = [0] * 1000\n#@ for _ in range(3):\n#@   wide2 = [wide2] * 100\n#@ end\n",
    "deep": "#@ deep = []\n#@ for _ in range(100000):\n#@   deep = [deep]\n#@ end\n",
    "deep2": "#@ deep2 = []\n#@ for _ in range(100000):\n#@   deep2 = [deep2]\n#@ end\n",
    "structs": '#@ load("@ytt:struct", "struct")\n#@ structs = struct.make(a=1)\n#@ for _ in range(40):\n'
    "#@   structs = struct.make(a=structs, b=structs)\n#@ end\n",
    "fragments": "#@ def twice(x):\na: #@ x\nb: #@ x\n#@ end\n#@ fragments = twice(1)\n#@ for _ in range(40):\n"
    "#@   fragments = twice(fragments)\n#@ end\n",
    "deeper": "#@ deeper = ()\n#@ for _ in range(100000):\n#@   deeper = (deeper,)\n#@ end\n",
}
NEEDS = {"same": ["sb", "sc"]}

EXPRESSIONS = """
s.capitalize()
s.codepoint_ords()
list(s.codepoint_ords())
list(s.codepoints())
list(u.codepoints())
list(s.elem_ords())
list(s.elems())
list(u.elems())
s.count("a")
s.count("ab")
t.count("a" * 15000000 + "b")
s.count("a" * 15000000 + "b")
s.endswith(tuple(["b"] * 1000000))
s.endswith(s)
s.find("a" * 15000000 + "b")
("a" * 30000000).find("b" + "a" * 15000000)
t.find("ba" * 7000000 + "c")
("{}" * 10000000).format()
("{0}" * 10000000).format(s)
"{}{}{}{}{}{}{}{}{}{}".format(s, s, s, s, s, s, s, s, s, s)
"{a}".format(a=lists)
("{{" * 15000000).format()
s.index("a" * 15000000 + "b")
s.isalnum()
u.isalpha()
digits.isdigit()
s.islower()
spaces.isspace()
s.istitle()
t.istitle()
s.isupper()
",".join(texts)
s.join(["a"] * 1000000)
s.join(items)
",".join("a" * 30000000)
u.lower()
("İ" * 15000000).lower()
s.lstrip("b" * 30000000 + "a")
spaces.lstrip()
s.partition("b")
s.partition("a" * 15000000 + "b")
s.replace("a", "bb")
s.replace("", "b")
s.replace("a", "b" * 30000000)
s.replace("a" * 15000000 + "b", "c")
s.rfind("b" + "a" * 15000000)
s.rfind("a" * 15000000 + "b")
("ab" * 15000000).rfind("b" * 1000 + "ab" * 7000000)
s.rindex("b" + "a" * 15000000)
s.rpartition("b" + "a" * 15000000)
s.rsplit("a")
s.rsplit("b" + "a" * 15000000)
spaces.rsplit()
("a " * 15000000).rsplit()
s.rstrip("b" * 30000000 + "a")
spaces.rstrip()
s.split("a")
("a " * 15000000).split()
s.split("a" * 15000000 + "b")
lines.splitlines()
lines.splitlines(True)
s.startswith(tuple(["b"] * 1000000))
s.strip("b" * 30000000 + "a")
s.title()
t.title()
u.upper()
("ŉ" * 10000000).upper()
("ﬃ" * 10000000).upper()
all([1] * 4000000)
any([0] * 4000000)
bool(s)
dict(pairs)
dict([[i, i] for i in range(300000)])
dict([(c, 1) for c in colliding])
{c: 1 for c in colliding}
dir(s)
list(enumerate(items))
fail(s)
fail(*texts)
float(digits)
float("0." + digits)
float(n)
hash(s)
hash(u)
hash("a" * 30000000 + "b")
int(digits)
int("0x" + digits, 16)
int("1" * 3000)
int(digits, 36)
int(1e308)
len(items)
list(range(2000000000))
list(range(4000000))
max(items)
max(same)
min(floats)
min(same)
print(s)
print(*texts)
print(lists)
repr(s)
repr(u)
repr("\\x00" * 30000000)
repr(items)
repr(lists)
repr(deep)
repr(dicts)
repr(tuples)
list(reversed(items))
list(reversed(numbers))
set(numbers)
set(colliding)
sorted(numbers)
sorted(same)
sorted(numbers, key=lambda x: -x)
sorted([sb + str(i) for i in range(4)] * 10000)
sorted(colliding, reverse=True)
sorted(pairs)
sorted([deeper] * 1000)
sorted([tuples, tuples2] * 100)
str(items)
str(lists)
str(wide)
str(n)
str(tuples)
tuple(items)
list(zip(items, items, items, items))
zip(*[items] * 100)
items.index(1)
same.index("x")
items.insert(0, 1)
items.remove(1)
items.extend(items)
items.append(items)
[sb].index(sc)
table.items()
table.keys()
table.values()
table.update(pairs)
table.update([(c, 1) for c in colliding])
{}.update(table)
{tuples: 1}
{deeper: 1}
{tuples: 1}.get(tuples2)
table.get(tuples)
set([tuples, tuples2])
set(numbers).union(colliding)
set(numbers).union(numbers)
items + items
items * 2
[0] * 2000000000
(0,) * 2000000000
s * 2
"ab" * 2000000000
s + s
n * n
n << 8000
1 << 2000000000
n // 3
(n * 3) % n
n % 7
"%s" % s
"%s%s" % (s, s)
"%r" % s
"%r" % lists
"%d" % n
("%s" * 10000) % tuple([s] * 10000)
"%s" % (lists,)
lists == lists2
tuples == tuples2
dicts == dicts2
wide == wide2
deep == deep2
lists < lists2
wide < wide2
same == [sc, sb] * 100000
[sb] * 1000000 == ["a" * 30000000 + "b"] * 1000000
sb == sc
sb < sc
sb in sc
sc in same
("a" * 15000000 + "b") in s
2000000 in items
tuples in [tuples2]
tuples in table
lists in [lists2]
-1 in range(2000000000)
5.5 in range(2000000000)
s[::-1]
s[::2]
items[::-1]
u[1:29999999]
items[1:]
table | table
set(numbers) | set(colliding)
[x for x in s.elems()]
[x for x in range(2000000000)]
{x: [0] * 1000 for x in range(100000)}
regexp.match("a*b", s)
regexp.match("(a|aa)+$", sb)
regexp.match("(.*)(.*)(.*)(.*)b", s)
regexp.match("(a?){1000}b", s)
regexp.match("[a-z]{1000}b", s)
regexp.match("(((((a{10}){10}){10}){10}){10})", s)
regexp.match("(" * 900 + ")" * 900, s)
regexp.match("|".join(["a" * 1000] * 1000), s)
regexp.match(s, s)
regexp.replace("a", s, "b" * 1000)
regexp.replace("", s, "b")
regexp.replace("a", s, lambda m: m)
regexp.replace("a.*b|a", s, "c")
regexp.replace("a.*b|a", "a" * 100000, "c")
regexp.replace("(a*)*b|c", s, "$1$1$1$1")
base64.encode(s)
base64.decode("YWFh" * 7500000)
base64.encode(u)
md5.sum(s)
sha256.sum(s)
sha256.sum(u)
json.encode(s)
json.encode(items)
json.encode(lists)
json.encode(wide)
json.encode(deep)
json.encode(dicts)
json.encode(table)
json.encode(items, indent=8)
json.encode(deep, indent=8)
json.encode(wide, indent=8)
json.encode(u, escape_html=False)
json.encode("<" * 30000000)
json.decode("[" + "1," * 10000000 + "1]")
json.decode("[" * 30000000)
json.decode('"' + "a" * 30000000 + '"')
json.decode('"' + "\\\\u0101" * 5000000 + '"')
json.decode(digits)
json.decode("{" + ",".join(['"%s":1' % i for i in range(200000)]) + "}")
json.decode(" " * 30000000 + "1")
json.decode("1e" + "9" * 30000000)
json.decode(nested)
yaml.encode(s)
yaml.encode(u)
yaml.encode(lines)
yaml.encode("a " * 15000000)
yaml.encode("'" * 30000000)
yaml.encode("\\x01" * 30000000)
yaml.encode(items)
yaml.encode(lists)
yaml.encode(wide)
yaml.encode(deep)
yaml.encode(dicts)
yaml.encode(table)
yaml.decode("a: 1\\n" * 6000000)
yaml.decode("- a\\n" * 7000000)
yaml.decode("[" + "1," * 15000000 + "1]")
yaml.decode("[" * 30000000)
yaml.decode("- " * 15000000)
yaml.decode(s)
yaml.decode("'" + "a" * 30000000 + "'")
yaml.decode('"' + "\\\\x41" * 7000000 + '"')
yaml.decode("a: |\\n" + "  a\\n" * 7000000)
yaml.decode("a: >\\n" + "  a\\n" * 7000000)
yaml.decode("#" + s)
yaml.decode("# a\\n" * 7000000)
yaml.decode("\\n" * 30000000)
yaml.decode(spaces)
yaml.decode("a:\\n" + spaces)
yaml.decode("&" + s + " 1")
yaml.decode("!" + s + " 1")
yaml.decode("? " * 15000000)
yaml.decode("a: &a [1]\\n" + "".join(["b%d: *a\\n" % i for i in range(200000)]))
yaml.decode("a: &a {b: 1}\\n<<: [" + "*a," * 1000000 + "]")
yaml.decode("{" + "a," * 10000000 + "}")
yaml.decode("a: " + digits)
yaml.decode("a: 0x" + digits)
yaml.decode("a: 1:" + "59:" * 9000000 + "1")
yaml.decode("a: 1" + "_" * 29000000 + "1")
yaml.decode("a: 2001-01-01 " + spaces)
yaml.decode("".join(["%d: 1\\n" % (i * 2305843009213693951) for i in range(60000)]))
toml.encode({"a": s})
toml.encode({"a": items})
toml.encode({"a": lists})
toml.encode({"a": wide})
toml.encode(dicts)
toml.encode({"a": dicts}, indent=8)
toml.encode({"a": [{"b": 1}] * 300000})
toml.encode(table)
toml.decode("a = 1\\n" * 5000000)
toml.decode("a = [" + "1," * 10000000 + "]")
toml.decode("a = " + "[" * 900 + "]" * 900)
toml.decode("a = " + digits)
toml.decode('a = "' + "a" * 29000000 + '"')
toml.decode("".join(["[a%d]\\n" % i for i in range(200000)]))
toml.decode("[" + "a." * 10000000 + "a]")
toml.decode("a" + ".a" * 10000000 + " = 1")
toml.decode("a" + ".a" * 50000 + " = 1")
toml.decode("".join(["a%d" % i + ".a" * 990 + " = 1\\n" for i in range(5000)]))
toml.decode("[a" + ".a" * 990 + "]\\n" + "".join(["b%d = 1\\n" % i for i in range(500000)]))
toml.decode("[a" + ".a" * 990 + "]\\n" + "".join(["b%d" % i + ".a" * 50 + " = 1\\n" for i in range(300)]))
toml.decode('a = "' + '\\"' * 10000000)
url.path_segment_encode(s)
url.path_segment_encode(u)
url.query_param_value_encode("/" * 30000000)
url.query_param_value_decode("%41" * 10000000)
url.query_params_encode({"a": ["b"] * 1000000})
url.query_params_decode("a=b&" * 7000000)
url.parse("http://a/" + s)
url.parse("http://" + "a." * 15000000)
url.parse("http://[" + "1:" * 15000000)
ip.parse_addr(digits)
ip.parse_addr("1:" * 15000000)
ip.parse_cidr("10.0.0.0/" + digits)
version.parse(digits + ".0.0")
version.parse("1.0.0-" + "a." * 14000000 + "a")
version.parse("1.0.0+" + s)
version.require_at_least(digits + ".0.0")
struct.encode(lists)
struct.encode(wide)
struct.encode(dicts)
struct.encode(table)
struct.decode(struct.encode(table))
struct.make(**{"a%d" % i: i for i in range(300000)})
struct.decode(structs)
struct.encode({"a": structs})
yaml.encode(structs)
json.encode(structs)
toml.encode({"a": structs})
assert.equals(structs, 1)
str(structs)
[structs] == [1]
struct.decode(fragments)
struct.encode({"a": fragments})
yaml.encode(fragments)
json.encode(fragments)
toml.encode(fragments)
toml.encode({"a": [fragments]})
url.query_params_encode(fragments)
assert.equals(fragments, 1)
assert.min_len(1).check(fragments)
overlay.apply(fragments, fragments)
overlay.apply({"a": 1}, fragments)
overlay.apply(fragments, {"a": 1})
template.replace(fragments)
str(fragments)
dict(fragments)
list(fragments)
[fragments] == [1]
{fragments: 1}
math.pow(n, n)
math.floor(1e308)
math.gamma(170)
assert.equals(items, items + [1])
assert.equals(table, {})
assert.equals(lists, lists2)
assert.equals(wide, wide2)
assert.equals(sb, sc)
assert.contains(items, 1)
assert.contains(sb, sc)
assert.max_len(10).check(s)
assert.one_of(items).check(1)
assert.one_of(same).check("x")
assert.try_to(lambda: sorted(same))
overlay.apply(yaml.decode("a: 1"), yaml.decode("b: 1"))
getattr(s, s)
hasattr(struct.make(a=1), s)
chr(1114111)
ord("a")
reversed(range(2000000000))
max(range(2000000000))
sorted(range(2000000000))
sum
str(range(2000000000))
range(2000000000) == range(2000000001)
tuple(range(4000000))
set(range(4000000))
dict(zip(range(2000000), range(2000000)))
"""

MODULES = ["assert", "base64", "ip", "json", "math", "md5", "overlay", "regexp", "sha256", "struct", "template", "toml", "url",
           "version", "yaml"]  # fmt: skip


def words_of(expression: str) -> set[str]:
    """Every name in an expression; the n of a line break is none."""
    expression = expression.replace("\\n", " ")
    return set("".join(c if c.isalnum() or c == "_" else " " for c in expression).split())


def template(expression: str) -> str:
    """A template that evaluates an expression and prints nothing of it."""
    words = words_of(expression)
    loaded = [name for name in MODULES if f"{name}." in expression and not (name == "struct" and "structs" in words)]
    lines = [f'#@ load("@ytt:{name}", "{name}")\n' for name in loaded]
    for name in [need for word in words for need in NEEDS.get(word, [])] + sorted(words):
        if name in NAMES:
            lines.append(f"#@ {name} = {NAMES[name]}\n")
        elif name in SHARED:
            lines.append(SHARED[name])
    return "".join([*lines, f"#@ r = {expression}\n", "a: 1\n"])


# Seconds after which a call that has not come back is ended.
LONGEST = 20

POLICY = (
    "schema: deckhand/LayeringPolicy/v1\n"
    "metadata: {schema: metadata/Control/v1, name: order}\ndata: {layerOrder: [site]}\n"
)


def layered(name: str, data: str, substitutions: str = "[]") -> str:
    """A document of the layer `site`."""
    return (
        f"---\nschema: demo/Any/v1\nmetadata: {{schema: metadata/Document/v1, name: {name}, layeringDefinition: "
        f"{{layer: site}}, substitutions: {substitutions}}}\ndata: {data}\n"
    )


def substitution(source: str, **more: str) -> str:
    """One substitution from the document `one`."""
    rest = "".join(f", {key}: {value}" for key, value in more.items())
    return f"[{{src: {{schema: demo/Any/v1, name: one, path: {source}{rest}}}, dest: {{path: .b}}}}]"


def others() -> dict[str, tuple[str, dict[str, str]]]:
    """Operations that are no expressions: name -> function of the API, and its files.

    Of `patch` the files are base.yml, ops.yml and vars.yml.
    """
    many = "".join(f"k{i}: 1\n" for i in range(2500))
    found: dict[str, tuple[str, dict[str, str]]] = {
        f"print {name}": ("render", {"a.yml": f"{code}a: #@ {name}\n"})
        for name, code in SHARED.items()
        if not name.endswith("2")
    }
    found |= {
        f"print {name} as text": ("render", {"a.txt": f"(@ {_program(code)} @)(@= str({name}) @)"})
        for name, code in SHARED.items()
        if not name.endswith("2") and name.startswith(("list", "tuple", "dict", "wide"))
    }
    found |= {
        "print a long text": ("render", {"a.yml": '#@ s = "a" * 30000000\na: #@ s\nb: #@ s\nc: #@ s\n'}),
        "print long lines": ("render", {"a.yml": '#@ s = "a b\\n" * 7000000\na: #@ s\n'}),
        "print a text that is quoted": ("render", {"a.yml": '#@ s = "\\x01" * 30000000\na: #@ s\n'}),
        "print a number": ("render", {"a.yml": "a: #@ 1 << 8000\n"}),
        "a schema of many keys, for many items": (
            "render",
            {
                "s.yml": "#@data/values-schema\n---\nlist:\n- " + many.replace("\n", "\n  ").rstrip() + "\n",
                "v.yml": "#@data/values\n---\nlist:\n" + "- {}\n" * 10000,
            },
        ),
        "a validation that goes through much": (
            "render",
            {
                "s.yml": "#@data/values-schema\n---\n#@schema/validation ('x', lambda v: 'b' in 'a' * 30000000)\nlist: 1\n",
                "a.yml": "a: 1\n",
            },
        ),
        "one_of many": (
            "render",
            {
                "s.yml": "#@data/values-schema\n---\n#@schema/validation one_of=[str(i) for i in range(1000000)]\nlist: x\n",
                "a.yml": "a: 1\n",
            },
        ),
        "overlays that append to many": (
            "render",
            {
                "a.yml": "#@ for i in range(3000):\n- #@ i\n#@ end\n",
                "o.yml": '#@ load("@ytt:overlay", "overlay")\n#@overlay/match by=overlay.all\n---\n#@ for i in range(3000):\n'
                "#@overlay/match by=overlay.index(0)\n#@overlay/insert before=True\n- #@ i\n#@ end\n",
            },
        ),
        "an overlay that compares long texts": (
            "render",
            {
                "a.yml": '#@ s = "a" * 30000000 + "b"\n#@ for i in range(3000):\n- #@ {"name": s}\n#@ end\n',
                "o.yml": '#@ load("@ytt:overlay", "overlay")\n#@ s = "a" * 30000000 + "c"\n'
                '#@overlay/match by=overlay.all\n---\n#@overlay/match by="name", missing_ok=True\n- name: #@ s\n',
            },
        ),
        "a text template of many lines": ("render", {"a.txt": "(@ for i in range(3000000): @)x\n(@ end @)"}),
        "a pointer of many steps": (
            "patch",
            {"base.yml": "a: 1\n", "ops.yml": f"- {{type: remove, path: {'/a' * 100000}}}\n"},
        ),
        "a pointer that makes maps": (
            "patch",
            {"base.yml": "a: {}\n", "ops.yml": f"- {{type: replace, path: '/b?{'/a' * 900}', value: 1}}\n" * 2000},
        ),
        "operations that insert before": (
            "patch",
            {"base.yml": "a: [0]\n", "ops.yml": "- {type: replace, path: '/a/0:before', value: 1}\n" * 30000},
        ),
        "operations that search": (
            "patch",
            {
                "base.yml": "a:\n" + "".join(f"- name: n{i}\n" for i in range(5000)),
                "ops.yml": "- {type: replace, path: /a/name=n4999/x?, value: 1}\n" * 20000,
            },
        ),
        "many placeholders": (
            "patch",
            {"base.yml": "a: " + "((b))" * 100000 + "\n", "vars.yml": "b: " + "x" * 10000 + "\n"},
        ),
        "variables that name variables": (
            "patch",
            {
                "base.yml": "a: ((v0))\n",
                "vars.yml": "".join(f"v{i}: '((v{i + 1}))((v{i + 1}))'\n" for i in range(40)) + "v40: x\n",
            },
        ),
        "a long password": (
            "patch",
            {"base.yml": "a: ((p))\nvariables: [{name: p, type: password, options: {length: 2000000000}}]\n"},
        ),
        "many passwords": (
            "patch",
            {
                "base.yml": "variables:\n"
                + "".join(f"- {{name: p{i}, type: password, options: {{length: 100000}}}}\n" for i in range(1000))
                + "a: ["
                + ",".join(f"((p{i}))" for i in range(1000))
                + "]\n"
            },
        ),
        "many keys": (
            "patch",
            {
                "base.yml": "variables:\n"
                + "".join(f"- {{name: p{i}, type: rsa}}\n" for i in range(300))
                + "a: ["
                + ",".join(f"((p{i}))" for i in range(300))
                + "]\n"
            },
        ),
        "a certificate with many names": (
            "patch",
            {
                "base.yml": "a: ((c))\nvariables: [{name: c, type: certificate, options: {is_ca: true, common_name: x, "
                f"alternative_names: [{','.join(f'n{i}.example' for i in range(200000))}]}}}}]\n"
            },
        ),
        "a certificate for longer than there is time": (
            "patch",
            {
                "base.yml": "a: ((c))\nvariables: [{name: c, type: certificate, options: {is_ca: true, common_name: x, "
                "duration: 99999999999999999999}}]\n"
            },
        ),
        "documents that each take another one twice": (
            "layer",
            {
                "a.yml": POLICY
                + layered("n0", "{x: 1}")
                + "".join(
                    layered(
                        f"n{i}",
                        "{a: 1, b: 2}",
                        f"[{{src: {{schema: demo/Any/v1, name: n{i - 1}, path: .}}, dest: [{{path: .a}}, {{path: .b}}]}}]",
                    )
                    for i in range(1, 40)
                )
            },
        ),
        "a pattern that goes back": (
            "layer",
            {
                "a.yml": POLICY
                + layered("one", "{a: " + "a" * 40000 + "b}")
                + layered("two", "{b: x}", substitution(".a", pattern="'(a+)+$'"))
            },
        ),
        "a pattern with one quantifier": (
            "layer",
            {
                "a.yml": POLICY
                + layered("one", "{a: " + "a" * 3000000 + "b}")
                + layered("two", "{b: x}", substitution(".a", pattern="'a*c'"))
            },
        ),
        "a path that goes down many times": (
            "layer",
            {
                "a.yml": POLICY
                + layered("one", "{a: " + "{a: " * 200 + "1" + "}" * 200 + "}")
                + layered("two", "{b: x}", substitution("$" + "..a" * 200))
            },
        ),
        "a long path": (
            "layer",
            {"a.yml": POLICY + layered("one", "{a: 1}") + layered("two", "{b: x}", substitution("$" + ".a" * 1000000))},
        ),
        "many paths": (
            "layer",
            {
                "a.yml": POLICY
                + layered("one", "{a: 1}")
                + "".join(layered(f"d{i}", "{b: x}", substitution(".a" + f"{i}" * 20000)) for i in range(500))
            },
        ),
        "many documents of one name": ("layer", {"a.yml": POLICY + layered("one", "{a: 1}") * 20000}),
        "many substitutions of one text": (
            "layer",
            {
                "a.yml": POLICY
                + layered("one", "{a: " + "a" * 1000000 + "}")
                + "".join(layered(f"d{i}", "{b: x}", substitution(".a", pattern="b")) for i in range(2000))
            },
        ),
    }
    return found


def _program(code: str) -> str:
    return code.replace("#@ ", "").replace("\n", " @)(@ ").removesuffix(" @)(@ ")


def calls() -> dict[str, tuple[str, dict[str, str]]]:
    """All of them: name -> function of the API, and its files."""
    expressions = [line for line in EXPRESSIONS.splitlines() if line]
    return {**{line: ("render", {"a.yml": template(line)}) for line in expressions}, **others()}


# What runs one call, in the directory of its files; it prints seconds, MiB, and how the call ended.
API = """
import os, sys, time, pathlib, plait
from plait.base.errors import PlaitError
isolated, function = sys.argv[1] == "isolated", sys.argv[2]
files = {p.name: p for p in map(pathlib.Path, sorted(os.listdir()))}
limits = {"seconds": float(sys.argv[3])}
if function == "patch":
    given = dict(operations=[files["ops.yml"]] if "ops.yml" in files else [], variables_files=[files["vars.yml"]] if "vars.yml" in files else [])
    inputs = files["base.yml"]
else:
    given, inputs = {}, list(files.values())
if isolated:
    given["isolated"] = True
getattr(plait, function)({"a.yml": "a: 1"}, **({"isolated": True} if isolated else {})) if function != "layer" else plait.read({"a.yml": "a: 1"}, isolated=isolated)
def pid():
    if not isolated:
        return os.getpid()
    from plait.api import workers
    return workers._WORKERS._idle[0]._process.pid
def status(key):
    with open(f"/proc/{process}/status") as lines:
        return next((int(line.split()[1]) for line in lines if line.startswith(key)), 0)
process = pid()
with open(f"/proc/{process}/clear_refs", "w") as out:
    out.write("5")
import threading
before, most, go_on = status("VmRSS"), 0, True
def watch():
    global most
    while go_on:
        try:
            most = max(most, status("VmHWM"))
        except OSError:
            return
        time.sleep(0.02)
if isolated:
    watcher = threading.Thread(target=watch)
    watcher.start()
start = time.monotonic()
cpu = sum(os.times()[:4])
try:
    result = getattr(plait, function)(inputs, limits=limits, **given).to_yaml()
    end = f"{len(result)} characters"
except PlaitError as error:
    end = f"{type(error).__name__} {getattr(error, 'limit', '')}: {error.message[:80]!r}"
seconds = time.monotonic() - start
go_on = False
if not isolated:
    most = status("VmHWM")
print(f"{seconds:.2f} {sum(os.times()[:4]) - cpu:.2f} {(most - before) >> 10} {end}")
"""


def run(name: str, how: str, directory: str, seconds: float = 2.0) -> tuple[float, float, int, str]:
    """Run one call: seconds by the clock, seconds of the processor, MiB, how it ended.

    how: "api", "isolated" or "command".
    """
    function, files = calls()[name]
    for file, text in files.items():
        (pathlib.Path(directory) / file).write_text(text, "utf-8")
    environment = {**os.environ, "PYTHONPATH": str(SOURCES)}
    if how != "command":
        argv = [sys.executable, "-c", API, how, function, str(seconds)]
        done = subprocess.run(
            argv, cwd=directory, env=environment, capture_output=True, text=True, check=False, timeout=LONGEST
        )
        if done.returncode:
            return 0.0, 0.0, 0, f"STATUS {done.returncode}: {done.stderr[-300:]}"
        figures = done.stdout.strip().split(" ", 3)
        return float(figures[0]), float(figures[1]), int(figures[2]), figures[3]
    words = [function]
    for file in sorted(files):
        flag = {"base.yml": [], "ops.yml": ["-o"], "vars.yml": ["-l"]}.get(file, ["-f"] if function == "render" else [])
        words += [*flag, file]
    measured = (
        "import atexit\n"
        "def peak():\n"
        "    with open('/proc/self/status') as lines, open('peak', 'w') as out:\n"
        "        out.write(next(line.split()[1] for line in lines if line.startswith('VmHWM')))\n"
        "atexit.register(peak)\n"
        "from plait.cli import run\nrun()\n"
    )
    argv = [sys.executable, "-c", measured, *words, "--limit", f"seconds={seconds}"]
    before = os.times()
    start = time.monotonic()
    done = subprocess.run(
        argv, cwd=directory, env=environment, capture_output=True, text=True, check=False, timeout=LONGEST
    )
    clock, after = time.monotonic() - start, os.times()
    cpu = after.children_user + after.children_system - before.children_user - before.children_system
    peak = pathlib.Path(directory) / "peak"
    memory = (int(peak.read_text() or 0) >> 10) - 20 if peak.exists() else 0
    said = done.stderr.strip().split("\n")[0][:110]
    return clock, cpu, memory, f"status {done.returncode} {len(done.stdout)} characters {said}"


def main() -> int:
    """Print the table."""
    how = "isolated" if "--isolated" in sys.argv else "command" if "--command" in sys.argv else "api"
    chosen = [word for word in sys.argv[1:] if not word.startswith("--")] or list(calls())
    for name in chosen:
        with tempfile.TemporaryDirectory() as directory:
            try:
                clock, cpu, memory, end = run(name, how, directory)
            except subprocess.TimeoutExpired:
                clock, cpu, memory, end = float(LONGEST), 0.0, 0, "did not come back"
        worse = "*" if cpu > 2.5 or clock == LONGEST or memory > 224 else " "
        print(f"{worse} {clock:6.2f} {cpu:6.2f} {memory:5d}  {name[:70]:70s} {end}", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
