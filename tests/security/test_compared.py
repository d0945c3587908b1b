"""Whatever compares two outputs compares what may be shown: whether a secret has changed, or equals something, is not told."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

import plait
from plait.cli import main
from plait.cli.review import FORMS

HEAD = '#@ load("@ytt:data", "data")\n#@ load("@ytt:overlay", "overlay")\n#@ pw = data.values.pw\nkind: A\nmetadata: {name: x}\n'
SCHEMA = '#@data/values-schema\n---\npw: ""\nw: 1\n'
SECRETS = ("hunter2", "swordfish")
# Before and after: the template of a revision, and the one that is compared with it.
CHANGES = {
    "an equal value": ("k: #@ pw == pw\n", 'k: #@ pw.startswith("h")\n'),
    "a constant": ("k: true\n", 'k: #@ pw.startswith("h")\n'),
    "a list": ("k: [1, 2]\n", "k: #@ [1] * (len(pw) - 5)\n"),
    "a map": ("k: {h: 1}\n", "k: #@ {pw[0]: 1}\n"),
    "what is there": ("k: 1\n", '#@ if pw.startswith("h"):\nk: 1\n#@ end\n'),
    "the order": ("k: {a: 1, b: 2}\n", 'k: #@ dict([(c, 1) for c in sorted(["a", "b"], key=lambda c: c == pw[1])])\n'),
}  # fmt: skip
EDITS = {
    "a guess": ("a: hunter2\nb: swordfish\nw: #@ data.values.w\n", ["a=5", "b=5"]),
    "a letter": ("l: #@ [c for c in pw.elems()]\na: h\nb: s\n", ["a=5", "b=5"]),
    "what another value becomes": (
        'w: #@ data.values.w\nv: #@ pw.startswith("h") if data.values.w == 5 else pw == pw\n',
        ["w=5"],
    ),
    "what the value becomes": (
        'v: #@ 5 if data.values.w == 5 and pw.startswith("h") else data.values.w\n',
        ["v=5"],
    ),
    "a value only afterwards": ("v: #@ data.values.w if data.values.w != 5 else pw\n", ["v=5"]),
    "a mutable default": (
        '#@ def f(x=[]):\n#@   x.append(1)\n#@   return len(x)\n#@ end\n#@ if pw == "hunter2":\n#@   f()\n#@ end\nv: #@ f()\na: 1\n',
        ["a=5"],
    ),
    "the order": ('w: #@ data.values.w\nv: #@ dict([(c, 1) for c in sorted(["h", "s"], key=lambda c: c == pw[0])])\n', ["w=5"]),
}  # fmt: skip


def project(top: Path, template: str, secret: str) -> None:
    (top / "config").mkdir(parents=True, exist_ok=True)
    (top / "plait.yml").write_text("runs: {app: {render: {files: config, secrets: ['file:s.yml']}}}\n")
    (top / ".gitignore").write_text("s.yml\n")
    (top / "s.yml").write_text(f"pw: {secret}\n")
    (top / "config" / "schema.yml").write_text(SCHEMA)
    (top / "config" / "a.yml").write_text(HEAD + template)


def git(top: Path, *words: str) -> None:
    identity = ("-c", "user.name=a", "-c", "user.email=a@b")
    subprocess.run(["git", *identity, *words], cwd=top, check=True, capture_output=True)


@pytest.mark.parametrize("name", CHANGES)
def test_the_impact_of_a_revision_tells_nothing_of_secrets(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    said = []
    for secret in SECRETS:
        top = tmp_path / secret
        project(top, CHANGES[name][0], secret)
        git(top, "init", "-q", ".")
        git(top, "add", "-A")
        git(top, "commit", "-qm", "1")
        project(top, CHANGES[name][1], secret)
        monkeypatch.chdir(top)
        said.append((main(["fleet", "impact", "--since", "HEAD"]), *capsys.readouterr()))
    assert said[0] == said[1]
    assert "values computed from secrets are not compared" in said[0][1]


@pytest.mark.parametrize("name", CHANGES)
@pytest.mark.parametrize("form", FORMS)
def test_a_review_tells_nothing_of_secrets(
    name: str, form: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Whoever writes one side chooses what a secret on the other side is compared with."""
    said = []
    for secret in SECRETS:
        top = tmp_path / secret
        project(top, CHANGES[name][0], secret)
        git(top, "init", "-q", ".")
        git(top, "add", "-A")
        git(top, "commit", "-qm", "1")
        project(top, CHANGES[name][1], secret)
        monkeypatch.chdir(top)
        words = ["--prove"] if form == "text" else []
        said.append((main(["review", "HEAD", "-o", form, "--fail-on", "note", *words]), *capsys.readouterr()))
    assert said[0] == said[1]
    assert "with secrets" in said[0][1] or '"withheld": [\n  "app"' in said[0][1] or form in ("github", "sarif")


def test_a_review_says_which_lines_of_secrets_changed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    project(tmp_path, "k: #@ pw\n", "hunter2")
    git(tmp_path, "init", "-q", ".")
    git(tmp_path, "add", "-A")
    git(tmp_path, "commit", "-qm", "1")
    project(tmp_path, "k: #@ pw + 'x'\n", "hunter2")
    monkeypatch.chdir(tmp_path)
    assert main(["review", "HEAD", "--fail-on", "secret-changed"]) == 1
    assert "1 secret value may have changed" in capsys.readouterr().out


# A list with an item that a secret decides, before others.
LIST = 'l:\n- a\n#@ if pw.startswith("h"):\n- b\n#@ end\n- c\nm: |\n  first\n  second\n'
TESTS = "tests: {t: {run: app, equals: {'**': x}}, s: {run: app, snapshot: ['**']}}\n"


def test_a_failed_expectation_tells_nothing_of_secrets(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    said = []
    for secret in SECRETS:
        top = tmp_path / secret
        project(top, LIST, secret)
        with (top / "plait.yml").open("a") as file:
            file.write(TESTS)
        monkeypatch.chdir(top)
        said.append((main(["test"]), main(["test", "--update"]), *capsys.readouterr()))
    assert said[0] == said[1]
    assert "set by config/a.yml:11 (written)" in said[0][2]


# Each is unused or without effect for one of the secrets only, or says so.
USED = {
    "a call": (
        '#@ l = []\n#@ def f(c):\n#@   if pw.startswith(c):\n#@     l.append(1)\n#@   end\n#@   return 1\n#@ end\n'
        '#@ y = f("h")\n#@ z = f("s")\na: #@ l\nb: #@ len(l)\n'
    ),
    "a call without a condition": (
        '#@ l = []\n#@ def f(c):\n#@   l.append(pw.find(c))\n#@   return 1\n#@ end\n#@ y = f("h")\na: #@ str(l)\n'
    ),
    "an overlay": (
        '#@ def l():\na: 1\n#@ end\n#@ def r():\n#@overlay/match missing_ok=True\nb: 1\n#@ end\n#@ x = l()\n'
        '#@ if pw.startswith("h"):\n#@   overlay.apply(x, r())\n#@ end\nc: 1\n'
    ),
    "a definition": '#@ def f():\n#@   return 1\n#@ end\n#@ g = f() if pw.startswith("h") else 1\na: 1\n',
}  # fmt: skip


@pytest.mark.parametrize("name", USED)
@pytest.mark.parametrize("fix", [[], ["--fix"]], ids=["", "fix"])
def test_lint_does_not_tell_what_a_secret_decides(
    name: str, fix: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    said = []
    for secret in SECRETS:
        top = tmp_path / secret
        project(top, USED[name], secret)
        monkeypatch.chdir(top)
        before = (main(["run", "app"]), capsys.readouterr().out)
        said.append((main(["lint", *fix]), *capsys.readouterr(), (top / "config/a.yml").read_text()))
        assert (main(["run", "app"]), capsys.readouterr().out) == before
    assert said[0] == said[1]


@pytest.mark.parametrize("name", EDITS)
def test_an_edit_tells_nothing_of_secrets(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    template, words = EDITS[name]
    said = []
    for secret in SECRETS:
        top = tmp_path / secret
        project(top, template, secret)
        monkeypatch.chdir(top)
        said.append((main(["set", "run", "app", *words]), *capsys.readouterr()))
    assert said[0] == said[1]
    assert "hunter2 -> (secret)" not in said[0][1]


@pytest.mark.parametrize("name", CHANGES)
def test_differences_of_recorded_documents_tell_nothing_of_secrets(name: str) -> None:
    said = []
    for secret in SECRETS:
        made = [
            plait.render({"s.yml": SCHEMA, "a.yml": HEAD + text}, secrets={"pw": secret}, trace=True)
            for text in CHANGES[name]
        ]
        said.append(plait.diff(*made).to_text())
    assert said[0] == said[1]


OVERLAY = """#@ load("@ytt:overlay", "overlay")
#@overlay/match by=overlay.all
---
a: hunter2
"""


@pytest.mark.parametrize("kind", ["overlay", "operation", "layers"])
def test_lint_does_not_tell_what_equals_a_secret(
    kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    said = []
    for secret in SECRETS:
        top = tmp_path / secret
        top.mkdir()
        monkeypatch.chdir(top)
        project(top, "a: #@ pw\n", secret)
        if kind == "overlay":
            (top / "config" / "o.yml").write_text(OVERLAY)
        elif kind == "operation":
            (top / "base.yml").write_text("a: ((pw))\n")
            (top / "ops.yml").write_text("- {type: replace, path: /a, value: hunter2}\n")
            (top / "plait.yml").write_text(
                "runs: {app: {patch: {base: base.yml, ops: [ops.yml], secrets: ['file:s.yml']}}}\n"
            )
        else:
            (top / "l.yml").write_text(LAYERS.format(secret))
            (top / "plait.yml").write_text("runs: {app: {layer: {files: [l.yml]}}}\n")
        main(["lint"])
        said.append(capsys.readouterr())
    assert said[0] == said[1]


LAYERS = """schema: deckhand/LayeringPolicy/v1
metadata: {{schema: metadata/Control/v1, name: p}}
data: {{layerOrder: [site, host]}}
---
schema: demo/Kind/v1
metadata: {{schema: metadata/Document/v1, name: key, labels: {{a: b}}, storagePolicy: encrypted, layeringDefinition: {{layer: site}}}}
data: {{a: {0}}}
---
schema: demo/Kind/v1
metadata:
  schema: metadata/Document/v1
  name: other
  storagePolicy: cleartext
  layeringDefinition: {{layer: host, parentSelector: {{a: b}}, actions: [{{method: merge, path: .}}]}}
data: {{a: hunter2}}
---
schema: deckhand/DataSchema/v1
metadata: {{schema: metadata/Control/v1, name: demo/Kind/v1}}
data: {{properties: {{a: {{allOf: [{{pattern: '^x'}}, {{pattern: '^h'}}, {{pattern: '^.u'}}]}}}}}}
"""


def test_the_number_of_broken_patterns_is_not_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    said = []
    for secret in SECRETS:
        (tmp_path / "l.yml").write_text(LAYERS.format(secret))
        said.append((main(["layer", "l.yml", "--validate-data"]), *capsys.readouterr()))
    assert said[0] == said[1]
    assert said[0][0] == 1
    assert main(["layer", "l.yml", "--validate-data", "--cleartext-secrets"]) == 1
    assert "D002" in capsys.readouterr().err
