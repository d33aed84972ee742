"""What of a span is exported. Imported only when traces are on, because OpenTelemetry's SDK takes 50 ms to load."""

from __future__ import annotations

from collections.abc import Sequence

from opentelemetry.sdk.trace import ReadableSpan
from opentelemetry.sdk.trace.export import SpanExporter, SpanExportResult
from opentelemetry.trace import SpanContext, Status

ATTRIBUTES = frozenset(
    {"error.type", "http.request.method", "http.response.status_code", "http.route", "network.protocol.version", "url.scheme"}
)
"""The attributes that are exported. All others hold what the caller sent: path, query, host, port, address, user agent."""
METHODS = frozenset({"CONNECT", "DELETE", "GET", "HEAD", "OPTIONS", "PATCH", "POST", "PUT", "QUERY", "TRACE"})
"""The request methods that are exported. OpenTelemetry's conventions ask to replace any other by ``_OTHER``."""


class SpanFilter(SpanExporter):
    """Hands spans on to another exporter, without what the caller sent.

    A span keeps the trace id and the parent's span id, which join it to the caller's trace. It loses ``tracestate``, events (they
    hold messages of exceptions) and every attribute that is not in `ATTRIBUTES`.
    """

    def __init__(self, exporter: SpanExporter) -> None:
        self.exporter = exporter

    def export(self, spans: Sequence[ReadableSpan]) -> SpanExportResult:
        """Export what is left of the spans."""
        return self.exporter.export([_filtered(span) for span in spans])

    def shutdown(self) -> None:
        """Shut the other exporter down."""
        self.exporter.shutdown()


def _filtered(span: ReadableSpan) -> ReadableSpan:
    attributes = {name: value for name, value in (span.attributes or {}).items() if name in ATTRIBUTES}
    method = str(attributes["http.request.method"])
    if method not in METHODS:
        method, attributes["http.request.method"] = "HTTP", "_OTHER"
    return ReadableSpan(
        name=f"{method} {attributes['http.route']}" if "http.route" in attributes else method,
        context=_without_state(span.context),
        parent=_without_state(span.parent),
        resource=span.resource,
        attributes=attributes,
        kind=span.kind,
        status=Status(span.status.status_code),
        start_time=span.start_time,
        end_time=span.end_time,
        instrumentation_scope=span.instrumentation_scope,
    )


def _without_state(context: SpanContext | None) -> SpanContext | None:
    return context and SpanContext(context.trace_id, context.span_id, context.is_remote, context.trace_flags)
