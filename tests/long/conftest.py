"""One service for all that is sent here, and at the end what was measured."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

import pytest
import requests

from tests.long.serving import Service


@pytest.fixture(scope="session")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    """It must neither fail, nor say that it did, nor exit otherwise than told to."""
    settings = {"log_format": "json", "log_requests": "false", "header_seconds": 2, "body_seconds": 2, "odds_seconds": 1}
    found = Service(tmp_path_factory.mktemp("service") / "log", **settings)
    yield found
    said = found.stop()
    assert "Traceback" not in said
    assert "unexpected" not in said


@pytest.fixture(scope="session")
def session() -> Iterator[requests.Session]:
    """A connection that is kept."""
    with requests.Session() as found:
        yield found


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Say what the tests recorded; under one name, all of it together."""
    sums = Counter[str]()
    for report in terminalreporter.getreports("passed"):
        sums.update(dict(report.user_properties))
    for name, total in sums.items():
        terminalreporter.write_line(f"{total:>9,.6g} {name}")
