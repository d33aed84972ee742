"""Traces: spans are sent, and hold nothing that the client chose except the ids of its trace."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer

import pytest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from opentelemetry.trace import StatusCode
from starlette.middleware.opentelemetry import OpenTelemetryMiddleware
from starlette.testclient import TestClient
from starlette.types import ASGIApp

from tablecall.app import create_app
from tablecall.runtime import traces
from tablecall.settings import Settings

PARENT = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"


class Collector(BaseHTTPRequestHandler):
    """Keeps the bodies of the requests it receives."""

    sent: list[bytes]

    def do_POST(self) -> None:
        self.sent.append(self.rfile.read(int(self.headers["content-length"])))
        self.send_response(200)
        self.end_headers()

    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture
def collector(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[bytes]]:
    Collector.sent = []
    server = HTTPServer(("127.0.0.1", 0), Collector)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", f"http://127.0.0.1:{server.server_port}")
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_COMPRESSION", "none")
    monkeypatch.setenv("OTEL_SERVICE_NAME", "table one")
    yield Collector.sent
    server.shutdown()
    thread.join()
    server.server_close()


def test_spans_are_sent_to_the_collector(collector: list[bytes], monkeypatch: pytest.MonkeyPatch) -> None:
    [layer] = traces.layers(Settings(traces=True))
    provider = layer.kwargs["tracer_provider"]
    assert isinstance(provider, TracerProvider)
    monkeypatch.setattr(traces, "layers", lambda settings: [layer])
    client = TestClient(create_app(Settings()))
    client.get("/systems/jazz", headers={"traceparent": PARENT})
    client.get("/livez")
    provider.shutdown()
    [sent] = collector
    [resource] = ExportTraceServiceRequest.FromString(sent).resource_spans
    assert "table one" in {attribute.value.string_value for attribute in resource.resource.attributes}
    [span] = resource.scope_spans[0].spans
    assert span.name == "GET /systems/{system}"
    assert span.trace_id.hex() == PARENT.split("-")[1]
    assert span.parent_span_id.hex() == PARENT.split("-")[2]


def exported(app: ASGIApp, method: str, url: str) -> ReadableSpan:
    """The span that is exported of one request whose every part holds the word "secret"."""
    exporter = InMemorySpanExporter()
    provider = traces.provider(exporter)
    client = TestClient(OpenTelemetryMiddleware(app, tracer_provider=provider), "http://secret.example:8123", raise_server_exceptions=False)
    secrets = {"tracestate": "vendor=secret", "baggage": "name=secret", "user-agent": "secret", "x-secret": "secret"}
    client.request(method, url, headers={"traceparent": PARENT, **secrets})
    provider.shutdown()
    [span] = exporter.get_finished_spans()
    return span


CONNECTION = {"network.protocol.version": "1.1", "url.scheme": "http"}


@pytest.mark.parametrize(
    ("method", "url", "name", "sent", "status", "route"),
    [
        ("GET", "/systems/jazz?secret=1", "GET /systems/{system}", "GET", 200, {"http.route": "/systems/{system}"}),
        ("POST", "/secret", "POST", "POST", 404, {}),
        ("SECRET", "/secret", "HTTP", "_OTHER", 404, {}),
        ("SECRET", "/systems", "HTTP /systems", "_OTHER", 405, {"http.route": "/systems"}),
    ],
)
def test_attributes_of_a_span(method: str, url: str, name: str, sent: str, status: int, route: dict[str, str]) -> None:
    span = exported(create_app(Settings()), method, url)
    assert span.name == name
    assert span.attributes == {"http.request.method": sent, "http.response.status_code": status, **route, **CONNECTION}
    assert (span.events, span.links, span.status.description) == ((), (), None)
    assert span.context is not None
    assert span.parent is not None
    assert f"{span.context.trace_id:032x}-{span.parent.span_id:016x}" == PARENT[3:-3]
    assert (dict(span.context.trace_state), dict(span.parent.trace_state)) == ({}, {})
    assert "secret" not in span.to_json().lower()


def test_exception_is_named_without_its_message() -> None:
    async def fails(*_: object) -> None:
        raise ValueError("secret")

    span = exported(fails, "GET", "/")
    assert span.attributes == {"error.type": "ValueError", "http.request.method": "GET", **CONNECTION}
    assert (span.events, span.status.status_code) == ((), StatusCode.ERROR)
    assert "secret" not in span.to_json()


def test_traces_are_off_by_default() -> None:
    assert traces.layers(Settings()) == []
