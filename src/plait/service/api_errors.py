"""Rejections of the service: the name and status that Deckhand's clients know, and plait's message."""

from __future__ import annotations

import re
from http import HTTPStatus

from plait.base.codes import CODES
from plait.insight.diagnostic_formats import data_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from typing import Self, TypeAlias

    from plait.base.errors import Diagnostic, PlaitError

    Entry: TypeAlias = "dict[str, object]"


class ApiError(Exception):
    """An error response.

    kind: Deckhand's name. status: HTTP status. entries: the messages, if there are several. reason: `Validation` for
    invalid documents. challenge: for status 401, the authentication scheme. retry_after: seconds after which the
    request may be repeated.
    """

    def __init__(
        self,
        kind: str,
        status: int,
        message: str,
        *,
        entries: list[Entry] | None = None,
        reason: str = "Unspecified",
        challenge: str = "Bearer",
        retry_after: int | None = None,
    ) -> None:
        super().__init__(message)
        self.kind = kind
        self.status = status
        self.message = message
        self.entries = entries
        self.reason = reason
        self.challenge = challenge
        self.retry_after = retry_after

    def bare(self) -> Self:
        """An equal error without frames, and without the objects that these refer to."""
        self.__traceback__ = self.__context__ = self.__cause__ = None
        return self

    def parts(self) -> dict[str, object]:
        """The constructor arguments of an equal error."""
        return {
            "kind": self.kind,
            "status": self.status,
            "message": self.message,
            "entries": self.entries,
            "reason": self.reason,
            "challenge": self.challenge,
            "retry_after": self.retry_after,
        }


def code_of(found: Diagnostic) -> Entry:
    """The code and the name of a diagnostic about documents. The rest may name keys of documents that the client may
    not read.
    """
    known = CODES.get(found.code)
    return {"name": found.code} if known is None else {"code": known.code, "name": known.name}


def entries_of(diagnostics: Iterable[Mapping[str, object]]) -> list[Entry]:
    """The messages of diagnostics in JSON form, for `entries`."""
    return [{"message": one["message"], "plait": one} for one in diagnostics]


# Seconds in the `Retry-After` header.
_SOON = 1


def busy(message: str) -> ApiError:
    """The error for a request that exceeds the current capacity."""
    return ApiError("ServiceBusy", 503, f"{message}; try again later", retry_after=_SOON)


def bad_request(message: str, error: PlaitError | None = None) -> ApiError:
    """The error for an invalid request. error: the cause, if there is one."""
    if error is None:
        return ApiError("HTTPBadRequest", 400, message)
    entries: list[Entry] = [{"message": message, "plait": one} for one in data_of(error)]
    return ApiError("HTTPBadRequest", 400, message, entries=entries)


def bad_parameter(name: str, expected: str) -> ApiError:
    return ApiError("HTTPInvalidParam", 400, f'the parameter "{name}" must be {expected}')


def no_revision(revision: object) -> ApiError:
    return ApiError("RevisionNotFound", 404, f"there is no revision {revision}")


def check_name(text: str, what: str) -> None:
    """Raises ApiError for a name that the tables cannot store: too long, or with unsupported characters."""
    if len(text) > LONGEST:
        raise bad_request(f"{what} can have at most {LONGEST} characters")
    if _UNSTORABLE.search(text):
        raise bad_request(f"{what} cannot contain control characters or unpaired surrogates")


def check_parameter(name: str, text: str) -> None:
    """Raises ApiError for a request parameter that databases cannot compare with stored values."""
    if "\0" in name or "\0" in text:
        raise bad_request("a parameter cannot contain the character NUL")


def is_name(text: str) -> bool:
    """True for a valid name of a document, client or other object."""
    return 0 < len(text) <= LONGEST and not _UNSTORABLE.search(text)


# Prefixes of the names of clients that another program authenticates. Names of tokens in a file never have them.
KEYSTONE, OPENID = "keystone:", "openid:"


def check_identity(name: str) -> None:
    """Raises ApiError for a client whose name the tables cannot store."""
    if not is_name(name):
        raise ApiError("HTTPUnauthorized", 401, "the token has an invalid name")


# Characters of a name.
LONGEST = 255
_UNSTORABLE = re.compile(r"[\0-\x1f\ud800-\udfff]")


def body(refusal: ApiError, kept: str | None = None) -> dict[str, object]:
    """The body of the response, in the format that Deckhand's clients read.

    kept: for a write request, whether its data was stored nevertheless: "no" or "unknown".
    """
    entries = refusal.entries or [{"message": refusal.message}]
    for entry in entries:
        entry.setdefault("error", True)
    return {
        "apiVersion": "v1.0",
        "code": f"{refusal.status} {HTTPStatus(refusal.status).phrase}",
        "details": {
            "errorCount": len(entries),
            "errorType": refusal.kind,
            "messageList": entries,
            **({} if kept is None else {"kept": kept}),
        },
        "kind": "Status",
        "message": refusal.message,
        "metadata": {},
        "reason": refusal.reason,
        "retry": refusal.status >= 500,
        "status": "Failure",
    }
