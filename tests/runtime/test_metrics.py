"""The metrics as Prometheus reads them."""

from __future__ import annotations

from typing import Any

import pytest
from prometheus_client.openmetrics.parser import text_string_to_metric_families as as_openmetrics
from prometheus_client.parser import text_string_to_metric_families as as_text
from starlette.testclient import TestClient

from tablecall.app import create_app
from tablecall.runtime.services import Services
from tablecall.settings import Settings

CHECK = {"actor": {"bonus": 3}, "difficulty": 10, "seed": "42"}
RESOLVE = "{{ resolve(request: {{jazzCheck: {{actor: {{bonus: {}}}, difficulty: 10, seed: 42}}}}) {{ outcome }} }}"


@pytest.fixture
def service() -> TestClient:
    return TestClient(create_app(Settings()))


def samples(service: TestClient) -> dict[tuple[str, str], float]:
    """Every sample, by its name and its label values."""
    families = as_text(service.get("/metrics").text)
    return {(sample.name, " ".join(sample.labels.values())): sample.value for family in families for sample in family.samples}


@pytest.mark.parametrize(
    ("requests", "expected"),
    [
        pytest.param(
            [("GET", f"/systems/jazz/rules/{rule}", {}) for rule in ("jazz.check.success", "jazz.dice.roll", "nonsense")],
            {
                ("requests_total", "GET /systems/{system}/rules/{id} 200"): 2,
                ("requests_total", "GET /systems/{system}/rules/{id} 404"): 1,
                ("request_seconds_count", "GET /systems/{system}/rules/{id}"): 3,
            },
            id="by route template",
        ),
        pytest.param(
            [("ONE", "/one", {}), ("TWO", "/two", {})],
            {("requests_total", "other unmatched 404"): 2},
            id="unknown paths and methods together",
        ),
        pytest.param(
            [(method, "/systems", {}) for method in ("PUT", "DELETE", "PATCH", "GET")],
            {
                ("requests_total", "other /systems 405"): 3,
                ("request_seconds_count", "other /systems"): 3,
                ("request_seconds_count", "GET /systems"): 1,
            },
            id="methods that a route does not support together",
        ),
        pytest.param(
            [
                ("POST", "/resolve/jazz/check", {"json": CHECK}),
                ("POST", "/resolve", {"json": {"action": "jazz.check", **CHECK}}),
                ("POST", "/odds/jazz/check", {"json": CHECK}),
                ("POST", "/graphql", {"json": {"query": RESOLVE.format(3)}}),
            ],
            {("actions_total", "jazz.check failure resolve"): 3, ("actions_total", "jazz.check counted odds"): 1},
            id="actions with their outcome",
        ),
        pytest.param(
            [
                ("POST", "/resolve/jazz/check", {"json": {}}),
                ("POST", "/resolve/jazz/check", {"content": "{}"}),
                ("POST", "/graphql", {"json": {"query": RESOLVE.format(99999)}}),
                ("POST", "/graphql", {"content": "{}"}),
            ],
            {("refusals_total", "invalid-request"): 2, ("refusals_total", "unsupported-media-type"): 2},
            id="refusals by code",
        ),
    ],
)
def test_requests_are_counted(
    service: TestClient, requests: list[tuple[str, str, dict[str, Any]]], expected: dict[tuple[str, str], float]
) -> None:
    for method, path, sent in requests:
        service.request(method, path, **sent)
    metrics = samples(service)
    assert {(name, labels): metrics[f"tablecall_{name}", labels] for name, labels in expected} == expected


def test_load_and_dropped_log_lines_are_shown() -> None:
    services = Services(Settings(odds_workers=2, odds_queue=3))
    service = TestClient(create_app(services=services))
    names = ("running", "draining", "odds_waiting", "odds_room", "log_lines_dropped_total")
    for draining, dropped in ((False, 0), (True, 3)):
        services.draining, services.writer.dropped = draining, dropped
        metrics = samples(service)
        assert [metrics[f"tablecall_{name}", ""] for name in names] == [1, draining, 0, 5, dropped]


def test_openmetrics_is_sent_if_the_client_accepts_it(service: TestClient) -> None:
    service.get("/systems")
    response = service.get("/metrics", headers={"accept": "application/openmetrics-text; version=1.0.0"})
    assert response.headers["content-type"].startswith("application/openmetrics-text")
    assert "tablecall_requests" in {family.name for family in as_openmetrics(response.text)}  # type: ignore[no-untyped-call]


def test_each_service_of_a_process_has_its_own_metrics(service: TestClient) -> None:
    TestClient(create_app(Settings())).get("/systems")
    assert ("tablecall_requests_total", "GET /systems 200") not in samples(service)
