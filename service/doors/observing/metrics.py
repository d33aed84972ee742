"""The metrics, as Prometheus reads them: by route template and by action, never by anything a caller may choose."""

from __future__ import annotations

from collections.abc import Callable

from prometheus_client import (
    CollectorRegistry,
    Counter,
    Gauge,
    GCCollector,
    Histogram,
    PlatformCollector,
    ProcessCollector,
    disable_created_metrics,
)
from prometheus_client.exposition import CONTENT_TYPE_LATEST, generate_latest
from prometheus_client.openmetrics.exposition import CONTENT_TYPE_LATEST as OPENMETRICS
from prometheus_client.openmetrics.exposition import generate_latest as as_openmetrics

from service.doors.observing.visit import Visit

disable_created_metrics()  # type: ignore[no-untyped-call]  # when a series began is for a scraper to know

BUCKETS = (0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0)
"""The upper bounds of the latency histograms, in seconds."""


class Metrics:
    """One service's metrics, in a registry of their own."""

    def __init__(self) -> None:
        self.registry = CollectorRegistry()
        self.requests = Counter("tablecall_requests", "Requests answered.", ("method", "route", "status"), registry=self.registry)
        self.seconds = Histogram(
            "tablecall_request_seconds", "Time to the whole answer.", ("method", "route"), buckets=BUCKETS, registry=self.registry
        )
        self.actions = Counter("tablecall_actions", "Actions answered.", ("verb", "action", "outcome"), registry=self.registry)
        self.refusals = Counter("tablecall_refusals", "Refusals, by the problem's code.", ("code",), registry=self.registry)
        self._bound: dict[tuple[str, str, int], tuple[Callable[[], None], Callable[[float], None]]] = {}
        self._acted: dict[tuple[str, str, str], Callable[[float], None]] = {}
        self._refused: dict[str, Callable[[], None]] = {}
        for collector in (ProcessCollector, PlatformCollector, GCCollector):
            collector(registry=self.registry)

    def gauge(self, name: str, text: str, read: Callable[[], float]) -> None:
        """A number that is asked for when somebody looks."""
        Gauge(f"tablecall_{name}", text, registry=self.registry).set_function(read)

    def told(self, method: str, route: str, visit: Visit, seconds: float) -> None:
        """Count one request. Children are looked up once each: that is most of what a metric costs."""
        key = (method, route, visit.status)
        bound = self._bound.get(key)
        if bound is None:
            bound = self._bound[key] = (
                self.requests.labels(method, route, str(visit.status)).inc,
                self.seconds.labels(method, route).observe,
            )
        bound[0]()
        bound[1](seconds)
        for action, count in visit.actions.items():
            acted = self._acted.get(action)
            if acted is None:
                acted = self._acted[action] = self.actions.labels(*action).inc
            acted(count)
        for code in visit.refusals:
            self.refused(code)

    def refused(self, code: str) -> None:
        """Count one refusal."""
        bound = self._refused.get(code)
        if bound is None:
            bound = self._refused[code] = self.refusals.labels(code).inc
        bound()

    def text(self, accept: str) -> tuple[bytes, str]:
        """All of them and the media type: OpenMetrics for whoever asks for it, Prometheus's own text for everybody else."""
        if "application/openmetrics-text" in accept:
            return as_openmetrics(self.registry), OPENMETRICS  # type: ignore[no-untyped-call]
        return generate_latest(self.registry), CONTENT_TYPE_LATEST
