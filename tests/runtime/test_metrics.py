"""The metrics as Prometheus reads them."""

from __future__ import annotations

import pytest
from prometheus_client.openmetrics.parser import text_string_to_metric_families as as_openmetrics
from prometheus_client.parser import text_string_to_metric_families as as_text
from starlette.testclient import TestClient

from tablecall.app import create_app
from tablecall.runtime.services import Services
from tablecall.settings import Settings

CHECK = {"actor": {"bonus": 3}, "difficulty": 10, "seed": "42"}


@pytest.fixture
def service() -> TestClient:
    return TestClient(create_app(Settings()))


def samples(service: TestClient) -> dict[tuple[str, str], float]:
    """Every sample, by its name and its label values."""
    families = as_text(service.get("/metrics").text)
    return {(sample.name, " ".join(sample.labels.values())): sample.value for family in families for sample in family.samples}


def test_requests_are_counted_by_route_template(service: TestClient) -> None:
    for rule in ("jazz.check.success", "jazz.dice.roll", "nonsense"):
        service.get(f"/systems/jazz/rules/{rule}")
    metrics = samples(service)
    assert metrics["tablecall_requests_total", "GET /systems/{system}/rules/{id} 200"] == 2
    assert metrics["tablecall_requests_total", "GET /systems/{system}/rules/{id} 404"] == 1
    assert metrics["tablecall_request_seconds_count", "GET /systems/{system}/rules/{id}"] == 3


def test_unknown_paths_and_methods_are_counted_together(service: TestClient) -> None:
    for name in ("one", "two"):
        service.request(name.upper(), f"/{name}")
    assert samples(service)["tablecall_requests_total", "other unmatched 404"] == 2


def test_methods_that_a_route_does_not_support_are_counted_together(service: TestClient) -> None:
    for method in ("PUT", "DELETE", "PATCH"):
        service.request(method, "/systems")
    service.get("/systems")
    metrics = samples(service)
    assert metrics["tablecall_requests_total", "other /systems 405"] == 3
    assert metrics["tablecall_request_seconds_count", "other /systems"] == 3
    assert metrics["tablecall_request_seconds_count", "GET /systems"] == 1


def test_actions_are_counted_with_their_outcome(service: TestClient) -> None:
    service.post("/resolve/jazz/check", json=CHECK)
    service.post("/resolve", json={"action": "jazz.check", **CHECK})
    service.post("/odds/jazz/check", json=CHECK)
    service.post("/graphql", json={"query": "{ resolve(request: {jazzCheck: {actor: {bonus: 3}, difficulty: 10, seed: 42}}) { outcome } }"})
    metrics = samples(service)
    assert metrics["tablecall_actions_total", "jazz.check failure resolve"] == 3
    assert metrics["tablecall_actions_total", "jazz.check counted odds"] == 1


def test_refusals_of_rest_and_graphql_are_counted_by_code(service: TestClient) -> None:
    service.post("/resolve/jazz/check", json={})
    service.post("/resolve/jazz/check", content="{}")
    service.post("/graphql", json={"query": "{ resolve(request: {jazzCheck: {actor: {bonus: 99999}, difficulty: 10}}) { outcome } }"})
    service.post("/graphql", content="{}")
    metrics = samples(service)
    assert metrics["tablecall_refusals_total", "invalid-request"] == 2
    assert metrics["tablecall_refusals_total", "unsupported-media-type"] == 2


def test_it_says_how_busy_it_is() -> None:
    services = Services(Settings(odds_workers=2, odds_queue=3))
    service = TestClient(create_app(services=services))
    found = samples(service)
    names = ("running", "draining", "odds_waiting", "odds_room")
    assert [found[f"tablecall_{name}", ""] for name in names] == [1, 0, 0, 5]
    services.draining = True
    assert samples(service)["tablecall_draining", ""] == 1


def test_dropped_log_lines_are_counted() -> None:
    services = Services(Settings())
    service = TestClient(create_app(services=services))
    assert samples(service)["tablecall_log_lines_dropped_total", ""] == 0
    services.writer.dropped = 3
    assert samples(service)["tablecall_log_lines_dropped_total", ""] == 3


def test_openmetrics_is_sent_if_the_client_accepts_it(service: TestClient) -> None:
    service.get("/systems")
    response = service.get("/metrics", headers={"accept": "application/openmetrics-text; version=1.0.0"})
    assert response.headers["content-type"].startswith("application/openmetrics-text")
    assert "tablecall_requests" in {family.name for family in as_openmetrics(response.text)}  # type: ignore[no-untyped-call]


def test_two_services_in_one_process_count_for_themselves() -> None:
    one, other = TestClient(create_app(Settings())), TestClient(create_app(Settings()))
    one.get("/systems")
    assert ("tablecall_requests_total", "GET /systems 200") not in samples(other)
