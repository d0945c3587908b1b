"""Secrets: where they come from, and that nothing but the output shows them."""

from __future__ import annotations

import pathlib
import stat

import pytest

import plait
from canaries import CANARY, SECRETS, Maker, compose, leaks
from plait.cli import main

TEMPLATE = """\
#@ load("@ytt:data", "data")
password: #@ data.values.db.password
user: #@ data.values.db.user
"""
SCHEMA = "#@data/values-schema\n---\ndb:\n  user: app\n  password: ''\n"


@pytest.fixture
def directory(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> pathlib.Path:
    """A directory to work in, with a template and its schema below `in`."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "in").mkdir()
    (tmp_path / "in/app.yml").write_text(TEMPLATE)
    (tmp_path / "in/schema.yml").write_text(SCHEMA)
    return tmp_path


def run(capsys: pytest.CaptureFixture[str], *argv: str) -> tuple[int, str, str]:
    """Status, output and messages of a command line."""
    status = main(list(argv))
    captured = capsys.readouterr()
    return status, captured.out, captured.err


def test_a_file_is_a_map_or_a_text(directory: pathlib.Path, capsys: pytest.CaptureFixture[str]) -> None:
    (directory / "s.yml").write_text("db: {password: one}\n")
    (directory / "pw").write_text("0123")
    assert run(capsys, "render", "-f", "in", "--secrets", "file:s.yml")[1].startswith("password: one\n")
    # The later source wins, over data values too, and the text of a file is no number.
    _, out, _ = run(
        capsys,
        "render",
        "-f",
        "in",
        "-v",
        "db.password=two",
        "--secrets",
        "file:s.yml",
        "--secrets",
        "db.password=file:pw",
    )
    assert out == 'password: "0123"\nuser: app\n'


def test_a_directory_as_kubernetes_mounts_it(directory: pathlib.Path, capsys: pytest.CaptureFixture[str]) -> None:
    mounted = directory / "mounted"
    (mounted / "..2026").mkdir(parents=True)
    (mounted / "..2026/password").write_text("p\n")
    (mounted / "..2026/user").write_text("u")
    (mounted / "..data").symlink_to("..2026")
    (mounted / "password").symlink_to("..data/password")
    (mounted / "user").symlink_to("..data/user")
    assert run(capsys, "render", "-f", "in", "--secrets", "db=dir:mounted")[1] == "password: |\n  p\nuser: u\n"
    (mounted / "other").symlink_to("/etc/hostname")
    status, out, err = run(capsys, "render", "-f", "in", "--secrets", "db=dir:mounted")
    assert (status, out) == (1, "")
    assert "leads out of mounted" in err


def test_sops_decrypts(
    directory: pathlib.Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A program of that name stands in for it: what it is asked, and what becomes of its answers."""
    (directory / "enc.yml").write_text("db: {password: ENC[AES256_GCM,data:x]}\nsops: {mac: x}\n")
    programs = directory / "programs"
    programs.mkdir()
    monkeypatch.setenv("PATH", str(programs))
    assert run(capsys, "render", "-f", "in", "--secrets", "sops:enc.yml")[2].startswith(
        "plait: program sops not found\n"
    )
    program = programs / "sops"
    program.write_text(
        '#!/bin/sh\n[ "$*" = "--decrypt --output-type yaml -- ./enc.yml" ] && echo "db: {password: clear}"\n'
    )
    program.chmod(program.stat().st_mode | stat.S_IXUSR)
    assert run(capsys, "render", "-f", "in", "--secrets", "sops:enc.yml")[1].startswith("password: clear\n")
    program.write_text("#!/bin/sh\necho 'no key could decrypt the data' >&2; exit 128\n")
    status, _, err = run(capsys, "render", "-f", "in", "--secrets", "sops:enc.yml")
    assert status == 1
    assert "no key could decrypt the data" in err


def test_a_command_runs_only_if_it_may(directory: pathlib.Path, capsys: pytest.CaptureFixture[str]) -> None:
    argv = ["render", "-f", "in", "--secrets", "db.password=exec:printf '00%s' 7"]
    status, out, err = run(capsys, *argv)
    assert (status, out) == (1, "")
    assert "--allow-exec" in err
    assert run(capsys, *argv, "--allow-exec")[1].startswith('password: "007"\n')
    # No shell reads it, what it complains of is not told, and it has no more time than the run.
    failing = f"exec:sh -c 'echo {CANARY} >&2; exit 3'"
    status, _, err = run(capsys, "render", "-f", "in", "--allow-exec", "--secrets", failing)
    assert status == 1
    assert err.startswith(f"plait: the command failed: {failing[5:]}\n")
    status, _, err = run(
        capsys, "render", "-f", "in", "--allow-exec", "--limit", "seconds=0.3", "--secrets", "exec:sleep 60"
    )
    assert status == 3
    assert "seconds=0.3" in err


def test_a_project_cannot_allow_commands(directory: pathlib.Path, capsys: pytest.CaptureFixture[str]) -> None:
    (directory / "s.yml").write_text("db: {password: one}\n")
    (directory / "plait.yml").write_text("runs:\n  a:\n    render: {files: in, secrets: 'file:s.yml'}\n")
    assert run(capsys, "run", "a")[1].startswith("password: one\n")
    (directory / "plait.yml").write_text(
        "runs:\n  a:\n    render: {files: in, secrets: 'exec:true', allow-exec: true}\n"
    )
    status, _, err = run(capsys, "run", "a")
    assert status == 2
    assert "allow-exec" in err


@pytest.mark.parametrize("argument", ["s.yml", "sop:x", "=file:x", "file:", "a=b"])
def test_what_names_no_source(argument: str, directory: pathlib.Path, capsys: pytest.CaptureFixture[str]) -> None:
    status, out, err = run(capsys, "render", "-f", "in", "--secrets", argument)
    assert (status, out) == (1, "")
    assert "is not a secret source" in err


def test_files_that_cannot_be_read_are_not_quoted(directory: pathlib.Path, capsys: pytest.CaptureFixture[str]) -> None:
    for text in (f"db: [{CANARY}", f"{CANARY}", f"db: {{password: {CANARY}}}\n\tx: {CANARY}\n", f"db: *{CANARY}\n"):
        (directory / "s.yml").write_text(text)
        status, out, err = run(capsys, "render", "-f", "in", "--secrets", "file:s.yml")
        assert (status, out) == (1, "")
        assert CANARY not in err


def test_variables(directory: pathlib.Path, capsys: pytest.CaptureFixture[str]) -> None:
    (directory / "base.yml").write_text("a: ((db.password))\nb: x-((db.password))\nc: ((user))\n")
    (directory / "s.yml").write_text(f"db: {{password: {CANARY}}}\n")
    argv = ["patch", "base.yml", "--secrets", "file:s.yml", "-v", "user=u"]
    assert run(capsys, *argv)[1] == f"a: {CANARY}\nb: x-{CANARY}\nc: u\n"
    _, out, err = run(capsys, "explain", *argv, "--all")
    assert CANARY not in out + err
    assert "a: (secret)" in out
    assert "c: u" in out
    for wrong in (["--path", "/a/b"], ["--path", "/d"], ["-v", f"db.password.{'x' * 3}=1"]):
        status, out, err = run(capsys, *argv, *wrong)
        assert (status, out) == (1, "")
        assert CANARY not in err


def test_what_does_not_depend_on_a_secret_is_told() -> None:
    files = {
        "a.yml": '#@ load("@ytt:data", "data")\n#@ print("name", data.values.name)\n#@ fail("of " + data.values.name)\na: 1\n'
    }
    with pytest.raises(plait.StarlarkError) as info:
        plait.render(files, values={"name": "app"}, secrets={"pw": CANARY})
    assert info.value.message == "fail: of app"
    files["a.yml"] = files["a.yml"].replace('"of " + data.values.name', "data.values.pw[3:]")
    with pytest.raises(plait.StarlarkError) as info:
        plait.render(files, values={"name": "app"}, secrets={"pw": CANARY})
    assert info.value.message == "message withheld: it depends on a secret"
    assert str(info.value.at) == "a.yml:3"


@pytest.mark.parametrize("first", range(0, 200, 50))
def test_a_canary_is_nowhere_but_in_the_output(first: int) -> None:
    """More of them: tests/canaries.py."""
    for seed in range(first, first + 50):
        files = Maker(seed).program()
        _, found = leaks(files, marked=seed % 2 == 1)
        assert not found, (seed, files, found)


@pytest.mark.parametrize("first", range(0, 80, 40))
def test_a_canary_is_nowhere_but_in_the_output_of_a_pipeline(first: int) -> None:
    """More of them: `tests/canaries.py FIRST COUNT pipelines`."""
    ends = set()
    for seed in range(first, first + 40):
        files = Maker(seed).pipeline()
        ended, found = leaks(files, marked=seed % 2 == 1, run=compose)
        ends.add(ended)
        assert not found, (seed, files, found)
    assert ends == {"made", "failed"}


def test_the_canary_would_be_found() -> None:
    """The search sees what it looks for: without the mark of a secret it stands everywhere."""
    made = plait.render({"a.yml": '#@ load("@ytt:data", "data")\na: #@ data.values.pw\n'}, values=SECRETS, trace=True)
    assert CANARY in str(plait.explain(made)[0])
