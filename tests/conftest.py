"""Settings of hypothesis and fixtures that every test may use."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, settings
from starlette.testclient import TestClient

from tablecall.app import create_app
from tablecall.settings import Settings

# The same examples on every machine and in every run, however busy it is.
settings.register_profile("ci", derandomize=True, deadline=None, max_examples=60, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("ci")


@pytest.fixture(scope="session")
def client() -> TestClient:
    """The whole application without a socket and without worker processes, which have tests of their own.

    The bound on simulations is a clock's, so it is as high as it goes.
    """
    return TestClient(create_app(Settings(odds_workers=0, odds_seconds=300)))
