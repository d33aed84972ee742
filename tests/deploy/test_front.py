"""compose, nginx, the Ingress, Prometheus and Grafana agree with each other and with the service."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
import yaml
from starlette.testclient import TestClient

from deploy.proof import front, watch
from tablecall.app import create_app
from tablecall.model.problems import KINDS
from tablecall.settings import Settings

DEPLOY = Path(__file__).parents[2] / "deploy"
TEMPLATE = (DEPLOY / "nginx" / "tablecall.conf.template").read_text()
COMPOSE: Any = yaml.safe_load((DEPLOY / "compose.yaml").read_text())
INGRESS: Any = yaml.safe_load((DEPLOY / "kubernetes" / "base" / "ingress.yaml").read_text())
DASHBOARD: Any = json.loads((DEPLOY / "grafana" / "tablecall.json").read_text())
ALERTS: Any = yaml.safe_load((DEPLOY / "prometheus" / "alerts.yml").read_text())


def test_compose_sets_the_variables_of_the_nginx_template() -> None:
    environment = COMPOSE["services"]["nginx"]["environment"]
    names = {name for name in environment if name.startswith("TABLECALL_")}
    assert names == set(re.findall(r"\$\{(TABLECALL_\w+)\}", re.sub(r"(?m)^#.*", "", TEMPLATE)))
    assert front.COMPOSED.items() <= environment.items()


def test_nginx_and_prometheus_know_both_hardened_replicas() -> None:
    replicas = {name: service for name, service in COMPOSE["services"].items() if service["image"].startswith("tablecall:")}
    assert len(replicas) == 2
    for service in replicas.values():
        assert (service["read_only"], service["cap_drop"], service["security_opt"]) == (True, ["ALL"], ["no-new-privileges:true"])
        assert service["mem_limit"]
        assert service["pids_limit"]
    addresses = [f"{name}:8000" for name in replicas]
    assert re.findall(r"server (\S+)", COMPOSE["services"]["nginx"]["environment"]["TABLECALL_REPLICAS"]) == addresses
    scraped = yaml.safe_load((DEPLOY / "prometheus" / "prometheus.yml").read_text())["scrape_configs"]
    assert [target for job in scraped for group in job["static_configs"] for target in group["targets"]] == addresses


def test_compose_waits_longer_than_a_replica_needs_to_stop() -> None:
    service = COMPOSE["services"]["tablecall-1"]
    grace = int(service["environment"]["TABLECALL_GRACE_SECONDS"])
    assert int(service["stop_grace_period"].removesuffix("s")) > grace + Settings.model_fields["drain_seconds"].default


def test_ingress_and_nginx_have_the_same_limits() -> None:
    annotations = INGRESS["metadata"]["annotations"]
    rate = front.COMPOSED["TABLECALL_RATE"]
    assert annotations["nginx.org/limit-req-rate"] == rate == f"{annotations['nginx.ingress.kubernetes.io/limit-rps']}r/s"
    assert annotations["nginx.org/limit-req-burst"] == front.COMPOSED["TABLECALL_BURST"]
    for name in ("nginx.org/client-max-body-size", "nginx.ingress.kubernetes.io/proxy-body-size"):
        assert f"client_max_body_size {annotations[name]};" in TEMPLATE
    for name in ("nginx.org/proxy-read-timeout", "nginx.ingress.kubernetes.io/proxy-read-timeout"):
        assert f"proxy_read_timeout    {annotations[name].removesuffix('s')}s;" in TEMPLATE
    assert f"proxy_next_upstream         {annotations['nginx.ingress.kubernetes.io/proxy-next-upstream']};" in TEMPLATE


def test_proxy_timeouts_are_longer_than_those_of_the_service() -> None:
    (seconds,) = map(int, re.findall(r"proxy_read_timeout +(\d+)s;", TEMPLATE))
    assert seconds > max(Settings.model_fields[name].default for name in ("request_seconds", "odds_seconds"))


def test_no_proxy_forwards_upgrades() -> None:
    """Events are sent over plain HTTP, without WebSockets."""
    assert "upgrade" not in TEMPLATE.lower()
    assert not [name for name in INGRESS["metadata"]["annotations"] if "websocket" in name]


def test_nginx_has_the_body_limit_of_the_service() -> None:
    (bound,) = re.findall(r"client_max_body_size +(\d+)m;  # as TABLECALL_MAX_BODY_BYTES", TEMPLATE)
    assert int(bound) * 2**20 == int(COMPOSE["services"]["tablecall-1"]["environment"]["TABLECALL_MAX_BODY_BYTES"])


def test_nginx_sends_the_problems_of_the_service() -> None:
    bodies = [json.loads(text) for text in re.findall(r"return \d+ '(.*)';", TEMPLATE)]
    assert len(bodies) == 9
    for body in bodies:
        code = body["type"].rpartition("/")[2]
        assert body.keys() == {"type", "title", "status", "detail", "errors"}
        assert (body["status"], body["title"]) == (KINDS[code].status, KINDS[code].title)


@pytest.fixture(scope="module")
def metrics() -> str:
    client = TestClient(create_app(Settings()))
    client.post("/resolve", json={"action": "jazz.check", "actor": {"bonus": 3}, "difficulty": 10, "seed": 42})
    client.post("/resolve", json={})
    return client.get("/metrics").text


def test_metrics_of_dashboard_and_alerts_exist(metrics: str) -> None:
    queries = [*watch.expressions(DASHBOARD), *(rule["expr"] for group in ALERTS["groups"] for rule in group["rules"])]
    names = {name for text in queries for name in re.findall(r"\b(?:tablecall|process)_\w+", text)}
    assert names
    for name in names:
        assert re.search(rf"^{name}(\{{| )", metrics, re.MULTILINE), name
        for label in {label for text in queries for selector in re.findall(rf"{name}\{{([^}}]*)\}}", text) for label in _labels(selector)}:
            assert re.search(rf"^{name}\{{.*\b{label}=", metrics, re.MULTILINE), (name, label)


def _labels(selector: str) -> set[str]:
    return set(re.findall(r"(\w+)(?:=~|!~|!=|=)", selector)) - {"job"}


def test_dashboard_shows_rate_latency_refusals_and_the_queue() -> None:
    shown = " ".join(watch.expressions(DASHBOARD))
    for query in ("rate(tablecall_requests_total", "tablecall_request_seconds_bucket", "by (code)", "tablecall_odds_waiting"):
        assert query in shown
