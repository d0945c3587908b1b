"""The jobs of `plait ci init`, the action, and the comment that they post, with a server that plays both services."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
import yaml
from repositories import commit

from plait.cli import main
from plait.review.comments import mark_of

ROOT = Path(__file__).parent.parent.parent
ACTION = yaml.safe_load((ROOT / ".github/actions/review/action.yml").read_text("utf-8"))
GITHUB = "/repos/o/r/issues/7/comments"
GITLAB = "/projects/5/merge_requests/7/notes"


class Service:
    """The comments of one request, on both services. login: of the token's user on GitHub. is_anonymous: it may not ask."""

    def __init__(self) -> None:
        self.comments: list[dict[str, Any]] = []
        self.asked: list[tuple[str, str]] = []
        self.tokens: set[str | None] = set()
        self.status = 200
        self.answer: str | None = None
        self.login = "github-actions[bot]"
        self.is_anonymous = False
        service = self

        class Handler(BaseHTTPRequestHandler):
            def _do(self) -> None:
                url = urlsplit(self.path)
                service.asked.append((self.command, url.path))
                service.tokens.add(self.headers.get("Authorization") or self.headers.get("PRIVATE-TOKEN"))
                size = int(self.headers.get("Content-Length") or 0)
                body = json.loads(self.rfile.read(size)) if size else {}
                status, found = service.done(self.command, url.path, parse_qs(url.query), body)
                data = (service.answer if service.answer is not None else json.dumps(found)).encode()
                self.send_response(status if service.status == 200 else service.status)
                self.send_header("Content-Length", str(len(data)))
                self.send_header("Location", "/elsewhere")
                self.end_headers()
                self.wfile.write(data)

            do_GET = do_POST = do_PATCH = do_PUT = _do  # noqa: N815

            def log_message(self, *_: object) -> None:
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}"

    def done(self, method: str, path: str, query: dict[str, list[str]], body: dict[str, Any]) -> tuple[int, object]:
        author = {"login": self.login, "type": "Bot" if self.login.endswith("]") else "User", "id": 1}
        if (method, path) == ("GET", "/user"):
            return 200, author
        if (method, path, body) == ("POST", "/graphql", {"query": "{viewer{login}}"}):
            return (403, {}) if self.is_anonymous else (200, {"data": {"viewer": {"login": self.login}}})
        if method == "POST" and path in (GITHUB, GITLAB):
            self.add(body["body"], author)
            return 201, self.comments[-1]
        if method == "GET" and path in (GITHUB, GITLAB):
            size, page = int(query["per_page"][0]), int(query["page"][0])
            return 200, self.comments[(page - 1) * size : page * size]
        place, _, number = path.rpartition("/")
        if (method, place) in (("PATCH", "/repos/o/r/issues/comments"), ("PUT", GITLAB)):
            [one] = [one for one in self.comments if one["id"] == int(number)]
            one["body"] = body["body"]
            return 200, one
        return 404, {}

    def add(self, body: str, author: dict[str, Any]) -> None:
        self.comments.append({"id": 100 + len(self.comments), "body": body, "user": author, "author": author})


@pytest.fixture
def service() -> Iterator[Service]:
    made = Service()
    thread = threading.Thread(target=made.server.serve_forever, daemon=True)
    thread.start()
    yield made
    made.server.shutdown()
    made.server.server_close()
    thread.join()


def variables(service: Service, place: Path, source: str = "o/r") -> dict[str, str]:
    """The variables of a job, on both services."""
    event = place / "event.json"
    event.write_text(json.dumps({"pull_request": {"number": 7, "head": {"repo": {"full_name": source}}}}), "utf-8")
    return {
        "GITHUB_API_URL": service.url,
        "GITHUB_GRAPHQL_URL": f"{service.url}/graphql",
        "GITHUB_REPOSITORY": "o/r",
        "GITHUB_EVENT_PATH": str(event),
        "GITHUB_TOKEN": "a-token",
        "CI_API_V4_URL": service.url,
        "CI_MERGE_REQUEST_PROJECT_ID": "5",
        "CI_MERGE_REQUEST_SOURCE_PROJECT_ID": "5" if source == "o/r" else "6",
        "CI_MERGE_REQUEST_IID": "7",
        "PLAIT_GITLAB_TOKEN": "a-token",
        "no_proxy": "*",
    }


@pytest.fixture(params=["github", "gitlab"])
def name(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def job(service: Service, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str) -> Service:
    monkeypatch.chdir(tmp_path)
    for key, value in variables(service, tmp_path).items():
        monkeypatch.setenv(key, value)
    return service


def posted(name: str, text: str, *more: str) -> int:
    Path("review.md").write_text(text, "utf-8")
    return main(["ci", "comment", name, "review.md", *more])


def test_one_comment_is_created_then_updated(job: Service, name: str, capfd: pytest.CaptureFixture[str]) -> None:
    assert posted(name, "first\n") == 0
    assert posted(name, "second\n") == 0
    assert posted(name, "second\n") == 0
    assert capfd.readouterr().out.splitlines() == ["comment created", "comment updated", "comment unchanged"]
    assert [one["body"] for one in job.comments] == [f"{mark_of('plait.yml')}\nsecond\n"]
    assert posted(name, "other\n", "--name", "shop/plait.yml") == 0
    assert len(job.comments) == 2


def test_the_comment_is_on_a_later_page(job: Service, name: str) -> None:
    other = {"login": "bob", "type": "User", "id": 2}
    for number in range(100):
        job.add(f"comment {number}", other)
    assert posted(name, "first\n") == 0
    for number in range(150):
        job.add(f"comment {number}", other)
    assert posted(name, "second\n") == 0
    assert len(job.comments) == 251
    assert job.comments[100]["body"].endswith("second\n")


def test_a_comment_of_somebody_else_is_not_changed(job: Service, name: str) -> None:
    """Whoever may comment can write the mark, and would be shown as the author of the review."""
    job.add(f"{mark_of('plait.yml')}\nmine", {"login": "bob", "type": "User", "id": 2})
    job.add(f"> {mark_of('plait.yml')}\nquoted", {"login": "github-actions[bot]", "type": "Bot", "id": 1})
    job.add(f"{mark_of('plait.yml')}\nby an application", {"login": "other[bot]", "type": "Bot", "id": 4})
    assert posted(name, "first\n") == 0
    assert [one["body"].rpartition("\n")[2] for one in job.comments[:3]] == ["mine", "quoted", "by an application"]
    assert len(job.comments) == 4


@pytest.mark.parametrize("login", ["ann", "an-app[bot]"])
def test_the_token_of_a_user_or_an_application_finds_its_comment(job: Service, name: str, login: str) -> None:
    job.login = login
    job.add(f"{mark_of('plait.yml')}\nof the job", {"login": "github-actions[bot]", "type": "Bot", "id": 3})
    assert posted(name, "first\n") == posted(name, "second\n") == 0
    assert [one["body"].endswith("second\n") for one in job.comments] == [False, True]
    assert job.tokens <= {"Bearer a-token", "a-token"}


def test_a_job_that_may_not_ask_who_it_is(job: Service, name: str) -> None:
    job.is_anonymous = True
    assert posted(name, "first\n") == posted(name, "second\n") == 0
    assert len(job.comments) == 1


def test_a_fork_posts_nothing(
    service: Service, name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    for key, value in variables(service, tmp_path, "bob/r").items():
        monkeypatch.setenv(key, value)
    monkeypatch.delenv("GITHUB_TOKEN")
    monkeypatch.delenv("PLAIT_GITLAB_TOKEN")
    assert posted(name, "first\n") == 0
    assert service.asked == []
    assert "fork" in capfd.readouterr().out


@pytest.mark.parametrize(
    ("status", "answer", "said"),
    [
        (403, None, "hint:"),
        (302, None, "302"),
        (200, "{", "is not JSON"),
        (200, "{}", "is not a list"),
        (
            200,
            '[{"id": "../x", "body": "<!-- plait review: plait.yml -->", "user": {"login": "github-actions[bot]"}}]',
            "",
        ),
    ],
)
def test_a_service_that_refuses(
    job: Service, name: str, status: int, answer: str | None, said: str, capfd: pytest.CaptureFixture[str]
) -> None:
    job.status, job.answer = status, answer
    code = posted(name, "first\n")
    told = capfd.readouterr()
    assert code in (0, 1, 2)
    assert (code == 0) is (said == "" and name == "gitlab"), told.err
    assert said in told.err
    assert "a-token" not in told.err + told.out
    assert "bug in plait" not in told.err
    assert not any("elsewhere" in path or ".." in path for _, path in job.asked)


MISSING = {
    "github": ("GITHUB_API_URL", "GITHUB_REPOSITORY", "GITHUB_EVENT_PATH", "GITHUB_TOKEN"),
    "gitlab": ("CI_API_V4_URL", "CI_MERGE_REQUEST_PROJECT_ID", "CI_MERGE_REQUEST_IID", "PLAIT_GITLAB_TOKEN"),
}


def test_variables_are_checked(
    job: Service, name: str, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    for variable in MISSING[name]:
        for value in ("", None) if variable.endswith("TOKEN") else ("", "../../x?", None):
            with monkeypatch.context() as patch:
                patch.setenv(variable, value) if value is not None else patch.delenv(variable)
                assert posted(name, "first\n") != 0, variable
            assert "bug in plait" not in capfd.readouterr().err
    assert job.asked == []


def test_arguments_are_checked(job: Service, name: str, capfd: pytest.CaptureFixture[str]) -> None:
    for words in (["ci"], ["ci", "int"], ["ci", "init"], ["ci", "init", "gitlub"], ["ci", "comment", name],
                  ["ci", "init", name, "x"], ["ci", "comment", name, "nothing.md"]):  # fmt: skip
        assert main(words) in (1, 2), words
    assert posted(name, "x", "--name", "a --> b") == 2
    assert posted(name, "x" * 65_536) == 2
    assert "bug in plait" not in capfd.readouterr().err


# ---- the files

PROJECT: dict[str, str | None] = {
    "plait.yml": "runs: {app: {render: {files: [config]}}}\n",
    "config/app.yml": "kind: Service\nmetadata: {name: web}\nport: 80\n",
}


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    commit(tmp_path / "work", PROJECT)
    monkeypatch.chdir(tmp_path / "work")
    return tmp_path / "work"


PATHS = {"github": ".github/workflows/plait-review.yml", "gitlab": ".gitlab/plait-review.yml"}


def test_init_writes_shows_and_keeps(project: Path, name: str, capfd: pytest.CaptureFixture[str]) -> None:
    path = project / PATHS[name]
    assert main(["ci", "init", name, "--dry-run"]) == 0
    shown = capfd.readouterr().out
    assert "plait.yml: 1 run (app)" in shown
    assert not path.exists()
    assert main(["ci", "init", name]) == 2  # without a terminal for the question
    assert not path.exists()
    assert main(["ci", "init", name, "--yes"]) == 0
    first = path.read_text("utf-8")
    assert "".join(f"  {line}\n" for line in first.splitlines()) in shown
    assert main(["ci", "init", name, "--yes", "--plait", "tools/plait"]) == 0
    assert "tools/plait" in path.read_text("utf-8")
    assert "updated" in capfd.readouterr().out
    path.write_text(first + "# mine\n", "utf-8")
    assert main(["ci", "init", name, "--yes"]) == 2
    assert "was not created by plait ci init, or has been edited" in capfd.readouterr().err
    assert path.read_text("utf-8") == first + "# mine\n"
    assert main(["ci", "init", name, "--dry-run"]) == 0


@pytest.mark.parametrize("value", ["${{ github.token }}", "a b", '"', "$(x)", "-r", "a\nb", "a'", "../x`y`"])
def test_nothing_becomes_code(project: Path, name: str, value: str) -> None:
    assert main(["ci", "init", name, "--yes", "--plait", value]) == 2
    if "/" not in value:
        other = project / value
        other.mkdir()
        (other / "plait.yml").write_text(str(PROJECT["plait.yml"]), "utf-8")
        assert main(["ci", "init", name, "--yes", "--project", f"./{value}/plait.yml"]) == 2
    assert not (project / PATHS[name]).exists()


def test_a_project_below_the_top(project: Path, name: str) -> None:
    (project / "deploy").mkdir()
    (project / "deploy/plait.yml").write_text(str(PROJECT["plait.yml"]), "utf-8")
    assert main(["ci", "init", name, "--yes", "--project", "deploy"]) == 0
    assert "deploy/plait.yml" in (project / PATHS[name]).read_text("utf-8")


def test_the_workflow_gives_little_away(project: Path) -> None:
    assert main(["ci", "init", "github", "--yes", "--plait", "o/plait@0123abc"]) == 0
    text = (project / PATHS["github"]).read_text("utf-8")
    workflow: dict[Any, Any] = yaml.safe_load(text)
    assert workflow[True] == {"pull_request": None}
    assert workflow["permissions"] == {}
    [review] = workflow["jobs"].values()
    assert review["permissions"] == {"contents": "read", "pull-requests": "write"}
    assert "secrets" not in re.sub("#.*", "", text)
    assert all("run" not in step and "env" not in step for step in review["steps"])
    assert review["steps"][0]["with"] == {"fetch-depth": 0, "persist-credentials": False}
    assert review["steps"][-1]["uses"] == "o/plait/.github/actions/review@0123abc"


def test_the_gitlab_job_gives_the_token_to_one_job(project: Path) -> None:
    assert main(["ci", "init", "gitlab", "--yes"]) == 0
    jobs = yaml.safe_load((project / PATHS["gitlab"]).read_text("utf-8"))
    assert [key for key, one in jobs.items() if "environment" in one] == ["plait-comment"]
    assert jobs["plait-comment"]["environment"] == {"name": "plait-review", "action": "access"}
    [rule] = jobs["plait-comment"]["rules"]
    assert "$CI_MERGE_REQUEST_SOURCE_PROJECT_ID == $CI_MERGE_REQUEST_PROJECT_ID" in rule["if"]


def test_two_pipelines_on_gitlab_write_one_comment(project: Path) -> None:
    """The search for the comment and the request that writes it are one step for a merge request."""
    assert main(["ci", "init", "gitlab", "--yes"]) == 0
    jobs = yaml.safe_load((project / PATHS["gitlab"]).read_text("utf-8"))
    assert jobs["plait-comment"]["resource_group"] == "plait-review-$CI_MERGE_REQUEST_IID"
    assert jobs[".plait"]["interruptible"] is True


@pytest.mark.parametrize(("fail_on", "trust", "expected"), [
    ("", "false", []), ("error,image-changed", "true", ["--fail-on=error,image-changed", "--trust"]),
    ("$(touch x) '", "", ["--fail-on=$(touch x) '"]),
])  # fmt: skip
def test_the_gitlab_job_has_the_options_of_the_action(
    project: Path, fail_on: str, trust: str, expected: list[str]
) -> None:
    assert main(["ci", "init", "gitlab", "--yes"]) == 0
    jobs = yaml.safe_load((project / PATHS["gitlab"]).read_text("utf-8"))
    review, comment = jobs["plait-review"], jobs["plait-comment"]
    assert review["variables"] == {"GIT_DEPTH": "0", "PLAIT_FAIL_ON": "", "PLAIT_TRUST": "false"}
    assert (review["artifacts"]["when"], comment["rules"][0]["when"]) == ("always", "always")
    [script] = review["script"]
    program = project.parent / "plait"
    program.write_text('#!/bin/sh\nprintf "%s\\n" "$@"\nexit 1\n', "utf-8")
    program.chmod(0o755)
    values = {"PLAIT_FAIL_ON": fail_on, "PLAIT_TRUST": trust, "CI_MERGE_REQUEST_DIFF_BASE_SHA": "a"}
    script = script.replace("/tmp/plait/bin/plait", str(program))
    made = subprocess.run(["/bin/sh", "-ec", script], cwd=project, env={**values, "CI_COMMIT_SHA": "b"}, check=False)
    assert made.returncode == 1
    words = (project / "plait-review.md").read_text("utf-8").split("\n")[:-1]
    assert words == ["review", "--project", "plait.yml", "-o", "markdown", *expected, "--", "a...b"]
    assert not (project / "x").exists()


# ---- the action


def test_the_action_is_as_github_wants_it() -> None:
    """The keys of a composite action; a step that runs something names its shell."""
    assert ACTION.keys() == {"name", "description", "inputs", "outputs", "runs"}
    assert all(one.keys() == {"description", "default"} for one in ACTION["inputs"].values())
    assert all(one.keys() == {"description", "value"} for one in ACTION["outputs"].values())
    assert ACTION["runs"].keys() == {"using", "steps"}
    assert ACTION["runs"]["using"] == "composite"
    used = set(re.findall(r"inputs\.([\w-]+)", json.dumps(ACTION["runs"])))
    assert used == ACTION["inputs"].keys()
    for step in ACTION["runs"]["steps"]:
        assert {"name", "shell", "run"} <= step.keys() <= {"name", "id", "if", "shell", "env", "run"}
        assert "${{" not in step["run"], "an input reaches a script as a variable"
        assert ("inputs.token" in json.dumps(step.get("env", {}))) is (step["name"] == "comment")


def acted(place: Path, service: Service, known: dict[str, str], source: str = "o/r") -> tuple[int, str]:
    """Runs the steps of the action but the first, as GitHub does. known: its expressions. The status, and all output."""
    bash = shutil.which("bash")
    if bash is None:
        pytest.skip("there is no bash")
    temporary = place.parent / "temporary"
    program = temporary / "plait/bin/plait"
    program.parent.mkdir(parents=True, exist_ok=True)
    program.write_text(f'#!/bin/sh\nexec {sys.executable} -P -m plait "$@"\n', "utf-8")
    program.chmod(0o755)
    files = {name: temporary / name for name in ("GITHUB_OUTPUT", "GITHUB_STEP_SUMMARY")}
    job = {
        "PATH": os.environ["PATH"],
        "HOME": str(temporary),
        "RUNNER_TEMP": str(temporary),
        **variables(service, temporary, source),
        **{name: str(path) for name, path in files.items()},
    }
    job = {key: value for key, value in job.items() if not key.endswith("TOKEN")}
    outputs: dict[str, str] = {}
    said = ""
    status = 0

    def value(text: str) -> str:
        def one(found: re.Match[str]) -> str:
            for part in found[1].split(" || "):
                prefix = "steps.review.outputs."
                got = outputs[part.removeprefix(prefix)] if part.startswith(prefix) else known.get(part)
                if got is None:
                    got = ACTION["inputs"][part.removeprefix("inputs.")]["default"]
                if got:
                    return got
            return ""

        return re.sub(r"\$\{\{ (.*?) \}\}", one, text)

    for step in ACTION["runs"]["steps"][1:]:
        if step.get("if") == "inputs.token != ''" and not known.get("inputs.token"):
            continue
        for path in files.values():
            path.touch()
        environment = {**job, **{key: value(text) for key, text in step.get("env", {}).items()}}
        if step["name"] != "comment":
            assert "a-token" not in environment.values()
        done = subprocess.run(
            [bash, "--noprofile", "--norc", "-eo", "pipefail", "-c", step["run"]],
            env=environment,
            cwd=place,
            capture_output=True,
            text=True,
            check=False,
        )
        said += done.stdout + done.stderr
        status = done.returncode
        outputs |= dict(line.split("=", 1) for line in files["GITHUB_OUTPUT"].read_text("utf-8").splitlines())
        if status:
            break
    return status, said + files["GITHUB_STEP_SUMMARY"].read_text("utf-8")


@pytest.mark.skipif(os.name == "nt", reason="the steps are shell scripts")
def test_the_action_comments_on_a_real_change(project: Path, service: Service) -> None:
    base = commit(project, {})
    head = commit(project, {"config/app.yml": "kind: Service\nmetadata: {name: web}\nport: 81\n"})
    known = {
        "github.event.pull_request.base.sha": base,
        "github.event.pull_request.head.sha": head,
        "inputs.token": "a-token",
    }
    status, said = acted(project, service, known)
    assert status == 0, said
    [comment] = service.comments
    assert comment["body"].startswith(f"{mark_of('plait.yml')}\n**plait review**")
    assert "`port` `80` → `81`" in comment["body"]
    assert "`port` `80` → `81`" in said
    known["github.event.pull_request.head.sha"] = commit(
        project, {"config/app.yml": "kind: Service\nmetadata: {name: web}\nport: 82\n"}
    )
    status, said = acted(project, service, known)
    assert (status, len(service.comments)) == (0, 1), said
    assert "`80` → `82`" in comment["body"]
    # Without a token, and from a fork: the summary alone.
    asked = len(service.asked)
    assert acted(project, service, {**known, "inputs.token": ""})[0] == 0
    status, said = acted(project, service, known, "bob/r")
    assert (status, len(service.asked)) == (0, asked)
    assert "nothing was posted" in said


@pytest.mark.skipif(os.name == "nt", reason="the steps are shell scripts")
def test_the_action_fails_after_the_comment(project: Path, service: Service) -> None:
    base = commit(project, {})
    head = commit(project, {"config/app.yml": "kind: [\n"})
    known = {"inputs.base": base, "inputs.head": head, "inputs.token": "a-token", "inputs.fail-on": "failure"}
    status, said = acted(project, service, known)
    assert status == 1
    assert "::error::" in said
    assert "makes the run fail" in service.comments[0]["body"]
    status, said = acted(project, service, {**known, "inputs.base": "0" * 40})
    assert status != 0
    assert len(service.comments) == 1


@pytest.mark.skipif(os.name == "nt", reason="the steps are shell scripts")
def test_a_hostile_change_runs_nothing_and_grants_nothing(project: Path, service: Service) -> None:
    (project.parent / "outside.yml").write_text("secret: hidden-value\n", "utf-8")
    base = commit(project, {})
    head = commit(
        project,
        {
            "plait.yml": "permissions: {read: [../outside.yml]}\nruns: {app: {render: {files: [config, ../outside.yml]}}}\n",
            "sitecustomize.py": "open('ran', 'w')\n",
            "plait/__main__.py": "open('ran', 'w')\n",
            ".gitattributes": "* filter=x\n",
        },
    )
    known = {"inputs.base": base, "inputs.head": head, "inputs.token": "a-token", "inputs.trust": "true"}
    status, said = acted(project, service, known)
    assert status == 0, said
    assert "hidden-value" not in said + service.comments[0]["body"]
    assert not (project / "ran").exists()
