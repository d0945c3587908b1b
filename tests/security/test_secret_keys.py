"""A key that was computed from a secret is part of the output, and of nothing else that a run says."""

from __future__ import annotations

import json
import pathlib

import pytest

import plait
from plait.cli import main

CANARY, OTHER = "hunter2Kestrel", "qqq"
HEAD = '#@ load("@ytt:data", "data")\n#@ load("@ytt:overlay", "overlay")\n#@ load("@ytt:template", "template")\n#@ load("@ytt:yaml", "yaml")\n#@ load("@ytt:library", "library")\n#@ pw = data.values.db.pw\n'
KEY = "#@yaml/text-templated-strings\n"
# Each way in which a program makes a map with a key from a value.
TEMPLATES = {
    "text": f'{KEY}"(@= pw @)": 1\n',
    "text in a text": f'{KEY}"a-(@= pw[1:] @)-b": 1\n',
    "text below a key": f'a:\n  {KEY}  "(@= pw @)": {{b: 1}}\n',
    "function": f'#@ def f():\n{KEY}"(@= pw @)": 1\n#@ end\na: #@ f()\n',
    "loop": f'#@ for name in [pw]:\n{KEY}"(@= name @)": 1\n#@ end\n',
    "display": "a: #@ {pw: 1}\n",
    "display in a list": "a: #@ [{pw: 1}]\n",
    "display in displays": 'a: #@ {"b": [[{pw: {"c": 1}}]]}\n',
    "item": "#@ d = {}\n#@ d[pw] = 1\na: #@ d\n",
    "update": "#@ d = {}\n#@ d.update([(pw, 1)])\na: #@ d\n",
    "comprehension": "a: #@ {one: 1 for one in [pw]}\n",
    "function of keywords": "a: #@ dict(**{pw: 1})\n",
    "decoded": 'a: #@ yaml.decode(pw + ": 1")\n',
    "template.replace": "_: #@ template.replace({pw: 1})\n",
    "overlay": f'a: {{b: 1}}\n#@overlay/match by=overlay.all\n---\na:\n  #@overlay/match missing_ok=True\n  {KEY}  "(@= pw @)": 1\n',
    "via": "a: {b: 1}\n#@overlay/match by=overlay.all\n---\n#@overlay/replace via=lambda left, right: {pw: 1}\na: {}\n",
    "applied": f'#@ def l():\na: 1\n#@ end\n#@ def r():\n#@overlay/match missing_ok=True\n{KEY}"(@= pw @)": 1\n#@ end\na: #@ overlay.apply(l(), r())\n',
    "document": f'kind: A\nmetadata:\n  {KEY}  "(@= pw @)": 1\n',
}
FILES = {
    "schema.yml": '#@data/values-schema\n---\ndb:\n  pw: ""\n  user: app\n',
    "plait.yml": "runs: {r: {render: {files: [schema.yml, a.yml], secrets: file:secret.yml}}}\n",
    "patch.yml": "runs: {r: {patch: {base: base.yml, secrets: file:flat.yml}}}\n",
    "base.yml": "((pw)): 1\na: {'x-((pw))': [((pw))]}\n",
    "t.test.yml": "tests: {t: {run: r, has: nope, equals: {'**': 7}, count: 77, snapshot: true}}\n",
}
# Every channel that names places of the output.
CHANNELS = {
    "explain": ["explain", "run", "r", "**"],
    "explain json": ["explain", "run", "r", "**", "-o", "json"],
    "explain a missing key": ["explain", "run", "r", "nope.nope"],
    "impact": ["impact", "run", "r", "secret.yml:1"],
    "impact of the template": ["impact", "run", "r", "a.yml:7"],
    "test": ["test", "-v"],
    "snapshot": ["test", "--update"],
    "lint": ["lint"],
    "set": ["set", "run", "r", "nope=1"],
    "fleet why": ["fleet", "why", "**"],
    "fleet diff": ["fleet", "diff"],
    "coverage": ["coverage", "--report", "json:coverage.json"],
    "source map": ["run", "r", "--source-map", "map.json"],
}
WRITTEN = ("map.json", "t.test.snapshots/t.yml", "coverage.json")


def said(
    place: pathlib.Path, template: str, secret: str, channel: str, capfd: pytest.CaptureFixture[str], project: str
) -> str:
    """All that a command says in a run with a secret, but for the output."""
    place.mkdir()
    files = FILES | {"a.yml": HEAD + template, "secret.yml": f"db: {{pw: {secret}}}\n", "flat.yml": f"pw: {secret}\n"}
    files["plait.yml"] = files[project]
    for name, text in files.items():
        (place / name).write_text(text)
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(place)
        patch.setenv("XDG_STATE_HOME", str(place / "state"))
        patch.setenv("PLAIT_CACHE_DIR", "")
        capfd.readouterr()
        main(CHANNELS[channel])
    out, err = capfd.readouterr()
    found = [err, "" if channel == "source map" else out]
    found += [(place / name).read_text() for name in WRITTEN if (place / name).exists()]
    return "\n".join(found)


def _checked(texts: list[str]) -> None:
    assert CANARY not in texts[0]
    assert CANARY[1:] not in texts[0]


@pytest.mark.parametrize("template", TEMPLATES)
@pytest.mark.parametrize("channel", CHANNELS)
def test_a_computed_key_is_not_shown(
    template: str, channel: str, tmp_path: pathlib.Path, capfd: pytest.CaptureFixture[str]
) -> None:
    assert (
        CANARY[1:]
        in plait.render(
            {"s.yml": FILES["schema.yml"], "a.yml": HEAD + TEMPLATES[template]}, secrets={"db": {"pw": CANARY}}
        ).to_yaml()
    )
    _checked([said(tmp_path / "one", TEMPLATES[template], CANARY, channel, capfd, "plait.yml")])


@pytest.mark.parametrize("channel", CHANNELS)
def test_a_filled_key_is_not_shown(channel: str, tmp_path: pathlib.Path, capfd: pytest.CaptureFixture[str]) -> None:
    _checked([said(tmp_path / "one", "a: 1\n", CANARY, channel, capfd, "patch.yml")])


def test_keys_that_are_written_are_shown(tmp_path: pathlib.Path) -> None:
    template = 'a: #@ {"password": pw}\nb: #@ data.values.db\n#@ d = {}\n#@ d["password"] = pw\nc: #@ d\n'
    documents = plait.render(
        {"s.yml": FILES["schema.yml"], "a.yml": HEAD + template}, secrets={"db": {"pw": CANARY}}, trace=True
    )
    paths = [one.path for one in plait.explain(documents)]
    assert paths == ["a.password", "b.pw", "b.user", "c.password"]


def test_hidden_keys_of_one_map_differ(tmp_path: pathlib.Path) -> None:
    template = f'a:\n  {KEY}  "(@= pw @)": 1\n  {KEY}  "(@= pw[1:] @)": 2\n'
    documents = plait.render(
        {"s.yml": FILES["schema.yml"], "a.yml": HEAD + template}, secrets={"db": {"pw": CANARY}}, trace=True
    )
    assert [one.path for one in plait.explain(documents)] == ["a.(secret)", "a.(secret 2)"]
    assert CANARY not in json.dumps([one.to_dict() for one in plait.explain(documents)])
