"""Keystone tokens, checked by Keystone's own middleware with the existing settings of a site.

It is WSGI middleware. It receives only the token of each request, so that roles claimed by a client never reach it.
"""

from __future__ import annotations

import io
import logging
import re
import sys

from plait.base.errors import UsageError
from plait.service.api_errors import KEYSTONE, ApiError, check_identity

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from typing import Any, TypeAlias

    Environ: TypeAlias = dict[str, Any]
    Start: TypeAlias = Callable[..., object]
    Middleware: TypeAlias = Callable[[Environ, Start], Iterable[bytes]]

_LOG = logging.getLogger("plait.service")
_SECTION = "keystone_authtoken"
# Defaults for missing settings: the timeout of Keystone in seconds, and the number of retries. Without a timeout, a
# client would disconnect before the response.
_BOUND = 10
_AGAIN = 1


class Keystone:
    """Validates tokens with Keystone. path: an INI file with the section `keystone_authtoken`, such as
    deckhand.conf.
    """

    def __init__(self, path: str) -> None:
        """Raises UsageError if the middleware is not installed."""
        try:
            import keystonemiddleware.auth_token  # noqa: F401 - only to check that it is installed
        except ModuleNotFoundError as error:
            raise UsageError(
                "--keystone needs an extra that is not installed",
                found=f"no module {error.name}",
                hint="pip install 'plait[keystone]'",
                code="extra-not-installed",
            ) from None
        self.path = path
        self._middleware: Middleware | None = None

    def take(self, _: str) -> None:
        """Uses the settings in the file from now on. Raises UsageError."""
        self._middleware = _middleware(self.path)

    def read(self, token: str, method: str, path: str) -> tuple[str, frozenset[str]]:
        """The name and the roles of a token's user.

        Raises ApiError: 401 for an unknown token, 503 if Keystone cannot be reached.
        """
        environ = _environ(token, method, path)
        status, challenge = self._asked(environ)
        if status == 200 and environ.get("HTTP_X_IDENTITY_STATUS") == "Confirmed":
            roles = frozenset(role.strip() for role in environ.get("HTTP_X_ROLES", "").split(","))
            name = _name(environ)
            check_identity(name)
            return name, roles - {""}
        if status in (200, 401):
            raise ApiError("HTTPUnauthorized", 401, "a token of Keystone is needed: X-Auth-Token", challenge=challenge)
        raise _away()

    def _asked(self, environ: Environ) -> tuple[int, str]:
        """The response of the middleware: the status, and the authentication challenge."""
        answers: list[tuple[int, str]] = []

        def start(status: str, headers: list[tuple[str, str]], *_: object) -> None:
            found = {name.lower(): value for name, value in headers}
            answers.append((int(status.partition(" ")[0]), found.get("www-authenticate", "")))

        assert self._middleware is not None
        try:
            list(self._middleware(environ, start))
        except Exception as error:  # noqa: BLE001 - no client is accepted, whatever Keystone answers
            _LOG.error("Keystone is not available: %s", type(error).__name__)
            raise _away() from None
        return answers[0]


def _middleware(path: str) -> Middleware:
    """The middleware with the settings in a file. Raises UsageError that quotes nothing of the file."""
    from keystoneauth1.exceptions import ClientException
    from keystonemiddleware.auth_token import AuthProtocol, list_opts
    from keystonemiddleware.exceptions import ConfigurationError
    from oslo_config import cfg

    settings = cfg.ConfigOpts()
    try:
        settings([], project="plait", default_config_files=[path], default_config_dirs=[])
        for section, options in list_opts():
            settings.register_opts(options, group=section)
        settings.set_default("http_connect_timeout", _BOUND, group=_SECTION)
        settings.set_default("http_request_max_retries", _AGAIN, group=_SECTION)
        # With `delay_auth_decision` the service would have to decide, but it has no other criteria.
        settings.set_override("delay_auth_decision", False, group=_SECTION)
        found = settings[_SECTION]
        if not (found.auth_type or found.auth_section):
            raise _unusable(path)
        made: Middleware = AuthProtocol(_let_in, {"oslo_config_config": settings})
    except (cfg.Error, ConfigurationError, ClientException, OSError, ValueError) as error:
        raise _unusable(path, error) from None
    return made


def _unusable(path: str, error: Exception | None = None) -> UsageError:
    return UsageError(
        f"{path} has no usable Keystone settings",
        expected=f"[{_SECTION}] with auth_type, auth_url and the name and the password of the service",
        found=_mistake(error) if error is not None else None,
        code="service-settings",
    )


def _mistake(error: Exception) -> str:
    """The fault of settings. Messages of the libraries are not used, because they quote values, which may be secret."""
    from keystoneauth1.exceptions import MissingRequiredOptions
    from oslo_config.cfg import ConfigFileParseError

    if isinstance(error, MissingRequiredOptions):
        return f"no {', '.join(option.dest for option in error.options)}"
    line = re.search(r":([0-9]+), ", str(error)) if isinstance(error, ConfigFileParseError) else None
    return f"line {line[1]} is not a setting" if line else type(error).__name__


def _let_in(_: Environ, start: Start) -> Iterable[bytes]:
    """The application behind the middleware, called for accepted requests."""
    start("200 OK", [])
    return [b""]


def _environ(token: str, method: str, path: str) -> Environ:
    """A WSGI request that contains only the token of the client."""
    found: Environ = {
        "REQUEST_METHOD": method,
        "SCRIPT_NAME": "",
        "PATH_INFO": path.encode("utf-8", "replace").decode("latin-1"),
        "SERVER_NAME": "localhost",
        "SERVER_PORT": "80",
        "SERVER_PROTOCOL": "HTTP/1.1",
        "wsgi.version": (1, 0),
        "wsgi.url_scheme": "http",
        "wsgi.input": io.BytesIO(),
        "wsgi.errors": sys.stderr,
        "wsgi.multithread": True,
        "wsgi.multiprocess": False,
        "wsgi.run_once": False,
    }
    # Only valid tokens are checked.
    if token.isascii() and token.isprintable() and " " not in token:
        found["HTTP_X_AUTH_TOKEN"] = token
    return found


def _name(environ: Environ) -> str:
    """The IDs and names of the user, and of the project or domain for which the token is valid, because roles belong to
    it.

    The IDs come first and alone identify users: names are unique only within a domain.
    """
    ids = "/".join(filter(None, (environ.get(f"HTTP_X_{of}_ID") for of in ("USER", "PROJECT", "DOMAIN"))))
    name = environ.get("HTTP_X_USER_NAME", "")
    for what in ("PROJECT", "DOMAIN"):
        if environ.get(f"HTTP_X_{what}_NAME"):
            return f"{KEYSTONE}{ids} ({name} of the {what.lower()} {environ[f'HTTP_X_{what}_NAME']})"
    return f"{KEYSTONE}{ids} ({name})"


def _away() -> ApiError:
    return ApiError("KeystoneNotAvailable", 503, "Keystone is not available now; try again later")
