"""A document reads no more than its writer may read: every way in which one document reads another, and every order of writing."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import serving
import yaml

from plait.service.app import application
from plait.service.identity import digest_of
from plait.service.policy import ACTIONS, USE_ENCRYPTED

KIND = "example/Kind/v1"
SECRET = {
    "name": "pw",
    "encrypted": True,
    "data": {"pw": "canary-7f3a"},
    "layer": "global",
    "labels": {"secret": "yes"},
}
OPEN = {"name": "open", "data": {"a": 1}}
LATER = {"secret": "yes"}
INHERIT = {"selector": LATER, "actions": [{"method": "merge", "path": "."}]}


def taken(name: str, schema: str = KIND, **dest: object) -> dict[str, object]:
    return {"src": {"schema": schema, "name": name, "path": "."}, "dest": {"path": ".x"} | dest}


def schema_of(name: str, data: object) -> dict[str, object]:
    metadata = {"schema": "metadata/Control/v1", "name": name}
    return {"schema": "deckhand/DataSchema/v1", "metadata": metadata, "data": data}


def file_of(name: str, text: str, *, encrypted: bool = False) -> dict[str, object]:
    return {
        "schema": "plait/File/v1",
        "metadata": {
            "schema": "metadata/Document/v1",
            "name": name,
            "storagePolicy": "encrypted" if encrypted else "cleartext",
            "layeringDefinition": {"layer": "site"},
        },
        "data": text,
    }


# How a document reads SECRET, or what an administrator has put beside it: what is there, and what a writer puts.
WAYS: dict[str, tuple[list[object], list[object]]] = {
    "substitution": ([], [{"name": "w", "data": {}, "substitutions": [taken("pw")]}]),
    "substitution with a pattern": ([], [{"name": "w", "data": {"x": "P"}, "substitutions": [taken("pw", pattern="P")]}]),
    "substitution into several": (
        [],
        [{"name": "w", "data": {}, "substitutions": [taken("pw") | {"dest": [{"path": ".a"}, {"path": ".b"}]}]}],
    ),
    "encrypted substitution": ([], [{"name": "w", "encrypted": True, "data": {"a": 1}, "substitutions": [taken("pw")]}]),
    "child": ([], [{"name": "w", "data": {}, **INHERIT}]),
    "abstract child": ([], [{"name": "w", "data": {}, "abstract": True, **INHERIT}]),
    "replacement": ([], [{"name": "pw", "data": {}, "replacement": True, **INHERIT}]),
    "schema of data": ([], [schema_of(KIND, {"properties": {"pw": {"pattern": "^c"}}})]),
    "substitution from what was derived": (
        [{"name": "made", "data": {}, "substitutions": [taken("pw")]}],
        [{"name": "w", "data": {}, "substitutions": [taken("made")]}],
    ),
    "child of what was derived": (
        [{"name": "made", "data": {}, "layer": "global", "labels": {"made": "yes"}, "substitutions": [taken("pw")]}],
        [{"name": "w", "data": {}, "selector": {"made": "yes"}, "actions": INHERIT["actions"]}],
    ),
    "child of what is replaced by a secret": (
        [
            {"name": "base", "data": {"a": 1}, "layer": "global", "labels": {"base": "yes"}},
            {
                "name": "base",
                "data": {"b": "canary-7f3a"},
                "encrypted": True,
                "replacement": True,
                "selector": {"base": "yes"},
                "actions": INHERIT["actions"],
            },
        ],
        [{"name": "w", "data": {}, "selector": {"base": "yes"}, "actions": INHERIT["actions"]}],
    ),
    "schema of what was derived": (
        [{"name": "made", "schema": "example/Made/v1", "data": {}, "substitutions": [taken("pw")]}],
        [schema_of("example/Made/v1", {"properties": {"x": {"pattern": "^c"}}})],
    ),
    "data that a secret schema checks": (
        [schema_of("example/Checked/v1", {"const": "canary-7f3a"}) | {
            "metadata": {"schema": "metadata/Control/v1", "name": "example/Checked/v1", "storagePolicy": "encrypted"}
        }],
        [{"name": "w", "schema": "example/Checked/v1", "data": "a guess"}],
    ),
    "file of a project with a secret": (
        [file_of("values.yml", "pw: canary-7f3a\n", encrypted=True)],
        [file_of("plait.yml", "runs: {a: {render: {files: [.]}}}\n")],
    ),
}  # fmt: skip
WITHOUT = [action for action in ACTIONS if action not in ("deckhand:list_encrypted_documents", USE_ENCRYPTED)]
Ask = Callable[..., serving.Reply]


def asking(tmp_path: Path, **more: list[str]) -> Iterator[Ask]:
    """Asks a service as `admin`, who may do all, or as `writer`, who may do all but read secrets."""
    policy: dict[object, object] = {action: ["admin", "writer"] for action in WITHOUT}
    tokens = [{"name": name, "digest": digest_of(name), "roles": [name]} for name in ("admin", "writer")]
    (tmp_path / "tokens.yml").write_text(yaml.safe_dump(tokens), "utf-8")
    client = serving.Client(
        application(
            f"sqlite:///{tmp_path}/plait.db",
            tokens=str(tmp_path / "tokens.yml"),
            policy=policy | {key.replace("__", ":"): roles for key, roles in more.items()},
            keys=serving.keys("one"),
        )
    )

    def ask(who: str, method: str, path: str, *documents: object) -> serving.Reply:
        return client.ask(method, path, serving.body_of(list(documents)), authorization=f"Bearer {who}")

    yield ask
    client.close()


@pytest.fixture
def ask(tmp_path: Path) -> Iterator[Ask]:
    yield from asking(tmp_path)


@pytest.mark.parametrize("way", WAYS)
def test_who_may_not_read_a_secret_writes_nothing_that_does(way: str, ask: Ask) -> None:
    before, documents = WAYS[way]
    assert ask("admin", "PUT", "/buckets/a/documents", "policy", SECRET, *before).status == 200
    reply = ask("writer", "PUT", "/buckets/w/documents", OPEN, *documents)
    assert (reply.status, USE_ENCRYPTED in reply.text) == (403, True), reply.text
    assert ask("writer", "GET", "/revisions/2").status == 404
    assert ask("writer", "PUT", "/buckets/w/documents", OPEN).status == 200
    assert ask("admin", "PUT", "/buckets/w/documents", OPEN, *documents).status == 200


@pytest.mark.parametrize("way", WAYS)
def test_nothing_is_planted_for_a_secret_that_comes_later(way: str, ask: Ask) -> None:
    before, documents = WAYS[way]
    assert ask("writer", "PUT", "/buckets/w/documents", OPEN, *documents).status == 200
    secrets = ("policy", SECRET, *before)
    reply = ask("admin", "PUT", "/buckets/a/documents", *secrets)
    assert (reply.status, "their writers may not" in reply.text) == (409, True), reply.text
    assert ask("writer", "GET", "/revisions/2").status == 404
    # An administrator who puts the same documents answers for them; that they do not change makes no revision.
    assert ask("admin", "PUT", "/buckets/w/documents", OPEN, *documents).text.endswith("revision: 1\n")
    assert ask("admin", "PUT", "/buckets/a/documents", *secrets).status == 200
    # What an administrator has put stays when somebody else puts it again as it is.
    assert ask("writer", "PUT", "/buckets/w/documents", OPEN, *documents).status in (200, 403)


@pytest.mark.parametrize("way", [way for way in WAYS if "encrypted" not in way])
def test_documents_that_are_put_again_unchanged_keep_their_permission(way: str, ask: Ask) -> None:
    before, documents = WAYS[way]
    assert ask("admin", "PUT", "/buckets/a/documents", "policy", SECRET, *before).status == 200
    assert ask("admin", "PUT", "/buckets/w/documents", *documents).status == 200
    assert ask("writer", "PUT", "/buckets/w/documents", OPEN, *documents).status == 200


@pytest.mark.parametrize("way", WAYS)
def test_going_back_brings_nothing_together(way: str, ask: Ask) -> None:
    """A document that was planted while the secret was away is not there with it after a rollback."""
    before, documents = WAYS[way]
    secrets = ("policy", SECRET, *before)
    assert ask("admin", "PUT", "/buckets/a/documents", *secrets).status == 200
    assert ask("admin", "PUT", "/buckets/w/documents", *documents).status == 200
    assert ask("admin", "PUT", "/buckets/w/documents").status == 200
    assert ask("admin", "PUT", "/buckets/a/documents").status == 200
    assert ask("writer", "PUT", "/buckets/w/documents", *documents).status == 200
    assert ask("writer", "POST", "/rollback/2").status == 201
    found = ask("admin", "GET", "/revisions/6/documents")
    assert len(found.documents) == len(secrets) + len(documents)
    assert ask("admin", "POST", "/rollback/0").status == 201
    assert ask("writer", "POST", "/rollback/5").status == 201
    assert ask("admin", "PUT", "/buckets/a/documents", *secrets).status == 409


@pytest.mark.parametrize("way", WAYS)
def test_what_reads_a_secret_is_not_shown(way: str, ask: Ask) -> None:
    before, documents = WAYS[way]
    assert ask("admin", "PUT", "/buckets/a/documents", "policy", SECRET, *before).status == 200
    assert ask("admin", "PUT", "/buckets/w/documents", OPEN, *documents).status == 200
    paths = [
        "/documents",
        "/rendered-documents",
        "/rendered-documents?cleartext-secrets=true&sort=data.x",
        "/explain?path=w",
    ]
    paths += ["/fleet", "/runs/a", "/fleet/2?diff=true", "/deepdiff/2", "/deepdiff/0", "/diff/2", "/validations"]
    for path in paths:
        for revision in (1, 2):
            assert "canary" not in ask("writer", "GET", f"/revisions/{revision}{path}").text, path


def test_an_unchanged_secret_is_not_confirmed(ask: Ask) -> None:
    """Otherwise a writer of secrets who cannot read them would try words until the answer is the same revision."""
    ask("admin", "PUT", "/buckets/a/documents", "policy", SECRET)
    assert ask("admin", "PUT", "/buckets/a/documents", "policy", SECRET).text.count("revision: 1\n") == 2
    for number, data in enumerate(("wrong", "canary-7f3a", "canary-7f3a"), 2):
        reply = ask("writer", "PUT", "/buckets/a/documents", "policy", SECRET | {"data": {"pw": data}})
        assert reply.text.count(f"revision: {number}\n") == 2


@pytest.mark.parametrize("way", WAYS)
def test_a_policy_may_let_others_use_secrets(way: str, tmp_path: Path) -> None:
    """As Deckhand, where whoever may write documents may do this."""
    before, documents = WAYS[way]
    for ask in asking(tmp_path, plait__use_encrypted_documents=["writer"]):
        assert ask("admin", "PUT", "/buckets/a/documents", "policy", SECRET, *before).status == 200
        assert ask("writer", "PUT", "/buckets/w/documents", OPEN, *documents).status == 200
        assert ask("admin", "PUT", "/buckets/w/documents", OPEN).status == 200


def test_what_is_shared_as_in_deckhand_is_not_shown(tmp_path: Path) -> None:
    """A map that is substituted is shared there: a secret that is written into it is also in the document it came from."""
    source = {"name": "a", "data": {"m": {"deep": {"v": 1}}}}
    shared = {"src": {"schema": KIND, "name": "a", "path": ".m"}, "dest": {"path": ".m"}}
    secret = {"src": {"schema": KIND, "name": "pw", "path": ".pw"}, "dest": {"path": ".m.deep.v"}}
    tokens = [{"name": name, "digest": digest_of(name), "roles": [name]} for name in ("admin", "reader")]
    (tmp_path / "tokens.yml").write_text(yaml.safe_dump(tokens), "utf-8")
    reads = ["deckhand:list_cleartext_documents", "deckhand:show_revision_deepdiff"]
    client = serving.Client(
        application(
            f"sqlite:///{tmp_path}/plait.db",
            like_deckhand=True,
            tokens=str(tmp_path / "tokens.yml"),
            policy={action: ["admin", "reader"] for action in reads},
            keys=serving.keys("one"),
        )
    )
    documents: list[object] = ["policy", SECRET, source, {"name": "b", "data": {}, "substitutions": [shared, secret]}]
    put = client.ask("PUT", "/buckets/b/documents", serving.body_of(documents), authorization="Bearer admin")
    assert put.status == 200
    seen = client.ask("GET", "/revisions/1/rendered-documents?metadata.name=a", authorization="Bearer admin")
    assert "canary" in seen.text
    for path in ("rendered-documents", "deepdiff/0"):
        reply = client.ask("GET", f"/revisions/1/{path}", authorization="Bearer reader")
        assert (reply.status, "canary" in reply.text) == (200, False)
    client.close()
