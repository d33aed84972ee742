"""The log: JSON or readable, and how much of it."""

from __future__ import annotations

import json
import logging
from collections.abc import Iterator
from typing import Any

import pytest

from tablecall.runtime import logs, request_context
from tablecall.runtime.logs import RequestLog
from tablecall.runtime.request_context import RequestContext
from tablecall.settings import Settings
from tests.support.contexts import context

SERVICES = context().services


def seen(route: str = "/systems", status: int = 200) -> RequestContext:
    return RequestContext(SERVICES, "an id", status=status, method="GET", route=route, seconds=0.0012345, ended=1.5)


@pytest.fixture
def standard() -> Iterator[None]:
    """The standard library's loggers as they were."""
    root = logging.getLogger()
    handlers, level = list(root.handlers), root.level
    yield
    root.handlers[:] = handlers
    root.setLevel(level)


def told(visited: RequestContext | None = None, **settings: Any) -> str:
    return RequestLog(Settings(**settings)).line(visited or seen())


def test_a_line_is_json_where_nobody_reads_along() -> None:
    said = told()
    line = json.loads(said)
    assert said.endswith("}\n")
    assert (line["request_id"], line["method"], line["route"], line["status"], line["ms"]) == ("an id", "GET", "/systems", 200, 1.234)
    assert line["timestamp"] == "1970-01-01T00:00:01.500000Z"


def test_it_is_readable_when_asked() -> None:
    line = told(log_format="text")
    assert "request_id=" in line
    assert "1970-01-01T00:00:01.500000Z" in line
    assert line.endswith("\n")
    assert "{" not in line


@pytest.mark.parametrize("settings", [{"log_requests": False}, {"log_level": "warning"}, {"log_level": "error"}])
def test_requests_need_not_be_logged(settings: dict[str, Any]) -> None:
    assert told(**settings) == ""


@pytest.mark.parametrize("route", ["/livez", "/readyz", "/metrics"])
def test_probes_are_told_only_when_something_is_wrong_or_everything_is_asked_for(route: str) -> None:
    assert told(seen(route)) == ""
    assert told(seen(route), log_level="debug") != ""
    assert told(seen(route, 503)) != ""


@pytest.mark.usefixtures("standard")
def test_what_the_loggers_say_comes_in_the_same_form_and_names_the_request(capsys: pytest.CaptureFixture[str]) -> None:
    logs.configure(Settings(log_level="info"))
    log = logging.getLogger("tablecall")
    log.debug("not this")
    token = request_context.REQUEST_ID.set("an id")
    try:
        raise ValueError("why")
    except ValueError:
        log.exception("unexpected failure")
    finally:
        request_context.REQUEST_ID.reset(token)
    logging.getLogger("uvicorn.error").info("started")
    first, second = (json.loads(line) for line in capsys.readouterr().err.splitlines())
    assert (first["event"], first["level"], first["request_id"]) == ("unexpected failure", "error", "an id")
    assert "ValueError: why" in first["exception"]
    assert second["event"] == "started"
    assert "request_id" not in second


@pytest.mark.usefixtures("standard")
def test_what_the_loggers_say_is_readable_when_asked(capsys: pytest.CaptureFixture[str]) -> None:
    logs.configure(Settings(log_format="text"))
    logging.getLogger("tablecall").warning("mind this")
    assert "mind this" in capsys.readouterr().err
