"""Small inputs that ask for much: each ends in a named error, or in a result, within seconds and little memory.

`python tests/security/bombs.py [NAME...]` runs them through the command line and prints a table: status, seconds, peak
memory and the first line of the error. `test_bombs.py` runs the same list with its bounds.
"""

from __future__ import annotations

import os
import pathlib
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable

from plait.base.fast_paths import FAST

# What each may take of the processor.
SECONDS = 20 if FAST else 60
SOURCES = pathlib.Path(__file__).resolve().parents[2] / "src"

# The console script; the peak is read from /proc, because what `wait4` gives begins with that of the parent.
MEASURED = """
import atexit, os, resource
resource.setrlimit(resource.RLIMIT_AS, (2 << 30, 2 << 30))
def peak():
    with open("/proc/self/status") as status, open(os.environ["PLAIT_PEAK"], "w") as out:
        out.write(next(line.split()[1] for line in status if line.startswith("VmHWM")))
        out.write(f" {sum(os.times()[:2])}")
atexit.register(peak)
from plait.cli import run
run()
"""

DEEP = 10_000
BIG = 10_000_000


Text = bytes | str


class Bomb:
    """Files, a command line over them, and whether an error is due (`fails`) or a result.

    files: a large one is a function, so that only the process that runs the bomb makes it.
    """

    __slots__ = ("argv", "fails", "files", "name")

    def __init__(self, name: str, argv: str, files: dict[str, Text | Callable[[], Text]], *, fails: bool) -> None:
        self.name = name
        self.argv = argv.split()
        self.files = files
        self.fails = fails


def laughs(levels: int = 9, width: int = 10, leaf: str = "lol") -> str:
    lines = [f"a0: &a0 [{', '.join([leaf] * width)}]\n"]
    lines += [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * width)}]\n" for n in range(1, levels)]
    return "".join(lines)


def laughing_maps(levels: int = 9, width: int = 10) -> str:
    lines = ["a0: &a0 {x: 1}\n"]
    for n in range(1, levels):
        lines.append(f"a{n}: &a{n} {{{', '.join(f'k{i}: *a{n - 1}' for i in range(width))}}}\n")
    return "".join(lines)


def merging(levels: int = 9, width: int = 10) -> str:
    lines = ["a0: &a0 {" + ", ".join(f"k{i}: {{x: 1}}" for i in range(width)) + "}\n"]
    for n in range(1, levels):
        inner = ", ".join(f"k{n}_{i}: {{<<: *a{n - 1}}}" for i in range(width))
        lines.append(f"a{n}: &a{n} {{{inner}}}\n")
    return "".join(lines)


def quadratic(size: int = 20_000, uses: int = 20_000) -> str:
    return f"a: &a [{', '.join(['x'] * size)}]\nb:\n" + "- *a\n" * uses


BLOCK_ARRAYS = "- " * DEEP + "x\n"
BLOCK_MAPS = "".join(" " * n + "a:\n" for n in range(2_000)) + " " * 2_000 + "x\n"
BLOCK_KEYS = "? " * DEEP + "x\n"
FLOW_ARRAYS = "[" * DEEP + "]" * DEEP + "\n"
FLOW_MAPS = "{a: " * DEEP + "1" + "}" * DEEP + "\n"
FLOW_OPEN = "[" * DEEP * 10
FLOW_KEYS = "{? " * DEEP + "a" + "}" * DEEP + "\n"

# Texts that each reader is given in turn; whether the text is refused wherever it stands.
TEXTS: dict[str, tuple[Callable[[], Text], bool | None]] = {
    "billion laughs": (laughs, True),
    "billion laughs of maps": (laughing_maps, True),
    "billion laughs by merging": (merging, True),
    "quadratic aliases": (quadratic, True),
    "deep block arrays": (lambda: "a:\n- " + BLOCK_ARRAYS, None),
    "deep block maps": (lambda: BLOCK_MAPS, None),
    "deep block keys": (lambda: BLOCK_KEYS, None),
    "deep flow arrays": (lambda: "a: " + FLOW_ARRAYS, None),
    "deep flow maps": (lambda: FLOW_MAPS, None),
    "deep flow keys": (lambda: FLOW_KEYS, None),
    "deep and never closed": (lambda: FLOW_OPEN, True),
    "one plain scalar of 10 MB": (lambda: "a: " + "x" * BIG + "\n", False),
    "one quoted scalar of 10 MB": (lambda: 'a: "' + "\\u00e9" * (BIG // 6) + '"\n', False),
    "one block scalar of 10 MB": (lambda: "a: |\n" + ("  " + "x" * 98 + "\n") * (BIG // 101), False),
    "one number of 10 MB": (lambda: "a: " + "9" * BIG + "\n", None),
    "one key of 10 MB": (lambda: '"' + "k" * BIG + '": 1\n', None),
    "a long key": (lambda: "? " + "k" * BIG + "\n: 1\n", False),
    "spaces of 10 MB": (lambda: "a:" + " " * BIG + "1\n", False),
    "quotes never closed": (lambda: 'a: "' + "x" * BIG, True),
    "comments of 10 MB": (lambda: ("# " + "x" * 98 + "\n") * (BIG // 101) + "a: 1\n", None),
    "a million documents": (lambda: "---\n" * 200_000, None),
    "a cyclic anchor": (lambda: "a: &a [*a]\n", True),
    "a cyclic merge": (lambda: "a: &a\n  <<: *a\n", True),
    "bytes that are no UTF-8": (lambda: b"a: \xff\xfe\xfd\n", None),
    "a NUL": (lambda: b"a: b\0c\n", True),
    "bytes at random": (lambda: bytes(range(256)) * 400, True),
    "UTF-16": (lambda: "a: 1\n".encode("utf-16"), None),
}


def as_bytes(text: Text) -> bytes:
    return text if isinstance(text, bytes) else text.encode()


def _dialects(name: str, text: Callable[[], Text], fails: bool | None) -> list[Bomb]:
    def behind(head: bytes) -> Callable[[], bytes]:
        return lambda: head + as_bytes(text())

    def operations() -> bytes:
        lines = as_bytes(text()).split(b"\n")
        return b"- type: replace\n  path: /b?\n  value:\n" + b"".join(b"    " + line + b"\n" for line in lines)

    return [
        Bomb(f"render: {name}", "render -f a.yml", {"a.yml": text}, fails=bool(fails)),
        Bomb(
            f"render values: {name}",
            "render -f t.yml --data-values-file a.yml",
            {"a.yml": text, "t.yml": "a: 1\n"},
            fails=bool(fails),
        ),
        Bomb(
            f"render overlay: {name}",
            "render -f a.yml -f o.yml",
            {
                "a.yml": text,
                "o.yml": behind(b"#@ load('@ytt:overlay', 'overlay')\n#@overlay/match by=overlay.all\n---\n"),
            },
            fails=bool(fails),
        ),
        Bomb(
            f"render schema: {name}",
            "render -f s.yml",
            {"s.yml": behind(b"#@data/values-schema\n---\n")},
            fails=bool(fails),
        ),
        Bomb(f"patch: {name}", "patch a.yml", {"a.yml": text}, fails=bool(fails)),
        Bomb(
            f"patch ops: {name}",
            "patch e.yml -o o.yml",
            {"e.yml": "{}\n", "o.yml": operations},
            fails=bool(fails),
        ),
        Bomb(f"patch vars: {name}", "patch t.yml -l a.yml", {"t.yml": "x: ((a))\n", "a.yml": text}, fails=bool(fails)),
        Bomb(f"layer: {name}", "layer a.yml", {"a.yml": text}, fails=True),
        Bomb(f"fmt: {name}", "fmt -f a.yml", {"a.yml": text}, fails=bool(fails)),
    ]


POLICY = "schema: deckhand/LayeringPolicy/v1\nmetadata: {schema: metadata/Control/v1, name: p}\ndata: {layerOrder: [a, b]}\n---\n"
META = (
    "metadata: {schema: metadata/Document/v1, name: %s, storagePolicy: cleartext, layeringDefinition: {layer: a%s}%s}\n"
)


def layered(data: str, substitution: str, source: str) -> str:
    """A document, and one that substitutes from it."""
    return (
        f"{POLICY}schema: x/Y/v1\n{META % ('src', '', '')}data: {source}\n---\n"
        f"schema: x/Y/v1\n{META % ('dst', '', f', substitutions: [{substitution}]')}data: {data}\n"
    )


def special() -> list[Bomb]:
    deep_json = "[" * DEEP * 5 + "]" * DEEP * 5
    decode = '#@ load("@ytt:{0}", "{0}")\n#@ load("@ytt:data", "data")\na: #@ {0}.decode(data.read("b.txt"))\n'
    values = "\n".join(f"v{n}: ((v{n + 1}))((v{n + 1}))" for n in range(40)) + "\nv40: lol\n"
    names = "".join(f"((v{n}))" for n in range(41))
    ops_many = "".join(f"- {{type: replace, path: /a/-, value: {n}}}\n" for n in range(20_000))
    ops_before = "".join(f"- {{type: replace, path: '/a/0:before', value: {n}}}\n" for n in range(10_000))
    subset = "".join(f"- {{name: n{n}}}\n" for n in range(3_000))
    overlay_items = "".join(f"#@overlay/match by='name'\n- {{name: n{n}}}\n" for n in range(3_000))
    sub = "{src: {schema: x/Y/v1, name: src, path: %s}, dest: {path: %s}}"
    pattern = "{src: {schema: x/Y/v1, name: src, path: .a, pattern: '(a+)+$'}, dest: {path: .b}}"
    return [
        Bomb(
            "json.decode, deep",
            "render -f t.yml -f b.txt --file-mark b.txt:type=data",
            {"t.yml": decode.format("json"), "b.txt": deep_json},
            fails=True,
        ),
        Bomb(
            "yaml.decode, deep",
            "render -f t.yml -f b.txt --file-mark b.txt:type=data",
            {"t.yml": decode.format("yaml"), "b.txt": deep_json},
            fails=True,
        ),
        Bomb(
            "yaml.decode, laughs",
            "render -f t.yml -f b.txt --file-mark b.txt:type=data",
            {"t.yml": decode.format("yaml"), "b.txt": laughs()},
            fails=True,
        ),
        Bomb(
            "toml.decode, deep",
            "render -f t.yml -f b.txt --file-mark b.txt:type=data",
            {"t.yml": decode.format("toml"), "b.txt": "a = " + deep_json},
            fails=True,
        ),
        Bomb(
            "shared lists, printed",
            "render -f t.yml",
            {"t.yml": "#@ x = ['lol']\n#@ for i in range(9):\n#@   x = [x] * 10\n#@ end\na: #@ x\n"},
            fails=True,
        ),
        Bomb(
            "shared lists, as JSON",
            "render -f t.yml -o json",
            {"t.yml": "#@ x = ['lol']\n#@ for i in range(9):\n#@   x = [x] * 10\n#@ end\na: #@ x\n"},
            fails=True,
        ),
        Bomb(
            "shared lists, encoded",
            "render -f t.yml",
            {
                "t.yml": "#@ load('@ytt:json', 'json')\n#@ x = ['lol']\n#@ for i in range(9):\n#@   x = [x] * 10\n#@ end\na: #@ json.encode(x)\n"
            },
            fails=True,
        ),
        Bomb(
            "shared lists, as text",
            "render -f t.yml",
            {"t.yml": "#@ x = ['lol']\n#@ for i in range(9):\n#@   x = [x] * 10\n#@ end\na: #@ str(x)\n"},
            fails=True,
        ),
        Bomb(
            "a shared string, printed",
            "render -f t.yml",
            {"t.yml": "#@ x = 'y' * 1000000\na: #@ [x] * 10000\n"},
            fails=True,
        ),
        Bomb(
            "a short shared string, printed",
            "render -f t.yml",
            {"t.yml": "#@ x = 'y' * 1600\na: #@ [x] * 1000000\n"},
            fails=True,
        ),
        Bomb(
            "a deep value, printed",
            "render -f t.yml",
            {"t.yml": "#@ x = []\n#@ for i in range(100000):\n#@   x = [x]\n#@ end\na: #@ x\n"},
            fails=True,
        ),
        Bomb(
            "a deep text template",
            "render -f t.txt",
            {"t.txt": "(@ if True: @)" * DEEP + "(@ end @)" * DEEP},
            fails=True,
        ),
        Bomb(
            "deep template code",
            "render -f t.yml",
            {"t.yml": "".join(" " * n + "#@ if True:\n" for n in range(500)) + "a: 1\n" + "#@ end\n" * 500},
            fails=False,
        ),
        Bomb("variables that laugh", "patch t.yml -l v.yml", {"t.yml": f"a: {names}\n", "v.yml": values}, fails=True),
        Bomb(
            "a large variable, often",
            "patch t.yml -l v.yml",
            {"t.yml": "a:\n" + "- ((v)) x\n" * 10_000, "v.yml": "v: " + "x" * 1_000_000},
            fails=True,
        ),
        Bomb(
            "a whole variable, often",
            "patch t.yml -l v.yml",
            {"t.yml": "a:\n" + "- ((v))\n" * 10_000, "v.yml": "v: " + "x" * 1_000_000},
            fails=True,
        ),
        Bomb(
            "a million placeholders",
            "patch t.yml -l v.yml",
            {"t.yml": "a: " + "((v))" * 1_000_000, "v.yml": "v: 1"},
            fails=False,
        ),
        Bomb(
            "a million different placeholders",
            "patch t.yml -l v.yml",
            {"t.yml": "a: " + "".join(f"((v{n}))" for n in range(100_000)), "v.yml": "v: 1"},
            fails=False,
        ),
        Bomb(
            "deep dotted variable",
            "patch t.yml -v " + ".".join(["a"] * 5_000) + "=1",
            {"t.yml": "a: ((a))\n"},
            fails=False,
        ),
        Bomb(
            "20,000 operations that append",
            "patch t.yml -o o.yml",
            {"t.yml": "a: []\n", "o.yml": ops_many},
            fails=False,
        ),
        Bomb(
            "10,000 operations that insert",
            "patch t.yml -o o.yml",
            {"t.yml": "a: [x]\n", "o.yml": ops_before},
            fails=False,
        ),
        Bomb(
            "a long pointer",
            "patch t.yml -o o.yml",
            {"t.yml": "a: []\n", "o.yml": "- {type: replace, path: " + "/b?" * 50_000 + ", value: 1}\n"},
            fails=True,
        ),
        Bomb(
            "3,000 array items matched by name",
            "render -f t.yml -f o.yml",
            {
                "t.yml": "a:\n" + subset,
                "o.yml": "#@ load('@ytt:overlay', 'overlay')\n#@overlay/match by=overlay.all\n---\na:\n"
                + overlay_items,
            },
            fails=False,
        ),
        Bomb(
            "a typo of a long name",
            "render -f s.yml -f v.yml",
            {
                "s.yml": "#@data/values-schema\n---\n" + "".join(f"? {'k' * 5000}{n}\n: 1\n" for n in range(100)),
                "v.yml": "#@data/values\n---\n? " + "k" * 5000 + "x\n: 1\n",
            },
            fails=True,
        ),
        Bomb(
            "a typo among 100,000 names",
            "patch t.yml -o o.yml",
            {
                "t.yml": "".join(f"some-name-{n}: 1\n" for n in range(100_000)),
                "o.yml": "- {type: remove, path: /some-nmae-5x}\n",
            },
            fails=True,
        ),
        Bomb(
            "layer: a pattern that backtracks",
            "layer a.yml",
            {"a.yml": layered("{}", pattern, "{a: " + "a" * 40 + "b}")},
            fails=True,
        ),
        Bomb(
            "layer: a path with many dots",
            "layer a.yml",
            {"a.yml": layered("{}", sub % ("'$" + "..*" * 12 + "'", ".b"), "{a: " + "[" * 40 + "1" + "]" * 40 + "}")},
            fails=False,
        ),
        Bomb(
            "layer: a long path",
            "layer a.yml",
            {"a.yml": layered("{}", sub % (".a", "'" + ".b" * 20_000 + "'"), "{a: 1}")},
            fails=True,
        ),
        Bomb(
            "layer: a large index",
            "layer a.yml",
            {"a.yml": layered("{}", sub % (".a", "'.b[1000000000]'"), "{a: 1}")},
            fails=True,
        ),
        Bomb(
            "layer: a substitution that doubles",
            "layer a.yml",
            {
                "a.yml": POLICY
                + "---\n".join(
                    f"schema: x/Y/v1\n{META % (f'd{n}', '', ', substitutions: [' + ', '.join([sub.replace('src}', 'src}') % ('$', f'.k{i}') for i in range(10)]).replace('name: src', f'name: d{n - 1}') + ']' if n else '')}data: {{}}\n"
                    for n in range(10)
                )
            },
            fails=True,
        ),
        Bomb(
            "layer: a million documents of one parent",
            "layer a.yml",
            {
                "a.yml": POLICY
                + f"schema: x/Y/v1\n{META % ('base', ', abstract: true', ', labels: {l: m}')}data: {{big: {'x' * 200_000}}}\n"
                + "".join(
                    f"---\nschema: x/Y/v1\nmetadata: {{schema: metadata/Document/v1, name: n{n}, storagePolicy: cleartext, layeringDefinition: {{layer: b, parentSelector: {{l: m}}, actions: [{{method: merge, path: .}}]}}}}\ndata: {{}}\n"
                    for n in range(2_000)
                )
            },
            fails=True,
        ),
        Bomb("an endless file", "patch /dev/zero", {}, fails=True),
        Bomb("an endless file of layers", "layer /dev/zero", {}, fails=True),
        Bomb("an endless file of values", "patch t.yml -l /dev/urandom", {"t.yml": "a: ((b))\n"}, fails=True),
        Bomb("an endless store", "patch t.yml --vars-store /dev/zero", {"t.yml": "a: ((b))\n"}, fails=True),
        Bomb("a file larger than the limit", "render -f a.yml", {"a.yml": lambda: b"a: 1\n" * (13 << 20)}, fails=True),
    ]


def repeated(line: str, *before: str, end: str = "a: 1") -> str:
    """A template that does something without end."""
    start = "".join(f"#@ {one}\n" for one in before)
    body = "".join(f"#@   {one}\n" for one in line.split("\n"))
    return f"{start}#@ for i in range(2000000000):\n{body}#@ end\n{end}\n"


NUMBERS = "x = [(i * 7919) % 1000003 for i in range(300000)]"
LETTERS = "s = 'a' * 1000000"

# Templates that do too much, by what it is that they do.
EVALUATED: dict[str, str] = {
    "a loop without end": "#@ while True:\n#@   x = 1\n#@ end\na: 1\n",
    "a long loop": repeated("x = i"),
    "loops in loops": repeated("for j in range(100000):\n  x = j\nend"),
    "a comprehension that keeps nothing": "#@ x = [0 for i in range(100000) for j in range(100000) if j > i + 200000]\na: 1\n",
    "a recursion that doubles": "#@ def f(n):\n#@   if n == 0:\n#@     return 0\n#@   end\n#@   return f(n - 1) + f(n - 1)\n#@ end\na: #@ f(60)\n",
    "Fibonacci": "#@ def f(n):\n#@   return n if n < 2 else f(n - 1) + f(n - 2)\n#@ end\na: #@ f(60)\n",
    "a recursion without end": "#@ def f(n):\n#@   return f(n + 1)\n#@ end\na: #@ f(0)\n",
    "a recursion of lambdas": "#@ f = lambda g, n: g(g, n - 1) + g(g, n - 1) if n else 0\na: #@ f(f, 60)\n",
    "sorting": repeated("y = sorted(x)", NUMBERS),
    "sorting by a key": repeated("y = sorted(x, key=lambda v: -v)", NUMBERS),
    "sorting long texts": repeated("y = sorted(x)", "x = [str((i * 7919) % 1000003) * 100 for i in range(100000)]"),
    "appending": repeated("x.append(i)", "x = []"),
    "appending lists": repeated("x.append([i])", "x = []"),
    "appending long lists": repeated("x.append([0] * 1000)", "x = []"),
    "appending texts": repeated("x.append('%d' % i + 'y' * 1000)", "x = []"),
    "a comprehension of lists": "#@ x = [[0] * 1000 for i in range(100000000)]\na: 1\n",
    "a comprehension of a dict": "#@ x = {i: [i] for i in range(100000000)}\na: 1\n",
    "a dict that grows": repeated("x[i] = i", "x = {}"),
    "a text that doubles": repeated("x = x + x", "x = 'y'"),
    "a list that doubles": repeated("x = x + x", "x = [1]"),
    "keeping long texts": repeated("k.append(s + str(i))", "k = []", LETTERS),
    "long lists": repeated("x = [0] * 4000000"),
    "long texts": repeated("x = 'a' * 33000000"),
    "replacing and splitting": repeated("x = t.replace('a', 'bb').upper().split('b')", "t = 'ab' * 1000000"),
    "formatting lists": repeated("x = '%s %s' % ([0] * 500, [1] * 500)"),
    "an integer that grows": repeated("x = x * x", "x = 3"),
    "an integer of many digits": "#@ x = int('9' * 30000000)\na: 1\n",
    "an integer written out": "#@ x = " + "9" * 3000000 + "\na: 1\n",
    "looking in a list": repeated("y = -1 in x", "x = [i for i in range(1000)]"),
    "comparing lists": repeated(
        "y = x == z", "x = [[i, [i, i]] for i in range(300)]", "z = [[i, [i, i]] for i in range(300)]"
    ),
    "adding lists": repeated("y = x + x", "x = [0] * 500"),
    "inserting in front": repeated("x.insert(0, i)", "x = []"),
    "slices of lists": repeated("y = x[1:]", "x = [0] * 100000"),
    "slices of texts": repeated("y = s[1:]", LETTERS),
    "JSON of lists": repeated("y = json.encode(x)", "load('@ytt:json', 'json')", "x = [{'a': i} for i in range(1000)]"),
    "YAML to lists": repeated("y = yaml.decode(t)", "load('@ytt:yaml', 'yaml')", "t = '- a: [1, 2]\\n' * 1000"),
    "YAML of lists": repeated("y = yaml.encode(x)", "load('@ytt:yaml', 'yaml')", "x = [{'a': i} for i in range(1000)]"),
    "TOML to dicts": repeated(
        "y = toml.decode(t)", "load('@ytt:toml', 'toml')", "t = '\\n'.join(['b%d = [1, 2]' % i for i in range(1000)])"
    ),
    "digests": repeated("y = sha256.sum(s)", "load('@ytt:sha256', 'sha256')", LETTERS),
    "base64": repeated("y = base64.encode(s)", "load('@ytt:base64', 'base64')", LETTERS),
    "escaping": repeated("y = url.path_segment_encode(s)", "load('@ytt:url', 'url')", "s = '/' * 1000000"),
    "replacing by pattern": repeated("y = regexp.replace('a', s, 'bb')", "load('@ytt:regexp', 'regexp')", LETTERS),
    "a large pattern": repeated("y = regexp.match('(' + 'a?' * 800 + '){1000}', 'a')", "load('@ytt:regexp', 'regexp')"),
    "structs": repeated(
        "y = struct.encode(x)", "load('@ytt:struct', 'struct')", "x = {'k%d' % i: [1, 2] for i in range(500)}"
    ),
    "items of an array": "#@ for i in range(100000000):\n- a: 1\n#@ end\n",
    "documents": "#@ for i in range(100000000):\n---\na: 1\n#@ end\n",
    "printing": repeated("print('a' * 1000)"),
    "keys that double": repeated("t = (t, t)\nx[t] = 1", "x = {}", "t = (1,)"),
    "a long body": repeated("\n".join(["x = i + 1"] * 1000)),
    "zip": repeated("y = zip(x, x, x)", "x = [0] * 1000"),
    "enumerate": repeated("y = enumerate(x)", "x = [0] * 1000"),
    "max": repeated("y = max(x)", "x = [0] * 1000"),
    "any": repeated("y = any(x)", "x = [0] * 1000"),
    "sets": repeated("y = set(x)", "x = range(1000)"),
    "dicts": repeated("y = dict(x)\nz = x.items()", "x = {i: i for i in range(1000)}"),
    "join": repeated("y = ','.join(x)", "x = ['a'] * 1000"),
    "texts of lists": repeated("y = str(x)", "x = [1] * 300"),
    "letters": repeated("y = list(s.elems())", LETTERS),
    "looking in a text": repeated("y = 'b' in s", LETTERS),
    "finding in a text": repeated("y = s.find(t)", LETTERS, "t = 'a' * 1000 + 'b'"),
    "letters beyond ASCII": repeated("y = s[0]\nz = len(s)", "s = 'é' * 1000000"),
    "overlays": repeated(
        "x = overlay.apply(l(), r())",
        "load('@ytt:overlay', 'overlay')",
        "def l():\na: 1\n#@ end",
        "def r():\n#@overlay/match missing_ok=True\na: 2\n#@ end",
    ).replace("#@ for i", "---\n#@ for i"),
    "fragments": repeated("x = f()", "def f():\n- a: 1\n- b: 2\n#@ end").replace("#@ for i", "---\n#@ for i"),
    "failing": repeated("assert.try_to(lambda: fail('x'))", "load('@ytt:assert', 'assert')"),
    "merge keys": "a: &a {x: 1}\nb:\n" + "  <<: *a\n" * 50_000,
    "an expression 3,000 deep": "#@ x = " + "-" * 3_000 + "1\na: 1\n",
    "a sum of 3,000": "#@ def f(i): return " + "+".join(["i"] * 3_000) + "\na: #@ f(1)\n",
    "3,000 slices": "#@ def f(y): return y" + "[0:1]" * 3_000 + "\na: 1\n",
    "3,000 conditions": "#@ x = " + "1 if 0 else " * 3_000 + "2\na: 1\n",
    "20,000 variables at once": "#@ " + ", ".join(f"a{n}" for n in range(20_000)) + " = range(20000)\na: 1\n",
    "brackets 100,000 deep": "#@ x = " + "[" * 100_000 + "]" * 100_000 + "\na: 1\n",
}
# These end, and must do so soon.
_END = ("merge keys", "an expression 3,000 deep", "a sum of 3,000", "3,000 slices", "20,000 variables at once")


def evaluated() -> list[Bomb]:
    found = [
        Bomb(f"evaluate: {name}", "render -f t.yml", {"t.yml": text}, fails=name not in _END)
        for name, text in EVALUATED.items()
    ]
    keys = "".join(f"some_key_{n}: 1\n" for n in range(5_000))
    lambdas = "".join(
        f"#@overlay/match by=lambda i, l, r: l['number'] == {n}\n---\n#@overlay/match missing_ok=True\nx: 1\n"
        for n in range(1_500)
    )
    return [
        *found,
        Bomb(
            "evaluate: a text template",
            "render -f t.txt",
            {"t.txt": "(@ for i in range(100000000): @)aaa\n(@ end @)"},
            fails=True,
        ),
        Bomb(
            "5,000 keys that a schema has not",
            "render -f s.yml -d v.yml",
            {"s.yml": "#@data/values-schema\n---\n" + keys, "v.yml": keys.replace("key", "kez")},
            fails=True,
        ),
        Bomb(
            "1,500 lambdas on 1,500 documents",
            "render -f t.yml -f o.yml",
            {
                "t.yml": "".join(f"---\nnumber: {n}\n" for n in range(1_500)),
                "o.yml": "#@ load('@ytt:overlay', 'overlay')\n" + lambdas,
            },
            fails=True,
        ),
    ]


def bombs() -> list[Bomb]:
    found: list[Bomb] = []
    for name, (text, fails) in TEXTS.items():
        found += _dialects(name, text, fails)
    return found + special() + evaluated()


def run(bomb: Bomb, directory: str) -> tuple[int, float, float, float, str]:
    """Status, seconds, seconds of the processor, peak MiB, the first 4000 bytes of what was printed to standard error."""
    for name, content in bomb.files.items():
        with open(os.path.join(directory, name), "wb") as file:
            file.write(as_bytes(content() if callable(content) else content))
    env = dict(os.environ, PYTHONPATH=str(SOURCES), PLAIT_PEAK=os.path.join(directory, "peak"))
    start = time.perf_counter()
    with open(os.path.join(directory, "stderr"), "w+b") as errors:
        status: int | None = None
        try:
            done = subprocess.run(
                [sys.executable, "-c", MEASURED, *bomb.argv],
                cwd=directory,
                env=env,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=errors,
                check=False,
                timeout=6 * SECONDS,  # others may be at work on the machine
            )
            status = done.returncode
        except subprocess.TimeoutExpired:
            status = -1
        seconds = time.perf_counter() - start
        errors.seek(0)
        said = errors.read(4000).decode("utf-8", "replace")
    peak = pathlib.Path(directory, "peak")
    kibibytes, processor = (peak.read_text() if peak.exists() else "").split() or ("0", "0")
    return status, seconds, float(processor), int(kibibytes) / 1024, said


def main(names: list[str]) -> int:
    specials = {bomb.name for bomb in special() + evaluated()}
    for bomb in bombs():
        if (
            names
            and not any(name in bomb.name for name in names)
            and not ("special" in names and bomb.name in specials)
        ):
            continue
        with tempfile.TemporaryDirectory() as directory:
            status, seconds, processor, memory, said = run(bomb, directory)
        first = said.split("\n")[0][:100]
        mark = "" if processor < 2 and memory < 256 and status in (0, 1, 3) else "  <<<<"
        times = f"{seconds:.2f} s | {processor:.2f} s"
        print(f"| {bomb.name} | {status} | {times} | {memory:.0f} MiB | {first} |{mark}", flush=True)
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
