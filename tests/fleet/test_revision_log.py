"""`plait log` and `plait blame`: the commits behind a value."""

from __future__ import annotations

import json
import pathlib
import random
import subprocess
from collections.abc import Callable

import pytest

from plait.base.errors import UsageError
from plait.base.git_repository import Repository
from plait.cli import main

APP = """\
#@ load("@ytt:data", "data")
kind: Deployment
metadata: {name: web}
spec:
  replicas: #@ data.values.replicas
  image: app:1
"""
OVERLAY = """\
#@ load("@ytt:overlay", "overlay")
#@overlay/match by=overlay.subset({"kind": "Deployment"})
---
spec:
  replicas: 5
"""
REPLICAS = "Deployment/web:spec.replicas"
Commit = Callable[..., None]


def git(*words: str) -> None:
    own = ("-c", "user.name=A", "-c", "user.email=a@example.com", "-c", "commit.gpgsign=false")
    subprocess.run(["git", *own, *words], check=True, capture_output=True)


def commit(subject: str, **files: str) -> None:
    for name, text in files.items():
        path = pathlib.Path("config") / f"{name}.yml"
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, "utf-8")
    git("add", "-A")
    git("commit", "-q", "--allow-empty", "-m", subject)


def values(replicas: int) -> str:
    return f"#@data/values\n---\nreplicas: {replicas}\n"


@pytest.fixture
def here(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> pathlib.Path:
    monkeypatch.chdir(tmp_path)
    git("init", "-q", "-b", "main", ".")
    (tmp_path / "plait.yml").write_text("runs: {app: {render: {files: [config]}}}\n", "utf-8")
    return tmp_path


def listed(capfd: pytest.CaptureFixture[str], *words: str, status: int = 0) -> list[tuple[str, str, str]]:
    capfd.readouterr()
    assert main(["log", "-o", "json", *words]) == status
    found = json.loads(capfd.readouterr().out)
    return [(one["subject"], one["after"]["value"] or one["after"]["state"], one["after"]["place"]) for one in found]


def test_a_value_is_followed_through_files(here: pathlib.Path, capfd: pytest.CaptureFixture[str]) -> None:
    commit("one", app=APP, values=values(1))
    commit("two", values=values(2))
    commit("elsewhere", notes="a: 1\n")
    commit("overlay", z=OVERLAY)
    commit("image", app=APP.replace("app:1", "app:2"))
    expected = [
        ("overlay", "5", "config/z.yml:5"),
        ("two", "2", "config/values.yml:3"),
        ("one", "1", "config/values.yml:3"),
    ]
    assert listed(capfd, REPLICAS) == expected
    assert listed(capfd, "--exact", "app", REPLICAS) == expected
    assert listed(capfd, "-n", "1", REPLICAS) == expected[:1]
    assert listed(capfd, "Deployment/web:spec.image")[0][:2] == ("image", "app:2")
    assert listed(capfd, "Deployment/web:spec.nothing", status=1) == []


def test_runs_that_fail_and_values_that_are_not_there(here: pathlib.Path, capfd: pytest.CaptureFixture[str]) -> None:
    commit("one", app=APP)
    commit("values", values=values(1))
    commit("broken", app=APP.replace("data.values.replicas", "nothing"))
    assert listed(capfd, REPLICAS) == [("broken", "the run fails", None), ("values", "1", "config/values.yml:3")]


def test_the_error_at_head_is_reported(here: pathlib.Path, capfd: pytest.CaptureFixture[str]) -> None:
    """A file of the run that is not committed yet is only in the working directory."""
    (here / "plait.yml").write_text("runs: {app: {render: {files: [config, new.yml]}}}\n", "utf-8")
    commit("app", app=APP, values=values(1))
    (here / "new.yml").write_text("a: 1\n", "utf-8")
    assert main(["log", "app", "a"]) == 1
    told = capfd.readouterr().err
    assert "plait: the run fails at HEAD: plait.yml:1: cannot read " in told
    assert "plait: no commit has a value at this path\n" in told
    assert str(here) not in told
    assert "plait-log-" not in told


def test_the_name_of_the_run_may_follow_the_word_run(here: pathlib.Path, capfd: pytest.CaptureFixture[str]) -> None:
    commit("app", app=APP, values=values(1))
    assert listed(capfd, "run", "app", REPLICAS) == listed(capfd, "app", REPLICAS)
    assert main(["blame", "run", "app", REPLICAS]) == main(["blame", "app", REPLICAS]) == 0
    first, second = capfd.readouterr().out.splitlines()
    assert first == second


def test_a_merge_is_followed_to_the_side_that_has_the_value(
    here: pathlib.Path, capfd: pytest.CaptureFixture[str]
) -> None:
    commit("one", app=APP, values=values(1))
    git("checkout", "-q", "-b", "side")
    commit("side", values=values(7))
    git("checkout", "-q", "main")
    commit("main", notes="a: 1\n")
    git("merge", "-q", "--no-edit", "-m", "merged", "side")
    assert [one[0] for one in listed(capfd, REPLICAS)] == ["side", "one"]
    assert [one[0] for one in listed(capfd, "--first-parent", REPLICAS)] == ["merged", "one"]


@pytest.mark.parametrize("seed", range(4))
def test_the_shorter_way_lists_the_same_commits(
    seed: int, here: pathlib.Path, capfd: pytest.CaptureFixture[str]
) -> None:
    chance = random.Random(seed)
    commit("first", app=APP, values=values(0))
    top, number = "", 0
    for step in range(1, 13):
        kind = chance.randrange(5)
        if kind == 0:
            top += f"#! a comment {step}\n"
            commit(f"{step} shifts", app=APP.replace("kind:", f"{top}kind:"), values=values(number))
        elif kind == 1:
            number = step
            commit(f"{step} values", values=values(step))
        elif kind == 2:
            commit(f"{step} overlay", z=OVERLAY.replace("5", str(step % 3)))
        elif kind == 3:
            commit(f"{step} unrelated", **{f"n{step}": "a: 1\n"})
        else:
            commit(f"{step} overlay without effect", z=OVERLAY.replace("replicas: 5", "other: 1"))
    assert listed(capfd, REPLICAS) == listed(capfd, "--exact", REPLICAS)


def test_blame_names_the_commit_of_each_line(here: pathlib.Path, capfd: pytest.CaptureFixture[str]) -> None:
    commit("one", app=APP, values=values(1))
    commit("moved", values="\n" + values(1))
    commit("image", app=APP.replace("app:1", "app:2"))
    capfd.readouterr()
    assert main(["blame", "-o", "json"]) == 0
    found = {one["text"].strip(): (one["subject"], one["place"]) for one in json.loads(capfd.readouterr().out)}
    assert found["image: app:2"] == ("image", "config/app.yml:6")
    assert found["replicas: 1"] == ("one", "config/values.yml:4")
    assert found["kind: Deployment"] == ("one", "config/app.yml:2")
    assert main(["blame", "app", REPLICAS]) == 0
    assert len(capfd.readouterr().out.splitlines()) == 1


def test_verify_names_the_commit_that_set_the_value(here: pathlib.Path, capfd: pytest.CaptureFixture[str]) -> None:
    commit("one", app=APP, values=values(1))
    commit("quoted", values=values(1).replace("replicas: 1", "replicas: 1 #! one"))
    subjects = []
    for words in ([], ["--verify"]):
        capfd.readouterr()
        assert main(["blame", "-o", "json", *words, "app", REPLICAS]) == 0
        subjects += [one["subject"] for one in json.loads(capfd.readouterr().out)]
    assert subjects == ["quoted", "one"]


def test_secrets_are_hidden(here: pathlib.Path, capfd: pytest.CaptureFixture[str]) -> None:
    (here / "plait.yml").write_text("runs: {app: {render: {files: [config], secrets: file:s.yml}}}\n", "utf-8")
    for secret in ("hunter2", "swordfish"):
        (here / "s.yml").write_text(f"replicas: {secret}\n", "utf-8")
        commit(secret[:3], app=APP, values=values(0).replace("0", '""'))
    for words in (["log", REPLICAS], ["log", "--exact", REPLICAS], ["blame"], ["blame", "-o", "json", "--verify"]):
        main(words)
    told = "".join(capfd.readouterr())
    assert "hunter2" not in told
    assert "swordfish" not in told


def test_nothing_of_the_repository_is_run(here: pathlib.Path, capfd: pytest.CaptureFixture[str]) -> None:
    commit("one", app=APP, values=values(1))
    commit("two", values=values(2))
    canary = here / "canary"
    program = here / "program"
    program.write_text(f"#!/bin/sh\ntouch {canary}\n", "utf-8")
    program.chmod(0o755)
    (here / ".gitattributes").write_text("* filter=x diff=x\n", "utf-8")
    for name in ("core.fsmonitor", "core.pager", "gpg.program", "diff.x.textconv", "diff.x.command", "filter.x.smudge",
                 "filter.x.clean", "diff.external", "core.sshCommand", "core.editor"):  # fmt: skip
        git("config", name, str(program))
    git("config", "log.showSignature", "true")
    for hook in ("post-checkout", "post-index-change", "reference-transaction"):
        (here / ".git/hooks").mkdir(exist_ok=True)
        (here / ".git/hooks" / hook).write_text(program.read_text("utf-8"), "utf-8")
        (here / ".git/hooks" / hook).chmod(0o755)
    assert main(["log", REPLICAS]) == 0
    assert main(["blame", "--verify"]) == 0
    assert not canary.exists()
    capfd.readouterr()


def test_without_a_repository(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "plait.yml").write_text("runs: {app: {render: {files: [a.yml]}}}\n", "utf-8")
    (tmp_path / "a.yml").write_text("a: 1\n", "utf-8")
    assert main(["log", "a"]) == 2
    assert main(["blame"]) == 2


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (
            ["Deployment/web:spec.replica"],
            'no commit has a value at this path; at HEAD: no key "replica" in spec of Deployment/web\n  found:    replicas',
        ),
        (["Deployment/wbe:spec"], 'no document has the name "Deployment/wbe"\n  found:    Deployment/web\n'),
        ([REPLICAS, "--since", "yestreday"], 'hint:     did you mean "yesterday"?'),
        ([REPLICAS, "--since", "soon"], '"soon" is not a date'),
        (
            [REPLICAS, "--since", "2031-01-01"],
            "there is no commit since 2031-01-01\n  found:    the newest commit is of ",
        ),
    ],
)
def test_what_is_wrong_with_a_question_is_told(
    here: pathlib.Path, words: list[str], told: str, capfd: pytest.CaptureFixture[str]
) -> None:
    commit("app", app=APP, values=values(1))
    assert main(["log", *words]) == (2 if "not a date" in told or "yesterday" in told else 1)
    assert told in capfd.readouterr().err


@pytest.mark.parametrize("date", ["2026-01-31", "yesterday", "2 weeks ago", "last friday", "1795878823", "noon", "now"])
def test_dates_in_all_forms_of_git_are_accepted(here: pathlib.Path, date: str) -> None:
    commit("app", app=APP, values=values(1))
    Repository(".").check_date(date)


@pytest.mark.parametrize(
    ("revision", "hint"),
    [
        ("master", 'did you mean "main"?'),
        ("trunk~1", 'did you mean "main~1"?'),
        ("mian~1", 'did you mean "main~1"?'),
        ("mian~7", None),
        ("plait.yml", "this is a path in the newest commit; HEAD is that commit"),
        ("HEAD~7", "HEAD has 2 ancestors: the first commit is HEAD~2"),
        ("main~1~4", "main~1 has 1 ancestor: the first commit is main~1~1"),
        ("HEAD~2^", "HEAD~2 has 0 parents"),
        ("HEAD~2~1", "HEAD~2 is the first commit"),
        ("HEAD^2", "HEAD has 1 parent"),
        ("HEAD^{/nothing}", None),
        ("nothing", None),
    ],
)
def test_the_hint_for_an_unknown_revision_names_one_that_exists(
    here: pathlib.Path, revision: str, hint: str | None
) -> None:
    for subject in ("one", "two", "three"):
        commit(subject)
    repository = Repository(".")
    with pytest.raises(UsageError) as raised:
        repository.commit(revision)
    assert raised.value.hint == hint
    for word in (hint or "").replace("?", "").replace('"', "").split():
        if word.startswith(("main", "HEAD")):
            assert repository.commit(word)


def test_the_hint_for_a_repository_without_a_commit(here: pathlib.Path) -> None:
    with pytest.raises(UsageError) as raised:
        Repository(str(here)).commit("HEAD")
    assert raised.value.hint == (
        'the repository has no commit yet: git add . && git commit -m "first" creates the first one'
    )


def test_a_shallow_clone_is_named_as_the_reason(here: pathlib.Path) -> None:
    for subject in ("one", "two", "three"):
        commit(subject)
    git("clone", "-q", "--depth=2", f"file://{here}", "clone")
    with pytest.raises(UsageError) as raised:
        Repository("clone").commit("HEAD~2")
    assert raised.value.hint == "the clone is shallow, and HEAD~1 is its oldest commit: git fetch --unshallow"


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["blame", "config/app.yml"], 'unknown run "config/app.yml": it is a file\n  expected: app, other\n'),
        (["log", "config/app.yml"], "  hint:     runs with this file: app, other\n"),
        (["blame", "othre"], '  hint:     did you mean "other"?\n'),
        (["log", "ap"], 'unknown run "ap"'),
        (["log", "app"], "no PATH to follow\n  expected: a PATH such as"),
        (["log", "spec.replicas"], "no run is selected\n  expected: app, other\n"),
    ],
)
def test_a_word_that_is_no_run_and_no_path(
    here: pathlib.Path, words: list[str], told: str, capfd: pytest.CaptureFixture[str]
) -> None:
    (here / "plait.yml").write_text("runs: {app: {render: {files: [config]}}, other: {base: app}}\n", "utf-8")
    commit("app", app=APP, values=values(1))
    assert main(words) == 2
    assert told in capfd.readouterr().err
