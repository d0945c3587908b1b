"""The programs of docs/cookbook.md, run as their readers would run them."""

from __future__ import annotations

import asyncio
import json
import pathlib
import re
import runpy
import subprocess
import sys
from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any

import pytest

import plait

PAGE = pathlib.Path(__file__).parent.parent / "docs" / "cookbook.md"
TITLED = re.compile(r'^```\w+ title="([^"]+)"\n(.*?)^```$', re.MULTILINE | re.DOTALL)

Message = MutableMapping[str, Any]
App = Callable[[Message, Callable[[], Awaitable[Message]], Callable[[Message], Awaitable[None]]], Awaitable[None]]


@pytest.fixture
def here(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> pathlib.Path:
    for name, text in TITLED.findall(PAGE.read_text("utf-8")):
        file = tmp_path / name
        file.parent.mkdir(exist_ok=True)
        file.write_text(text, "utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def request(app: App, path: str, body: object = None) -> tuple[int, str]:
    """Status and text of an answer, by the protocol between servers and applications (ASGI)."""
    sent: list[Message] = []

    async def receive() -> Message:
        return {"type": "http.request", "body": b"" if body is None else json.dumps(body).encode(), "more_body": False}

    async def send(message: Message) -> None:
        sent.append(message)

    scope = {
        "type": "http", "asgi": {"version": "3.0"}, "http_version": "1.1", "method": "GET" if body is None else "POST",
        "path": path, "raw_path": path.encode(), "root_path": "", "scheme": "http", "query_string": b"",
        "headers": [(b"content-type", b"application/json")], "server": ("localhost", 80), "client": ("localhost", 1),
    }  # fmt: skip
    asyncio.run(app(scope, receive, send))  # type: ignore[arg-type]
    return sent[0]["status"], b"".join(message.get("body", b"") for message in sent[1:]).decode()


@pytest.mark.usefixtures("here")
def test_service() -> None:
    app = runpy.run_path("service.py")["app"]
    assert request(app, "/render", {"name": "shop", "replicas": 3}) == (
        200, "kind: Deployment\nmetadata:\n  name: shop\nspec:\n  replicas: 3\n",
    )  # fmt: skip
    status, text = request(app, "/render", {"replcas": 3})
    assert (status, json.loads(text)[0]["hint"]) == (422, 'did you mean "replicas"?')
    status, text = request(app, "/render", {"replicas": "many"})
    assert (status, json.loads(text)[0]["found"]) == (422, "string")
    assert request(app, "/render", [1])[0] == 422
    status, text = request(app, "/schema")
    assert json.loads(text)["components"]["schemas"]["dataValues"]["properties"]["replicas"]["default"] == 1


@pytest.mark.usefixtures("here")
def test_a_service_that_is_given_too_much(here: pathlib.Path) -> None:
    (here / "config" / "slow.yml").write_text("#@ for n in range(1 << 30):\n#@   x = [n]\n#@ end\n")
    service = runpy.run_path("service.py")
    service["LIMITS"]["steps"] = 1000
    status, text = request(service["app"], "/render", {})
    assert (status, "limit steps" in text) == (503, True)


@pytest.mark.usefixtures("here")
def test_fastapi(caplog: pytest.LogCaptureFixture) -> None:
    pytest.importorskip("fastapi")
    caplog.set_level("INFO")
    app = runpy.run_path("api.py")["app"]
    for replicas in (3, 4, 3):
        status, text = request(app, "/render", {"name": "shop", "replicas": replicas})
        assert (status, f"replicas: {replicas}" in text) == (200, True)
    assert request(app, "/render", {"replicas": "many"})[0] == 422
    assert [record.getMessage().endswith("done") for record in caplog.records if "plait" in record.getMessage()] == [
        True, True, True, False,
    ]  # fmt: skip


@pytest.mark.usefixtures("here")
def test_celery(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("celery")
    monkeypatch.setenv("BROKER", "memory://")
    tasks = runpy.run_path("tasks.py")
    tasks["app"].conf.task_always_eager = True
    for replicas in (3, 4):
        assert f"replicas: {replicas}" in tasks["render"].delay({"replicas": replicas}).get()


def test_tests(here: pathlib.Path) -> None:
    argv = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-c", "/dev/null", "test_config.py"]
    done = subprocess.run(argv, cwd=here, capture_output=True, text=True, check=False)
    assert (done.returncode, "6 passed" in done.stdout) == (0, True), done.stdout
    (here / "config" / "app.yml").write_text((here / "config" / "app.yml").read_text() + "  paused: true\n")
    done = subprocess.run(argv, cwd=here, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert "+ spec.paused: true" in done.stdout


def test_check_before_a_commit(here: pathlib.Path) -> None:
    def run() -> tuple[int, str, str]:
        done = subprocess.run([sys.executable, "check.py"], cwd=here, capture_output=True, text=True, check=False)
        return done.returncode, done.stdout, done.stderr

    for name, text in plait.fmt("config").files.items():
        (here / name).write_text(text)
    assert run() == (0, "", "")
    (here / "config" / "more.yml").write_text("a:   1\n")
    assert run() == (1, "config/more.yml is not formatted; plait render fmt shows how it would be\n", "")
    (here / "config" / "more.yml").write_text("#@data/values\n---\nreplicas: 0\n")
    status, out, said = run()
    assert (status, out) == (1, "")
    assert "replicas" in said
