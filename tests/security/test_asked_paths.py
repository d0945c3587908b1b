"""A PATH finds what is shown: a document, an item and a key that a secret named is found by no guess of the secret."""

from __future__ import annotations

from pathlib import Path

import pytest

from plait.cli import main

FILES = {
    "plait.yml": "runs:\n  app: {render: {files: config, secrets: ['file:s.yml']}}\n"
    "  pat: {patch: {base: base.yml, ops: [ops.yml], secrets: ['file:s.yml']}}\n",
    "config/schema.yml": '#@data/values-schema\n---\npw: ""\n',
    "config/a.yml": """#@ load("@ytt:data","data")
kind: A
metadata:
  name: #@ data.values.pw
  namespace: #@ data.values.pw
v: 1
l:
- name: #@ data.values.pw
  q: 1
- name: #@ data.values.pw + "x"
  q: 2
m:
  #@yaml/text-templated-strings
  (@= data.values.pw @): 1
---
kind: #@ data.values.pw
v: 2
""",
    "base.yml": "kind: A\nusers: [{name: z, v: 0}]\n",
    "ops.yml": "- {type: replace, path: '/users/name=((pw))?/v', value: 9}\n",
}
PATHS = (
    "A/{0}:v", "A/{1}*:v", "{0}:v", "{0}/A/{0}:v", "{0}/x:v", "l[name={0}].q", "l[name={1}*].q", "l.{0}.q", "m.{0}", "m.{1}*",
    "*.{0}", "**.{0}", "{0}", "{0}.v", "{0}/v", "A/{0}#1:v", "A/{0}#*:v",
)  # fmt: skip
SAID = {
    "explain": ["explain", "run", "app"],
    "explain JSON": ["explain", "run", "app", "-o", "json"],
    "why not": ["explain", "--not", "run", "app"],
    "patch": ["explain", "run", "pat"],
    "fleet why": ["fleet", "why"],
    "set": ["set", "run", "app"],
    "set --add": ["set", "--add", "run", "app"],
    "completion": ["completion", "suggest", "--", "explain", "run", "app"],
}


@pytest.mark.parametrize("path", [*PATHS, "users[name={0}].v", "users[name={1}*].v", "users.{0}.v"])
@pytest.mark.parametrize("command", SAID)
def test_a_guess_of_a_secret_finds_nothing(
    command: str, path: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    said = []
    for secret in ("hunter2", "swordfish"):
        top = tmp_path / secret
        for name, text in (FILES | {"s.yml": f"pw: {secret}\n"}).items():
            (top / name).parent.mkdir(parents=True, exist_ok=True)
            (top / name).write_text(text)
        monkeypatch.chdir(top)
        asked = path.format("hunter2", "hun") + ("=5" if command.startswith("set") else "")
        said.append((main([*SAID[command], asked]), *capsys.readouterr()))
    assert said[0] == said[1]


def test_what_is_shown_is_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for name, text in (FILES | {"s.yml": "pw: hunter2\n"}).items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    monkeypatch.chdir(tmp_path)
    for path in (
        "document 1:v",
        "document 1:l[0].q",
        "document 1:m.(secret)",
        "l[*].q",
        "document 2:v",
        "document *:v",
    ):
        assert main(["explain", "run", "app", path]) == 0, path
    assert "hunter2" not in "".join(capsys.readouterr())
