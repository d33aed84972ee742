"""Health checks and the version."""

from __future__ import annotations

from starlette.testclient import TestClient

from tablecall.engine import VERSION
from tablecall.systems import SYSTEMS


def test_the_service_is_alive_ready_and_says_its_version(client: TestClient) -> None:
    assert client.get("/livez").status_code == 200
    assert client.get("/readyz").status_code == 200
    version = client.get("/version").json()
    assert version["version"] == VERSION
    assert "tablecall-1" in version["rngs"]
    assert len(version["rulebooks"]) == len(SYSTEMS)
