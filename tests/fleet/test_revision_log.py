"""`plait log` and `plait blame`: the commits behind a value."""

from __future__ import annotations

import json
import pathlib
import random
import subprocess
from collections.abc import Callable

import pytest

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
    assert "plait: no commit has a value at this path; 1 evaluation" in told
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
