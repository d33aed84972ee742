"""The whole application, asked without a socket."""

from __future__ import annotations

import pytest
from starlette.testclient import TestClient

from service.app import create_app
from service.settings import Settings


@pytest.fixture(scope="session")
def client() -> TestClient:
    # Counting in processes has tests of its own: here every request has an event loop to itself, and no process outlives it.
    return TestClient(create_app(Settings(odds_workers=0)))
