"""All revisions out of one database and into another one."""

from __future__ import annotations

import base64
import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
import serving
import sqlalchemy
from postgresql import Server

from plait.cli import main
from plait.service.app import application

SECRET = {"name": "pw", "encrypted": True, "data": "canary-7f3a"}


def put(client: serving.Client, bucket: str, *documents: object) -> None:
    assert client.ask("PUT", f"/buckets/{bucket}/documents", serving.body_of(list(documents))).status == 200


def said(client: serving.Client) -> list[str]:
    """All that can be asked of the revisions."""
    count = client.ask("GET", "/revisions").text.count("createdAt")
    paths = ["/revisions", *(f"/revisions/{n}/diff/{m}" for n in range(count + 1) for m in range(count + 1))]
    for n in range(1, count + 1):
        paths += [
            f"/revisions/{n}{part}"
            for part in ("", "/documents", "/rendered-documents", "/tags", "/validations/detail")
        ]
    return [client.ask("GET", path).text for path in paths]


def filled(url: str) -> list[str]:
    client = serving.Client(application(url, keys=serving.keys("first")))
    put(client, "a", "policy", {"name": "x", "data": {"v": 1, "t": "2026-01-01\n---\n"}}, SECRET)
    put(client, "b", {"name": "y", "data": [1, None]})
    put(client, "a", "policy", {"name": "x", "data": {"v": 2}})
    put(client, "b")
    client.ask("POST", "/rollback/2")
    client.ask("POST", "/revisions/2/tags/good", "why: {because: 1}\n")
    client.ask("POST", "/revisions/2/validations/v", "status: success\nvalidator: {name: t}\nerrors: [{message: m}]\n")
    found = said(client)
    client.close()
    return found


def test_what_is_exported_can_be_imported(
    database_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    before = filled(database_url)
    assert main(["serve", "export", "--database", database_url]) == 0
    exported = capsys.readouterr().out
    assert "canary" not in exported
    (tmp_path / "all.jsonl").write_text(exported, "utf-8")
    assert main(["serve", "import", "all.jsonl", "--database", "sqlite:///other.db"]) == 0
    assert capsys.readouterr().out == "5 revisions imported\n"
    client = serving.Client(application("sqlite:///other.db", keys=serving.keys("first")))
    assert said(client) == before
    put(client, "c", {"name": "z", "data": 1})
    client.close()
    assert main(["serve", "import", "all.jsonl", "--database", "sqlite:///other.db"]) == 1
    assert "already has revisions" in capsys.readouterr().err


@pytest.mark.parametrize("number", [1, 2, 3, 4])
def test_lines_that_are_broken_leave_nothing(
    number: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    filled("sqlite:///plait.db")
    assert main(["serve", "export"]) == 0
    lines = capsys.readouterr().out.splitlines(keepends=True)
    lines[number - 1] = lines[number - 1][:-20] + "\n"
    (tmp_path / "all.jsonl").write_text("".join(lines), "utf-8")
    assert main(["serve", "import", "all.jsonl", "--database", "sqlite:///other.db"]) == 1
    assert f"line {number} does not come from plait serve export" in capsys.readouterr().err
    client = serving.Client(application("sqlite:///other.db"))
    assert client.ask("GET", "/revisions").document == {"count": 0, "results": []}
    client.close()


STEP: dict[str, object] = {
    "revision": 1,
    "created_at": "2026-01-31T12:00:00.000000Z",
    "buckets": ["b"],
    "gone": [],
    "new": [],
    "tags": {"t": "a: 1\n"},
    "validations": [["n", "success", "2026-01-31T12:00:00.000000Z", "errors: []\nexpiresAfter: null\n"]],
}
OF_X = "schema: a/B/v1\nmetadata: {schema: metadata/Control/v1, name: x}\ndata: 1\n"
NO_STEPS: dict[str, dict[str, object]] = {
    "a number of text": {"revision": "1"},
    "a time of no text": {"created_at": 5},
    "buckets of no text": {"buckets": [["b"]]},
    "a text that is a number": {"new": [["b", ["a/B/v1", "", "x"], False, 5]]},
    "a text that is no map": {"new": [["b", ["a/B/v1", "", "x"], False, "text"]]},
    "a text that is no YAML": {"new": [["b", ["a/B/v1", "", "x"], False, "[1, 2"]]},
    "a text of another document": {"new": [["b", ["a/B/v1", "", "y"], False, OF_X]]},
    "a tag that is no YAML": {"tags": {"t": "[1, 2"}},
    "tags that are a list": {"tags": ["t"]},
    "a report of no map": {"validations": [["n", "success", "2026-01-31T12:00:00.000000Z", "text"]]},
    "a report without errors": {
        "validations": [["n", "success", "2026-01-31T12:00:00.000000Z", "expiresAfter: P1D\n"]]
    },
    "a report of no time": {"validations": [["n", "success", "now", "errors: []\nexpiresAfter: null\n"]]},
    "a report of three": {"validations": [["n", "success", "now"]]},
}


@pytest.mark.parametrize("what", ["nothing", *NO_STEPS])
def test_what_could_not_be_shown_is_not_imported(
    what: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    step = STEP | NO_STEPS.get(what, {})
    (tmp_path / "all.jsonl").write_text(f'{{"format": "plait-revisions/1"}}\n{json.dumps(step)}\n', "utf-8")
    assert main(["serve", "import", "all.jsonl", "--database", "sqlite:///other.db"]) == (what != "nothing")
    assert "internal error" not in capsys.readouterr().err
    client = serving.Client(application("sqlite:///other.db"))
    assert client.ask("GET", "/revisions").document["count"] == (what == "nothing")  # type: ignore[index]
    client.close()


def test_files_that_are_not_there(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["serve", "import", "no.jsonl"]) == 1
    assert "cannot read no.jsonl" in capsys.readouterr().err
    assert main(["serve", "import-deckhand", "sqlite:///plait.db"]) == 1
    assert "Deckhand's documents are in PostgreSQL" in capsys.readouterr().err


# The tables of Deckhand, as far as they matter.
DECKHAND = """
CREATE TABLE buckets (id serial PRIMARY KEY, name varchar(36));
CREATE TABLE revisions (id serial PRIMARY KEY, created_at timestamp NOT NULL);
CREATE TABLE documents (id serial PRIMARY KEY, name varchar(64), schema varchar(64), layer varchar(64), meta jsonb, data jsonb,
  data_hash varchar, metadata_hash varchar, bucket_id int, revision_id int, orig_revision_id int, deleted boolean);
CREATE TABLE revision_tags (id serial PRIMARY KEY, tag varchar(64), data jsonb, revision_id int);
CREATE TABLE validations (id serial PRIMARY KEY, name varchar(64), status varchar(8), validator jsonb, errors jsonb,
  revision_id int, created_at timestamp NOT NULL);
INSERT INTO buckets (name) VALUES ('a'), ('b');
INSERT INTO revisions (created_at) SELECT timestamp '2020-01-02 03:04:05.678' + n * interval '1 day' FROM generate_series(0, 3) n;
INSERT INTO revision_tags (tag, data, revision_id) VALUES ('good', '{"why": 1}', 2), ('plain', NULL, 2);
INSERT INTO validations (name, status, validator, errors, revision_id, created_at)
  VALUES ('v', 'success', '{"name": "t"}', '[]', 2, '2020-02-02');
"""


def fill_deckhand(url: str, rows: list[tuple[int, int, object, bool]]) -> None:
    """rows: revision, bucket, document, whether it is a mark that it is deleted."""
    engine = sqlalchemy.create_engine(url, poolclass=sqlalchemy.NullPool)
    with engine.begin() as connection:
        for statement in DECKHAND.split(";\n")[:-1]:
            connection.exec_driver_sql(statement)
        for revision, bucket, short, deleted in rows:
            found = serving.document(short)
            metadata = found["metadata"]
            assert isinstance(metadata, dict)
            layer = metadata.get("layeringDefinition", {}).get("layer")
            values = (metadata["name"], found["schema"], layer, json.dumps(metadata))
            connection.exec_driver_sql(
                "INSERT INTO documents (name, schema, layer, meta, data, bucket_id, revision_id, deleted)"
                " VALUES (%s, %s, %s, %s, %s, %s, %s, %s)",
                (*values, "{}" if deleted else json.dumps(found["data"]), bucket, revision, deleted),
            )


def test_a_database_of_deckhand(
    postgresql: Server | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    if postgresql is None:
        pytest.skip("there is no PostgreSQL")
    monkeypatch.chdir(tmp_path)
    x, y = ({"name": name, "data": {"v": 1}} for name in "xy")
    rows: list[tuple[int, int, object, bool]] = [
        (1, 1, "policy", False),
        (1, 1, x, False),
        (2, 2, y, False),
        (3, 1, "policy", False),
        (3, 1, x | {"data": {"v": 2}}, False),
        (4, 2, y, True),
    ]
    with postgresql.database() as url:
        fill_deckhand(url, rows)
        assert main(["serve", "import-deckhand", url]) == 0
    assert capsys.readouterr().out == "4 revisions imported\n"
    client = serving.Client(application("sqlite:///plait.db"))
    assert client.ask("GET", "/revisions").document == {
        "count": 4,
        "results": [
            {"buckets": ["a"], "createdAt": "2020-01-02T03:04:05.678000Z", "id": 1, "tags": []},
            {"buckets": ["b"], "createdAt": "2020-01-03T03:04:05.678000Z", "id": 2, "tags": ["good", "plain"]},
            {"buckets": ["a"], "createdAt": "2020-01-04T03:04:05.678000Z", "id": 3, "tags": []},
            {"buckets": ["b"], "createdAt": "2020-01-05T03:04:05.678000Z", "id": 4, "tags": []},
        ],
    }
    for revision, expected in {1: ["lp", "x"], 2: ["lp", "x", "y"], 3: ["lp", "y", "x"], 4: ["lp", "x"]}.items():
        assert serving.names(client.ask("GET", f"/revisions/{revision}/documents")) == expected
    assert client.ask("GET", "/revisions/2/diff/4").document == {"a": "modified", "b": "deleted"}
    assert client.ask("GET", "/revisions/2/tags").document == {"good": {"why": 1}, "plain": {}}
    assert "status: success\n" in client.ask("GET", "/revisions/2/validations").text
    assert serving.names(client.ask("GET", "/revisions/4/rendered-documents")) == ["lp", "x"]
    client.close()


NUMBERS = [f"00000000-0000-4000-8000-00000000000{n}" for n in range(3)]
PAYLOADS = {
    NUMBERS[0]: ("opaque", base64.b64encode(repr({"password": "canary-7f3a", "n": [1, None, 1.5]}).encode())),
    NUMBERS[1]: ("passphrase", "größe-canary".encode()),
}


class _Barbican(BaseHTTPRequestHandler):
    """What Barbican answers about PAYLOADS, to whoever has the token."""

    def do_GET(self) -> None:
        _, version, _, number, *payload = self.path.split("/")
        found = PAYLOADS.get(number) if version == "v1" else None
        status = 401 if self.headers["X-Auth-Token"] != "token-1" else 404 if found is None else 200
        self.send_response(status)
        self.end_headers()
        if status == 200 and found is not None:
            about = {"secret_type": found[0], "content_types": {"default": "text/plain"}}
            assert self.headers["Accept"] == ("text/plain" if payload else "application/json")
            self.wfile.write(found[1] if payload else json.dumps(about).encode())

    def log_message(self, format: str, *args: object) -> None:
        pass


@pytest.fixture
def barbican() -> Iterator[str]:
    with ThreadingHTTPServer(("127.0.0.1", 0), _Barbican) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}/"
        server.shutdown()
        thread.join()


def test_secrets_come_from_barbican(
    postgresql: Server | None,
    barbican: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    if postgresql is None:
        pytest.skip("there is no PostgreSQL")
    monkeypatch.chdir(tmp_path)
    Path("token").write_text("token-1\n", "utf-8")
    Path("other").write_text("token-2\n", "utf-8")
    Path("keys.yml").write_text(f'first: "{base64.b64encode(b"first".ljust(32, b"-")).decode()}"\n', "utf-8")

    def secret(name: str, number: str) -> dict[str, object]:
        return {"name": name, "encrypted": True, "data": f"https://inside.example.com/key-manager/v1/secrets/{number}"}

    first: list[tuple[int, int, object, bool]] = [
        (1, 1, "policy", False),
        (1, 1, secret("map", NUMBERS[0]), False),
        (2, 1, secret("map", NUMBERS[0]), False),
        (2, 1, secret("text", NUMBERS[1]), False),
    ]
    flags = ["--barbican", barbican, "--keys", "file:keys.yml"]
    with postgresql.database() as url:
        fill_deckhand(url, first)
        for more, told in (
            ([], "--barbican-token FILE"),
            (["--barbican-token", "other"], "401"),
        ):
            assert main(["serve", "import-deckhand", url, *flags, *more]) != 0
            assert told in capsys.readouterr().err
        assert main(["serve", "import-deckhand", url, *flags, "--barbican-token", "token"]) == 0
    with postgresql.database() as url:
        fill_deckhand(url, [*first, (3, 1, secret("gone", NUMBERS[2]), False)])
        other = ["--database", "sqlite:///other.db", "--barbican-token", "token"]
        assert main(["serve", "import-deckhand", url, *flags, *other]) != 0
        errors = capsys.readouterr().err
        assert "[example/Kind/v1, site] gone" in errors
        assert "canary" not in errors
    assert b"canary" not in Path("plait.db").read_bytes()
    client = serving.Client(application("sqlite:///plait.db", keys=serving.keys("first")))
    found = client.ask("GET", "/revisions/2/rendered-documents?metadata.name=map").document
    assert isinstance(found, dict)
    assert found["data"] == {"password": "canary-7f3a", "n": [1, None, 1.5]}
    found = client.ask("GET", "/revisions/2/rendered-documents?metadata.name=text").document
    assert isinstance(found, dict)
    assert found["data"] == "größe-canary"
    assert "canary" not in client.ask("GET", "/revisions/2/documents").text
    client.close()
    empty = serving.Client(application("sqlite:///other.db"))
    assert empty.ask("GET", "/revisions").document == {"count": 0, "results": []}
    empty.close()
