"""Traces for OpenTelemetry, when they are asked for. Where they go is said the standard way, by ``OTEL_…`` variables."""

from __future__ import annotations

from typing import TYPE_CHECKING

from starlette.middleware import Middleware

from tablecall.engine import VERSION
from tablecall.settings import Settings

if TYPE_CHECKING:
    from opentelemetry.sdk.trace import TracerProvider


WITHHELD = ("url.path", "url.query", "client.address", "user_agent.original", "http.request.method_original")
"""What of a span is the caller's own; the route's template says enough."""


def provider() -> TracerProvider:
    """Sends spans by OTLP over HTTP, in the background; ``OTEL_SERVICE_NAME`` and the like are honoured."""
    from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
    from opentelemetry.sdk.resources import SERVICE_NAME, SERVICE_VERSION, OTELResourceDetector, Resource
    from opentelemetry.sdk.trace import Span, SpanProcessor, TracerProvider
    from opentelemetry.sdk.trace.export import BatchSpanProcessor

    class Discreet(SpanProcessor):
        """Takes out of a span what was sent, as it starts."""

        def on_start(self, span: Span, parent_context: object = None) -> None:
            span.set_attributes({name: "" for name in WITHHELD if name in (span.attributes or {})})

    named = Resource({SERVICE_NAME: "tablecall", SERVICE_VERSION: VERSION}).merge(OTELResourceDetector().detect())
    found = TracerProvider(resource=named)
    found.add_span_processor(Discreet())
    found.add_span_processor(BatchSpanProcessor(OTLPSpanExporter()))
    return found


def layers(settings: Settings) -> list[Middleware]:
    """The layer that makes a span of every request, if traces are on. Nothing of it is even imported otherwise."""
    if not settings.traces:
        return []
    from starlette.middleware.opentelemetry import OpenTelemetryMiddleware

    return [Middleware(OpenTelemetryMiddleware, tracer_provider=provider(), excluded_urls=r"/(livez|readyz|metrics)$")]
