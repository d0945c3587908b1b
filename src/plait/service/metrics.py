"""`GET /metrics`: metrics of the process in Prometheus text format.

No label contains parts of documents, names given by users, or tokens: routes are the templates of paths.
"""

from __future__ import annotations

import os
import threading
from time import time

from plait.base.version import __version__
from plait.service.records import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from plait.service.lanes import Lane
    from plait.service.records import Throttled
    from plait.service.route_arguments import Service

# Histogram bounds in seconds, from OpenTelemetry's conventions for requests.
_BOUNDS = (0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10)
_METHODS = frozenset({"GET", "HEAD", "PUT", "POST", "DELETE", "OPTIONS", "PATCH"})


class Metrics:
    """Counts requests. lanes: included in the output. failures: the failures of the database."""

    TYPE = "text/plain; version=0.0.4"

    def __init__(self, service: Service, lanes: Sequence[Lane], failures: Throttled) -> None:
        self._service, self._lanes, self._failures = service, lanes, failures
        self._lock = threading.Lock()
        self._active = 0
        self._requests: dict[tuple[str, str, int], int] = {}
        self._sent: dict[tuple[str, str], int] = {}
        self._seconds: dict[tuple[str, str], tuple[list[int], float]] = {}
        self._begun = time()

    def begun(self) -> None:
        """Counts a request that starts."""
        with self._lock:
            self._active += 1

    def ended(self, record: Record) -> None:
        """Counts a request that has ended."""
        method = record.method if record.method in _METHODS else "other"
        route = record.route or "none"
        with self._lock:
            self._active -= 1
            key = method, route, record.status
            self._requests[key] = self._requests.get(key, 0) + 1
            self._sent[method, route] = self._sent.get((method, route), 0) + record.size
            counts, total = self._seconds.get((method, route)) or ([0] * (len(_BOUNDS) + 1), 0.0)
            seconds = record.seconds
            counts[next((place for place, bound in enumerate(_BOUNDS) if seconds <= bound), len(_BOUNDS))] += 1
            self._seconds[method, route] = counts, total + seconds

    def text(self) -> bytes:
        """All metrics."""
        with self._lock:
            return "".join(f"{line}\n" for line in self._lines()).encode()

    def _lines(self) -> Iterator[str]:
        requests = [({"method": m, "route": r, "status": str(s)}, n) for (m, r, s), n in sorted(self._requests.items())]
        yield from _family("plait_requests_total", "counter", "requests answered", requests)
        yield from _family("plait_requests_active", "gauge", "requests in progress", [({}, self._active)])
        sent = [({"method": m, "route": r}, n) for (m, r), n in sorted(self._sent.items())]
        yield from _family("plait_response_bytes_total", "counter", "bytes of response bodies", sent)
        yield from self._histogram()
        for name, told in (("working", "requests that a lane is processing"), ("queued", "requests waiting in a lane")):
            values = [({"lane": lane.name}, getattr(lane, name)) for lane in self._lanes]
            yield from _family(f"plait_lane_{name}", "gauge", told, values)
        refused = [({"lane": lane.name}, lane.refused) for lane in self._lanes]
        yield from _family(
            "plait_lane_refused_total", "counter", "requests rejected because their lane was full", refused
        )
        spool = self._service.spool
        budgets = [({"of": name}, one.used) for name, one in
                   (("memory", spool.memory), ("disk", spool.disk), ("uploads", spool.uploads))]  # fmt: skip
        yield from _family(
            "plait_budget_used", "gauge", "used by bodies: bytes of memory and disk, number of uploads", budgets
        )
        failures: list[tuple[dict[str, str], int]] = [({}, self._failures.count)]
        yield from _family("plait_database_errors_total", "counter", "database errors", failures)
        info = [({"version": __version__}, 1)]
        yield from _family("plait_build_info", "gauge", "the version of plait, always 1", info)
        yield from _family(
            "process_start_time_seconds",
            "gauge",
            "start time of the process in seconds since 1970",
            [({}, self._begun)],
        )
        memory = _resident()
        if memory is not None:
            yield from _family(
                "process_resident_memory_bytes", "gauge", "memory of the process in bytes", [({}, memory)]
            )

    def _histogram(self) -> Iterator[str]:
        name = "plait_request_duration_seconds"
        yield f"# HELP {name} seconds to answer a request"
        yield f"# TYPE {name} histogram"
        for (method, route), (counts, total) in sorted(self._seconds.items()):
            labels = {"method": method, "route": route}
            so_far = 0
            for bound, count in zip((*map(str, _BOUNDS), "+Inf"), counts, strict=True):
                so_far += count
                yield f"{name}_bucket{_labels(labels | {'le': bound})} {so_far}"
            yield f"{name}_sum{_labels(labels)} {total:.6f}"
            yield f"{name}_count{_labels(labels)} {so_far}"


def _family(name: str, kind: str, message: str, values: Iterable[tuple[dict[str, str], float]]) -> Iterator[str]:
    yield f"# HELP {name} {message}"
    yield f"# TYPE {name} {kind}"
    for labels, value in values:
        yield f"{name}{_labels(labels)} {value}"


def _labels(labels: dict[str, str]) -> str:
    escaped = (
        (name, value.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")) for name, value in labels.items()
    )
    return "{" + ",".join(f'{name}="{value}"' for name, value in escaped) + "}" if labels else ""


def _resident() -> int | None:
    """Bytes of memory of the process, or None if unknown."""
    try:
        with open("/proc/self/statm", "rb") as file:
            return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except (OSError, ValueError, IndexError, AttributeError):
        return None
