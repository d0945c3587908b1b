"""Programs of others: which one is run, with which variables, and that it ends; and what a repository can make git run."""

from __future__ import annotations

import os
import pathlib
import shutil
import subprocess
import sys
import time

import pytest

from plait.base.children import programs
from plait.base.children.programs import GIT, PROGRAMS, SOPS, ExternalProgram, command, run, variables_of
from plait.base.children.python import import_path
from plait.base.errors import LimitError, ReadError
from plait.base.git_repository import Repository
from plait.cli import main

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="starts scripts")


def script(path: pathlib.Path, text: str) -> pathlib.Path:
    path.parent.mkdir(exist_ok=True, parents=True)
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(0o755)
    return path


@pytest.fixture
def place(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> pathlib.Path:
    """A working directory, with a directory `bin` for programs beside it."""
    top = tmp_path / "checkout"
    top.mkdir()
    monkeypatch.chdir(top)
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}{os.pathsep}{os.environ['PATH']}")
    return top


# ---- which program


@pytest.mark.parametrize("entry", [".", "", "./", "tools", "{here}", "{here}/", "{here}/../checkout", "{link}"])
@pytest.mark.parametrize("program", [*PROGRAMS, command("tell")], ids=lambda program: program.name)
def test_a_program_of_the_working_directory_is_not_run(
    entry: str, program: ExternalProgram, place: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (place.parent / "link").symlink_to(place)
    script(place / program.name, "echo planted")
    script(place / "tools" / program.name, "echo planted")
    given = entry.format(here=place, link=place.parent / "link")
    monkeypatch.setenv("PATH", given)
    with pytest.raises(ReadError, match=f"program {program.name} not found"):
        run(program, [], seconds=10, maximum=100)
    script(place.parent / "bin" / program.name, "echo found $PATH")
    monkeypatch.setenv("PATH", f"{given}{os.pathsep}{place.parent / 'bin'}")
    # It starts other programs by the same rule.
    assert run(program, [], seconds=10, maximum=1000).output.decode() == f"found {place.parent / 'bin'}\n"


def test_a_path_is_run_as_it_is_typed(place: pathlib.Path) -> None:
    script(place / "tell", "echo typed")
    assert run(command("./tell"), [], seconds=10, maximum=100).output == b"typed\n"
    assert run(command(str(place / "tell")), [], seconds=10, maximum=100).output == b"typed\n"


@pytest.mark.parametrize(
    "name", ["--keyservice=x", "-i", "exec-env", "edit", "publish", "keyservice", "--", "--version"]
)
def test_the_name_of_a_file_is_no_option_and_no_command(
    name: str, place: pathlib.Path, capsys: pytest.CaptureFixture[str]
) -> None:
    script(place.parent / "bin" / "sops", f'for word; do echo "$word"; done > {place.parent}/words; echo "a: 1"')
    (place / name).write_text("sops: {mac: x}\n")
    (place / "a.yml").write_text("a: 1\n")
    assert main(["render", "-f", "a.yml", "--secrets", f"sops:{name}"]) == 0, capsys.readouterr().err
    words = (place.parent / "words").read_text().split("\n")[:-1]
    assert words == ["--decrypt", "--output-type", "yaml", "--", f"./{name}"]


# ---- which variables

NEEDED = {
    SOPS.name: ["HOME", "PATH", "SOPS_AGE_KEY_FILE", "AWS_PROFILE", "AZURE_TENANT_ID", "GOOGLE_APPLICATION_CREDENTIALS", "VAULT_TOKEN",
           "GNUPGHOME", "GPG_TTY", "SSH_AUTH_SOCK", "XDG_CONFIG_HOME", "HTTPS_PROXY", "https_proxy"],
    GIT.name: ["HOME", "PATH", "XDG_CONFIG_HOME", "GIT_DIR", "GIT_WORK_TREE", "GIT_CONFIG_GLOBAL", "GIT_CONFIG_NOSYSTEM"],
}  # fmt: skip
# Variables that make a program run others, or that are secrets of others.
DANGEROUS = [
    "GIT_EXTERNAL_DIFF", "GIT_SSH", "GIT_SSH_COMMAND", "GIT_PAGER", "GIT_EDITOR", "GIT_ASKPASS", "GIT_PROXY_COMMAND",
    "GIT_EXEC_PATH", "GIT_TEMPLATE_DIR", "GIT_INDEX_FILE", "PAGER", "EDITOR", "LD_PRELOAD", "LD_LIBRARY_PATH", "BASH_ENV", "ENV",
    "PYTHONPATH", "GITHUB_TOKEN", "DB_PASSWORD", "PLAIT_SECRET",
]  # fmt: skip


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.name)
def test_a_program_gets_what_it_needs_and_no_more(
    program: ExternalProgram, place: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in {*NEEDED[program.name], *DANGEROUS} - {"PATH"}:
        monkeypatch.setenv(name, "x")
    script(place.parent / "bin" / program.name, "/usr/bin/env")
    told = run(program, [], seconds=10, maximum=100_000).output.decode().splitlines()
    found = {line.partition("=")[0] for line in told}
    assert found >= set(NEEDED[program.name])
    assert not found & set(DANGEROUS)
    assert found <= {*variables_of(program), "PWD", "SHLVL", "_", "OLDPWD"}


def test_a_command_of_the_user_gets_all_variables(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DB_PASSWORD", "x")
    assert {**variables_of(command("vault")), "PATH": ""} == {**os.environ, "PATH": ""}


# ---- its end


@pytest.fixture
def heartbeat(place: pathlib.Path) -> pathlib.Path:
    """A file that grows while a process goes on."""
    return place.parent / "heartbeat"


def has_ended(heartbeat: pathlib.Path) -> bool:
    size = heartbeat.stat().st_size
    time.sleep(0.3)
    return heartbeat.stat().st_size == size


BEAT = "while :; do echo x >> {file}; sleep 0.05; done"
ENDLESS = {
    "waits": "sleep 60",
    "prints": "while :; do echo yyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyy; done",
    "prints one line": "exec cat /dev/zero",
    "complains": "while :; do echo yyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyy >&2; done",
    "takes no signal": "trap '' TERM INT HUP PIPE; (trap '' TERM INT HUP PIPE; {beat}) & {beat}",
    "leaves a process": "(trap '' TERM HUP PIPE; {beat}) & exit 0",
    "leaves many": "for i in 1 2 3; do (({beat}) &) ; done; sleep 60",
    "closes its output": "exec >&- 2>&-; {beat}",
    "closes its output and leaves": "exec >&- 2>&-; ({beat}) & sleep 60",
}


@pytest.mark.parametrize("name", ENDLESS)
def test_a_program_without_an_end_is_ended_with_all_that_it_started(
    name: str, place: pathlib.Path, heartbeat: pathlib.Path
) -> None:
    heartbeat.touch()
    beat = BEAT.format(file=heartbeat)
    script(place.parent / "bin" / "endless", ENDLESS[name].format(beat=beat))
    with pytest.raises(LimitError, match=r"endless (took too long|printed too much) and was killed"):
        run(command("endless"), [], seconds=1, maximum=1_000_000)
    assert has_ended(heartbeat)


def test_what_a_program_complains_of_is_kept_in_part(place: pathlib.Path) -> None:
    script(place.parent / "bin" / "loud", "head -c 10000000 /dev/zero | tr '\\0' x >&2; echo fine")
    done = run(command("loud"), [], seconds=30, maximum=100)
    assert (done.output, len(done.errors)) == (b"fine\n", 64 << 10)


def test_a_program_that_does_not_read_its_input_ends(place: pathlib.Path) -> None:
    script(place.parent / "bin" / "deaf", "echo done")
    assert run(command("deaf"), [], seconds=10, maximum=100, given=bytes(10 << 20)).output == b"done\n"


def test_a_program_without_input_reads_nothing(place: pathlib.Path) -> None:
    script(place.parent / "bin" / "reads", "cat; echo end")
    assert run(command("reads"), [], seconds=10, maximum=100).output == b"end\n"


# ---- git

# Settings of a repository that name programs; {canary} is a command that leaves a canary.
SETTINGS = {
    "core.fsmonitor": "{canary}",
    "core.hooksPath": "hooks",
    "core.pager": "{canary}",
    "pager.diff": "{canary}",
    "core.editor": "{canary}",
    "core.sshCommand": "{canary}",
    "core.gitProxy": "{canary}",
    "core.askPass": "{canary}",
    "core.alternateRefsCommand": "{canary}",
    "credential.helper": "!{canary}",
    "diff.external": "{canary}",
    "diff.evil.command": "{canary}",
    "diff.evil.textconv": "{canary}",
    "filter.evil.clean": "{canary}",
    "filter.evil.smudge": "{canary}",
    "filter.evil.process": "{canary}",
    "filter.evil.required": "true",
    "filter.e v.i/l.clean": "{canary}",
    "merge.evil.driver": "{canary}",
    "gpg.program": "{canary}",
    "alias.diff": "!{canary}",
    "alias.rev-parse": "!{canary}",
    "remote.origin.url": "ext::{canary}",
    "remote.origin.uploadpack": "{canary}",
    "remote.origin.promisor": "true",
    "remote.origin.partialclonefilter": "blob:none",
    "extensions.partialClone": "origin",
    "core.repositoryFormatVersion": "1",
    "protocol.allow": "always",
    "protocol.ext.allow": "always",
    "diff.submodule": "log",
    "diff.ignoreSubmodules": "none",
    "status.submoduleSummary": "true",
}


def git(place: pathlib.Path, *words: str) -> None:
    who = [
        "-c",
        "user.name=t",
        "-c",
        "user.email=t@example.com",
        "-c",
        "commit.gpgsign=false",
        "-c",
        "protocol.file.allow=always",
    ]
    subprocess.run(["git", *who, *words], cwd=place, check=True, capture_output=True)


@pytest.fixture
def hostile(place: pathlib.Path) -> pathlib.Path:
    """A repository whose configuration runs programs wherever that can be said; a submodule does the same."""
    inner = place.parent / "inner"
    inner.mkdir()
    (inner / "b.yml").write_text("b: 1\n")
    git(inner, "init", "-q")
    git(inner, "add", ".")
    git(inner, "commit", "-q", "-m", "one")
    (place / "a.yml").write_text("a: 1\n")
    git(place, "init", "-q")
    git(place, "submodule", "add", "-q", str(inner), "sub")
    (place / ".gitattributes").write_text('*.yml filter=evil diff=evil merge=evil\n*.txt filter="e v.i/l"\n')
    git(place, "add", ".")
    git(place, "commit", "-q", "-m", "one")
    canary = script(place.parent / "canary.sh", f"echo ran >> {place.parent / 'canary'}; cat")
    for top, own in ((place, place / ".git"), (place / "sub", place / ".git" / "modules" / "sub")):
        for name, text in SETTINGS.items():
            git(top, "config", "--file", str(own / "config"), name, text.format(canary=canary))
        (own / "info").mkdir(exist_ok=True)
        (own / "info" / "attributes").write_text("* filter=evil diff=evil\n")
        for hooks in (own / "hooks", top / "hooks"):
            for hook in (
                "post-index-change",
                "post-checkout",
                "fsmonitor-watchman",
                "reference-transaction",
                "pre-auto-gc",
            ):
                script(hooks / hook, str(canary))
    (place / "a.yml").write_text("a: 2\n")
    (place / "sub" / "b.yml").write_text("b: 2\n")
    (place / "new.yml").write_text("a: 3\n")
    return place


@pytest.mark.skipif(shutil.which("git") is None, reason="no git")
def test_a_repository_makes_git_run_nothing(hostile: pathlib.Path, tmp_path: pathlib.Path) -> None:
    before = {path: path.read_bytes() for path in (hostile / ".git").rglob("*") if path.is_file()}
    laid_out = tmp_path / "laid out"
    laid_out.mkdir()
    repository = Repository(str(hostile))
    commit = repository.commit("HEAD")
    changed = {os.path.relpath(path, hostile) for path in repository.changed(commit)}
    repository.lay_out(commit, str(laid_out))
    assert repository.ignored([str(hostile / "a.yml")]) == []
    assert [*repository.blame("a.yml", [1], "a: 1\n")] == [1]
    assert repository.blame("a.yml", [1]) == {}
    assert not (tmp_path / "canary").exists()
    assert changed >= {"a.yml", "new.yml"}
    assert (laid_out / "a.yml").read_text() == "a: 1\n"
    assert {path: path.read_bytes() for path in (hostile / ".git").rglob("*") if path.is_file()} == before


@pytest.mark.skipif(shutil.which("git") is None, reason="no git")
def test_the_repository_is_hostile(hostile: pathlib.Path) -> None:
    subprocess.run(["git", "status"], cwd=hostile, capture_output=True, check=False)
    assert (hostile.parent / "canary").exists()


@pytest.mark.skipif(shutil.which("git") is None, reason="no git")
def test_a_directory_that_looks_like_a_repository_is_none(place: pathlib.Path) -> None:
    """Files of a checkout can form a bare repository, with a configuration of their own."""
    canary = script(place.parent / "canary.sh", f"echo ran >> {place.parent / 'canary'}")
    git(place, "init", "-q", "--bare", ".")
    git(place, "config", "core.bare", "false")
    git(place, "config", "core.worktree", ".")
    git(place, "config", "core.fsmonitor", str(canary))
    with pytest.raises(Exception, match="this directory is not in a git repository"):
        Repository(str(place))
    assert not (place.parent / "canary").exists()


# ---- which repository

CANARY = "Kestrel9Zq"


@pytest.fixture
def private(tmp_path: pathlib.Path) -> pathlib.Path:
    """A repository of the user's, which no checkout may name."""
    top = tmp_path / "private"
    top.mkdir()
    (top / "plait.yml").write_text("runs: {a: {render: {files: [a.yml]}}}\n")
    (top / "a.yml").write_text(f"{CANARY}: 1\n")
    git(top, "init", "-q", "-b", "main")
    git(top, "add", ".")
    git(top, "commit", "-q", "-m", "one")
    return top


def _own_data(place: pathlib.Path) -> pathlib.Path:
    git(place, "init", "-q", "-b", "main")
    return place / ".git"


def by_file(place: pathlib.Path, private: pathlib.Path) -> None:
    (place / ".git").write_text(f"gitdir: {private / '.git'}\n")


def by_link(place: pathlib.Path, private: pathlib.Path) -> None:
    (place / ".git").symlink_to(private / ".git")


def by_common_directory(place: pathlib.Path, private: pathlib.Path) -> None:
    (_own_data(place) / "commondir").write_text(f"{private / '.git'}\n")


def by_references(place: pathlib.Path, private: pathlib.Path) -> None:
    data = _own_data(place)
    shutil.rmtree(data / "refs" / "heads")
    (data / "refs" / "heads").symlink_to(private / ".git" / "refs" / "heads")
    (data / "objects" / "info" / "alternates").write_text(f"{private / '.git' / 'objects'}\n")


def by_reference(place: pathlib.Path, private: pathlib.Path) -> None:
    data = _own_data(place)
    (data / "refs" / "heads" / "main").symlink_to(private / ".git" / "refs" / "heads" / "main")
    (data / "objects" / "info" / "alternates").write_text(f"{private / '.git' / 'objects'}\n")


def by_objects(place: pathlib.Path, private: pathlib.Path) -> None:
    data = _own_data(place)
    shutil.rmtree(data / "objects")
    (data / "objects").symlink_to(private / ".git" / "objects")
    shutil.copytree(private / ".git" / "refs", data / "refs", dirs_exist_ok=True)


def by_working_directory(place: pathlib.Path, private: pathlib.Path) -> None:
    _own_data(place)
    git(place, "config", "core.worktree", str(private))


@pytest.mark.skipif(shutil.which("git") is None, reason="no git")
@pytest.mark.parametrize(
    "way",
    [by_file, by_link, by_common_directory, by_references, by_reference, by_objects, by_working_directory],
    ids=lambda way: way.__name__,
)
def test_a_checkout_names_no_other_repository(
    way: Callable[[pathlib.Path, pathlib.Path], None],
    place: pathlib.Path,
    private: pathlib.Path,
    capfd: pytest.CaptureFixture[str],
) -> None:
    (place / "plait.yml").write_text("runs: {a: {render: {files: [a.yml]}}}\n")
    (place / "a.yml").write_text("a: 1\n")
    way(place, private)
    assert main(["fleet", "impact", "--since", "main"]) == 2
    assert CANARY not in "".join(capfd.readouterr())


@pytest.mark.skipif(shutil.which("git") is None, reason="no git")
def test_worktrees_and_submodules_have_their_data_elsewhere(place: pathlib.Path, private: pathlib.Path) -> None:
    git(private, "worktree", "add", "-q", "-b", "other", str(place / "linked"))
    git(place, "init", "-q")
    git(place, "submodule", "add", "-q", str(private), "sub")
    for name in ("linked", "sub"):
        repository = Repository(str(place / name))
        assert repository.changed(repository.commit("HEAD")) == set()


@pytest.mark.skipif(shutil.which("git") is None, reason="no git")
@pytest.mark.parametrize("linked", ["plait.yml", "config"])
def test_a_link_in_a_revision_leads_nowhere(
    linked: str, place: pathlib.Path, capfd: pytest.CaptureFixture[str]
) -> None:
    outside = place.parent / "outside"
    outside.mkdir()
    for path in (outside / "plait.yml", outside / "config"):
        path.write_text(f"{CANARY}: [\n")
    (place / "plait.yml").write_text("runs: {a: {render: {files: [config]}}}\n")
    (place / "config").write_text("a: 1\n")
    git(place, "init", "-q")
    git(place, "add", ".")
    git(place, "commit", "-q", "-m", "zero")
    text = (place / linked).read_text()
    (place / linked).unlink()
    (place / linked).symlink_to(outside / linked)
    git(place, "add", ".")
    git(place, "commit", "-q", "-m", "one")
    (place / linked).unlink()
    (place / linked).write_text(text)
    main(["fleet", "impact", "--since", "HEAD"])
    assert CANARY not in "".join(capfd.readouterr())


# ---- import paths


@pytest.mark.parametrize("entry", ["", ".", "..", "relative", "{here}", "{here}/", "{link}", "{named}"])
def test_the_working_directory_is_on_no_import_path(
    entry: str, place: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    named = place / "named"
    (place.parent / "link").symlink_to(place)
    given = entry.format(here=place, link=place.parent / "link", named=named)
    monkeypatch.setenv("PYTHONPATH", f"named{os.pathsep}")
    monkeypatch.setattr(sys, "path", [given, *sys.path])
    found = import_path()
    assert given not in found
    assert all(os.path.isabs(one) and os.path.realpath(one) not in (str(place), str(named)) for one in found)
    assert found == [one for one in sys.path[1:] if one in found]


def test_an_absolute_entry_of_the_user_stays(place: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONPATH", str(place))
    monkeypatch.setattr(sys, "path", [str(place), *sys.path])
    assert import_path()[0] == str(place)


def test_the_table_has_every_program() -> None:
    found = [one for one in vars(programs).values() if isinstance(one, ExternalProgram)]
    assert {one.name for one in found} == {one.name for one in PROGRAMS} == NEEDED.keys()
