"""What a run says tells nothing of its secrets: transformations of a secret, conditions on it, and programs at random.

Each program runs with two secrets. What it says, by `print`, warnings, errors and histories, is the same both times unless
it ends in another way, which its exit status tells as well.
"""

from __future__ import annotations

from pathlib import Path

import pytest

import flows
import plait
from plait.cli import main
from plait.ytt.modules import MODULES
from plait.ytt.starlark.table.universal import UNIVERSAL

CANARY, OTHER = "hunter2Kestrel", "qqq"
FORMS = (CANARY, CANARY[::-1], CANARY.upper(), CANARY.encode().hex(), "aHVudGVyMktlc3RyZWw", "104", CANARY[1:-1])
HEAD = (
    "".join(
        f'#@ load("@ytt:{name}", "{name}")\n'
        for name in ("assert", "base64", "data", "json", "md5", "regexp", "sha256", "struct", "toml", "url", "yaml")
    )
    + "#@ pw, user = data.values.pw, data.values.user\n"
)

# Each prints, fails, or says nothing; what it says must not depend on the secret.
TRANSFORMATIONS = {
    "itself": "print(pw)",
    "upper": "print(pw.upper())",
    "reversed": "print(pw[::-1])",
    "hex": 'print("".join(["%x" % c for c in pw.elem_ords()]))',
    "base64": "print(base64.encode(pw))",
    "json": "print(json.encode([pw]))",
    "yaml": "print(yaml.encode({'a': pw}))",
    "decoded yaml": 'print(yaml.decode("a: " + pw)["a"])',
    "decoded json": 'print(json.decode(json.encode({"k": pw}))["k"])',
    "toml": "print(toml.encode({'a': pw}))",
    "url": "print(url.query_segment_encode(pw))",
    "sha256": "print(sha256.sum(pw))",
    "md5": "print(md5.sum(pw))",
    "regexp": 'print(regexp.replace("u", pw, "x"))\nprint(regexp.match("^h", pw))',
    "format": 'print("{}".format(pw))\nprint("%s" % pw)\nprint("%d" % len(pw))',
    "multiplied": 'print("x" * len(pw))',
    "characters": "for c in pw.elem_ords():\n  print(c)\nend",
    "a line for each": 'for c in pw.elems():\n  print("x")\nend',
    "a line for each, in a list": '[print("x") for c in pw.elems()]',
    "as many as": "for i in range(len(pw)):\n  print(i)\nend",
    "counted": "n = 0\nfor c in pw.elems():\n  n += 1\nend\nprint(n)",
    "sorted": "print(sorted(pw.elems()))",
    "sorted by": 'print(sorted(["a", "b"], key=lambda v: v == pw[0]))\nsorted(pw.elems(), key=lambda v: print(v))',
    "the greatest": 'print(max([1, 2], key=lambda v: -v if pw[0] == "h" else v))',
    "split": 'print(pw.split("n"))',
    "compared": 'print(pw == "hunter2")\nprint("h" in pw)',
    "a key of a dict": "d = {pw: 1}\nprint(d)\nprint(d.keys())\nprint(len(d))",
    "a member of a set": 'print(len(set([pw, "hunter2Kestrel"])))',
    "a field of a struct": "s = struct.make(a=pw, b=1)\nprint(s.a)\nprint(s)",
    "a name of a field": "print(hasattr(data.values, pw))",
    "an index": 'print(["a", "b"][len(pw) % 2])',
    "a slice": 'print(["a", "b", "c"][:len(pw) - 2])',
    "a closure": "def outer(x):\n  def inner():\n    return x\n  end\n  return inner\nend\nprint(outer(pw)())",
    "a default": "def f(x=pw):\n  return x\nend\nprint(f())",
    "a default that changes": "def f(x, l=[]):\n  l.append(x)\n  return l\nend\nf(pw)\nprint(f(1))",
    "another name of a list": "a = [[]]\nb = a[0]\nb.append(pw)\nprint(a)\nprint(json.encode(a))",
    "a list that grows": "a = [1]\nb = a\na += [pw]\nprint(b)",
    "a dict that grows": 'd = {}\nd.setdefault("a", pw)\nprint(d)\nd = {}\nd.update({"p": pw})\nprint(d)',
    "a method as a value": "a = []\nf = a.append\nf(pw)\nprint(a)\ngetattr(a, 'append')(1)\nprint(len(a))",
    "what is left": 'd = {"hunter2Kestrel": 1, "b": 2}\nd.pop(pw, None)\nprint(d)\nprint(len(d))',
    "print as a value": "pr = print\npr(pw)",
    "a function that is chosen": 'def g():\n  print("g")\nend\nf = g if pw[0] == "h" else lambda: 1\nf()',
    "a function in a dict": 'def g():\n  print("g")\nend\n{"h": g}.get(pw[0], lambda: 1)()',
    "arguments": "def f(*a, **k):\n  return [len(a), k]\nend\nprint(f(*pw.elems()))\nprint(f(**{pw: 1}))",
    "unpacked": "a, b = (pw, 1)\nprint(a)\nfor x, y in zip([1], [pw]):\n  print(y)\nend",
    "condition": 'y = 1\nif pw[0] == "q":\n  y = 2\nend\nprint(y)',
    "conditional expression": 'x = [1, 2] if pw[0] == "h" else [1, 3]\nprint(x[1])',
    "short circuit": 'x = pw[0] == "h" and [1] or [2]\nprint(x[0])\npw[0] == "h" and print("x")',
    "comprehension": 'print(len([1 for c in "abch".elems() if c == pw[0]]))',
    "early return": 'def f():\n  if pw[0] == "h":\n    return 1\n  end\n  print("not h")\nend\nprint(f())',
    "changes after a return": (
        'l = []\ndef f():\n  if pw[0] == "h":\n    return\n  end\n  l.append(1)\nend\nf()\nprint(len(l))'
    ),
    "break": 'n = 0\nfor i in range(9):\n  if pw[0] == "h":\n    break\n  end\n  n = i\nend\nprint(n)',
    "continue": 'n = []\nfor i in range(9):\n  if pw[0] == "h":\n    continue\n  end\n  n.append(i)\nend\nprint(len(n))',
    "changes of a function": (
        'd = {"n": 0}\ndef inc():\n  d["n"] += 1\nend\ndef f():\n  inc()\nend\nif pw[0] == "q":\n  f()\nend\nprint(d["n"])'
    ),
    "try_to": 'def f():\n  if pw[0] == "h":\n    fail("x")\n  end\nend\nprint(assert.try_to(f)[1])',
    "changes before an error": (
        'l = []\ndef f():\n  {"h": 1}[pw[0]]\n  l.append(1)\nend\nassert.try_to(f)\nprint(len(l))'
    ),
    "lines before an error": 'def f():\n  print("one")\n  {"h": 1}[pw[0]]\n  print("two")\nend\nassert.try_to(f)',
    "a closed function": "def f(a):\n  n = 0\n  for i in range(a):\n    n += i\n  end\n  return n\nend\nprint(f(len(pw)))",
    "a busy program": (
        "def f(a):\n  return a * 2\nend\nfor i in range(60000):\n  x = 1\nend\nprint(f(len(pw)))\nprint(f(3))"
    ),
    "fail": "fail(pw)",
    "fail under a condition": 'if pw:\n  fail("too short")\nend',
    "assert": 'assert.equals(pw, "x")',
    "a number that is none": "int(pw)",
    "an index out of range": "[1][len(pw)]",
    "a key that is not there": "{}[pw]",
    "a variable that is not set": 'if pw[0] == "x":\n  z = 1\nend\nprint(z)',
}
# These say something in any case, though the secret is used.
SAYS = {
    "print": 'print("user", user)',
    "fail": 'fail("of " + user)',
    "a field beside one": 's = struct.make(a=pw, b=user)\nfail("of " + s.b)',
    "an item beside one": 'd = {"a": pw, "b": user}\nfail("of " + d["b"])',
    "after a condition": 'if pw == "x":\n  y = 1\nend\nfail("of " + user)',
    "after a loop": 'n = 0\nfor c in pw.elems():\n  n += 1\nend\nfail("of " + user)',
    "a function with both": 'def f(name, password):\n  return name\nend\nfail("of " + f(user, pw))',
    "of a list with secrets": 'fail("of " + [u.name for u in data.values.users][0])',
}


def said(code: str, secret: str, *, trace: bool = False) -> tuple[str, list[str]]:
    """How a program ends, and all that it says; without a place for the last, where it is that of another end."""
    text = HEAD + "".join(f"#@ {line}\n" for line in code.splitlines()) + "a: #@ user\n"
    values: dict[str, plait.Plain] = {"user": "app", "users": [{"name": "app", "password": ""}]}
    try:
        made = plait.render({"a.yml": text}, values=values, secrets={"pw": secret}, trace=trace)
    except plait.PlaitError as error:
        return "failed", [error.report(), str(error), repr(error), str(error.findings)]
    told = [str(one) for one in plait.explain(made)] if trace else []
    return "made", [*made.printed, *made.warnings, *told]


@pytest.mark.parametrize("name", TRANSFORMATIONS)
@pytest.mark.parametrize("trace", [False, True], ids=["", "trace"])
def test_what_is_made_of_a_secret_is_not_shown(name: str, trace: bool) -> None:
    end, first = said(TRANSFORMATIONS[name], CANARY, trace=trace)
    other_end, second = said(TRANSFORMATIONS[name], OTHER, trace=trace)
    if end == other_end:
        assert first == second
    for form in FORMS:
        assert not any(form.lower() in line.lower() for line in first), form


# Functions that only return a value; those that say something are in TRANSFORMATIONS.
RETURN = frozenset(
    [
        "None",
        "True",
        "False",
        "abs",
        "any",
        "all",
        "bool",
        "bytes",
        "chr",
        "dict",
        "dir",
        "enumerate",
        "float",
        "getattr",
        "hasattr",
        "hash",
        "int",
        "len",
        "list",
        "max",
        "min",
        "ord",
        "range",
        "repr",
        "reversed",
        "set",
        "sorted",
        "str",
        "tuple",
        "type",
        "zip",
        "yaml_fragment",
    ]
)
# Modules that only return values, or that other tests use.
OTHER_MODULES = frozenset({"data", "ip", "library", "math", "module", "overlay", "template", "version"})


def test_every_function_and_module_has_an_entry() -> None:
    """A new one may be another way to say something."""
    code = HEAD + "\n".join(TRANSFORMATIONS.values())
    assert len(TRANSFORMATIONS) >= 30
    for name in UNIVERSAL:
        assert name in RETURN or f"{name}(" in code, name
    for name in MODULES:
        assert name in OTHER_MODULES or f"{name}." in code, name
    for name in ("assert.equals", "assert.try_to"):
        assert f"{name}(" in code


@pytest.mark.parametrize("name", SAYS)
def test_what_does_not_involve_a_secret_is_shown(name: str) -> None:
    end, lines = said(SAYS[name], CANARY)
    assert "user app" in lines if end == "made" else "fail: of app" in lines[0]


@pytest.mark.parametrize("first", range(0, 60, 20))
def test_programs_at_random_say_the_same_whatever_the_secret_is(first: int) -> None:
    """More of them: tests/flows.py."""
    compared = 0
    for seed in range(first, first + 20):
        text = flows.Maker(seed).program()
        ends = [flows.said(text, secret) for secret in (6, 7, 24)]
        compared += sum(one[0] == ends[0][0] == "made" for one in ends[1:])
        assert all(one == ends[0] for one in ends[1:] if one[0] == ends[0][0]), text
    assert compared > 20


# Ordinary mistakes in runs that use a secret, and a part of what their messages show.
MISTAKES = {
    "a misspelt data value": ({"a.yml": "a: #@ data.values.usr"}, "struct has no .usr field"),
    "a name that is not defined": ({"a.yml": "a: #@ nothing"}, "undefined: nothing"),
    "code that does not parse": ({"a.yml": "a: #@ (1"}, "a parenthesis is not closed"),
    "YAML that does not parse": ({"a.yml": "a: [1"}, "a.yml"),
    "an unknown module": ({"a.yml": '#@ load("@ytt:datas", "data")'}, "datas"),
    "a file that is not there": ({"a.yml": '#@ load("none.star", "x")'}, "none.star"),
    "a division by zero": ({"a.yml": "a: #@ 1 // (len(data.values.user) - 3)"}, "division by zero"),
    "an index": ({"a.yml": "a: #@ [1][len(data.values.user)]"}, "out of range"),
    "a key": ({"a.yml": 'a: #@ {"x": 1}[data.values.user]'}, 'key "app" not in dict'),
    "an unknown method": ({"a.yml": "a: #@ data.values.user.uper()"}, "uper"),
    "operands": ({"a.yml": "a: #@ data.values.user + 1"}, "string + int"),
    "arguments": ({"a.yml": "#@ def f(a):\n#@   return a\n#@ end\na: #@ f()"}, "function f missing 1 argument"),
    "fail": ({"a.yml": '#@ fail("not " + data.values.user)'}, "fail: not app"),
    "assert": ({"a.yml": '#@ assert.equals(data.values.user, "x")'}, "Not equal"),
    "an overlay without a match": (
        {"o.yml": "#@overlay/match by=overlay.subset({'kind': 'App'})\n---\na: 1"},
        "Expected number of matched nodes to be 1",
    ),
    "a key of an overlay": (
        {"a.yml": "kind: App", "o.yml": "#@overlay/match by=overlay.subset({'kind': 'App'})\n---\nsize: 1"},
        "size",
    ),
    "an annotation": ({"a.yml": "a: 1", "o.yml": "#@overlay/match by=1\n---\na: 1"}, "@overlay/match"),
    "a data value that is not declared": ({"s.yml": "#@data/values-schema\n---\npw: ''"}, "user"),
    "a data value of another type": (
        {"s.yml": "#@data/values-schema\n---\npw: ''\nuser: 1"},
        "not of the declared type",
    ),
    "a schema": ({"s.yml": "#@data/values-schema\n---\npw:"}, "null value"),
    "a validation": (
        {"s.yml": "#@data/values-schema\n---\npw: ''\n#@schema/validation min_len=9\nuser: ''"},
        "length = 3",
    ),
}


@pytest.mark.parametrize("name", MISTAKES)
def test_ordinary_mistakes_are_shown_in_full(name: str) -> None:
    files, part = MISTAKES[name]
    loads = "".join(f'#@ load("@ytt:{module}", "{module}")\n' for module in ("data", "overlay", "assert"))
    given = {path: text if path == "s.yml" else loads + text + "\n" for path, text in files.items()}
    given["secret.yml"] = '#@ load("@ytt:data", "data")\nkind: Secret\ndata: #@ data.values.pw\n'
    with pytest.raises(plait.PlaitError) as info:
        plait.render(given, values={"user": "app"}, secrets={"pw": CANARY})
    report = info.value.report()
    assert part in report
    assert "withheld" not in report


def test_the_place_of_an_error_under_a_secret_condition_is_that_of_the_condition() -> None:
    code = 'if pw[0] == "h":\n  fail("a")\nelse:\n  fail("b")\nend'
    (_, first), (_, second) = said(code, CANARY), said(code, OTHER)
    assert first == second
    assert first[0].startswith("plait: a.yml:13: message withheld")


def test_a_match_tells_nothing_of_what_it_compares() -> None:
    files = {
        "a.yml": '#@ load("@ytt:data", "data")\nname: #@ data.values.pw\nsize: 1\n---\nname: b\nsize: 1\n',
        "o.yml": '#@ load("@ytt:overlay", "overlay")\n#@overlay/match by=overlay.subset({"name": "qqq"}), expects="0+"\n---\nsize: 2\n',
    }
    told = [
        [str(one) for one in plait.explain(plait.render(files, secrets={"pw": secret}, trace=True))]
        for secret in (CANARY, OTHER)
    ]
    assert told[0] == told[1]
    assert any(one.startswith("document 2:size: 1") or "size: 1" in one for one in told[0])


TEXTS = {
    "a branch": '(@ if pw[0] == "h": @)yes(@ end @)(@= user @)\nfree\n',
    "a branch of lines": '(@ if pw[0] == "h": @)\none\ntwo\n(@ end @)\n(@= user @)\nfree\n',
    "the other branch": '(@ if pw[0] == "q": @)yes(@ else: @)(@= user @)(@ end @)\n(@= user @)\n',
    "a loop": "(@ for one in range(len(pw)): @)(@= user @)\n(@ end @)(@= user @)\n",
    "a function": '(@ def f(): @)(@ if pw[0] == "h": @)yes(@ end @)(@= user @)(@ end @)\n(@= f() @)\n(@= user @)\n',
}


@pytest.mark.parametrize("name", TEXTS)
def test_a_text_tells_nothing_of_its_branches(name: str) -> None:
    head = '(@ load("@ytt:data", "data") @)(@ pw, user = data.values.pw, data.values.user @)first\n'
    files = {"a.yml": "a: 1\n", "t.txt": head + TEXTS[name]}
    told: list[list[str]] = []
    for secret in (CANARY, OTHER):
        documents = plait.render(files, values={"user": "app"}, secrets={"pw": secret}, trace=True)
        lines = [str(one) for one in plait.explain(documents) if str(one).startswith("t.txt")]
        told.append(lines)
    assert told[0] == told[1]
    assert "first" in told[0][0]


def test_cleartext_shows_everything(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    top = tmp_path
    (top / "a.yml").write_text('#@ load("@ytt:data", "data")\n#@ print(data.values.pw)\n#@ fail(data.values.pw)\n')
    (top / "s.yml").write_text(f"pw: {CANARY}\n")
    argv = ["render", "-f", str(top / "a.yml"), "--secrets", f"file:{top / 's.yml'}"]
    assert main(argv) == 1
    assert CANARY not in capsys.readouterr().err
    assert main([*argv, "--quote-values"]) == 1
    assert capsys.readouterr().err.count(CANARY) >= 2


OVERLAYS = {
    "a function that says what is wrong": "#@overlay/assert via=lambda left, right: (False, left)\npw: x\n",
    "a function that answers with a variable": "#@overlay/assert via=lambda left, right: (False, data.values.pw)\nfree: x\n",
    "a function that answers with a variable's type": (
        '#@overlay/assert via=lambda left, right: 1 if data.values.pw[0] == "h" else "a"\nfree: x\n'
    ),
    "a function that a variable decides in": (
        '#@overlay/assert via=lambda left, right: (False, "a") if data.values.pw[0] == "h" else False\nfree: x\n'
    ),
    "a function that gives what cannot be put in": "#@overlay/replace via=lambda left, right: lambda: data.values.pw\nfree: x\n",
    "a function that replaces": "#@overlay/replace via=lambda left, right: int(left)\npw: x\n",
    "a text that is read": '#@overlay/match missing_ok=True\n#@overlay/inside "yaml"\ntext:\n  a: 1\n',
    "a matcher": '#@overlay/match by=lambda index, left, right: fail(left["pw"])\nlist:\n- x\n',
    "a number of matches": "#@overlay/match expects=lambda n: fail(data.values.pw)\npw: x\n",
}


@pytest.mark.parametrize("name", OVERLAYS)
def test_an_overlay_that_fails_shows_no_secret(name: str) -> None:
    head = '#@ load("@ytt:data", "data")\n#@ load("@ytt:overlay", "overlay")\n'
    files = {
        "a.yml": head
        + 'free: 1\npw: #@ data.values.pw\ntext: #@ "[x\\na = " + data.values.pw\nlist:\n- pw: #@ data.values.pw\n',
        "o.yml": head + '#@overlay/match by=overlay.all, expects="1+"\n---\n' + OVERLAYS[name],
    }
    reports = []
    for secret in (CANARY, OTHER):
        with pytest.raises(plait.PlaitError) as info:
            plait.render(files, secrets={"pw": secret}, extensions=["embedded"])
        reports.append(info.value.report())
    assert reports[0] == reports[1]
    assert CANARY not in reports[0]


# The name of a document, the way in it, and a key are made of the secret.
NAMED_BY_SECRETS = {
    "a document": "kind: A\nmetadata: {name: #@ pw\n  }\na: 1\n",
    "a kind": "kind: #@ pw\nmetadata: {name: x}\na: 1\n",
}
FAILING_OVERLAY = """\
#@ load("@ytt:overlay", "overlay")
#@overlay/match by=overlay.all
---
#@overlay/replace via=lambda l, r: fail("x")
a: 1
"""
REPEATED_KEY = "#@yaml/text-templated-strings\n(@= pw @): 1\n#@yaml/text-templated-strings\n(@= pw @): 2\n"


@pytest.mark.parametrize(
    "files",
    [
        *({"a.yml": f"{HEAD}---\n{text}", "b.yml": FAILING_OVERLAY} for text in NAMED_BY_SECRETS.values()),
        {"a.yml": f"{HEAD}---\n{REPEATED_KEY}"},
    ],
)
def test_an_error_names_no_document_or_key_by_a_secret(
    files: dict[str, str], tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    said = []
    for secret in (CANARY, OTHER):
        for name, text in files.items():
            (tmp_path / name).write_text(text, "utf-8")
        (tmp_path / "secrets.yml").write_text(f"pw: {secret}\nuser: app\n", "utf-8")
        inputs = [word for name in files for word in ("-f", str(tmp_path / name))]
        assert main(["render", *inputs, "--secrets", f"file:{tmp_path / 'secrets.yml'}"]) == 1
        said.append(capfd.readouterr())
    assert said[0] == said[1]
    assert CANARY not in said[0].err
