"""The metrics, as Prometheus reads them: by route template and by action, never by anything a caller may choose.

They are counted in plain dictionaries, for all of that happens on one thread, and become Prometheus's own when somebody looks: in
another thread, for there may be thousands of lines, so what may grow meanwhile is copied first.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Iterator

from prometheus_client import CollectorRegistry, Gauge, GCCollector, PlatformCollector, ProcessCollector
from prometheus_client.exposition import CONTENT_TYPE_LATEST, generate_latest
from prometheus_client.metrics_core import CounterMetricFamily, HistogramMetricFamily, Metric
from prometheus_client.openmetrics.exposition import CONTENT_TYPE_LATEST as OPENMETRICS
from prometheus_client.openmetrics.exposition import generate_latest as as_openmetrics
from prometheus_client.registry import Collector
from prometheus_client.utils import floatToGoString

from tablecall.runtime.request_context import OTHER, RequestContext

BUCKETS = (0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0)
"""The upper bounds of the latency histograms, in seconds."""
_BOUNDS = [*map(floatToGoString, BUCKETS), "+Inf"]


class Times:
    """How many requests to one route took how long, and all of them together."""

    __slots__ = ("counts", "seconds")

    def __init__(self) -> None:
        self.counts = [0] * len(_BOUNDS)
        self.seconds = 0.0

    def buckets(self) -> list[tuple[str, float]]:
        """For each bound, how many took no longer."""
        found, sum_so_far = [], 0
        for bound, count in zip(_BOUNDS, self.counts, strict=True):
            sum_so_far += count
            found.append((bound, float(sum_so_far)))
        return found


class Metrics(Collector):
    """One service's metrics, in a registry of their own."""

    def __init__(self) -> None:
        self.registry = CollectorRegistry()
        self.requests: Counter[tuple[str, str, int]] = Counter()
        self.times: dict[tuple[str, str], Times] = {}
        self.actions: Counter[tuple[str, str, str]] = Counter()
        self.refusals: Counter[str] = Counter()
        self._counters: list[tuple[str, str, Callable[[], float]]] = []
        self.registry.register(self)
        for collector in (ProcessCollector, PlatformCollector, GCCollector):
            collector(registry=self.registry)

    def gauge(self, name: str, text: str, read: Callable[[], float]) -> None:
        """A number that is asked for when somebody looks."""
        Gauge(f"tablecall_{name}", text, registry=self.registry).set_function(read)

    def counter(self, name: str, text: str, read: Callable[[], float]) -> None:
        """Add a total that is kept elsewhere and read when the metrics are requested."""
        self._counters.append((f"tablecall_{name}", text, read))

    def count(self, seen: RequestContext) -> None:
        """Count one request; those by a method that its route does not answer, together."""
        method = seen.method if seen.status != 405 else OTHER
        self.requests[method, seen.route, seen.status] += 1
        times = self.times.get((method, seen.route))
        if times is None:
            times = self.times[method, seen.route] = Times()
        times.counts[bisect_left(BUCKETS, seen.seconds)] += 1
        times.seconds += seen.seconds
        for action, count in seen.actions.items():
            self.actions[action] += count
        for code in seen.refusals:
            self.refusals[code] += 1

    def refused(self, code: str) -> None:
        """Count one refusal."""
        self.refusals[code] += 1

    def collect(self) -> Iterator[Metric]:
        """All that was counted so far."""
        requests = CounterMetricFamily("tablecall_requests", "Requests answered.", labels=("method", "route", "status"))
        for (method, route, status), count in list(self.requests.items()):
            requests.add_metric((method, route, str(status)), count)
        seconds = HistogramMetricFamily("tablecall_request_seconds", "Time to the whole answer.", labels=("method", "route"))
        for labels, times in list(self.times.items()):
            seconds.add_metric(labels, times.buckets(), times.seconds)
        actions = CounterMetricFamily("tablecall_actions", "Actions answered.", labels=("verb", "action", "outcome"))
        for action, count in list(self.actions.items()):
            actions.add_metric(action, count)
        refusals = CounterMetricFamily("tablecall_refusals", "Refusals, by the problem's code.", labels=("code",))
        for code, count in list(self.refusals.items()):
            refusals.add_metric((code,), count)
        yield from (requests, seconds, actions, refusals)
        for name, text, read in self._counters:
            yield CounterMetricFamily(name, text, read())

    def text(self, accept: str) -> tuple[bytes, str]:
        """All of them and the media type: OpenMetrics for whoever asks for it, Prometheus's own text for everybody else."""
        if "application/openmetrics-text" in accept:
            return as_openmetrics(self.registry), OPENMETRICS  # type: ignore[no-untyped-call]
        return generate_latest(self.registry), CONTENT_TYPE_LATEST
