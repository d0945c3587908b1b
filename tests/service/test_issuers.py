"""Tokens that somebody else has signed."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import jwt
import pytest
import serving
from cryptography.hazmat.primitives import serialization
from issuing import AUDIENCE, ISSUER, KEYS, claims, key_set, signed

from plait.base.errors import UsageError
from plait.cli import main
from plait.service.app import application
from plait.service.issuers import Issuer


@pytest.fixture
def ask(tmp_path: Path) -> Iterator[Callable[[str], serving.Reply]]:
    """Asks with a token."""
    path = tmp_path / "jwks.json"
    path.write_text(key_set("one"), "utf-8")
    app = application(
        f"sqlite:///{tmp_path / 'plait.db'}", issuer=Issuer(ISSUER, AUDIENCE, "realm.roles"), issuer_keys=str(path)
    )
    client = serving.Client(app)
    yield lambda token: client.ask("GET", "/revisions", authorization=f"Bearer {token}")
    client.close()


def test_who_has_a_token_is_known(ask: Callable[[str], serving.Reply]) -> None:
    assert ask(signed()).status == 200
    assert ask(signed(kid=None)).status == 200
    assert ask(signed(aud=["other", AUDIENCE])).status == 200
    reply = ask(signed(realm={"roles": ["reader", 1]}, sub="somebody"))
    assert (reply.status, "deckhand:list_revisions to openid:somebody" in reply.text) == (403, True)
    for roles in ({"roles": "admin"}, ["admin"], "admin", {}):
        assert ask(signed(realm=roles)).status == 403


def test_tokens_that_cannot_be_trusted(ask: Callable[[str], serving.Reply]) -> None:
    public = KEYS["one"].public_key()
    raw = public.public_bytes(serialization.Encoding.Raw, serialization.PublicFormat.Raw)
    wrong = {
        "expired": signed(exp=time.time() - 60),
        "not yet": signed(nbf=time.time() + 600),
        "another issuer": signed(iss="https://other.example.com"),
        "another audience": signed(aud="other"),
        "without an end": signed(exp=None),
        "without a name": signed(sub=None),
        "an empty name": signed(sub=""),
        "a name of lines": signed(sub="a\nb"),
        "a name with NUL": signed(sub="a\0"),
        "half of a character": signed(sub="\ud800"),
        "a long name": signed(sub="x" * 256),
        "without an audience": signed(aud=None),
        "another key": signed("two"),
        "a key that is not known": signed("two", "two"),
        "not signed": jwt.encode(claims(), "", algorithm="none", headers={"kid": "one"}),
        "signed by the public key": jwt.encode(claims(), raw.ljust(64), algorithm="HS256", headers={"kid": "one"}),
        "changed": signed()[:-4] + "AAAA",
        "nonsense": "a.b.c",
    }
    for what, token in wrong.items():
        reply = ask(token)
        assert (reply.status, "HTTPUnauthorized" in reply.text, token in reply.text) == (401, True, False), what
    assert ask("").status == 401


def test_keys_that_change(ask: Callable[[str], serving.Reply], tmp_path: Path) -> None:
    path = tmp_path / "jwks.json"
    path.write_text(key_set("two"), "utf-8")
    os.utime(path, ns=(1, 1))
    assert (ask(signed("two", "two")).status, ask(signed()).status) == (200, 401)
    path.write_text("{", "utf-8")
    assert ask(signed("two", "two")).status == 200


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"keys": []}', '{"keys": [{"kty": "unknown"}]}', '{"keys": 1}'])
def test_keys_that_are_none(text: str) -> None:
    with pytest.raises(UsageError, match="not the keys of an issuer"):
        Issuer(ISSUER, AUDIENCE).take_keys(text)


def test_keys_need_an_issuer(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["serve", "--check", "--issuer-keys", "jwks.json"]) == 2
    assert "--issuer-keys has no effect without --issuer" in capsys.readouterr().err
