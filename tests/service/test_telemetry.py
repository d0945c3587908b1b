"""Traces and metrics: what is recorded of a request, what never is, and what a receiver of OpenTelemetry gets."""

from __future__ import annotations

import gzip
import http.client
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
import serving

from patience import LONGEST
from plait.base.errors import UsageError
from plait.service.app import application
from plait.service.telemetry import RecordingTelemetry

pytest.importorskip("opentelemetry.sdk")

from opentelemetry import metrics, trace
from opentelemetry.proto.collector.metrics.v1.metrics_service_pb2 import ExportMetricsServiceRequest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.sdk.metrics import MeterProvider
from opentelemetry.sdk.metrics.export import InMemoryMetricReader
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

CANARY = "canary7f3"
DOCUMENT: list[object] = [{"name": f"name-{CANARY}", "data": {"password": f"data-{CANARY}"}}]


@pytest.fixture(scope="module")
def providers() -> tuple[InMemorySpanExporter, InMemoryMetricReader]:
    """A process has one provider of each, for all that it does."""
    spans, reader = InMemorySpanExporter(), InMemoryMetricReader()
    tracers = TracerProvider()
    tracers.add_span_processor(SimpleSpanProcessor(spans))
    trace.set_tracer_provider(tracers)
    metrics.set_meter_provider(MeterProvider([reader]))
    return spans, reader


@pytest.fixture
def spans(providers: tuple[InMemorySpanExporter, InMemoryMetricReader]) -> InMemorySpanExporter:
    providers[0].clear()
    return providers[0]


@pytest.fixture
def client(providers: tuple[InMemorySpanExporter, InMemoryMetricReader], tmp_path: Path) -> Iterator[serving.Client]:
    del providers
    found = serving.Client(application(f"sqlite:///{tmp_path}/plait.db", telemetry=RecordingTelemetry("1")))
    yield found
    found.close()


def put(client: serving.Client, body: str, **headers: str) -> serving.Reply:
    return client.ask("PUT", f"/buckets/bucket-{CANARY}/documents", body, **headers)


def test_a_request_is_a_span_with_its_parts_below(client: serving.Client, spans: InMemorySpanExporter) -> None:
    parent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
    assert put(client, serving.body_of(DOCUMENT), traceparent=parent).status == 200
    by_name = {span.name: span for span in spans.get_finished_spans()}
    request = by_name["PUT /api/v1.0/buckets/{bucket}/documents"]
    assert request.context is not None
    assert f"{request.context.trace_id:x}" == "af7651916cd43dd8448eb211c80319c"
    assert request.attributes == {
        "http.request.method": "PUT",
        "url.scheme": "http",
        "http.route": "/api/v1.0/buckets/{bucket}/documents",
        "http.response.status_code": 200,
    }
    write = by_name["write"]
    assert write.parent is not None
    assert write.parent.span_id == request.context.span_id
    assert write.attributes is not None
    assert list(write.attributes) == ["plait.waited"]


def test_rendering_says_whether_it_was_there(client: serving.Client, spans: InMemorySpanExporter) -> None:
    put(client, serving.body_of(["policy", *DOCUMENT]))
    for _ in range(2):
        assert client.ask("GET", "/revisions/1/rendered-documents").status == 200
    rendered = [attributes(span) for span in spans.get_finished_spans() if span.name == "render"]
    assert [one["plait.cached"] for one in rendered] == [False, True]
    assert {one["plait.documents"] for one in rendered} == {2}


def attributes(span: ReadableSpan) -> dict[str, object]:
    return dict(span.attributes or {})


def test_an_error_has_its_kind_and_no_text(client: serving.Client, spans: InMemorySpanExporter) -> None:
    assert client.ask("GET", "/revisions/9").status == 404
    assert put(client, f"{CANARY}: [").status == 400
    found = [attributes(span) for span in spans.get_finished_spans() if "http.route" in attributes(span)]
    assert [one["http.response.status_code"] for one in found] == [404, 400]
    assert found[0]["error.type"] == "RevisionNotFound"
    assert not any(span.events for span in spans.get_finished_spans())


def test_nothing_of_documents_is_recorded(
    client: serving.Client, providers: tuple[InMemorySpanExporter, InMemoryMetricReader]
) -> None:
    bad: list[object] = [{"name": f"name-{CANARY}", "data": {}, "substitutions": CANARY}]
    put(client, serving.body_of(["policy", *DOCUMENT]), authorization=f"Bearer {CANARY}")
    put(client, serving.body_of(["policy", *bad]))
    put(client, f"{CANARY}: [")
    client.ask("GET", f"/revisions/1/rendered-documents?metadata.name=name-{CANARY}")
    client.ask("GET", f"/revisions/1/explain?path=name-{CANARY}:data.password")
    client.ask("GET", f"/revisions/{CANARY}/documents")
    client.ask("GET", f"/{CANARY}")
    told = [span.to_json() for span in providers[0].get_finished_spans()]
    data = providers[1].get_metrics_data()
    assert data is not None
    told.append(data.to_json())
    assert len(told) > 10
    assert not [text for text in told if CANARY in text]


def test_metrics_count_and_time(
    client: serving.Client, providers: tuple[InMemorySpanExporter, InMemoryMetricReader]
) -> None:
    put(client, serving.body_of(["policy", *DOCUMENT]))
    put(client, serving.body_of(["policy", *DOCUMENT]))
    client.ask("POST", "/rollback/1")
    client.ask("GET", "/revisions/9")
    for _ in range(2):
        client.ask("GET", "/revisions/1/rendered-documents")
    data = providers[1].get_metrics_data()
    assert data is not None
    found = {
        metric.name: metric for one in data.resource_metrics for scope in one.scope_metrics for metric in scope.metrics
    }
    assert {
        "http.server.request.duration",
        "http.server.active_requests",
        "plait.revisions",
        "plait.renderings",
    } <= set(found)
    assert found["http.server.request.duration"].unit == "s"
    [duration, *_] = found["http.server.request.duration"].data.data_points
    assert list(getattr(duration, "explicit_bounds", ()))[:2] == [0.005, 0.01]
    made = {dict(point.attributes or {})["how"] for point in found["plait.revisions"].data.data_points}
    assert made == {"put", "rollback"}
    refused = {dict(point.attributes or {})["kind"] for point in found["plait.refusals"].data.data_points}
    assert "RevisionNotFound" in refused
    cached = {dict(point.attributes or {})["cached"] for point in found["plait.renderings"].data.data_points}
    assert cached == {True, False}
    assert "plait.rendering.duration" in found
    active = [getattr(point, "value", None) for point in found["http.server.active_requests"].data.data_points]
    assert set(active) == {0}


class Receiver(ThreadingHTTPServer):
    """A receiver of OTLP over HTTP."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.bodies: dict[str, list[bytes]] = {}


class _Handler(BaseHTTPRequestHandler):
    server: Receiver

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        if self.headers.get("Content-Encoding") == "gzip":
            body = gzip.decompress(body)
        self.server.bodies.setdefault(self.path, []).append(body)
        self.send_response(200)
        self.end_headers()

    def log_message(self, format: str, *args: object) -> None:
        pass


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    with Receiver() as found:
        thread = threading.Thread(target=found.serve_forever)
        thread.start()
        yield found
        found.shutdown()
        thread.join()


def serve(tmp_path: Path, endpoint: str, during: Callable[[http.client.HTTPConnection], None], **more: str) -> str:
    """Run `plait serve --telemetry`; what it wrote to standard error."""
    environment = {**os.environ, "OTEL_EXPORTER_OTLP_ENDPOINT": endpoint, **more}
    command = [sys.executable, "-m", "plait", "serve", "--telemetry", "--port", "0"]
    with subprocess.Popen(command, cwd=tmp_path, env=environment, stderr=subprocess.PIPE, text=True) as server:
        assert server.stderr is not None
        address = server.stderr.readline().strip().removeprefix("plait: serving http://")
        connection = http.client.HTTPConnection(address, timeout=LONGEST)
        during(connection)
        connection.close()
        server.send_signal(signal.SIGTERM)
        return server.stderr.read()


def ask(connection: http.client.HTTPConnection) -> None:
    connection.request("GET", "/api/v1.0/revisions")
    assert connection.getresponse().read()


def test_a_receiver_gets_all_at_the_end(tmp_path: Path, receiver: Receiver) -> None:
    errors = serve(tmp_path, f"http://127.0.0.1:{receiver.server_port}", ask)
    assert "Traceback" not in errors
    traces = [ExportTraceServiceRequest.FromString(body) for body in receiver.bodies["/v1/traces"]]
    names = {
        span.name for one in traces for of in one.resource_spans for scope in of.scope_spans for span in scope.spans
    }
    assert "GET /api/v1.0/revisions" in names
    resource = {one.key: one.value.string_value for one in traces[0].resource_spans[0].resource.attributes}
    assert resource["service.name"] == "plait"
    measures = [ExportMetricsServiceRequest.FromString(body) for body in receiver.bodies["/v1/metrics"]]
    assert "http.server.request.duration" in str(measures)


def test_the_environment_names_the_service(tmp_path: Path, receiver: Receiver) -> None:
    named = {"OTEL_RESOURCE_ATTRIBUTES": "service.name=mine,place=here"}
    serve(tmp_path, f"http://127.0.0.1:{receiver.server_port}", ask, **named)
    traces = ExportTraceServiceRequest.FromString(receiver.bodies["/v1/traces"][0])
    resource = {one.key: one.value.string_value for one in traces.resource_spans[0].resource.attributes}
    assert (resource["service.name"], resource["place"]) == ("mine", "here")


def test_a_receiver_that_is_away_keeps_nobody_waiting(tmp_path: Path) -> None:
    errors = serve(tmp_path, "http://127.0.0.1:9", ask)
    assert "Traceback" not in errors


def test_other_exporters_are_refused_or_print(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "plait", "serve", "--telemetry", "--port", "0"]
    for variable, value in (("OTEL_TRACES_EXPORTER", "jaeger"), ("OTEL_EXPORTER_OTLP_PROTOCOL", "grpc")):
        done = subprocess.run(
            command, cwd=tmp_path, env={**os.environ, variable: value}, capture_output=True, text=True, check=False
        )
        assert done.returncode == 2
        assert f'{variable} is "{value}"' in done.stderr
    errors = serve(tmp_path, "", ask, OTEL_TRACES_EXPORTER="console", OTEL_METRICS_EXPORTER="none")
    assert '"GET /api/v1.0/revisions"' in errors


def test_a_missing_extra_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "opentelemetry", None)
    with pytest.raises(UsageError) as caught:
        RecordingTelemetry("1")
    assert caught.value.hint == "pip install 'plait[telemetry]'"
