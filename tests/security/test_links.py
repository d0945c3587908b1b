"""Symbolic links below the inputs lead nowhere, whichever command or function reads them."""

from __future__ import annotations

import os
import pathlib
import sys

import pytest

import plait
from plait.base.errors import PlaitError
from plait.cli import main

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="needs symbolic links")

SECRET = "outside: s3cr3t-words\n- ["
DOCUMENT = """\
schema: deckhand/LayeringPolicy/v1
metadata: {schema: metadata/Control/v1, name: p}
data: {layerOrder: [a]}
"""

COMMANDS = [
    "render -f in",
    "fmt -f link.yml",
    "layer in",
    "layer in --tree",
    "layer link.yml",
    "layer linked",
    "diff in in",
    "diff base.yml link.yml",
    "patch base.yml -o in",
    "patch base.yml -o linked",
    "patch base.yml -o in/*.yml",
    "patch base.yml -o in/**/*.yml",
    "explain layer in /",
    "explain patch base.yml -o in /a",
    "explain render -f in --all",
    "impact layer in in/link.yml:1",
    "compose pipeline-layer.yml",
    "compose pipeline-ops.yml",
]


@pytest.fixture
def here(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> pathlib.Path:
    place = tmp_path / "work"
    (place / "in" / "below").mkdir(parents=True)
    outside = tmp_path / "outside"
    outside.mkdir()
    for path, text in {
        outside / "secret.yml": SECRET,
        place / "in" / "a.yml": DOCUMENT,
        place / "base.yml": "a: 1\n",
        place / "pipeline-layer.yml": "steps:\n- layer: {files: [in]}\n",
        place / "pipeline-ops.yml": "steps:\n- render: {files: [base.yml]}\n- patch: {ops: [in]}\n",
    }.items():
        path.write_text(text)
    os.symlink("../../outside/secret.yml", place / "in" / "link.yml")
    os.symlink("../../outside", place / "in" / "directory")
    os.symlink("../outside/secret.yml", place / "link.yml")
    os.symlink("../outside", place / "linked")
    monkeypatch.chdir(place)
    return place


@pytest.mark.parametrize("command", COMMANDS)
def test_a_command_follows_no_link(command: str, here: pathlib.Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(command.split()) == 1
    shown = capsys.readouterr()
    assert "s3cr3t" not in shown.out + shown.err
    assert "symlink" in shown.err
    assert "--allow-symlink-destination" in shown.err


@pytest.mark.parametrize("where", ["in", "link.yml", "linked"])
@pytest.mark.parametrize("function", [plait.render, plait.read, plait.layer, lambda place: plait.diff(place, place)])
def test_a_function_follows_no_link(function: object, where: str, here: pathlib.Path) -> None:
    assert callable(function)
    with pytest.raises(PlaitError, match="symlink") as caught:
        function(where)
    assert "s3cr3t" not in caught.value.report()


@pytest.mark.parametrize("where", ["in", "linked", "in/*.yml"])
def test_patch_follows_no_link_that_it_finds(where: str, here: pathlib.Path) -> None:
    with pytest.raises(PlaitError, match="symlink"):
        plait.patch({"b.yml": "a: 1"}, where)


@pytest.mark.parametrize(
    "command",
    ["layer docs", "diff docs docs", "patch base.yml -o ops", "explain layer docs --all", "layer docs/link.yml"],
)
def test_a_link_that_is_allowed_is_followed(
    command: str, here: pathlib.Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for name, text in (("docs", DOCUMENT), ("ops", "- {type: replace, path: /a, value: 2}\n")):
        (here / name).mkdir()
        (here.parent / "outside" / f"{name}.yml").write_text(text)
        os.symlink(f"../../outside/{name}.yml", here / name / "link.yml")
    assert main(command.split()) == 1
    allowed = [f"--allow-symlink-destination={here.parent / 'outside'}"]
    first, rest = command.split()[:1], command.split()[1:]
    if first == ["explain"]:
        first, rest = first + rest[:1], rest[1:]
    assert main([*first, *allowed, *rest]) == 0
    assert main([*first, "--dangerous-allow-all-symlink-destinations", *rest]) == 0
    assert "is not allowed" not in capsys.readouterr().out


def test_functions_follow_what_is_allowed(here: pathlib.Path) -> None:
    (here.parent / "outside" / "ok.yml").write_text(DOCUMENT)
    os.symlink("../outside/ok.yml", here / "ok.yml")
    allowed = [str(here.parent / "outside")]
    assert plait.read("ok.yml", allow_links=allowed).to_dict()["data"] == {"layerOrder": ["a"]}
    assert len(plait.layer("ok.yml", allow_links=allowed)) == 1
    assert not plait.diff("ok.yml", "ok.yml", allow_links=allowed)


def test_patch_reads_what_is_named_as_the_reference_does(here: pathlib.Path) -> None:
    """The names on the command line are the user's own, and may be links."""
    for name, text in (("base", "a: ((v))\n"), ("ops", "- {type: replace, path: /b?, value: 2}\n"), ("vars", "v: 3\n")):
        (here.parent / "outside" / f"{name}.yml").write_text(text)
        os.symlink(f"../outside/{name}.yml", here / f"{name}-link.yml")
    patched = plait.patch("base-link.yml", "ops-link.yml", variables_files="vars-link.yml")
    assert patched.to_dict() == {"a": 3, "b": 2}
    assert main(["patch", "base-link.yml", "-o", "ops-link.yml", "-l", "vars-link.yml"]) == 0


def test_process_substitutions_are_pipes(here: pathlib.Path) -> None:
    reading, writing = os.pipe()
    os.write(writing, b"a: 1\n")
    os.close(writing)
    try:
        assert main(["diff", f"/dev/fd/{reading}", "base.yml"]) == 0
    finally:
        os.close(reading)
