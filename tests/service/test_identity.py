"""Access: tokens, roles, and what those see who may not see secrets."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import serving

from plait.base.errors import PlaitError
from plait.service.app import application
from plait.service.identity import digest_of, new_token, tokens_of
from plait.service.policy import ACTIONS

TOKENS = {name: new_token() for name in ("boss", "reader", "stranger")}
POLICY: dict[object, object] = {
    "deckhand:list_revisions": ["admin", "reader"],
    "deckhand:list_cleartext_documents": ["admin", "reader"],
    "deckhand:show_revision_deepdiff": ["admin", "reader"],
    "deckhand:create_cleartext_documents": ["admin", "reader"],
}
SECRET = {"name": "pw", "encrypted": True, "data": "top secret"}
MADE_FROM_IT = {
    "name": "made",
    "data": {},
    "substitutions": [{"src": {"schema": "example/Kind/v1", "name": "pw", "path": "."}, "dest": {"path": ".pw"}}],
}


def tokens(path: Path, **roles: list[str]) -> str:
    lines = [
        f"- {{name: {name}, digest: {digest_of(TOKENS[name])}, roles: {given}}}\n" for name, given in roles.items()
    ]
    path.write_text("".join(lines), "utf-8")
    return str(path)


@pytest.fixture
def guarded(tmp_path: Path) -> Iterator[Callable[..., serving.Reply]]:
    """Asks a service that wants tokens: `ask(name of the token or None, method, path, body)`."""
    client = serving.Client(
        application(
            f"sqlite:///{tmp_path / 'plait.db'}",
            tokens=tokens(tmp_path / "tokens.yml", boss=["admin"], reader=["reader"]),
            policy=POLICY,
            keys=serving.keys("first"),
        )
    )

    def ask(who: str | None, method: str, path: str, *documents: object) -> serving.Reply:
        token = f"Bearer {TOKENS[who]}" if who else None
        return client.ask(method, path, serving.body_of(list(documents)), authorization=token, host="documents.example")

    yield ask
    client.close()


def test_nobody_in_particular_is_let_in_to_what_is_open(guarded: Callable[..., serving.Reply]) -> None:
    assert guarded(None, "GET", "//versions").status == 200
    assert guarded(None, "GET", "/health").status == 204
    for who in (None, "stranger"):
        reply = guarded(who, "GET", "/revisions")
        assert (reply.status, reply.headers["www-authenticate"]) == (401, "Bearer")
        assert "HTTPUnauthorized" in reply.text


def test_roles_may_do_what_the_policy_says(guarded: Callable[..., serving.Reply]) -> None:
    assert guarded("boss", "DELETE", "/revisions").status == 204
    assert guarded("reader", "GET", "/revisions").status == 200
    reply = guarded("reader", "DELETE", "/revisions")
    assert reply.status == 403
    assert "does not allow deckhand:delete_revisions to reader" in reply.text


def test_the_other_header_for_tokens(tmp_path: Path) -> None:
    app = application(f"sqlite:///{tmp_path / 'plait.db'}", tokens=tokens(tmp_path / "tokens.yml", boss=["admin"]))
    client = serving.Client(app)
    assert client.ask("GET", "/revisions", x_auth_token=TOKENS["boss"]).status == 200
    assert client.ask("GET", "/revisions", x_auth_token="").status == 401
    client.close()


def test_who_may_not_see_secrets_sees_nothing_made_from_them(guarded: Callable[..., serving.Reply]) -> None:
    guarded("boss", "PUT", "/buckets/b/documents", "policy", SECRET, MADE_FROM_IT, {"name": "open", "data": 1})
    for path in ("documents", "rendered-documents"):
        seen = guarded("boss", "GET", f"/revisions/1/{path}").text
        assert "name: pw" in seen
        assert ("top secret" in seen) is (path == "rendered-documents")
    assert serving.names(guarded("reader", "GET", "/revisions/1/documents")) == ["lp", "made", "open"]
    assert serving.names(guarded("reader", "GET", "/revisions/1/rendered-documents")) == ["lp", "open"]
    assert "top secret" not in guarded("reader", "GET", "/revisions/1/rendered-documents?cleartext-secrets=true").text
    refused = guarded("reader", "GET", "/revisions/1/explain?path=made:data")
    assert (refused.status, "list_encrypted_documents" in refused.text) == (403, True)


def test_secrets_are_put_by_whom_the_policy_lets(guarded: Callable[..., serving.Reply]) -> None:
    assert guarded("reader", "PUT", "/buckets/b/documents", {"name": "open", "data": 1}).status == 200
    reply = guarded("reader", "PUT", "/buckets/b/documents", SECRET)
    assert (reply.status, "create_encrypted_documents" in reply.text) == (403, True)
    assert guarded("boss", "PUT", "/buckets/b/documents", SECRET).status == 200


def test_each_action_is_asked_for(guarded: Callable[..., serving.Reply]) -> None:
    guarded("boss", "PUT", "/buckets/b/documents", "policy")
    refused = {
        "deckhand:show_revision": ("GET", "/revisions/1"),
        "deckhand:delete_revisions": ("DELETE", "/revisions"),
        "deckhand:show_revision_diff": ("GET", "/revisions/0/diff/1"),
        "deckhand:create_tag": ("POST", "/revisions/1/tags/a"),
        "deckhand:show_tag": ("GET", "/revisions/1/tags/a"),
        "deckhand:list_tags": ("GET", "/revisions/1/tags"),
        "deckhand:delete_tag": ("DELETE", "/revisions/1/tags/a"),
        "deckhand:delete_tags": ("DELETE", "/revisions/1/tags"),
        "deckhand:create_validation": ("POST", "/revisions/1/validations/a"),
        "deckhand:list_validations": ("GET", "/revisions/1/validations"),
        "deckhand:show_validation": ("GET", "/revisions/1/validations/a/entries/0"),
        "plait:read_audit": ("GET", "/audit"),
    }
    for action, (method, path) in refused.items():
        reply = guarded("reader", method, path)
        assert (reply.status, action in reply.text) == (403, True), reply.text
    for path in ("/revisions/1/validations/detail", "/revisions/1/validations/a"):
        assert "deckhand:list_validations" in guarded("reader", "GET", path).text
    assert set(refused) | set(POLICY) | {
        "deckhand:create_encrypted_documents",
        "deckhand:list_encrypted_documents",
        "plait:use_encrypted_documents",
        "plait:read_metrics",  # not below the root of the API; test_endpoints.py asks for it
    } == set(ACTIONS)


def test_the_file_of_tokens_is_read_again_when_it_changes(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    path = tmp_path / "tokens.yml"
    client = serving.Client(application(f"sqlite:///{tmp_path / 'plait.db'}", tokens=tokens(path, boss=["admin"])))

    def ask(who: str) -> int:
        return client.ask("GET", "/revisions", authorization=f"bearer {TOKENS[who]}").status

    assert (ask("boss"), ask("reader")) == (200, 401)
    tokens(path, reader=["admin"])
    os.utime(path, ns=(1, 1))
    assert (ask("boss"), ask("reader")) == (401, 200)
    path.write_text("- broken", "utf-8")
    assert (ask("boss"), ask("reader")) == (401, 200)
    assert "cannot be read again" in caplog.text
    client.close()


@pytest.mark.parametrize(
    "text",
    ["a: 1", "- 1", "- {name: x, digest: abc, roles: [admin]}", f"- {{name: x, digest: {'0' * 64}, roles: admin}}"],
)
def test_files_that_are_none_of_tokens(text: str, tmp_path: Path) -> None:
    path = tmp_path / "tokens.yml"
    path.write_text(text, "utf-8")
    with pytest.raises(PlaitError, match="tokens"):
        application(f"sqlite:///{tmp_path / 'plait.db'}", tokens=str(path))


@pytest.mark.parametrize("policy", [{"deckhand:list_revision": ["a"]}, {"deckhand:list_revisions": "admin"}])
def test_policies_that_are_none(policy: dict[object, object], tmp_path: Path) -> None:
    with pytest.raises(PlaitError, match="list_revision"):
        application(f"sqlite:///{tmp_path / 'plait.db'}", policy=policy)


def test_going_back_to_secrets_needs_the_same_permission(guarded: Callable[..., serving.Reply]) -> None:
    guarded("boss", "PUT", "/buckets/b/documents", SECRET)
    guarded("boss", "PUT", "/buckets/b/documents", {"name": "open", "data": 1})
    assert guarded("reader", "POST", "/rollback/1").status == 403
    assert guarded("reader", "POST", "/rollback/2").status == 201
    assert guarded("boss", "POST", "/rollback/1").status == 201


def test_a_rollback_that_removes_or_replaces_a_secret_needs_the_same_permission(
    guarded: Callable[..., serving.Reply],
) -> None:
    guarded("boss", "PUT", "/buckets/b/documents", {"name": "pw", "data": "open"})
    guarded("boss", "PUT", "/buckets/b/documents", SECRET)
    before = guarded("boss", "GET", "/revisions").text
    assert [guarded("reader", "POST", f"/rollback/{target}").status for target in (0, 1)] == [403, 403]
    assert guarded("boss", "GET", "/revisions").text == before
    assert [guarded("boss", "POST", f"/rollback/{target}").status for target in (1, 0)] == [201, 201]


@pytest.mark.parametrize("name", ["keystone:x", "openid:x", "a\nb", ""])
def test_a_token_of_a_file_has_a_name_of_its_own(name: str, tmp_path: Path) -> None:
    with pytest.raises(PlaitError, match="token"):
        tokens_of(f"- {{name: {json.dumps(name)}, digest: {'0' * 64}, roles: [admin]}}\n")
