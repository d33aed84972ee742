"""The metrics for Prometheus. Labels are route templates and names of actions, never text a caller chose.

Plain dictionaries hold the counts, because only the event loop's thread counts: 0.5 µs a request against 5 µs with
``prometheus_client``. A scrape converts them in another thread; it copies each dictionary first, because it may grow meanwhile.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Iterator
from itertools import accumulate

from prometheus_client import CollectorRegistry, Gauge, GCCollector, PlatformCollector, ProcessCollector
from prometheus_client.exposition import choose_encoder
from prometheus_client.metrics_core import CounterMetricFamily, HistogramMetricFamily, Metric
from prometheus_client.registry import Collector
from prometheus_client.utils import floatToGoString

from tablecall.runtime.request_record import OTHER, RequestRecord

BUCKETS = (0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0)
"""The upper bounds of the latency histograms, in seconds."""
_BOUNDS = [*map(floatToGoString, BUCKETS), "+Inf"]


class Times:
    """The latencies of one route: a count for each bucket, and the sum in seconds."""

    __slots__ = ("counts", "seconds")

    def __init__(self) -> None:
        self.counts = [0] * len(_BOUNDS)
        self.seconds = 0.0

    def buckets(self) -> list[tuple[str, float]]:
        """The cumulative count up to each bound."""
        cumulative = accumulate(self.counts)
        return [(bound, float(count)) for bound, count in zip(_BOUNDS, cumulative, strict=True)]


class Metrics(Collector):
    """The metrics of one service, in their own registry."""

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
        """Add a gauge that is read when the metrics are requested."""
        Gauge(f"tablecall_{name}", text, registry=self.registry).set_function(read)

    def counter(self, name: str, text: str, read: Callable[[], float]) -> None:
        """Add a total that is kept elsewhere and read when the metrics are requested."""
        self._counters.append((f"tablecall_{name}", text, read))

    def count(self, seen: RequestRecord) -> None:
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
        """Count one refusal by its problem code."""
        self.refusals[code] += 1

    def collect(self) -> Iterator[Metric]:
        """Yield all metrics as Prometheus families."""
        requests = CounterMetricFamily("tablecall_requests", "Requests that are over, by status.", labels=("method", "route", "status"))
        for (method, route, status), count in list(self.requests.items()):
            requests.add_metric((method, route, str(status)), count)
        seconds = HistogramMetricFamily("tablecall_request_seconds", "Seconds to the end of the response.", labels=("method", "route"))
        for labels, times in list(self.times.items()):
            seconds.add_metric(labels, times.buckets(), times.seconds)
        actions = CounterMetricFamily("tablecall_actions", "Actions resolved or counted, by outcome.", labels=("verb", "action", "outcome"))
        for action, count in list(self.actions.items()):
            actions.add_metric(action, count)
        refusals = CounterMetricFamily("tablecall_refusals", "Refusals, by problem code.", labels=("code",))
        for code, count in list(self.refusals.items()):
            refusals.add_metric((code,), count)
        yield from (requests, seconds, actions, refusals)
        for name, text, read in self._counters:
            yield CounterMetricFamily(name, text, read())

    def text(self, accept: str) -> tuple[bytes, str]:
        """All metrics and their media type: the format and version that the client accepts, by default Prometheus text 0.0.4."""
        encoder, media = choose_encoder(accept)
        return encoder(self.registry), media
