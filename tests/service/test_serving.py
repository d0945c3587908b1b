"""`plait serve` as a process, and what its commands print."""

from __future__ import annotations

import http.client
import signal
import stat
import subprocess
import sys
from pathlib import Path

import kills
import pytest
import serving
import yaml

from patience import LONGEST
from plait.cli import main
from plait.service.app import application
from plait.service.identity import digest_of


def test_a_server_answers_keeps_and_stops(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "plait", "serve", "--port", "0"]
    for expected in ([], [{"id": 1, "buckets": ["a"]}]):
        with subprocess.Popen(command, cwd=tmp_path, stderr=subprocess.PIPE, text=True) as server:
            assert server.stderr is not None
            address = server.stderr.readline().strip().removeprefix("plait: serving http://")
            connection = http.client.HTTPConnection(address, timeout=LONGEST)
            connection.request("GET", "/api/v1.0/revisions")
            found = yaml.safe_load(connection.getresponse().read())["results"]
            assert [{"id": one["id"], "buckets": one["buckets"]} for one in found] == expected
            headers = {"content-type": serving.YAML}
            connection.request("PUT", "/api/v1.0/buckets/a/documents", serving.body_of(["policy"]), headers)
            response = connection.getresponse()
            assert (response.status, response.getheader("content-type")) == (200, serving.YAML)
            assert b"name: lp" in response.read()
            connection.close()
            server.send_signal(signal.SIGTERM)
            errors = server.stderr.read()
        assert "Traceback" not in errors
    assert stat.S_IMODE((tmp_path / "plait.db").stat().st_mode) == 0o600


def failed(argv: list[str], capsys: pytest.CaptureFixture[str]) -> str:
    assert main(["serve", *argv]) != 0
    return capsys.readouterr().err


def test_mistakes_are_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.chdir(tmp_path)
    check = ["--check", "--port", "0"]
    assert "without tokens, every client that can connect to 0.0.0.0" in failed(["--host", "0.0.0.0"], capsys)
    assert 'invalid --port "http"' in failed(["--port", "http"], capsys)
    assert 'invalid --max-body "much"' in failed([*check, "--max-body", "much"], capsys)
    assert "cannot read no.yml" in failed([*check, "--tokens", "no.yml"], capsys)
    assert "cannot read no.yml" in failed([*check, "--policy", "no.yml"], capsys)
    assert "cannot read no.yml" in failed([*check, "--keys", "file:no.yml"], capsys)
    assert "does not accept turn" in failed(["turn"], capsys)
    assert "does not accept new-token" in failed(["new-token"], capsys)
    assert "needs the keys" in failed(["rotate"], capsys)
    assert "not a URL of a database" in failed([*check, "--database", "plait.db"], capsys)
    assert "SQLite or PostgreSQL" in failed([*check, "--database", "mysql://host/name"], capsys)
    assert "SQLite or PostgreSQL" in failed([*check, "--database", "sqlite://"], capsys)
    assert "No such file" in failed([*check, "--database", "sqlite:///no/plait.db"], capsys)
    (tmp_path / "other.db").write_text("this is no database, and was never one", "utf-8")
    assert "file is not a database" in failed([*check, "--database", "sqlite:///other.db"], capsys)
    refused = failed([*check, "--database", "postgresql://me:hidden@127.0.0.1:1/name"], capsys)
    assert "cannot use postgresql" in refused
    assert "hidden" not in refused
    (tmp_path / "keys.yml").write_text("one: short\n", "utf-8")
    assert "'one' cannot be used" in failed([*check, "--keys", "file:keys.yml"], capsys)


def test_a_port_that_is_taken(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    import socket

    monkeypatch.chdir(tmp_path)
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        assert f"cannot listen on 127.0.0.1:{port}" in failed(["--check", "--port", str(port)], capsys)


def test_the_extra_is_named_where_it_is_missing(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in [name for name in sys.modules if name.startswith("plait.service.")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "starlette.applications", None)
    assert "pip install 'plait[service]'" in failed(["--check", "--port", "0"], capsys)


def test_new_tokens_and_keys(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["serve", "new-token", "deploy", "--role", "reader", "--role", "writer"]) == 0
    printed, told = capsys.readouterr()
    token = told.rpartition(" ")[2].strip()
    assert token not in printed
    assert yaml.safe_load(printed) == [{"name": "deploy", "digest": digest_of(token), "roles": ["reader", "writer"]}]
    assert main(["serve", "new-key"]) == 0
    first = capsys.readouterr().out
    assert main(["serve", "new-key"]) == 0
    assert first != capsys.readouterr().out


def test_what_was_acknowledged_outlives_the_process(tmp_path: Path) -> None:
    """A sample of what `kills.py` does at length."""
    assert kills.kills(2, tmp_path, "sqlite:///plait.db") > 0


def test_headers_come_back(client: serving.Client) -> None:
    reply = client.ask("GET", "/revisions", x_context_marker="m1", x_end_user="eu")
    assert (reply.headers["x-context-marker"], reply.headers["x-end-user"]) == ("m1", "eu")
    assert reply.headers["x-deckhand-req"].startswith("req-")
    assert "x-end-user" not in client.ask("GET", "/nope").headers


def test_what_can_be_done_is_named(client: serving.Client) -> None:
    reply = client.ask("DELETE", "/revisions/1")
    assert reply.status == 405
    assert set(reply.headers["allow"].split(", ")) == {"GET", "HEAD"}


def test_values_as_deckhand_gives_them(tmp_path: Path) -> None:
    """What is in a map that is substituted is shared there: what is written into it later is also in its source."""
    source = {"name": "a", "data": {"m": {"deep": {"v": 1}}}}
    taken = {"src": {"schema": "example/Kind/v1", "name": "a", "path": ".m"}, "dest": {"path": ".m"}}
    text = {"src": {"schema": "example/Kind/v1", "name": "t", "path": "."}, "dest": {"path": ".m.deep.v"}}
    documents = [source, {"name": "t", "data": "more"}, {"name": "b", "data": {}, "substitutions": [taken, text]}]
    for number, (like, expected) in enumerate(((False, 1), (True, "more"))):
        client = serving.Client(application(f"sqlite:///{tmp_path / f'{number}.db'}", like_deckhand=like))
        assert client.ask("PUT", "/buckets/b/documents", serving.body_of(["policy", *documents])).status == 200
        found = client.ask("GET", "/revisions/1/rendered-documents?metadata.name=a").document
        assert isinstance(found, dict)
        assert found["data"] == {"m": {"deep": {"v": expected}}}
        client.close()
