"""Errors about the output, which name documents and keys: what a secret has named is not in them, whatever asks."""

from __future__ import annotations

from pathlib import Path

import pytest

from plait.cli import main

CANARY = "Kestrel9Zq"
HEAD = '#@ load("@ytt:data", "data")\n#@ pw = data.values.db.pw\n'
DOCUMENT = "kind: {kind}\nmetadata:\n  name: #@ pw\nv: 1\n"
TWO = HEAD + DOCUMENT.format(kind="A") + "---\n" + DOCUMENT.format(kind="A")
SCHEMA = """\
kind: CustomResourceDefinition
apiVersion: apiextensions.k8s.io/v1
metadata: {name: as.example.com}
spec:
  group: example.com
  names: {kind: A, plural: as}
  versions:
  - name: v1
    schema: {openAPIV3Schema: {type: object, properties: {v: {type: string}}}}
"""
# By a name: the template, the settings of the run's step, the steps that follow, and arguments.
ERRORS: dict[str, tuple[str, str, str, list[str]]] = {
    "no document is selected": (TWO, "", "- patch: {select: {kind: Nope}, ops: [ops.yml]}", []),
    "select is missing": (TWO, "", "- patch: {ops: [ops.yml]}", []),
    "select by a schema": (TWO, "", "- patch: {select: {schema: q/Q/v1}, ops: [ops.yml]}", []),
    "two documents with one path": (TWO, "output-by: '{kind}.yml'", "", []),
    "a path without its part": (TWO, "output-by: '{nope}.yml'", "", []),
    "two files with one path": (
        f"{HEAD}#@output/file 'a.yml'\n---\n{DOCUMENT.format(kind='A')}#@output/file 'a.yml'\n---\n{DOCUMENT.format(kind='B')}",
        "with: output-file",
        "",
        [],
    ),
    "an invalid document": (
        HEAD + "apiVersion: example.com/v1\n" + DOCUMENT.format(kind="A"),
        "check-output: crd.yml",
        "",
        [],
    ),
    "a key that JSON does not have": (HEAD + "a: #@ {(pw, 1): 1}\n", "", "", ["-o", "json"]),
    "a number as a key": (HEAD + "a: #@ {float(len(pw)) + 0.73915: 1}\n", "", "", ["-o", "json"]),
    "a tag that JSON does not have": (HEAD + "a: !(@= pw @) 1\n", "with: tags", "", ["-o", "json"]),
}
COMMANDS = {
    "run": ["run", "app"],
    "explain": ["explain", "run", "app", "--all"],
    "lint": ["lint"],
    "test": ["test"],
    "coverage": ["coverage"],
    "fleet": ["fleet", "--output", "out", "--no-cache"],
    "impact": ["impact", "values.yml:1", "run", "app"],
    "set": ["set", "run", "app", "v=2"],
    "reduce": ["reduce", "run", "app"],
    "origin": ["origin", "run", "app", "report.txt"],
}


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize("name", ERRORS)
def test_an_error_about_the_output_names_no_secret(
    name: str, command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    template, settings, steps, arguments = ERRORS[name]
    files = {
        "a.yml": template,
        "ops.yml": "- {type: replace, path: /v, value: 9}\n",
        "values.yml": "#@data/values\n---\ndb: {pw: ''}\n",
        "s.yml": f"db: {{pw: {CANARY}}}\n",
        "crd.yml": SCHEMA,
        "report.txt": "out.yml:1:1: wrong\n",
        "app.test.yml": "cases:\n- name: same\n  run: app\n  snapshot: true\n",
    }
    options = f"files: [a.yml, values.yml], secrets: ['file:s.yml']{', ' + settings if settings else ''}"
    if steps:
        files["p.yml"] = f"steps:\n- render: {{{options}}}\n{steps}\n"
        files["plait.yml"] = "runs:\n  app: {compose: p.yml}\n"
    else:
        files["plait.yml"] = f"runs:\n  app:\n    render: {{{options}}}\n"
    for path, text in files.items():
        (tmp_path / path).write_text(text, "utf-8")
    given = [*COMMANDS[command], *(arguments if command == "run" else [])]
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("NO_COLOR", "1")
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    status = main(given)
    out, err = capfd.readouterr()
    if command == "run":
        assert status != 0, out
    assert CANARY not in err + (out if command != "run" else "")
