"""One service for all tests; the measurements are printed at the end."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

import pytest
import requests

from tests.long.serving import Service


@pytest.fixture(scope="session")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    """A service that logs no error and stops cleanly."""
    settings = {"log_format": "json", "log_requests": "false", "header_seconds": 2, "body_seconds": 2, "odds_seconds": 1}
    service = Service(tmp_path_factory.mktemp("service") / "log", **settings)
    yield service
    log = service.stop()
    assert "Traceback" not in log
    assert "unexpected" not in log


@pytest.fixture(scope="session")
def session() -> Iterator[requests.Session]:
    """A persistent connection."""
    with requests.Session() as session:
        yield session


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Print what the tests recorded, summed by name."""
    sums = Counter[str]()
    for report in terminalreporter.getreports("passed"):
        sums.update(dict(report.user_properties))
    for name, total in sums.items():
        terminalreporter.write_line(f"{total:>9,.6g} {name}")
