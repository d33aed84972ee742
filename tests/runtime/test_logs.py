"""The log lines: JSON or readable text, and which of them are written."""

from __future__ import annotations

import io
import json
import logging
import warnings
from collections.abc import Iterator
from typing import Any

import pytest

from tablecall.runtime import logs
from tablecall.runtime.log_writer import LogWriter
from tablecall.runtime.logs import RequestLog
from tablecall.runtime.request_record import REQUEST_ID, RequestRecord
from tablecall.runtime.services import Services
from tablecall.settings import Settings

SERVICES = Services(Settings(odds_workers=0))


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def context(route: str = "/systems", status: int = 200) -> RequestRecord:
    return RequestRecord("an id", status=status, method="GET", route=route, seconds=0.0012345, ended=1.5)


@pytest.fixture
def standard() -> Iterator[None]:
    """Restores the loggers of the standard library."""
    root = logging.getLogger()
    handlers, level = list(root.handlers), root.level
    yield
    root.handlers[:] = handlers
    root.setLevel(level)
    logging.captureWarnings(False)


def line(seen: RequestRecord | None = None, stream: io.StringIO | None = None, **settings: Any) -> str:
    return RequestLog(Settings(**settings), LogWriter(stream or io.StringIO())).line(seen or context())


def logged(stream: io.StringIO, writer: LogWriter) -> str:
    writer.close(10)
    return stream.getvalue()


def test_a_line_is_json_by_default() -> None:
    text = line()
    fields = json.loads(text)
    assert text.endswith("}\n")
    assert (fields["request_id"], fields["method"], fields["route"], fields["status"], fields["ms"]) == (
        "an id",
        "GET",
        "/systems",
        200,
        1.234,
    )
    assert fields["timestamp"] == "1970-01-01T00:00:01.500000Z"


def test_a_line_is_readable_when_the_format_is_text() -> None:
    text = line(log_format="text")
    assert "request_id=" in text
    assert "1970-01-01T00:00:01.500000Z" in text
    assert text.endswith("\n")
    assert "{" not in text


def test_a_line_is_readable_and_coloured_on_a_terminal() -> None:
    assert "\x1b[" in line(stream=Terminal())
    assert json.loads(line(stream=Terminal(), log_format="json"))["status"] == 200


@pytest.mark.parametrize("settings", [{"log_requests": False}, {"log_level": "warning"}, {"log_level": "error"}])
def test_request_lines_can_be_turned_off(settings: dict[str, Any]) -> None:
    assert line(**settings) == ""


@pytest.mark.parametrize("route", ["/livez", "/readyz", "/metrics"])
def test_probes_are_logged_only_when_they_fail_or_at_debug_level(route: str) -> None:
    assert line(context(route)) == ""
    assert line(context(route), log_level="debug") != ""
    assert line(context(route, 503)) != ""


@pytest.mark.usefixtures("standard")
def test_records_of_loggers_have_the_same_form_and_the_request_id() -> None:
    stream = io.StringIO()
    writer = LogWriter(stream)
    logs.configure(Settings(log_level="info"), writer)
    log = logging.getLogger("tablecall")
    log.debug("below the level")
    token = REQUEST_ID.set("an id")
    try:
        raise ValueError("why")
    except ValueError:
        log.exception("unexpected failure")
    finally:
        REQUEST_ID.reset(token)
    logging.getLogger("uvicorn.error").info("started")
    first, second = (json.loads(text) for text in logged(stream, writer).splitlines())
    assert (first["event"], first["level"], first["request_id"]) == ("unexpected failure", "error", "an id")
    assert "ValueError: why" in first["exception"]
    assert second["event"] == "started"
    assert "request_id" not in second


@pytest.mark.usefixtures("standard")
def test_records_of_loggers_are_readable_when_the_format_is_text() -> None:
    stream = io.StringIO()
    writer = LogWriter(stream)
    logs.configure(Settings(log_format="text"), writer)
    logging.getLogger("tablecall").warning("disk almost full")
    assert "disk almost full" in logged(stream, writer)


@pytest.mark.usefixtures("standard")
def test_warnings_are_logged() -> None:
    stream = io.StringIO()
    writer = LogWriter(stream)
    with warnings.catch_warnings():
        warnings.simplefilter("always")
        logs.configure(Settings(), writer)
        warnings.warn("old name", DeprecationWarning, stacklevel=1)
        logging.captureWarnings(False)
    fields = json.loads(logged(stream, writer))
    assert "DeprecationWarning: old name" in fields["event"]
    assert fields["level"] == "warning"
