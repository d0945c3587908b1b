"""Log lines of requests, as text or JSON, and of a failing database: at most one a second, with a count."""

from __future__ import annotations

import json
import logging
import threading
import uuid
from datetime import UTC, datetime
from time import monotonic, perf_counter
from urllib.parse import quote

from plait.base.text_diff import visible

TYPE_CHECKING = False
if TYPE_CHECKING:
    from starlette.types import Scope

LOG = logging.getLogger("plait.service")
TEXT, JSON = "text", "json"
FORMS = (TEXT, JSON)
QUIET = ("/health", "/ready", "/metrics")
"""Ends of paths that are requested frequently; only failures are logged."""


class Record:
    """The log record of a request. route: the template of its path, if one matches. name: the name of the user.
    request: the ID in the response's header `X-Deckhand-Req`. size: bytes of the response's body.
    """

    __slots__ = ("begun", "method", "name", "path", "request", "route", "size", "status")

    def __init__(self, method: str, path: str) -> None:
        self.method, self.path = method, path
        self.route = self.name = ""
        self.request = f"req-{uuid.uuid4()}"
        self.status = self.size = 0
        self.begun = perf_counter()

    @property
    def seconds(self) -> float:
        return perf_counter() - self.begun

    def log(self) -> None:
        """Writes the line."""
        if self.path.endswith(QUIET) and 0 < self.status < 400:
            return
        facts = {
            "method": self.method,
            "path": quote(self.path, errors="surrogateescape"),
            "route": self.route or None,
            "status": self.status,
            "seconds": round(self.seconds, 4),
            "bytes": self.size,
            "user": self.name or None,
            "request": self.request,
        }
        words = "%(method)s %(path)s %(status)d %(seconds).4fs %(bytes)dB user=%(user)s %(request)s"
        shown = facts | {"user": quote(self.name, safe="@:") if self.name else "-"}
        LOG.info(words, shown, extra={"facts": facts})


def record_of(scope: Scope) -> Record:
    """The record of a request."""
    found = scope.setdefault("plait.record", None)
    if not isinstance(found, Record):
        found = scope["plait.record"] = Record(scope.get("method", ""), scope.get("path", ""))
    return found


class JsonFormatter(logging.Formatter):
    """A log line as one JSON object."""

    def format(self, record: logging.LogRecord) -> str:
        """The line."""
        found: dict[str, object] = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname,
            "logger": record.name,
            "message": record.getMessage(),
        }
        facts = getattr(record, "facts", None)
        if isinstance(facts, dict):
            found |= facts
        if record.exc_info:
            found["exception"] = self.formatException(record.exc_info)
        return json.dumps(found)


class TextFormatter(logging.Formatter):
    """A log line as text. Control characters are escaped, because a message may quote another program's answer."""

    def formatMessage(self, record: logging.LogRecord) -> str:  # noqa: N802 - of the base class
        """The line without the traceback."""
        return visible(super().formatMessage(record))


def set_up(form: str) -> None:
    """Configures logging to standard error. form: one of FORMS."""
    handler = logging.StreamHandler()
    handler.setFormatter(
        JsonFormatter() if form == JSON else TextFormatter("%(asctime)s %(levelname)s %(name)s: %(message)s")
    )
    logging.basicConfig(level=logging.INFO, handlers=[handler])
    for name in ("uvicorn", "keystonemiddleware", "alembic"):
        logging.getLogger(name).setLevel(logging.WARNING)


class Throttled:
    """Log lines about one type of failure: at most one per second, with the number of omitted ones."""

    def __init__(self, seconds: float = 1.0) -> None:
        self._seconds = seconds
        self._lock = threading.Lock()
        self._last = float("-inf")
        self._left_out = 0
        self.count = 0

    def error(self, text: str, **facts: object) -> None:
        """Logs a failure."""
        with self._lock:
            self.count += 1
            now = monotonic()
            if now < self._last + self._seconds:
                self._left_out += 1
                return
            left_out, self._left_out, self._last = self._left_out, 0, now
        more = f" ({left_out} more since the last line)" if left_out else ""
        LOG.error("%s%s", text, more, extra={"facts": {**facts, "left_out": left_out}})
