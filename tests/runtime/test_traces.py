"""Traces, when they are asked for."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer

import pytest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.sdk.trace import TracerProvider
from starlette.testclient import TestClient

from tablecall.app import create_app
from tablecall.runtime import traces
from tablecall.settings import Settings

PARENT = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"


class Collector(BaseHTTPRequestHandler):
    """Keeps what it is sent."""

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


def test_a_request_is_a_span_named_by_its_route(collector: list[bytes], monkeypatch: pytest.MonkeyPatch) -> None:
    [layer] = traces.layers(Settings(traces=True))
    provider = layer.kwargs["tracer_provider"]
    assert isinstance(provider, TracerProvider)
    monkeypatch.setattr(traces, "layers", lambda settings: [layer])
    client = TestClient(create_app(Settings()))
    client.get("/systems/jazz?a-secret=1", headers={"traceparent": PARENT, "user-agent": "a-secret"})
    client.get("/livez")
    provider.shutdown()
    [sent] = collector
    [resource] = ExportTraceServiceRequest.FromString(sent).resource_spans
    assert "table one" in {one.value.string_value for one in resource.resource.attributes}
    [span] = resource.scope_spans[0].spans
    assert b"a-secret" not in sent
    assert span.name == "GET /systems/{system}"
    assert span.trace_id.hex() == PARENT.split("-")[1]
    assert span.parent_span_id.hex() == PARENT.split("-")[2]


def test_without_being_asked_there_are_none() -> None:
    assert traces.layers(Settings()) == []
