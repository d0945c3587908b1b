"""Overlays that are applied to documents of several evaluations, and results of templates that are used again."""

from __future__ import annotations

from pathlib import Path

import pytest

from plait.base.errors import PlaitError, Warning, render
from plait.base.fast_paths import FAST
from plait.cli.tools import table
from plait.engine.incremental import Engine
from plait.engine.world import World, evaluate
from plait.ytt import modules
from plait.ytt.overlay.closed_functions import MODULES

pytestmark = [pytest.mark.untraced, pytest.mark.skipif(not FAST, reason="nothing is reused without passes for speed")]

_DATA = '#@ load("@ytt:data", "data")\n'
_OVERLAY = f'{_DATA}#@ load("@ytt:overlay", "overlay")\n'
_VALUES = "#@data/values\n---\nkind: A\nname: a\nsize: 1\nlive: true\ntags: [b]\nnested: {a: 1}\n"
_DOCUMENTS = (
    f"{_DATA}---\nkind: #@ data.values.kind\nname: #@ data.values.name\nitems: [{{name: x}}]\n"
    "---\nkind: A\nname: fixed\nreplicas: 2\nitems: [{name: x}, {name: y}]\n---\nkind: B\nname: other\n"
)


def overlay(match: str, body: str = "#@overlay/match missing_ok=True\nadded: 1\n") -> str:
    return f"{_OVERLAY}#@overlay/match {match}\n---\n{body}"


# Programs, and the data values of their evaluations, one after the other.
PROGRAMS: dict[str, tuple[dict[str, str], list[str]]] = {
    "a document matches, then no longer": (
        {"a.yml": _DOCUMENTS, "o.yml": overlay('by=overlay.subset({"kind": "A"}), expects="0+"')},
        ["kind=A", "kind=B", "kind=A", "kind=C"],
    ),
    "the number of matches is wrong, then right": (
        {"a.yml": _DOCUMENTS, "o.yml": overlay('by=overlay.subset({"kind": "A"}), expects=1')},
        ["kind=A", "kind=B", "kind=A"],
    ),
    "what it looks for changes": (
        {"a.yml": _DOCUMENTS, "o.yml": overlay('by=overlay.subset({"kind": data.values.kind}), expects="0+"')},
        ["kind=A", "kind=B", "kind=A"],
    ),
    "what it adds changes": (
        {
            "a.yml": _DOCUMENTS,
            "o.yml": overlay(
                "by=overlay.all, expects=3", "#@overlay/match missing_ok=True\nadded: #@ data.values.size\n"
            ),
        },
        ["size=1", "size=2", "size=1"],
    ),
    "two overlays, of which the second matches what the first makes": (
        {
            "a.yml": _DOCUMENTS,
            "o.yml": overlay('by=overlay.subset({"kind": "A"}), expects="0+"'),
            "p.yml": overlay(
                'by=overlay.subset({"added": 1}), expects="0+"', "#@overlay/match missing_ok=True\nmore: 1\n"
            ),
        },
        ["kind=A", "kind=B", "kind=A"],
    ),
    "a function changes the documents": (
        {
            "a.yml": _DOCUMENTS,
            "o.yml": overlay(
                'by=overlay.subset({"kind": "A"}), expects="0+"',
                "#@overlay/replace via=lambda left, right: left + str(data.values.size)\nname: ''\n",
            ),
            "p.yml": overlay('by=overlay.subset({"name": "fixed2"}), expects="0+"'),
        },
        ["size=1", "size=2", "kind=B", "size=1"],
    ),
    "a function matches": (
        {
            "a.yml": _DOCUMENTS,
            "o.yml": overlay('by=lambda index, left, right: left["kind"] == data.values.kind, expects="0+"'),
        },
        ["kind=A", "kind=B", "kind=A"],
    ),
    "a closed function matches, another one changes documents": (
        {
            "a.yml": _DOCUMENTS,
            "o.yml": overlay(
                'by=overlay.and_op(lambda index, left, right: left["kind"] == "A", overlay.all), expects="0+"',
                "#@overlay/replace via=lambda left, right: left + right\nname: '!'\n",
            ),
            "p.yml": overlay('by=overlay.subset({"name": "fixed!"}), expects="0+"'),
        },
        ["kind=A", "kind=B", "name=b", "kind=A", "kind=C"],
    ),
    "a function refers to a value that changes": (
        {
            "a.yml": _DOCUMENTS,
            "o.yml": f"{_DATA}#@ size = data.values.size\n"
            + overlay(
                'by=lambda index, left, right: size == 1 or left["kind"] == "B", expects="0+"',
                "#@overlay/replace via=lambda left, right: left + str(size)\nname:\n",
            ),
        },
        ["size=1", "size=2", "name=b", "size=1"],
    ),
    "a function prints": (
        {
            "a.yml": _DOCUMENTS,
            "o.yml": f"{_OVERLAY}#@ def told(left, right):\n#@   print(left)\n#@   return left\n#@ end\n"
            "#@overlay/match by=overlay.all, expects='0+'\n---\n#@overlay/replace via=told\nname:\n",
        },
        ["kind=A", "kind=B", "name=b"],
    ),
    "a function matches by the index": (
        {"a.yml": _DOCUMENTS, "o.yml": overlay("by=lambda *given: given[0] == 1, expects='0+'")},
        ["kind=A", "kind=B", "name=b"],
    ),
    "a key is misspelt in one of the documents": (
        {
            "a.yml": _DOCUMENTS,
            "o.yml": overlay(
                'by=overlay.subset({"kind": "A"}), expects="0+"', "#@overlay/match missing_ok=True\nreplcias: 1\n"
            ),
        },
        ["kind=A", "kind=B", "kind=A"],
    ),
    "a document comes and goes": (
        {
            "a.yml": f"{_DATA}#@ if data.values.live:\n---\nkind: A\nname: first\n#@ end\n---\nkind: A\nname: second\n",
            "o.yml": overlay('by=overlay.subset({"kind": "A"}), expects="1+"'),
            "p.yml": overlay(
                "by=overlay.all, expects='0+'", "#@overlay/match missing_ok=True\nmore: #@ data.values.size\n"
            ),
        },
        ["live=true", "live=false", "live=true", "size=2"],
    ),
    "items by key": (
        {
            "a.yml": _DOCUMENTS,
            "o.yml": overlay(
                'by=overlay.subset({"kind": "A"}), expects="0+"',
                'items:\n#@overlay/match by="name"\n- name: x\n  #@overlay/match missing_ok=True\n  size: #@ data.values.size\n',
            ),
        },
        ["size=1", "size=2", "name=b", "kind=B"],
    ),
    "the sign of zero": (
        {"a.yml": f"{_DATA}---\nzero: #@ 0.0 if data.values.live else -0.0\n"},
        ["live=true", "live=false", "live=true"],
    ),
    "a number becomes a boolean": (
        {"a.yml": f"{_DATA}---\none: #@ 1 if data.values.live else True\n"},
        ["live=true", "live=false", "live=true"],
    ),
    "a key of the data values is absent, then there": (
        {
            "a.yml": f'{_DATA}---\nhas: #@ hasattr(data.values.nested, "b")\ngets: #@ getattr(data.values.nested, "b", 0)\n',
            "b.yml": f'{_DATA}---\nin: #@ "b" in data.values.nested\n',
        },
        ["nested={a: 1}", "nested={a: 1, b: 2}", "nested={a: 1, b: 3}", "nested={b: {c: 1}}", "nested={a: 1}"],
    ),
    "the order of keys": (
        {"a.yml": f"{_DATA}---\nkeys: #@ [one for one in data.values.nested]\nlen: #@ len(data.values.nested)\n"},
        ["nested={a: 1, b: 2}", "nested={b: 2, a: 1}", "nested={a: 1, b: 2, c: 3}", "nested={}"],
    ),
    "a list within a list": (
        {"a.yml": f"{_DATA}---\ntags: #@ data.values.tags\nfirst: #@ data.values.tags[0]\n"},
        ["tags=[1]", "tags=[1.0]", "tags=[{a: 1}]", "tags=[{a: [1]}]", "tags=[{a: [true]}]"],
    ),
    "keys that are no strings": (
        {
            "a.yml": f"{_DATA}---\none: #@ data.values.nested[1]\n",
            "b.yml": f"{_DATA}---\nall: #@ [one for one in data.values.nested]\n",
        },
        ["nested={1: a}", "nested={1: b}", "nested={1: [c]}", "nested={1: [d], 2: e}"],
    ),
    "a list that a file gives to two templates, of which one changes it": (
        {
            "m.star": 'load("@ytt:data", "data")\ndef tags():\n  return data.values.tags\nend\n',
            "a.yml": f'{_DATA}#@ load("m.star", "tags")\n#@ tags().append(data.values.size)\n---\na: #@ tags()\n',
            "b.yml": '#@ load("m.star", "tags")\n---\nb: #@ tags()\n',
        },
        ["size=1", "size=2", "tags=[c]", "size=1"],
    ),
    "a fragment that one of two templates changes": (
        {
            "m.lib.yml": "#@ def made():\na: 1\n#@ end\n#@ fragment = made()\n",
            "a.yml": (
                f'{_OVERLAY}#@ load("m.lib.yml", "fragment")\n#@ def right():\n#@overlay/match missing_ok=True\n'
                "b: #@ data.values.size\n#@ end\n---\na: #@ overlay.apply(fragment, right())\n"
            ),
            "b.yml": '#@ load("m.lib.yml", "fragment")\n---\nb: #@ fragment\n',
        },
        ["size=1", "size=2", "size=1"],
    ),
    "a matcher whose map a function of another annotation changes": (
        {
            "a.yml": _DOCUMENTS,
            "o.yml": (
                f"{_OVERLAY}#@ def made():\n#@   wanted = {{'kind': 'A'}}\n#@   def change(left, right):\n"
                "#@     wanted['kind'] = data.values.kind\n#@     return left\n#@   end\n"
                "#@overlay/match by=overlay.subset({'name': 'other'})\n---\n#@overlay/replace via=change\nkind:\n"
                "#@overlay/match by=overlay.subset(wanted), expects='0+'\n---\n#@overlay/match missing_ok=True\nwanted: true\n"
                '#@ end\n#@ load("@ytt:template", "template")\n--- #@ template.replace(made())\n'
            ),
        },
        ["kind=B", "kind=A", "kind=C", "kind=B"],
    ),
}


def shown(engine: Engine | None, value: str) -> object:
    warned: list[Warning] = []
    request = table("render").parse(["-f", ".", "--data-value-yaml", value])
    try:
        made = evaluate(request, World(engine=engine, warned=warned))
    except PlaitError as error:
        return render(error, ""), warned
    return made.to_yaml(), warned, made.printed


@pytest.mark.parametrize("name", PROGRAMS)
def test_evaluations_one_after_the_other_give_what_each_gives_alone(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    files, values = PROGRAMS[name]
    for path, text in {"values.yml": _VALUES, **files}.items():
        (tmp_path / path).write_text(text, "utf-8")
    monkeypatch.chdir(tmp_path)
    engine = Engine()
    found = [shown(engine, value) for value in values]
    assert found == [shown(None, value) for value in values]
    # The evaluations differ, so that each has a chance to be wrong.
    assert any(one != found[0] for one in found)


# Arguments of annotations whose parts are shared, so that they have 2**60 parts.
SHARED = {
    "a list": ("x = []", "x = [x, x]", "by=overlay.all, when=x"),
    "a tuple": ("x = ()", "x = (x, x)", "by=overlay.all, when=x"),
    "a dict": ("x = {}", 'x = {"a": x, "b": x}', "by=overlay.all, when=x"),
    "an expectation": ("x = []", "x = [x, x]", "by=overlay.subset(x)"),
    "a combination of matchers": ("x = overlay.subset({})", "x = overlay.and_op(x, x)", "by=x"),
}


@pytest.mark.parametrize("name", SHARED)
def test_arguments_that_share_parts_are_compared_in_bounded_time(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first, again, match = SHARED[name]
    function = (
        f"#@ def made():\n#@   {first}\n#@   for i in range(60):\n#@     {again}\n#@   end\n#@   return x\n#@ end\n"
    )
    text = f"{_OVERLAY}{function}#@ x = made()\n---\nsize: #@ data.values.size\n#@overlay/match {match}\n---\n{{}}\n"
    for path, content in {"values.yml": _VALUES, "o.yml": text}.items():
        (tmp_path / path).write_text(content, "utf-8")
    monkeypatch.chdir(tmp_path)
    engine = Engine()
    values = ["size=1", "size=2", "size=1"]
    # Without a bound, this does not end.
    assert [shown(engine, value) for value in values] == [shown(None, value) for value in values]


def test_the_modules_of_closed_functions() -> None:
    # `template` belongs to the template that runs; `module` has only `make`, whose members are compared.
    assert set(modules.MODULES) - {"template", "module"} == MODULES
