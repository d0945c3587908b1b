"""Rendering of the projects in revisions, in processes of their own, and a cache of the results."""

from __future__ import annotations

import hashlib
import json
import logging
import os
import threading
from typing import NamedTuple

from plait.base.errors import PlaitError
from plait.base.sandbox import EvaluationFault, ask
from plait.insight.diagnostic_formats import data_of
from plait.service.api_errors import ApiError, entries_of
from plait.service.cache import Cache
from plait.service.telemetry import Telemetry

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

_LOG = logging.getLogger("plait.service")


# Seconds in addition to the limit of a run, for the start and the end of the process.
_MORE_SECONDS = 5


class Made(NamedTuple):
    """A run with its output or error. diagnostics: the error, or warnings, as JSON."""

    name: str
    text: str
    error: str
    diagnostics: Sequence[Mapping[str, object]] = ()

    @property
    def digest(self) -> str:
        return hashlib.sha256(self.text.encode("utf-8", "surrogatepass")).hexdigest()


class Projects:
    """Renders the runs of projects, and caches them. limits: the limits of each run, and of all runs of a project
    together. telemetry: receives each project.
    """

    def __init__(self, limits: Mapping[str, float], telemetry: Telemetry | None = None) -> None:
        self._limits = dict(limits)
        self._telemetry = telemetry or Telemetry()
        self._kept: Cache[list[Made]] = Cache(lambda runs: sum(len(one.text) + len(one.error) for one in runs))
        # More processes than processors would only use memory.
        self._room = threading.BoundedSemaphore(os.cpu_count() or 1)

    def runs(self, files: Mapping[str, str], only: str | None) -> list[Made]:
        """The runs of a project. files: texts by path. only: the name of one run, or None for all. Raises ApiError."""
        request = json.dumps({"files": files, "only": only, "limits": self._limits}, sort_keys=True).encode()
        digest = hashlib.sha256(request).hexdigest()
        with self._telemetry.span("runs") as note, self._kept.making(digest):
            found = self._kept.get(digest)
            note("plait.cached", found is not None)
            if found is None:
                with self._room:
                    found = self._made(request)
                self._kept.keep(digest, found)
        return found

    def forget(self) -> None:
        """Clears the cache."""
        self._kept.forget()

    def _made(self, request: bytes) -> list[Made]:
        try:
            given = json.loads(
                ask("plait.service.project_evaluation", request, seconds=self._limits["seconds"] + _MORE_SECONDS)
            )
        except EvaluationFault as fault:
            _LOG.error("a project was not evaluated: %s", fault.message)
            raise ApiError("InternalError", 500, "internal error; see the log of the service") from None
        except PlaitError as error:
            raise ApiError("ProjectFailed", 400, error.message, entries=entries_of(data_of(error))) from None
        if given["error"]:
            raise ApiError("ProjectFailed", 400, given["error"], entries=entries_of(given["diagnostics"]))
        return [Made(**one) for one in given["runs"]]
