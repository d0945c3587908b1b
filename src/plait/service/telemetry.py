"""Traces and metrics of the service for OpenTelemetry: route, duration and status of requests.

No attribute contains parts of documents, names given by users, tokens, or parameters of requests. Names follow
OpenTelemetry's conventions for HTTP servers; plait's own names start with `plait.`.
"""

from __future__ import annotations

import os
import sys
import threading
from contextlib import contextmanager
from time import monotonic, perf_counter

from plait.base.errors import UsageError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from typing import TypeAlias

    from opentelemetry.sdk.metrics.export import MetricExporter
    from opentelemetry.sdk.trace.export import SpanExporter

    Attribute: TypeAlias = "str | bool | int | float"
    Note: TypeAlias = Callable[[str, Attribute], None]


class Telemetry:
    """The base class, which records nothing."""

    @contextmanager
    def request(self, method: str, route: str, headers: Mapping[str, str]) -> Iterator[Note]:
        """A context around a request. route: the template of its path. headers: may contain its trace."""
        del method, route, headers
        yield _ignore

    @contextmanager
    def span(self, name: str) -> Iterator[Note]:
        """A context around a part of a request."""
        del name
        yield _ignore

    def count(self, name: str, **attributes: Attribute) -> None:
        """Counts an event. name: one of COUNTED."""

    @contextmanager
    def rendering(self) -> Iterator[None]:
        """A context around rendering."""
        yield

    def end(self) -> None:
        """Sends pending data."""


def _ignore(name: str, value: Attribute) -> None:
    del name, value


# Counters, and their descriptions.
COUNTED = {
    "plait.revisions": "revisions created",
    "plait.renderings": "rendered revisions requested, by cache hit or miss",
    "plait.refusals": "requests answered with an error, by kind of error",
}
# Histogram bounds in seconds, from OpenTelemetry's conventions for requests.
_BOUNDS = [0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10]
# Seconds that the service waits for a receiver at shutdown.
_LAST = 3.0


class RecordingTelemetry(Telemetry):
    """Records through OpenTelemetry's API, with the providers of the process. version: the version of plait."""

    def __init__(self, version: str) -> None:
        """Raises UsageError if the API is not installed."""
        try:
            from opentelemetry import metrics, propagate, trace
        except ModuleNotFoundError as error:
            raise missing(error) from None
        self._tracer = trace.get_tracer("plait", version)
        self._server = trace.SpanKind.SERVER
        self._failed = trace.Status(trace.StatusCode.ERROR)
        self._extract = propagate.extract
        meter = metrics.get_meter("plait", version)
        self._duration, self._rendering = (
            meter.create_histogram(name, "s", told, explicit_bucket_boundaries_advisory=_BOUNDS)
            for name, told in (
                ("http.server.request.duration", "time to answer a request"),
                ("plait.rendering.duration", "time to render documents"),
            )
        )
        self._active = meter.create_up_down_counter(
            "http.server.active_requests", "{request}", "requests being answered"
        )
        self._counters = {name: meter.create_counter(name, "1", told) for name, told in COUNTED.items()}

    @contextmanager
    def request(self, method: str, route: str, headers: Mapping[str, str]) -> Iterator[Note]:
        known: dict[str, Attribute] = {"http.request.method": method, "url.scheme": "http"}
        if route:
            known["http.route"] = route
        found: dict[str, Attribute] = {}
        begun = perf_counter()
        self._active.add(1, known)
        # Messages of exceptions may contain parts of documents.
        with self._tracer.start_as_current_span(
            f"{method} {route}".strip(), self._extract(headers), self._server, known,
            record_exception=False, set_status_on_exception=False,
        ) as span:  # fmt: skip
            try:
                yield found.__setitem__
            finally:
                for name, value in found.items():
                    span.set_attribute(name, value)
                status = found.get("http.response.status_code", 500)
                if isinstance(status, int) and status >= 500:
                    span.set_status(self._failed)
                self._active.add(-1, known)
                self._duration.record(perf_counter() - begun, known | found)
                if "error.type" in found:
                    self.count("plait.refusals", kind=found["error.type"])

    @contextmanager
    def span(self, name: str) -> Iterator[Note]:
        with self._tracer.start_as_current_span(name, record_exception=False, set_status_on_exception=False) as span:
            yield span.set_attribute

    def count(self, name: str, **attributes: Attribute) -> None:
        self._counters[name].add(1, attributes)

    @contextmanager
    def rendering(self) -> Iterator[None]:
        begun = perf_counter()
        try:
            yield
        finally:
            self._rendering.record(perf_counter() - begun)


class ExportingTelemetry(RecordingTelemetry):
    """Records, and exports to the destination in the OTEL_ environment variables. Raises UsageError."""

    def __init__(self, version: str) -> None:
        try:
            from opentelemetry import metrics, trace
            from opentelemetry.sdk.metrics import MeterProvider
            from opentelemetry.sdk.metrics.export import PeriodicExportingMetricReader
            from opentelemetry.sdk.resources import Resource
            from opentelemetry.sdk.trace import TracerProvider
            from opentelemetry.sdk.trace.export import BatchSpanProcessor

            spans, measures = _span_exporter(), _metric_exporter()
        except ModuleNotFoundError as error:
            raise missing(error) from None
        found: dict[str, str] = {"service.version": version}
        # These settings take precedence over environment variables.
        if not os.environ.get("OTEL_SERVICE_NAME") and "service.name=" not in os.environ.get(
            "OTEL_RESOURCE_ATTRIBUTES", ""
        ):
            found["service.name"] = "plait"
        resource = Resource.create(found)
        traces = TracerProvider(resource=resource, shutdown_on_exit=False)
        if spans is not None:
            traces.add_span_processor(BatchSpanProcessor(spans))
        readers = [PeriodicExportingMetricReader(measures)] if measures is not None else []
        meters = MeterProvider(readers, resource, shutdown_on_exit=False)
        trace.set_tracer_provider(traces)
        metrics.set_meter_provider(meters)
        self._end = [traces.shutdown, meters.shutdown]
        super().__init__(version)

    def end(self) -> None:
        # Retries for an unreachable receiver would take longer than a shutdown may.
        threads = [threading.Thread(target=end, daemon=True) for end in self._end]
        for thread in threads:
            thread.start()
        until = monotonic() + _LAST
        for thread in threads:
            thread.join(max(until - monotonic(), 0))


def _span_exporter() -> SpanExporter | None:
    if _wanted("OTEL_TRACES_EXPORTER") == "console":
        from opentelemetry.sdk.trace.export import ConsoleSpanExporter

        return ConsoleSpanExporter(out=sys.stderr)
    if _wanted("OTEL_TRACES_EXPORTER") == "none":
        return None
    from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter

    return OTLPSpanExporter()


def _metric_exporter() -> MetricExporter | None:
    if _wanted("OTEL_METRICS_EXPORTER") == "console":
        from opentelemetry.sdk.metrics.export import ConsoleMetricExporter

        return ConsoleMetricExporter(out=sys.stderr)
    if _wanted("OTEL_METRICS_EXPORTER") == "none":
        return None
    from opentelemetry.exporter.otlp.proto.http.metric_exporter import OTLPMetricExporter

    return OTLPMetricExporter()


def _wanted(variable: str) -> str:
    """The exporter that a variable names. Raises UsageError for an unknown one."""
    found = os.environ.get(variable) or "otlp"
    if found not in _EXPORTERS:
        raise UsageError(f'{variable} is "{found}"', expected=" or ".join(_EXPORTERS), code="service-settings")
    protocol = os.environ.get("OTEL_EXPORTER_OTLP_PROTOCOL", _PROTOCOL)
    if found == "otlp" and protocol != _PROTOCOL:
        raise UsageError(f'OTEL_EXPORTER_OTLP_PROTOCOL is "{protocol}"', expected=_PROTOCOL, code="service-settings")
    return found


_EXPORTERS = ("otlp", "console", "none")
_PROTOCOL = "http/protobuf"


def missing(error: ModuleNotFoundError) -> UsageError:
    """The error for a missing library."""
    return UsageError(
        "traces and metrics are an extra that is not installed",
        found=f"no module {error.name}",
        hint="pip install 'plait[telemetry]'",
        code="extra-not-installed",
    )
