"""Tokens from another issuer: JSON Web Tokens, checked with the issuer's public keys.

The keys are a JSON Web Key Set: from a file, or published by the issuer (see `discovery`). Only signatures that need a
private key are accepted.
"""

from __future__ import annotations

import json

import jwt

from plait.base.errors import UsageError
from plait.service.api_errors import OPENID, ApiError, check_identity
from plait.service.discovery import Published

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any


_ALGORITHMS = ("RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512", "EdDSA")
_LEEWAY = 30


class Issuer:
    """An issuer of tokens. issuer, audience: the required claims. roles: the claim that lists roles, such as
    `realm_access.roles`.
    """

    def __init__(self, issuer: str, audience: str, roles: str = "roles") -> None:
        self._issuer = issuer
        self._audience = audience
        self._roles = roles.split(".")
        self._keys: dict[str | None, jwt.PyJWK] = {}
        self._published: Published | None = None

    def discover(self) -> None:
        """Checks tokens by the keys that the issuer publishes. Raises UsageError, PlaitError as `Published` does."""
        self._published = Published(self._issuer, self.take_keys)

    def take_keys(self, text: str) -> None:
        """Checks tokens by these keys from now on. Raises UsageError."""
        try:
            found = jwt.PyJWKSet.from_dict(json.loads(text))
        except (ValueError, TypeError, AttributeError, RecursionError, jwt.PyJWTError) as error:
            raise UsageError(
                f"not the keys of an issuer: {type(error).__name__}",
                expected='a JSON Web Key Set: {"keys": [...]}, with public keys',
                code="issuer-keys",
            ) from None
        self._keys = {key.key_id: key for key in found.keys}

    def read(self, token: str) -> tuple[str, frozenset[str]]:
        """The name and the roles in a token. Raises ApiError for an invalid one."""
        try:
            claims = jwt.decode(
                token,
                self._key(jwt.get_unverified_header(token).get("kid")),
                algorithms=_ALGORITHMS,
                issuer=self._issuer,
                audience=self._audience,
                leeway=_LEEWAY,
                options={"require": ["exp", "iss", "aud", "sub"]},
            )
        except jwt.PyJWTError:
            raise ApiError("HTTPUnauthorized", 401, "the token cannot be trusted, or is not for this service") from None
        name = f"{OPENID}{claims['sub']}" if claims["sub"] else ""
        check_identity(name)
        return name, self._roles_in(claims)

    def _key(self, name: str | None) -> jwt.PyJWK:
        """The key that a token names, or the first one if it names none. Raises InvalidTokenError, ApiError."""
        if name is None:
            return self._keys.get(None) or next(iter(self._keys.values()))
        if name not in self._keys and self._published is not None:
            self._published.fetch_if_due()
        found = self._keys.get(name)
        if found is None:
            raise jwt.InvalidTokenError
        return found

    def _roles_in(self, claims: Mapping[str, Any]) -> frozenset[str]:
        found: object = claims
        for step in self._roles:
            found = found.get(step) if isinstance(found, dict) else None
        return frozenset(one for one in found if isinstance(one, str)) if isinstance(found, list) else frozenset()
