"""The log lines: JSON or readable text, and which of them are written."""

from __future__ import annotations

import io
import json
import logging
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from tablecall.runtime import logs
from tablecall.runtime.log_writer import LogWriter
from tablecall.runtime.logs import RequestLog
from tablecall.runtime.request_record import REQUEST_ID, RequestRecord
from tablecall.settings import Settings


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def line(route: str = "/systems", status: int = 200, stream: io.StringIO | None = None, **settings: Any) -> str:
    """The line of a request."""
    request = RequestRecord("an id", status=status, method="GET", route=route, seconds=0.0012345, ended=1.5)
    return RequestLog(Settings(**settings), LogWriter(stream or io.StringIO())).line(request)


def test_line_is_json_by_default() -> None:
    text = line()
    fields = json.loads(text)
    assert text.endswith("}\n")
    expected = {"request_id": "an id", "method": "GET", "route": "/systems", "status": 200, "ms": 1.234}
    assert fields.items() >= expected.items()
    assert fields["timestamp"] == "1970-01-01T00:00:01.500000Z"


def test_line_is_readable_if_the_format_is_text() -> None:
    text = line(log_format="text")
    assert "request_id=" in text
    assert "1970-01-01T00:00:01.500000Z" in text
    assert text.endswith("\n")
    assert "{" not in text


def test_line_is_readable_and_coloured_on_a_terminal() -> None:
    assert "\x1b[" in line(stream=Terminal())
    assert json.loads(line(stream=Terminal(), log_format="json"))["status"] == 200


@pytest.mark.parametrize("settings", [{"log_requests": False}, {"log_level": "warning"}, {"log_level": "error"}])
def test_request_lines_can_be_turned_off(settings: dict[str, Any]) -> None:
    assert line(**settings) == ""


@pytest.mark.parametrize("route", ["/livez", "/readyz", "/metrics"])
def test_probes_are_logged_only_if_they_fail_or_at_debug_level(route: str) -> None:
    assert line(route) == ""
    assert line(route, log_level="debug") != ""
    assert line(route, 503) != ""


Logged = Callable[..., list[str]]


@pytest.fixture
def logged() -> Iterator[Logged]:
    """Runs a function while the loggers of the standard library are configured with some settings; returns the lines."""
    root = logging.getLogger()
    handlers, level = list(root.handlers), root.level

    def run(work: Callable[[], None], **settings: Any) -> list[str]:
        stream = io.StringIO()
        writer = LogWriter(stream)
        logs.configure(Settings(**settings), writer)
        work()
        writer.close(10)
        return stream.getvalue().splitlines()

    yield run
    root.handlers[:] = handlers
    root.setLevel(level)
    logging.captureWarnings(False)


def test_records_of_loggers_have_the_same_form_and_the_request_id(logged: Logged) -> None:
    def work() -> None:
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

    first, second = map(json.loads, logged(work, log_level="info"))
    assert (first["event"], first["level"], first["request_id"]) == ("unexpected failure", "error", "an id")
    assert "ValueError: why" in first["exception"]
    assert second["event"] == "started"
    assert "request_id" not in second


def test_records_of_loggers_are_readable_if_the_format_is_text(logged: Logged) -> None:
    [text] = logged(lambda: logging.getLogger("tablecall").warning("disk almost full"), log_format="text")
    assert "disk almost full" in text
    assert "{" not in text


def test_warnings_are_logged(logged: Logged) -> None:
    def work() -> None:
        warnings.warn("old name", DeprecationWarning, stacklevel=1)
        logging.captureWarnings(False)

    with warnings.catch_warnings():
        warnings.simplefilter("always")
        [text] = logged(work)
    fields = json.loads(text)
    assert "DeprecationWarning: old name" in fields["event"]
    assert fields["level"] == "warning"
