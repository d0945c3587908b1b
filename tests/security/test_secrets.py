"""Values of secrets stay out of messages, traces and warnings; files that hold them are for their owner alone."""

from __future__ import annotations

import os
import stat
import sys
from typing import TYPE_CHECKING

import pytest

from plait.cli import main

if TYPE_CHECKING:
    import pathlib

SECRET = "correct-horse-battery"

POLICY = "schema: deckhand/LayeringPolicy/v1\nmetadata: {schema: metadata/Control/v1, name: p}\ndata: {layerOrder: [a, b]}\n---\n"


def encrypted(data: str, name: str = "s", more: str = "") -> str:
    return (
        f"schema: x/Y/v1\nmetadata:\n  schema: metadata/Document/v1\n  name: {name}\n  storagePolicy: encrypted\n"
        f"  labels: {{l: m}}\n  layeringDefinition: {{layer: a{more}}}\ndata: {data}\n---\n"
    )


def plain(data: str, substitution: str = "", definition: str = "layer: a") -> str:
    substitutions = f"  substitutions:\n  - {substitution}\n" if substitution else ""
    return (
        "schema: x/Y/v1\nmetadata:\n  schema: metadata/Document/v1\n  name: t\n  storagePolicy: cleartext\n"
        f"  layeringDefinition: {{{definition}}}\n{substitutions}data: {data}\n"
    )


FROM = "src: {schema: x/Y/v1, name: s, path: %s}\n    dest: {path: %s}"
SCHEMA = (
    "---\nschema: deckhand/DataSchema/v1\nmetadata: {schema: metadata/Control/v1, name: x/Y/v1}\n"
    "data: {type: object, properties: {k: {type: integer}, t: {type: integer}}, additionalProperties: false}\n"
)

LAYERS = {
    "a path that is not there": encrypted(f"{{k: {SECRET}}}") + plain("{}", FROM % (".none", ".t")),
    "a path through the value": encrypted(f"{{k: {SECRET}}}") + plain("{}", FROM % (".k.z", ".t")),
    "a pattern that does not match": encrypted(f"{{k: {SECRET}}}")
    + plain("{}", "src: {schema: x/Y/v1, name: s, path: .k, pattern: '^[0-9]+$'}\n    dest: {path: .t}"),
    "a destination in the way": encrypted(f"{{k: {SECRET}}}") + plain("{t: [1]}", FROM % (".k", ".t.u.v")),
    "a collection into a text": encrypted(f"{{k: [{SECRET}]}}")
    + plain("{t: aXb}", "src: {schema: x/Y/v1, name: s, path: .k}\n    dest: {path: .t, pattern: X}"),
    "an action that fails": encrypted(f"{{k: {SECRET}}}", more=", abstract: true")
    + plain("{k: {z: 1}}", definition="layer: b, parentSelector: {l: m}, actions: [{method: merge, path: .k.z}]"),
    "a delete that fails": encrypted(f"{{k: {SECRET}}}", more=", abstract: true")
    + plain("{}", definition="layer: b, parentSelector: {l: m}, actions: [{method: delete, path: .z.y}]"),
    "data of the wrong type": encrypted(f"{{k: {SECRET}}}") + plain("{}", FROM % (".k", ".t")) + SCHEMA,
    "a key that is too much": encrypted(f"{{other: {SECRET}}}") + plain("{}") + SCHEMA,
    "a broken document beside it": encrypted(f"{{k: {SECRET}}}") + "schema: 1\nmetadata: []\n",
    "an unknown policy": encrypted(f"{{k: {SECRET}}}").replace("encrypted", "encrypted\n  x: [1") + plain("{}"),
}


@pytest.fixture(autouse=True)
def here(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> pathlib.Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize("flags", [[], ["--validate"], ["--validate-data"], ["--lenient"], ["--tree"]])
@pytest.mark.parametrize("name", LAYERS)
def test_encrypted_documents(
    name: str, flags: list[str], here: pathlib.Path, capfd: pytest.CaptureFixture[str]
) -> None:
    (here / "a.yml").write_text(POLICY + LAYERS[name], "utf-8")
    status = main(["layer", *flags, "a.yml"])
    said = capfd.readouterr()
    assert status in (0, 1)
    assert SECRET not in said.err
    assert SECRET not in said.out


def test_the_scenarios_do_show_other_data(here: pathlib.Path, capfd: pytest.CaptureFixture[str]) -> None:
    """Without `encrypted` some messages quote the line: the tests above can fail."""
    shown = 0
    for text in LAYERS.values():
        (here / "a.yml").write_text(POLICY + text.replace("encrypted", "cleartext"), "utf-8")
        main(["layer", "--validate-data", "a.yml"])
        said = capfd.readouterr()
        shown += SECRET in said.err + said.out
    assert shown >= 3


STORE = f"p: {SECRET}\nm: {{user: {SECRET}, list: [{SECRET}]}}\no: {{{SECRET}: 1}}\nw: {{length: [{SECRET}]}}\n"

PATCHES = {
    "a map within a text": "a: x((m))y\n",
    "a part that is not there": "a: ((m.none))\n",
    "a part of a text": "a: ((p.none))\n",
    "an index of a map": "a: ((m.0))\n",
    "a map as key": "((m)): 1\n",
    "a missing variable beside it": "a: ((p))\nb: ((none))\n",
    "a definition of a type nobody knows": "a: ((q))\nvariables:\n- {name: q, type: none, options: {common_name: ((p))}}\n",
    "a wrong option": "a: ((q))\nvariables:\n- {name: q, type: password, options: {length: ((p))}}\n",
    "options from the store": "a: ((q))\nvariables:\n- {name: q, type: password, options: ((o))}\n",
    "a wrong option from the store": "a: ((q))\nvariables:\n- {name: q, type: password, options: ((w))}\n",
    "the name of an option": "a: ((q))\nvariables:\n- {name: q, type: password, options: {((p)): 1}}\n",
    "a signer": "a: ((q))\nvariables:\n- {name: q, type: certificate, options: {ca: ((p)), common_name: x}}\n",
    "a name from the store": "a: ((q))\nvariables:\n- {name: ((p)), type: password}\n",
    "a type from the store": "a: ((q))\nvariables:\n- {name: q, type: ((p))}\n",
    "a certificate authority": "a: ((q))\nvariables:\n- {name: q, type: certificate, options: {ca: p, common_name: x}}\n",
}


@pytest.mark.parametrize("flags", [[], ["--var-errs", "--var-errs-unused"], ["--path", "/a/none"], ["--json"]])
@pytest.mark.parametrize("name", PATCHES)
def test_values_of_a_store(name: str, flags: list[str], here: pathlib.Path, capfd: pytest.CaptureFixture[str]) -> None:
    (here / "t.yml").write_text(PATCHES[name], "utf-8")
    (here / "s.yml").write_text(STORE, "utf-8")
    status = main(["patch", "t.yml", "--vars-store", "s.yml", *flags])
    said = capfd.readouterr()
    assert SECRET not in said.err
    if status:
        assert SECRET not in said.out


# Texts of files of secrets that are no YAML, or not what they should be.
BROKEN = [
    f"p: [{SECRET}",
    f"- {SECRET}\n",
    SECRET,
    f"p: {SECRET}\x01\n",
    f"p: *{SECRET}\n",
    f"p: !!int {SECRET}\n",
    f"p: !!bool it's `{SECRET}`'s\n",
    f"p: *it'{SECRET}'s\n",
    f'p: !!float "{SECRET}"\n',
]


@pytest.mark.parametrize("text", BROKEN)
def test_a_broken_store(text: str, here: pathlib.Path, capfd: pytest.CaptureFixture[str]) -> None:
    (here / "t.yml").write_text("a: ((p))\n", "utf-8")
    (here / "s.yml").write_text(text, "utf-8")
    assert main(["patch", "t.yml", "--vars-store", "s.yml"]) == 1
    said = capfd.readouterr()
    assert SECRET not in said.err + said.out
    assert "s.yml" in said.err


@pytest.mark.parametrize("text", BROKEN)
def test_a_broken_file_of_secrets(text: str, here: pathlib.Path, capfd: pytest.CaptureFixture[str]) -> None:
    (here / "a.yml").write_text(POLICY + plain("{}"), "utf-8")
    (here / "s.yml").write_text(text, "utf-8")
    assert main(["layer", "a.yml", "--secrets-file", "s.yml"]) == 1
    said = capfd.readouterr()
    assert SECRET not in said.err + said.out


def test_a_variable_of_the_environment(
    here: pathlib.Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A password may begin with what YAML takes for an alias."""
    (here / "t.yml").write_text("a: ((p))\n", "utf-8")
    monkeypatch.setenv("SECRET_p", f"*{SECRET}")
    assert main(["patch", "t.yml", "--vars-env", "SECRET"]) == 1
    said = capfd.readouterr()
    assert SECRET not in said.err + said.out
    assert "SECRET_p" in said.err


def test_debug_shows_no_values(here: pathlib.Path, capfd: pytest.CaptureFixture[str]) -> None:
    (here / "a.yml").write_text('#@ load("@ytt:data", "data")\na: #@ data.values.p\n', "utf-8")
    (here / "v.yml").write_text(f"p: {SECRET}\n", "utf-8")
    assert main(["render", "--debug", "-f", "a.yml", "--data-values-file", "v.yml", "-v", f"q={SECRET}"]) == 0
    said = capfd.readouterr()
    assert SECRET in said.out
    assert SECRET not in said.err


@pytest.mark.skipif(sys.platform == "win32", reason="needs POSIX modes")
@pytest.mark.parametrize("mask", [0o000, 0o022, 0o077])
def test_a_new_store_is_its_owners(mask: int, here: pathlib.Path) -> None:
    (here / "t.yml").write_text("a: ((p))\nvariables:\n- {name: p, type: password}\n", "utf-8")
    before = os.umask(mask)
    try:
        assert main(["patch", "t.yml", "--vars-store", "new/s.yml"]) == 0
    finally:
        os.umask(before)
    assert stat.S_IMODE(os.stat("new/s.yml").st_mode) == 0o600


VALUES = {
    "a values file that is broken": ("render -f a.yml -d v.yml", {"v.yml": f"a: 1\npassword: [{SECRET}\n"}),
    "a values file with a wrong key": (
        "render -f s.yml -d v.yml",
        {"s.yml": "#@data/values-schema\n---\npassword: ''\n", "v.yml": f"passwrd: {SECRET}\n"},
    ),
    "a values file with a wrong type": (
        "render -f s.yml -d v.yml",
        {"s.yml": "#@data/values-schema\n---\npassword: 1\n", "v.yml": f"password: {SECRET}\n"},
    ),
    "a value that is not valid": (
        "render -f s.yml -d v.yml",
        {
            "s.yml": "#@data/values-schema\n---\n#@schema/validation max_len=3\npassword: ''\n",
            "v.yml": f"password: {SECRET}\n",
        },
    ),
    "a list of values": (
        "render -f s.yml -d v.yml",
        {"s.yml": "#@data/values-schema\n---\nkeys:\n- 1\n", "v.yml": f"keys:\n- {SECRET}\n"},
    ),
    "a block of text": (
        "render -f s.yml -d v.yml",
        {"s.yml": "#@data/values-schema\n---\nkeys: 1\n", "v.yml": f"keys: |\n  -----BEGIN\n  {SECRET}\n"},
    ),
    "the environment": ("render -f s.yml --data-values-env APP", {"s.yml": "#@data/values-schema\n---\nb: ''\n"}),
    "the environment as YAML": ("render -f s.yml --data-values-env-yaml BAD", {"s.yml": "a: 1\n"}),
    "a variables file that is broken": ("patch a.yml -l v.yml", {"v.yml": f"password: [{SECRET}\n"}),
    "a variables file that is a list": ("patch a.yml -l v.yml", {"v.yml": f"- {SECRET}\n"}),
    "a variable of the wrong type": (
        "patch t.yml -l v.yml",
        {"t.yml": "a: x((password))\n", "v.yml": f"password: [{SECRET}]\n"},
    ),
    "variables of the environment": ("patch a.yml --vars-env BAD", {}),
    "a patched value": (
        "patch t.yml -l v.yml --path /a/b/c",
        {"t.yml": "a: ((password))\n", "v.yml": f"password: {SECRET}\n"},
    ),
    "a composed value": (
        "compose w.yml -d v.yml",
        {
            "w.yml": "steps: [{render: {files: [s.yml]}}]\n",
            "s.yml": "#@data/values-schema\n---\npassword: 1\n",
            "v.yml": f"password: {SECRET}\n",
        },
    ),
}


@pytest.mark.parametrize("name", VALUES)
def test_messages_do_not_quote_values(
    name: str, here: pathlib.Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("APP_password", SECRET)
    monkeypatch.setenv("BAD_password", f"[{SECRET}")
    line, files = VALUES[name]
    for path, text in {"a.yml": "a: 1\n", **files}.items():
        (here / path).write_text(text, "utf-8")
    assert main(line.split()) == 1
    said = capfd.readouterr()
    assert SECRET not in said.err
    assert SECRET not in said.out
    assert said.err.startswith("plait: ")


def test_values_are_quoted_when_asked_for(here: pathlib.Path, capfd: pytest.CaptureFixture[str]) -> None:
    line, files = VALUES["a values file with a wrong type"]
    for path, text in files.items():
        (here / path).write_text(text, "utf-8")
    assert main(line.split()) == 1
    assert "| password: ...\n" in capfd.readouterr().err
    assert main([*line.split(), "--quote-values"]) == 1
    assert f"| password: {SECRET}\n" in capfd.readouterr().err


# Texts that are read as a YAML comment, key, flow collection, tag, anchor or byte order mark.
TEXTS = (
    "#hunter2", "x #hunter2", "hunter2: x", "(@hunter2", "? hunter2", "{hunter2}", "hunter2:", "&hunter2", "!hunter2 x",
    "\ufeffhunter2: x", "%hunter2", "---\n...\n#hunter2", "|hunter2\n x", "- [*hunter2",
)  # fmt: skip


@pytest.mark.parametrize("text", TEXTS)
@pytest.mark.parametrize("source", ["db=dir:d", "db.pw=file:d/pw"])
def test_a_secret_text_is_replaced_as_a_whole(
    text: str, source: str, tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "d").mkdir()
    (tmp_path / "d" / "pw").write_text(text, "utf-8")
    (tmp_path / "s.yml").write_text("#@data/values-schema\n---\ndb: {pw: ''}\n")
    (tmp_path / "a.yml").write_text('#@ load("@ytt:data", "data")\na: #@ 1 if data.values.db.pw else 2\n')
    argv = ["reduce", "--output", "a=1", "render", "-f", "s.yml", "-f", "a.yml", "--secrets", source]
    assert main(argv) == 0
    out = capsys.readouterr().out
    assert "hunter2" not in out
    assert "withheld" in out


def test_a_secret_file_keeps_its_keys_alone(
    tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    text = (
        "# hunter2\ndb:\n  pw: (@hunter2 # hunter2\n  n: 7\n  f: 7.25\n  b: false\n  l: &hunter2 [hunter2]\n  z: null\n"
    )
    (tmp_path / "f.yml").write_text(text)
    (tmp_path / "s.yml").write_text("#@data/values-schema\n---\n#@schema/type any=True\ndb: {}\n")
    (tmp_path / "a.yml").write_text('#@ load("@ytt:data", "data")\na: #@ len(data.values.db)\n')
    argv = ["reduce", "--output", "a=6", "render", "-f", "s.yml", "-f", "a.yml", "--secrets", "file:f.yml"]
    assert main(argv) == 0
    out = capsys.readouterr().out
    assert "hunter2" not in out
    assert "7" not in out
    assert "pw: withheld-1" in out
