"""`plait set` and `plait lint` say nothing of values that are there because a secret decided so."""

from __future__ import annotations

from pathlib import Path

import pytest

from plait.base.errors import PlaitError, as_finding
from plait.cli import main

HEAD = '#@ load("@ytt:data", "data")\n'
FILES = {
    "config/values.yml": '#@data/values\n---\nnum: 1\nother: 2\npw: ""\n',
    "config/app.yml": HEAD
    + """kind: App
x: #@ data.values.num
z: #@ data.values.other
#@ if data.values.pw[0] == "h":
hidden: #@ data.values.num
items: [hidden]
#@ end
#@ if data.values.pw[0] == "h":
---
kind: Hidden
hidden: 1
#@ end
""",
}
ASKED = {
    "another value": "z=5",
    "a key that may be there": "hidden=5",
    "one that is spelled like it": "hiddn=5",
    "a key in it": "items[0]=5",
    "a document that may be there": "Hidden:hidden=5",
    "one that is called like it": "Hiden:hidden=5",
    "all keys": "*=3",
    "an item to remove": "hidden-",
}


def project(top: Path, secret: str) -> None:
    for name, text in (FILES | {"pw.yml": f"pw: {secret}\n"}).items():
        (top / name).parent.mkdir(exist_ok=True)
        (top / name).write_text(text, "utf-8")


@pytest.mark.parametrize("what", ASKED)
def test_set_says_the_same_whatever_a_secret_decides(
    what: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    said = []
    for secret in ("hello", "other"):
        project(tmp_path, secret)
        found = main(["set", "render", "-f", "config", "--secrets", "file:pw.yml", ASKED[what]])
        said.append((found, *capsys.readouterr()))
    assert said[0] == said[1]
    assert bool(said[0][0]) == (what != "another value")


def test_an_edit_may_change_what_a_secret_decides(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """That it may is told, whether it does or not."""
    monkeypatch.chdir(tmp_path)
    said = []
    for secret in ("hello", "other"):
        project(tmp_path, secret)
        said.append((main(["set", "render", "-f", "config", "--secrets", "file:pw.yml", "x=2"]), *capsys.readouterr()))
    assert said[0] == said[1]
    assert said[0][0] == 0
    assert "other parts of the output depend on a secret" in said[0][1]
    assert "hidden" not in said[0][1] + said[0][2]


BEFORE = (
    HEAD
    + """#@ for one in range(3 if data.values.pw[0] == "h" else 1):
---
kind: Hidden
#@ end
---
items:
#@ for one in range(3 if data.values.pw[0] == "h" else 1):
- #@ one
#@ end
- plain
- last
other: 1
---
items: [x]
"""
)


@pytest.mark.parametrize("path", ["items[0]", "items[1]", "items[2]", "items[4]", "items[-1]", "other", "kind", "**"])
def test_set_counts_without_what_a_secret_decides(
    path: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    said = []
    for secret in ("hello", "other"):
        project(tmp_path, secret)
        (tmp_path / "config" / "app.yml").write_text(BEFORE, "utf-8")
        status = main(["set", "render", "-f", "config", "--secrets", "file:pw.yml", f"{path}=changed"])
        said.append((status, *capsys.readouterr()))
    assert said[0] == said[1]
    if path in ("items[1]", "other"):
        assert said[0][0] == 0, said[0]


OVERLAY = """#@ load("@ytt:overlay", "overlay")
#@ load("@ytt:data", "data")
#@overlay/match by=overlay.subset({{"kind": "App"}})
---
{0}
"""


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("x: #@ data.values.pw", "x: hello"),
        ("#@overlay/match missing_ok=True\nhidden: 1", "#@overlay/match missing_ok=True\nhidden: 2"),
    ],
    ids=["a value", "a key"],
)
def test_lint_says_nothing_of_the_order_of_secret_values(
    first: str, second: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    said = []
    for secret in ("hello", "other"):
        project(tmp_path, secret)
        decided = "#@ if data.values.pw[0] == 'h':\n{0}\n#@ end"
        for name, text in (("a", first), ("b", second)):
            text = decided.format(text) if "hidden" in text else text
            (tmp_path / "config" / f"{name}.yml").write_text(OVERLAY.format(text), "utf-8")
        run = "runs: {r: {render: {files: [config], secrets: ['file:pw.yml']}}}\n"
        (tmp_path / "plait.yml").write_text(run, "utf-8")
        main(["lint", "--select", "O201"])
        said.append(capsys.readouterr())
    assert said[0] == said[1]
    assert "O201" not in said[0].out


def test_a_finding_made_of_an_error_that_quotes_an_output_has_no_known_origins() -> None:
    for quotes, origins in ((False, ()), (True, None)):
        error = PlaitError("a")
        error.origins, error.quotes_output = (), quotes
        assert as_finding(error).origins == origins
