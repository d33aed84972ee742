"""OpenTelemetry traces. The standard ``OTEL_…`` variables say where they are sent."""

from __future__ import annotations

from typing import TYPE_CHECKING

from starlette.middleware import Middleware

from tablecall.engine import VERSION
from tablecall.settings import Settings

if TYPE_CHECKING:
    from opentelemetry.sdk.trace import TracerProvider
    from opentelemetry.sdk.trace.export import SpanExporter


def provider(exporter: SpanExporter | None = None) -> TracerProvider:
    """Make the provider that sends spans in the background, to ``exporter`` or by OTLP over HTTP.

    ``OTEL_SERVICE_NAME`` and the other standard variables apply. `SpanFilter` says what of a span is sent.
    """
    from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
    from opentelemetry.sdk.resources import SERVICE_NAME, SERVICE_VERSION, OTELResourceDetector, Resource
    from opentelemetry.sdk.trace import TracerProvider
    from opentelemetry.sdk.trace.export import BatchSpanProcessor

    from tablecall.runtime.span_filter import SpanFilter

    resource = Resource({SERVICE_NAME: "tablecall", SERVICE_VERSION: VERSION}).merge(OTELResourceDetector().detect())
    made = TracerProvider(resource=resource)
    made.add_span_processor(BatchSpanProcessor(SpanFilter(exporter or OTLPSpanExporter())))
    return made


def layers(settings: Settings) -> list[Middleware]:
    """The layer that makes a span of every request if traces are on. OpenTelemetry is imported only then."""
    if not settings.traces:
        return []
    from starlette.middleware.opentelemetry import OpenTelemetryMiddleware

    return [Middleware(OpenTelemetryMiddleware, tracer_provider=provider(), excluded_urls=r"/(livez|readyz|metrics)$")]
