"""A manifest or journal of a fleet that came with a checkout is not believed: results are made, and nothing else is read."""

from __future__ import annotations

import hashlib
import json
import os
import pathlib
import shutil
from collections.abc import Callable

import pytest

from files import write_files
from plait.fleet import fleet
from plait.fleet.destinations import DirectoryDestination
from plait.fleet.identity import of_parts
from plait.fleet.manifest_lines import dumped, parsed

RUNS = [str(number) for number in range(4700, 4706)]
FILES = {
    "config/app.yml": "what: made\n",
    "plait.yml": f"runs: {{app: {{matrix: {{axes: {{num: [{', '.join(RUNS)}]}}}}, render: {{files: [config]}}}}}}\n",
}
EVIL = "what: EVIL\n"


@pytest.fixture(autouse=True)
def place(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> pathlib.Path:
    top = tmp_path / "project"
    write_files(top, FILES)
    (top / ".git").mkdir()
    monkeypatch.chdir(top)
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "attacker"))
    monkeypatch.setenv("DB_PIN", "4703")
    (tmp_path / "pin").write_text("4703\n")
    fleet(processes=1).check()
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "victim"))
    return top


def nothing(line: dict[str, object]) -> None:
    """Claims only that the results are there."""


def variable(line: dict[str, object]) -> None:
    line["variables"] = {"DB_PIN": of_parts(["DB_PIN", str(line["run"]).split("/")[1]])}


def outside(line: dict[str, object]) -> None:
    guess = hashlib.sha256(f"{str(line['run']).split('/')[1]}\n".encode()).hexdigest()
    line["files"]["../pin"] = guess  # type: ignore[index]


def directory(line: dict[str, object]) -> None:
    line["directories"] = {"..": of_parts(["pin"])}


CLAIMS = [nothing, variable, outside, directory]


def forge(claim: Callable[[dict[str, object]], None], key: bytes | None, *, journal: bool) -> None:
    """Puts other results in the place of those of a fleet, and a manifest that lists them."""
    out = pathlib.Path("out")
    made = []
    for text in (out / "fleet.jsonl").read_text().splitlines():
        line = json.loads(text)
        if key != b"keep":
            line.pop("seal", None)
        if "run" in line:
            for name in ("stamps", "written"):
                line.pop(name, None)
            line["outputs"] = {path: [None, len(EVIL)] for path in line["outputs"]}
            for path in line["outputs"]:
                (out / line["output"] / path).write_text(EVIL)
            claim(line)
        made.append(dumped(line, None if key == b"keep" else key))
    (out / "fleet.jsonl").unlink()
    shutil.rmtree(out / ".fleet")
    (out / ".fleet").mkdir()
    name = ".fleet/journal.jsonl" if journal else "fleet.jsonl"
    (out / name).write_text("".join(f"{line}\n" for line in made))


@pytest.mark.parametrize("claim", CLAIMS)
@pytest.mark.parametrize("key", [None, b"x" * 32, b"keep"], ids=["no seal", "another's seal", "seal of other lines"])
@pytest.mark.parametrize("journal", [False, True], ids=["manifest", "journal"])
def test_results_of_a_checkout_are_made_again(
    claim: Callable[[dict[str, object]], None], key: bytes | None, journal: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    forge(claim, key, journal=journal)
    opened: list[str] = []
    real = os.open

    def noted(path: str, *args: object, **kwargs: object) -> int:
        opened.append(os.path.abspath(os.fspath(path)) if isinstance(path, str) else "")
        return real(path, *args, **kwargs)  # type: ignore[arg-type]

    monkeypatch.setattr(os, "open", noted)
    assert fleet(processes=1, cache="").check().counts == {"rendered": len(RUNS)}
    assert not any(path.endswith("/pin") for path in opened)
    made = {path.read_text() for path in pathlib.Path("out").rglob("*.yml") if ".fleet" not in path.parts}
    assert made == {"what: made\n"}
    assert fleet(processes=1, cache="").check().counts == {"up to date": len(RUNS)}


def test_a_seal_is_that_of_a_whole_line() -> None:
    key = b"k" * 32
    text = dumped({"run": "a", "seal": "x"}, key)
    assert [line for line, _ in parsed([text], key)] == [{"run": "a"}]
    for other in (
        text.replace('"a"', '"b"'),
        text[:-1],
        text + " ",
        text.replace('"seal": "', '"seal": "0'),
        '{"run": "a"}',
        "",
        "{}",
    ):
        assert not [*parsed([other], key)], other
    assert not [*parsed([text], b"l" * 32)]
    assert not [*parsed([text], None)]
    assert len([*parsed([text], b"")]) == 1


def test_files_of_others_are_not_removed_because_a_manifest_lists_them() -> None:
    """They are moved aside, as if no manifest did."""
    forge(nothing, None, journal=False)
    extra = pathlib.Path("out/app/4700/notes.txt")
    extra.write_text("mine")
    lines = [json.loads(text) for text in pathlib.Path("out/fleet.jsonl").read_text().splitlines()]
    for line in lines:
        if "run" in line:
            line["outputs"]["notes.txt"] = [None, 4]
    pathlib.Path("out/fleet.jsonl").write_text("".join(f"{json.dumps(line)}\n" for line in lines))
    fleet(processes=1, cache="").check()
    assert not extra.exists()
    assert pathlib.Path("out/.fleet/moved/app/4700/notes.txt").read_text() == "mine"


def test_without_a_place_for_a_secret_no_manifest_is_believed(
    tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "file"))
    assert DirectoryDestination("out").key is None
    for _ in range(2):
        assert fleet(processes=1, cache="").check().counts == {"rendered": len(RUNS)}
