"""Who asks: by a token, of which the service knows the digest alone; or nobody in particular, where there are no tokens."""

from __future__ import annotations

import hashlib
import hmac
import logging
import os
import secrets
from typing import NamedTuple

from plait.errors import PlaitError, UsageError
from plait.service.failures import Refusal
from plait.service.policy import ADMIN, Policy

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

_LOG = logging.getLogger("plait.service")
_DIGEST = 64


class Identity(NamedTuple):
    """Who asks, and what they may do."""

    name: str
    roles: frozenset[str]
    policy: Policy

    def may(self, action: str) -> bool:
        """Whether they may do something."""
        return self.policy.allows(action, self.roles)

    def require(self, action: str) -> None:
        """Raises Refusal if they may not."""
        if not self.may(action):
            raise Refusal("HTTPForbidden", 403, f"the policy does not allow {action} to {self.name}")


class Token(NamedTuple):
    """A token as the service knows it."""

    name: str
    digest: str
    roles: frozenset[str]


class Gate:
    """Finds out who asks. tokens: a file of them, read again when it changes, as far as it can be read; None: everybody is the administrator."""

    def __init__(self, policy: Policy, tokens: str | None = None) -> None:
        """Raises UsageError, ReadError."""
        self.policy = policy
        self._path = tokens
        self._changed: object = None
        self._tokens: list[Token] = []
        if tokens is not None:
            self._read(tokens)

    @property
    def is_open(self) -> bool:
        """Whether nobody is asked who they are."""
        return self._path is None

    def identity(self, headers: Mapping[str, str]) -> Identity:
        """Who sends these headers. Raises Refusal for nobody that is known."""
        if self._path is None:
            return Identity("anyone", frozenset({ADMIN}), self.policy)
        if _state(self._path) != self._changed:
            try:
                self._read(self._path)
            except PlaitError as error:
                _LOG.error("the tokens cannot be read again: %s", error.message)
        kind, _, bearer = headers.get("authorization", "").partition(" ")
        given = bearer.strip() if kind.lower() == "bearer" else headers.get("x-auth-token", "")
        digest = digest_of(given)
        found = [token for token in self._tokens if hmac.compare_digest(token.digest, digest)]
        if not given or not found:
            raise Refusal("HTTPUnauthorized", 401, "a token is needed: Authorization: Bearer TOKEN")
        return Identity(found[0].name, found[0].roles, self.policy)

    def _read(self, path: str) -> None:
        self._changed = _state(path)
        self._tokens = read_tokens(path)


def _state(path: str) -> object:
    try:
        found = os.stat(path)
    except OSError:
        return None
    return found.st_mtime_ns, found.st_size, found.st_ino


def read_tokens(path: str) -> list[Token]:
    """The tokens of a file: a list of maps with name, digest and roles. Raises UsageError, ReadError."""
    from plait.content import source
    from plait.nodes import to_plain
    from plait.service.texts import nodes_of

    found = nodes_of(source(path).text, path)
    entries = to_plain(found.items[0].value) if len(found.items) == 1 else None
    if not isinstance(entries, list):
        raise UsageError(f"{path} must be a list of tokens", hint="plait serve new-token prints one")
    return [_token(path, entry) for entry in entries]


def _token(path: str, entry: object) -> Token:
    if isinstance(entry, dict) and set(entry) == {"name", "digest", "roles"}:
        name, digest, roles = entry["name"], entry["digest"], entry["roles"]
        if (
            isinstance(name, str)
            and isinstance(digest, str)
            and len(digest) == _DIGEST
            and isinstance(roles, list)
            and all(isinstance(role, str) for role in roles)
        ):
            return Token(name, digest.lower(), frozenset(roles))
    raise UsageError(
        f"a token in {path} cannot be used",
        expected="name, digest (SHA-256, hexadecimal) and roles (a list of names)",
        hint="plait serve new-token prints one",
    )


def digest_of(token: str) -> str:
    """What is kept of a token. It is random and long, so that a plain digest tells nothing of it."""
    return hashlib.sha256(token.encode("utf-8", "surrogatepass")).hexdigest()


def new_token() -> str:
    """A token that nobody can guess."""
    return secrets.token_urlsafe(32)
