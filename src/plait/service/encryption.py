"""Secrets at rest, with envelope encryption: each document's data is encrypted by a data key, which a site key wraps.

The site keys are a map of names to 32 bytes in base64. The first one wraps new data keys; all unwrap. Documents contain
a reference instead of their data. Decrypted data leaves this module only for rendering, and never appears in logs and
messages.
"""

from __future__ import annotations

import base64
import binascii
import hmac
import logging
import os
import uuid
from time import monotonic
from typing import NamedTuple

from sqlalchemy import insert, select, update

from plait.base.errors import PlaitError, UsageError
from plait.layering.secrets import is_reference
from plait.service.api_errors import ApiError
from plait.service.tables import SECRETS
from plait.service.yaml_bodies import node_of
from plait.tree.nodes import Map

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from sqlalchemy import Connection

    from plait.tree.nodes import Value

_LOG = logging.getLogger("plait.service")
_KEY, _NONCE = 32, 12
# Seconds after which keys are read again before encrypting, so that new ones are used.
_FRESH = 60
# Maximum number of values in one query, and of rows in one transaction of a rotation.
_MANY = 500


class EncryptedSecret(NamedTuple):
    """A secret as stored. key: the name of the key that wraps its data key."""

    id: str
    key: str
    wrapped: bytes
    sealed: bytes


class KeyRing:
    """The keys of a site. read: returns the keys; called again after a while, and when a secret names an unknown key."""

    def __init__(self, read: Callable[[], Map] | None = None) -> None:
        """Raises UsageError for invalid keys, and the errors of `read`."""
        self._read = read
        self._keys = {} if read is None else _keys_of(read())
        self._read_at = monotonic()

    def __bool__(self) -> bool:
        return bool(self._keys)

    @property
    def first(self) -> str:
        """The name of the key that wraps new data keys."""
        return next(iter(self._keys))

    def seal(self, text: str) -> EncryptedSecret:
        """Encrypts a new secret. text: the text of its data."""
        if monotonic() > self._read_at + _FRESH:
            self.reload()
        number, own = str(uuid.uuid4()), os.urandom(_KEY)
        data = text.encode("utf-8", "surrogatepass")
        return EncryptedSecret(
            number, self.first, _encrypt(self._key(self.first), number, own), _encrypt(own, number, data)
        )

    def open(self, secret: EncryptedSecret) -> Value:
        """Decrypts the data of a secret. Raises ApiError if its key is missing or has changed."""
        own = self._unwrapped(secret)
        return node_of(_decrypt(own, secret.id, secret.sealed).decode("utf-8", "surrogatepass"))

    def rewrapped(self, secret: EncryptedSecret) -> bytes:
        """The key of a secret, wrapped by the first key. Raises ApiError."""
        return _encrypt(self._key(self.first), secret.id, self._unwrapped(secret))

    def digests(self, digest: str) -> list[str]:
        """A digest of data that may be secret, keyed by each key, the first key first. Unlike the digest itself, these
        confirm no guess to a reader of the database. Without keys, which secrets need, the digest.
        """
        data = b"digest\0" + digest.encode()
        return [hmac.digest(key, data, "sha256").hex() for key in self._keys.values()] or [digest]

    def reload(self) -> None:
        """Reads the keys again. If that fails, the old ones stay."""
        self._read_at = monotonic()
        try:
            if self._read is not None:
                self._keys = _keys_of(self._read())
        except PlaitError as error:
            _LOG.error("the keys cannot be read again: %s", error.message)

    def _unwrapped(self, secret: EncryptedSecret) -> bytes:
        return _decrypt(self._key(secret.key), secret.id, secret.wrapped)

    def _key(self, name: str) -> bytes:
        if name not in self._keys:
            self.reload()
        if name not in self._keys:
            raise ApiError(
                "SecretNotReadable", 500, f'this service does not have the key "{name}", which is needed here'
            )
        return self._keys[name]


def _keys_of(found: Map) -> dict[str, bytes]:
    keys: dict[str, bytes] = {}
    for item in found.items:
        name, text = item.key, item.value
        try:
            key = base64.b64decode(text, validate=True) if type(text) is str else b""
        except (binascii.Error, ValueError):
            key = b""
        if type(name) is not str or not 0 < len(name) <= 64 or len(key) != _KEY:
            raise UsageError(
                f"the key {name!r} cannot be used",
                expected=f"names of 1 to 64 characters, each with {_KEY} bytes in base64",
                hint="plait serve new-key prints one",
                code="service-keys",
            )
        keys[name] = key
    if not keys:
        raise UsageError("there are no keys", hint="plait serve new-key prints one", code="service-keys")
    return keys


def new_key() -> str:
    """A new key, in the format of the key file."""
    return base64.b64encode(os.urandom(_KEY)).decode()


def _encrypt(key: bytes, number: str, data: bytes) -> bytes:
    from cryptography.hazmat.primitives.ciphers.aead import AESGCM

    nonce = os.urandom(_NONCE)
    return nonce + AESGCM(key).encrypt(nonce, data, number.encode())


def _decrypt(key: bytes, number: str, data: bytes) -> bytes:
    from cryptography.exceptions import InvalidTag
    from cryptography.hazmat.primitives.ciphers.aead import AESGCM

    try:
        return AESGCM(key).decrypt(data[:_NONCE], data[_NONCE:], number.encode())
    except InvalidTag:
        raise ApiError("SecretNotReadable", 500, "a secret cannot be decrypted: its key has changed") from None


def reference_of(base: str, secret: EncryptedSecret) -> str:
    """The reference that replaces a document's data."""
    return f"{base}/v1/secrets/{secret.id}"


def number_of(reference: Value) -> str | None:
    """The number of the secret in a reference; None for any other text."""
    return str(reference).rpartition("/")[2] if is_reference(reference) else None


def keep(connection: Connection, secrets: Iterable[EncryptedSecret]) -> None:
    """Stores encrypted secrets."""
    rows = [secret._asdict() for secret in secrets]
    if rows:
        connection.execute(insert(SECRETS), rows)


def secrets_of(connection: Connection, numbers: Iterable[str]) -> dict[str, EncryptedSecret]:
    """The existing secrets with these numbers."""
    wanted = list(dict.fromkeys(numbers))
    found: dict[str, EncryptedSecret] = {}
    for start in range(0, len(wanted), _MANY):
        part = wanted[start : start + _MANY]
        for row in connection.execute(select(*SECRETS_ROW).where(SECRETS.c.id.in_(part))):
            found[row[0]] = EncryptedSecret(*row)
    return found


SECRETS_ROW = (SECRETS.c.id, SECRETS.c.key, SECRETS.c.wrapped, SECRETS.c.sealed)


def rotate(connection: Connection, keys: KeyRing) -> int:
    """Wraps some secrets that use another key with the first key. Returns their number. Raises ApiError."""
    rows = connection.execute(select(*SECRETS_ROW).where(SECRETS.c.key != keys.first).limit(_MANY)).all()
    for row in rows:
        secret = EncryptedSecret(*row)
        connection.execute(
            update(SECRETS).where(SECRETS.c.id == secret.id).values(key=keys.first, wrapped=keys.rewrapped(secret))
        )
    return len(rows)
