"""Authenticates clients: by a token, of which the service stores only the digest; or as anonymous, if there are no
tokens.
"""

from __future__ import annotations

import hashlib
import hmac
import logging
import os
import re
import secrets
import threading
from typing import NamedTuple

from plait.base.content import source
from plait.base.errors import PlaitError, UsageError
from plait.service.api_errors import KEYSTONE, OPENID, ApiError, is_name
from plait.service.policy import ADMIN, AccessPolicy
from plait.service.yaml_bodies import nodes_of
from plait.tree.nodes import to_plain

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from plait.service.issuers import Issuer
    from plait.service.keystone import Keystone

_LOG = logging.getLogger("plait.service")
_DIGEST = re.compile("[0-9a-fA-F]{64}")


class Identity(NamedTuple):
    """The identity of a client, and its permissions."""

    name: str
    roles: frozenset[str]
    policy: AccessPolicy

    def may(self, action: str) -> bool:
        """True if the client may perform an action."""
        return self.policy.allows(action, self.roles)

    def require(self, action: str) -> None:
        """Raises ApiError if the client may not perform an action."""
        if not self.may(action):
            raise ApiError("HTTPForbidden", 403, f"the policy does not allow {action} to {self.name}")


class ServiceToken(NamedTuple):
    """The stored form of a token."""

    name: str
    digest: str
    roles: frozenset[str]


class Authenticator:
    """Authenticates clients.

    tokens: a file of tokens. issuer, keys: an issuer of signed tokens, and a file with its keys, which by default the
    issuer publishes. keystone: checks unknown tokens.

    Files are read again when they change, if they are readable. Without tokens, issuer and Keystone every client is an
    administrator.
    """

    def __init__(
        self,
        policy: AccessPolicy,
        tokens: str | None = None,
        issuer: Issuer | None = None,
        keys: str | None = None,
        keystone: Keystone | None = None,
    ) -> None:
        """Raises UsageError, ReadError; PlaitError if the issuer's keys cannot be fetched."""
        self.policy = policy
        self._tokens: list[ServiceToken] = []
        self._issuer = issuer
        self._keystone = keystone
        # True if clients need not authenticate.
        self.is_open = tokens is None and issuer is None and keystone is None
        self._files = [] if tokens is None else [_File(tokens, self._take_tokens)]
        self._files_of_others: list[_File] = []
        if issuer is not None and keys is not None:
            self._files_of_others.append(_File(keys, issuer.take_keys))
        if keystone is not None:
            self._files_of_others.append(_File(keystone.path, keystone.take))
        for file in (*self._files, *self._files_of_others):
            file.read()
        if issuer is not None and keys is None:
            issuer.discover()

    def known(self, headers: Mapping[str, str]) -> Identity | None:
        """The identity for these headers if no other service is needed, else None."""
        if self.is_open:
            return Identity("anyone", frozenset({ADMIN}), self.policy)
        for file in self._files:
            file.read_again()
        given = _given(headers)
        digest = digest_of(given)
        found = [token for token in self._tokens if hmac.compare_digest(token.digest, digest)]
        return Identity(found[0].name, found[0].roles, self.policy) if given and found else None

    def asked(self, headers: Mapping[str, str], method: str, path: str) -> Identity:
        """Authenticates a request with the token issuer or Keystone, which may take seconds.

        Raises ApiError if the client is unknown or the service cannot be reached.
        """
        for file in self._files_of_others:
            file.read_again()
        given = _given(headers)
        keystones = headers.get("x-auth-token", "")
        if self._issuer is not None and given.count(".") == 2:
            try:
                return Identity(*self._issuer.read(given), self.policy)
            except ApiError:
                # Tokens of Keystone can have this format, too.
                if self._keystone is None or not keystones:
                    raise
        if self._keystone is not None:
            return Identity(*self._keystone.read(keystones, method, path), self.policy)
        raise ApiError("HTTPUnauthorized", 401, "a token is needed: Authorization: Bearer TOKEN")

    def _take_tokens(self, text: str) -> None:
        self._tokens = tokens_of(text)


def _given(headers: Mapping[str, str]) -> str:
    """The token in the headers, or ""."""
    kind, _, bearer = headers.get("authorization", "").partition(" ")
    return bearer.strip() if kind.lower() == "bearer" else headers.get("x-auth-token", "")


class _File:
    """A file that is read again when it changes. take: processes its text."""

    def __init__(self, path: str, take: Callable[[str], None]) -> None:
        self._path = path
        self._take = take
        self._state: object = None
        self._reading = threading.Lock()

    def read(self) -> None:
        """Raises UsageError, ReadError."""
        self._state = self._now()
        try:
            self._take(source(self._path).text)
        except UsageError as error:
            raise error.within(f"in {self._path}") from None

    def read_again(self) -> None:
        """Reads the file if it has changed. An unreadable file changes nothing. One thread reads, and others do not
        wait.
        """
        if self._now() != self._state and self._reading.acquire(blocking=False):
            try:
                self.read()
            except PlaitError as error:
                _LOG.error("%s cannot be read again: %s", self._path, error.message)
            finally:
                self._reading.release()

    def _now(self) -> object:
        try:
            found = os.stat(self._path)
        except OSError:
            return None
        return found.st_mtime_ns, found.st_size, found.st_ino


def tokens_of(text: str) -> list[ServiceToken]:
    """The tokens of a text: a list of maps with name, digest and roles. Raises UsageError, ReadError."""
    found = nodes_of(text, "tokens")
    entries = to_plain(found.items[0].value) if len(found.items) == 1 else None
    if not isinstance(entries, list):
        raise UsageError(
            "a file of tokens must be a list of tokens",
            hint="plait serve new-token prints one",
            code="service-settings",
        )
    return [_token(entry) for entry in entries]


def _token(entry: object) -> ServiceToken:
    if isinstance(entry, dict) and set(entry) == {"name", "digest", "roles"}:
        name, digest, roles = entry["name"], entry["digest"], entry["roles"]
        if (
            isinstance(name, str)
            and is_name(name)
            and not name.startswith((KEYSTONE, OPENID))
            and isinstance(digest, str)
            and _DIGEST.fullmatch(digest) is not None
            and isinstance(roles, list)
            and all(isinstance(role, str) for role in roles)
        ):
            return ServiceToken(name, digest.lower(), frozenset(roles))
    raise UsageError(
        "a token in a file of tokens cannot be used",
        expected="name, digest (SHA-256, hexadecimal) and roles (a list of names)",
        hint="plait serve new-token prints one",
        code="service-settings",
    )


def digest_of(token: str) -> str:
    """The stored digest of a token. A token is long and random, so a plain digest reveals nothing."""
    return hashlib.sha256(token.encode("utf-8", "surrogatepass")).hexdigest()


def new_token() -> str:
    """A random token."""
    return secrets.token_urlsafe(32)
