"""What tests of signed tokens share: an issuer's keys, the tokens it signs, and a server that publishes the keys."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from contextlib import contextmanager

import jwt
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from listening import Quiet, listening

ISSUER, AUDIENCE = "https://sso.example.com", "documents"
KEYS = {name: Ed25519PrivateKey.generate() for name in ("one", "two")}


def key_set(*names: str) -> str:
    """The keys with these names, as issuers publish them."""
    found = []
    for name in names:
        key = json.loads(jwt.algorithms.OKPAlgorithm.to_jwk(KEYS[name].public_key()))
        found.append(key | {"kid": name, "alg": "EdDSA"})
    return json.dumps({"keys": found})


def claims(**other: object) -> dict[str, object]:
    good = {"iss": ISSUER, "aud": AUDIENCE, "sub": "deploy", "exp": time.time() + 600, "realm": {"roles": ["admin"]}}
    return {name: value for name, value in (good | other).items() if value is not None}


def signed(name: str = "one", kid: str | None = "one", **other: object) -> str:
    """A token by a key. kid: the name of the key in it."""
    return jwt.encode(claims(**other), KEYS[name], algorithm="EdDSA", headers={"kid": kid} if kid else None)


class Provider:
    """A server on this machine. answers: the body at each path, or a redirect. asked: the paths that were asked for.

    slow: seconds before each answer; drops: seconds between the bytes of one.
    """

    def __init__(self, address: str) -> None:
        self.address = address
        self.asked: list[str] = []
        self.slow = 0.0
        self.drops = 0.0
        self.answers: dict[str, str | tuple[int, str]] = {}
        self.publish("one")

    def publish(self, *names: str, issuer: str | None = None) -> None:
        """Publish keys."""
        about = {"issuer": issuer or self.address, "jwks_uri": f"{self.address}/keys"}
        self.answers = {"/.well-known/openid-configuration": json.dumps(about), "/keys": key_set(*names)}


@contextmanager
def provider() -> Iterator[Provider]:
    """A provider that publishes the key `one`."""

    class Handler(Quiet):
        def do_GET(self) -> None:
            found.asked.append(self.path)
            time.sleep(found.slow)
            answer = found.answers.get(self.path, (404, ""))
            status, body = answer if isinstance(answer, tuple) else (200, answer)
            headers = {"Location": body} if 300 <= status < 400 else {}
            data = body.encode("latin-1")
            self.answer(status, b"" if found.drops else data, **headers)
            for byte in data if found.drops else ():
                self.wfile.write(bytes([byte]))
                time.sleep(found.drops)

    with listening(Handler) as address:
        found = Provider(address)
        yield found
