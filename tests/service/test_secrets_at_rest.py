"""Secrets at rest, references to them, and keys that change."""

from __future__ import annotations

import hashlib
import logging
import sqlite3
from contextlib import closing
from hashlib import sha256
from pathlib import Path

import pytest
import serving
import sqlalchemy
import yaml

from plait.cli import main
from plait.service.app import application
from plait.service.encryption import KeyRing, new_key
from plait.service.idempotency import fingerprint_of
from plait.service.spool import Body, Spool
from plait.tree.nodes import Map, MapItem

SECRET = {"name": "pw", "schema": "deckhand/Passphrase/v1", "encrypted": True, "data": "canary-7f3a"}
MADE = {
    "name": "made",
    "data": {"a": 1},
    "substitutions": [
        {"src": {"schema": "deckhand/Passphrase/v1", "name": "pw", "path": "."}, "dest": {"path": ".pw"}}
    ],
}


# The SHA-256 of the JSON text of ".".
PATH = "7299b59de0b5dad3b622afc3bdf57544e505249c77a6d4254bd14b1fc9a4ade8"


def put(client: serving.Client, bucket: str, *documents: object) -> serving.Reply:
    return client.ask("PUT", f"/buckets/{bucket}/documents", serving.body_of(list(documents)))


def data_of(client: serving.Client, path: str, name: str) -> object:
    (found,) = client.ask("GET", f"{path}?metadata.name={name}").documents
    assert isinstance(found, dict)
    return found["data"]


def test_data_is_encrypted_at_rest_and_in_no_log(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    client = serving.Client(application(f"sqlite:///{tmp_path / 'plait.db'}", keys=serving.keys("first")))
    reply = put(
        client, "a", "policy", SECRET, MADE, {"name": "map", "encrypted": True, "data": {"in": ["canary-7f3a"]}}
    )
    assert "canary" not in reply.text
    assert "canary" in client.ask("GET", "/revisions/1/rendered-documents").text
    assert put(client, "b", SECRET).status == 409
    bad = {"name": "bad", "encrypted": True, "layer": "nowhere", "data": "canary-7f3a"}
    assert put(client, "b", bad).status == 200
    refused = client.ask("GET", "/revisions/2/rendered-documents")
    assert (refused.status, "canary" in refused.text) == (400, False)
    client.close()
    assert not [path for path in tmp_path.iterdir() if b"canary" in path.read_bytes()]
    assert "canary" not in caplog.text


def test_no_digest_at_rest_confirms_a_guess(tmp_path: Path) -> None:
    """A reader of the database who guesses the secret knows the whole request, and finds no digest of it."""
    file, names = tmp_path / "plait.db", ["first"]
    ring = KeyRing(lambda: Map(serving.made_keys(*names)))
    client = serving.Client(application(f"sqlite:///{file}", keys=ring))
    body = serving.body_of(["policy", SECRET])

    def ask(body: str) -> int:
        return client.ask("PUT", "/buckets/a/documents", body, idempotency_key='"k"').status

    assert ask(body) == 200
    parts = [b"PUT", b"/api/v1.0/buckets/a/documents", body.encode()]
    request = b"".join(b"%d %s" % (len(part), part) for part in parts[:2]) + parts[2]
    guesses = [request, body.encode(), b"canary-7f3a", b"canary-7f3a\n", b'"canary-7f3a"']
    assert fingerprint_of(["PUT", "/api/v1.0/buckets/a/documents"], body_with(body)) == sha256(request).hexdigest()
    with closing(sqlite3.connect(file)) as connection:
        rows = "".join(connection.iterdump()).lower()
    assert "repeats" in rows
    for kind in ("md5", "sha1", "sha256", "sha512"):
        for guess in guesses:
            assert hashlib.new(kind, guess, usedforsecurity=False).hexdigest() not in rows
    # A repeated request is known after a rotation, too.
    names.insert(0, "second")
    ring.reload()
    assert ask(body) == 200
    assert ask(f"{body}\n") == 422
    client.close()


def body_with(text: str) -> Body:
    found = Spool().body()
    found.add(text.encode())
    return found


def test_a_reference_stands_for_the_data(client: serving.Client) -> None:
    put(client, "a", "policy", SECRET)
    reference = data_of(client, "/revisions/1/documents", "pw")
    assert str(reference).startswith("http://127.0.0.1:9000/v1/secrets/")
    assert data_of(client, "/revisions/1/rendered-documents", "pw") == "canary-7f3a"
    # what was read can be put back, by the document that had it and by nobody else
    assert put(client, "a", "policy", SECRET | {"data": reference}).status == 200
    assert put(client, "a", "policy", SECRET | {"data": reference, "name": "other"}).status == 400
    assert "count: 1\n" in client.ask("GET", "/revisions").text
    unknown = "https://elsewhere.example/v1/secrets/00000000-0000-4000-8000-000000000000"
    assert put(client, "a", "policy", SECRET | {"data": unknown}).status == 200
    refused = client.ask("GET", "/revisions/2/rendered-documents")
    assert (refused.status, "EncryptionSourceNotFound" in refused.text) == (400, True)


def test_the_same_secret_again_changes_nothing(client: serving.Client) -> None:
    for data, revision in (
        ("one", 1),
        ("one", 1),
        ("two", 2),
        ("one", 3),
        ({"a": 1, "b": 2}, 4),
        ({"b": 2, "a": 1}, 4),
    ):
        assert f"revision: {revision}\n" in put(client, "a", SECRET | {"data": data}).text, data
    assert "revision: 5\n" in put(client, "a", SECRET | {"data": {"a": 1, "b": 2}, "labels": {"k": "v"}}).text


def test_what_is_empty_is_no_secret(client: serving.Client) -> None:
    empty: list[object] = ["", None, [], {}]
    for data in empty:
        (found,) = put(client, "a", SECRET | {"data": data}).documents
        assert isinstance(found, dict)
        assert (found["data"], found["metadata"]["storagePolicy"]) == (data, "cleartext")


def test_hidden_and_shown_as_often_and_in_any_order(client: serving.Client) -> None:
    put(client, "a", "policy", SECRET, MADE)
    hidden = "/revisions/1/rendered-documents?cleartext-secrets=false"
    for path in (
        hidden,
        "/revisions/1/rendered-documents",
        hidden,
        "/revisions/1/rendered-documents?cleartext-secrets=True",
    ):
        by_name = {one["metadata"]["name"]: one for one in yaml.safe_load_all(client.ask("GET", path).text)}
        made = by_name["made"]
        source = made["metadata"]["substitutions"][0]["src"]["path"]
        if path == hidden:
            assert made["metadata"]["storagePolicy"] == "encrypted"
            assert (len(made["data"]), len(by_name["pw"]["data"]), source) == (64, 64, PATH)
            assert by_name["lp"]["data"] == {"layerOrder": ["global", "site"]}
        else:
            assert made["metadata"]["storagePolicy"] == "cleartext"
            assert (made["data"], by_name["pw"]["data"], source) == ({"a": 1, "pw": "canary-7f3a"}, "canary-7f3a", ".")
    raw = client.ask("GET", "/revisions/1/documents?cleartext-secrets=false&metadata.name=pw").document
    assert isinstance(raw, dict)
    assert len(raw["data"]) == 64
    assert client.ask("GET", "/revisions/1/documents?cleartext-secrets=foo").status == 400


def test_without_keys_secrets_are_refused(tmp_path: Path) -> None:
    client = serving.Client(application(f"sqlite:///{tmp_path / 'plait.db'}"))
    reply = put(client, "a", "policy", SECRET)
    assert (reply.status, "was given no keys" in reply.text, "canary" in reply.text) == (400, True, False)
    assert put(client, "a", "policy").status == 200
    client.close()


def test_going_back_brings_the_secret_back(client: serving.Client) -> None:
    put(client, "a", "policy", SECRET)
    put(client, "a", "policy", SECRET | {"data": "another"})
    assert client.ask("POST", "/rollback/1").status == 201
    assert data_of(client, "/revisions/3/rendered-documents", "pw") == "canary-7f3a"


def test_a_key_that_is_missing_or_another_one_is_told(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path / 'plait.db'}"
    client = serving.Client(application(url, keys=serving.keys("first")))
    put(client, "a", "policy", SECRET)
    client.close()
    other = Map([MapItem("first", new_key())])
    for keys, told in (
        (serving.keys("second"), 'the key "first"'),
        (KeyRing(lambda: other), "its key has changed"),
        (None, "first"),
    ):
        client = serving.Client(application(url, keys=keys))
        reply = client.ask("GET", "/revisions/1/rendered-documents")
        assert (reply.status, told in reply.text) == (500, True), reply.text
        client.close()


def test_keys_are_rotated_while_the_service_runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from plait.engine.secret_sources import read_secrets

    url, file = f"sqlite:///{tmp_path / 'plait.db'}", tmp_path / "keys.yml"
    old, new = f'old: "{new_key()}"\n', f'new: "{new_key()}"\n'
    file.write_text(old, "utf-8")
    client = serving.Client(application(url, keys=KeyRing(lambda: read_secrets([f"file:{file}"])[0])))
    for number in range(3):
        put(client, f"b{number}", SECRET | {"name": f"pw{number}"})
    put(client, "p", "policy")
    file.write_text(new + old, "utf-8")
    assert main(["serve", "rotate", "--database", url, "--keys", f"file:{file}"]) == 0
    assert capsys.readouterr().out == "3 secrets wrapped by the key new\n"
    assert main(["serve", "rotate", "--database", url, "--keys", f"file:{file}"]) == 0
    assert capsys.readouterr().out == "0 secrets wrapped by the key new\n"
    assert data_of(client, "/revisions/4/rendered-documents", "pw1") == "canary-7f3a"
    file.write_text(new, "utf-8")
    # what is sealed from now on is sealed by the new key
    put(client, "b0", SECRET | {"name": "pw0", "data": "later"})
    engine = sqlalchemy.create_engine(url, poolclass=sqlalchemy.NullPool)
    with engine.connect() as connection:
        assert set(connection.execute(sqlalchemy.text("SELECT key FROM secrets")).scalars()) == {"new"}
    client.close()


def test_keys_are_read_again_after_a_while(monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture) -> None:
    names = ["first"]

    def read() -> Map:
        return Map([MapItem(name, new_key() if name != "bad" else "bad") for name in names])

    keys = KeyRing(read)
    names[:] = ["second", "first"]
    assert keys.seal("x").key == "first"
    monkeypatch.setattr("plait.service.encryption._FRESH", -1)
    assert keys.seal("x").key == "second"
    names[:] = ["bad"]
    assert keys.seal("x").key == "second"
    assert "cannot be read again" in caplog.text


def test_explaining_hides_secrets(client: serving.Client) -> None:
    put(client, "a", "policy", SECRET, MADE)
    hidden = client.ask("GET", "/revisions/1/explain?path=made:data")
    assert (hidden.status, "canary" in hidden.text) == (200, False), hidden.text
    shown = client.ask("GET", "/revisions/1/explain?path=made:data.pw&cleartext-secrets=true")
    assert (shown.status, "canary" in shown.text) == (200, True), shown.text


def test_floats_stay_floats(client: serving.Client) -> None:
    put(client, "a", "policy", SECRET | {"data": {"v": 1.0}, "schema": "example/Kind/v1"})
    assert "  v: 1.0\n" in client.ask("GET", "/revisions/1/rendered-documents").text
    assert client.ask("POST", "/revisions/1/tags/t", "v: 1.0\n").text == "t:\n  v: 1.0\n"
    assert client.ask("GET", "/revisions/1/tags").text == "t:\n  v: 1.0\n"
