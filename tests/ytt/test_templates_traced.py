"""What a traced run gives is what any other gives, errors included; what it writes is what its nodes are."""

from __future__ import annotations

import pytest

import plait
from plait.base.errors import LimitError, PlaitError
from plait.base.source import Source
from plait.tree.nodes import walk
from plait.yaml.reader import read
from plait.yaml.writer import write

BODIES = {
    "scalars": """\
#@ for x in ["a", 1, 1.5, True, None, -9223372036854775808, 18446744073709551615, ""]:
- value: #@ x
  1: #@ x
  both: {one: 1, two: [x, y]}
- #@ x
#@ end
""",
    "collections": """\
#@ def part(x):
a: #@ x
b: [1, 2]
#@ end
all:
#@ for x in [[1, 2], {"k": [1]}, (), {}, part(3), [part(1), part(2)]]:
- value: #@ x
- #@ x
#@ end
""",
    "too large": """\
#@ for x in [1, 1 << 64]:
- before: 1
  value: #@ x
#@ end
""",
    "no data": """\
#@ for x in [1, len]:
- before: 1
  value: #@ x
  after: #@ fail("not reached before")
#@ end
""",
    "a function as a value": """\
#@ for x in [len]:
- before: 1
  value: #@ x
#@ end
""",
    "replaced map items": """\
#@ load("@ytt:template", "template")
#@ def more(x):
x: #@ x
#@ end
all:
#@ for x in [{}, {"c": 1}, more(2), {"c": 1, "d": 3}]:
- a: 0
  _: #@ template.replace(x)
  b: #@ len(str(x)) > 2
#@ end
""",
    "replaced array items": """\
#@ load("@ytt:template", "template")
all:
#@ for x in [[], [1], [1, [2]]]:
- first
- #@ template.replace(x)
#@ end
""",
    "replaced by nothing": """\
#@ load("@ytt:template", "template")
#@ def none():
_: #@ template.replace({})
#@ end
#@ def never(x):
#@ if x:
a: 1
#@ end
#@ end
none: #@ none()
never: #@ never(False)
sometimes: #@ never(True)
""",
    "replaced by what does not fit": """\
#@ load("@ytt:template", "template")
#@ for x in [{"a": 1}, [1]]:
- _: #@ template.replace(x)
#@ end
""",
    "keys that come again from a loop": """\
#@ def many(names):
#@ for x in names:
key:
  #@ for y in names:
  inner: #@ y
  #@ end
#@ end
#@ end
many: #@ many(["a", "b"])
""",
    "keys that stand twice": """\
#@ def twice(x):
#@ if x:
a: 1
#@ end
a: #@ x
map:
  b: 1
  #@ if/end x:
  b: #@ x
#@ end
no: #@ twice(False)
yes: #@ twice(True)
""",
    "keys that stand twice and are given once": """\
#@ def either(x):
#@ if x:
a: #@ x
#@ else:
a: 2
#@ end
map:
  #@ if/end not x:
  b: 1
  #@ if/end x:
  b: #@ x
#@ end
no: #@ either(False)
yes: #@ either(True)
""",
    "keys that come again and may": """\
#@ def many(names):
map:
  #@ for x in names:
  #@yaml/map-key-override
  key: #@ x
  #@ end
  last: 1
#@ end
many: #@ many(["a", "b"])
""",
    "keys from a replacement": """\
#@ load("@ytt:template", "template")
#@ def part():
a: 2
#@ end
all:
#@ for x in [1]:
- a: 1
  _: #@ template.replace(part())
#@ end
""",
    "annotations": """\
#@ for x in [1, 2]:
#@overlay/match missing_ok=x > 1
- name: #@ x
  #@overlay/match missing_ok=True
  #@overlay/replace via=lambda left, right: left
  map:
    a: #@ x
#@ end
""",
    "owners that are not there": """\
all:
#@ for x in [True, False, True]:
- a: 1
  #@ if x:
  map:
  #@ end
    b: #@ x
- c: 1
#@ end
""",
    "functions in functions": """\
#@ def outer(x):
outer:
  #@ def inner(y):
  y: #@ y
  #@ if y > 1:
  more: [1]
  #@ end
  #@ end
  inner: #@ inner(x)
  again: #@ inner(x + 1)
#@ end
all:
#@ for x in [1, 2]:
- #@ outer(x)
#@ end
""",
    "functions that return early": """\
#@ def early(x):
a: 1
#@ if x == 1:
#@ return
#@ elif x == 2:
#@ return "text"
#@ end
list:
#@ for y in range(x):
#@ if y > 3:
#@ break
#@ end
- #@ y
#@ end
#@ end
all:
#@ for x in range(6):
- #@ early(x)
#@ end
""",
    "text in between": """\
#@ def texts(x):
#@yaml/text-templated-strings
(@= x @)-key:
  inner: "(@= x @)"
  list:
  - 1
  - "(@= x @)!"
plain: #@ x
map:
  #@yaml/text-templated-strings
  b: "(@= x @)"
  #@ for y in [x]:
  c: #@ y
  #@ end
#@ end
all:
#@ for x in ["a", "b"]:
- #@ texts(x)
#@ end
""",
    "documents": """\
#@ load("@ytt:template", "template")
#@ def doc(x):
--- #@ x
---
inner: #@ x
#@ end
#@ for x in [1, {"a": 1}, None]:
---
a: #@ x
--- #@ x
---
- 1
- #@ x
--- #@ template.replace(doc(x))
#@ end
""",
    "holes of every kind, with something behind them": """\
#@ def labels(x):
a: #@ x
more:
  b: #@ x
#@ end
all:
#@ for x in ["s", 40 * "long ", "two\\nlines", "", "yes", "- a", None, 2, 0.5, [], {}, [1, [2, []]], {"k": {"l": [{}]}}]:
- labels: #@ labels(x)
  behind: {a: [1, 2]}
  list:
  - #@ x
  - - #@ x
    - last
  - key: #@ x
    other: #@ x
  - - - #@ labels(x)
  "a key: in quotes": #@ x
  empty:
  #@ for y in []:
  - #@ y
  #@ end
  sometimes:
    #@ if x == "s":
    a: 1
    #@ end
  "a key\\non two lines": #@ x
  last: #@ labels(x)
#@ end
""",
    "functions around functions": """\
#@ def around(x):
first: 1
list:
- inner: #@ x
  behind: "-"
- - #@ x
#@ end
#@ def deep():
#@   x = "innermost"
#@   for i in range(9):
#@     x = around(x)
#@   end
#@   return x
#@ end
all:
#@ for x in [deep()]:
- #@ x
- a: #@ x
#@ end
""",
    "one of several branches": """\
#@ def one(x):
name: #@ x
#@ if x == 1:
value: first
more: #@ x
#@ elif x == 2:
value: second
#@ else:
more: #@ x
value: third
#@ end
last: #@ x
#@ end
all:
#@ for x in range(4):
- #@ one(x)
#@ end
""",
    "keys of two branches that are both taken": """\
#@ def both(x):
#@ if x:
value: first
#@ end
#@ if x:
value: second
#@ end
#@ end
all:
#@ for x in [False, True]:
- #@ both(x)
#@ end
""",
    "values that are no scalars by name": """\
#@ for x in [1]:
- a: #@ "{}".format(x)
  #@ b = 1
  ? [1, 2]
  : #@ b
  !!str 1: #@ b
  null:
  list: #@ [y for y in range(3)]
  #@ for z in [1]:
  ? {a: 1}
  :
    b: #@ z
  #@ end
#@ end
""",
}


def outcome(text: str, *, trace: bool) -> tuple[str, str, int]:
    try:
        return plait.render({"a.yml": text}, trace=trace).to_yaml(), "", 0
    except PlaitError as error:
        return "", str(error), error.at.line if error.at is not None else 0


@pytest.mark.parametrize("name", BODIES)
def test_both_ways_are_one(name: str) -> None:
    plain = outcome(BODIES[name], trace=False)
    assert plain == outcome(BODIES[name], trace=True)
    assert plain != ("", "", 0)


@pytest.mark.parametrize("name", [name for name, text in BODIES.items() if outcome(text, trace=False)[0]])
def test_what_is_written_is_what_the_nodes_are(name: str) -> None:
    documents = plait.render({"a.yml": BODIES[name]}).nodes
    written = write(documents)
    count = sum(1 for _ in walk(documents))
    assert write(documents) == written
    assert sum(1 for _ in walk(read(Source("b.yml", written)))) == count


@pytest.mark.parametrize("name", ["holes of every kind, with something behind them", "functions in functions"])
def test_keys_are_sorted(name: str) -> None:
    documents = plait.render({"a.yml": BODIES[name]}).nodes
    assert write(documents, sort=True, fold=20) == write(read(Source("b.yml", write(documents))), sort=True, fold=20)


def test_nodes_count_for_the_size_of_the_output() -> None:
    text = "#@ for x in range(100):\n- a: #@ x\n  b: {c: [1, 2], d: 1}\n#@ end\n"
    # 100 x (an item of the list, two of its map, four below), each as 64 characters.
    plait.render({"a.yml": text}, limits={"output": 100 * 7 * 64}).to_yaml()
    with pytest.raises(LimitError, match=r"the output exceeds the limit output=44799"):
        plait.render({"a.yml": text}, limits={"output": 100 * 7 * 64 - 1}).to_yaml()


def test_most_of_them_render() -> None:
    rendered = [name for name, text in BODIES.items() if outcome(text, trace=False)[0]]
    assert len(rendered) >= 12, rendered


@pytest.mark.parametrize("name", BODIES)
def test_both_ways_are_one_in_a_loop(name: str) -> None:
    """The same body in a loop around all of it, or the same error of it."""
    text = BODIES[name]
    if "---" in text:
        pytest.skip("documents belong to the top level")
    lines = text.splitlines()
    loads = "\n".join(line for line in lines if line.startswith("#@ load"))
    inner = "\n".join("  " + line for line in lines if not line.startswith("#@ load"))
    wrapped = f"{loads}\n#@ for whole in range(2):\n---\nall:\n{inner}\n#@ end\n"
    assert outcome(wrapped, trace=False) == outcome(wrapped, trace=True)
