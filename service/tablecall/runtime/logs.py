"""The log: one line for each request, and what the loggers of the standard library report.

Lines are JSON, or readable text on a terminal. A line never holds a body, a query or a header.
"""

from __future__ import annotations

import logging
from collections.abc import MutableMapping
from datetime import UTC, datetime
from typing import Any

import orjson
import structlog

from tablecall.runtime.log_writer import LogWriter
from tablecall.runtime.request_record import REQUEST_ID, RequestRecord
from tablecall.settings import Settings

_LINE = orjson.OPT_UTC_Z | orjson.OPT_APPEND_NEWLINE
_PROBES = frozenset({"/livez", "/readyz", "/metrics"})


def _add_request_id(logger: object, name: str, event: MutableMapping[str, Any]) -> MutableMapping[str, Any]:
    """Add the id of the request that is being answered."""
    if request_id := REQUEST_ID.get():
        event.setdefault("request_id", request_id)
    return event


def _as_json(event: Any, **options: Any) -> str:
    return orjson.dumps(event, default=str).decode()


def _readable(settings: Settings, writer: LogWriter) -> bool:
    return settings.log_format == "text" or (settings.log_format == "auto" and writer.terminal)


def configure(settings: Settings, writer: LogWriter) -> None:
    """Send all records of the standard library's loggers (ours, uvicorn's) and all warnings to ``writer``, in the format that is set."""
    shared: list[Any] = [structlog.stdlib.add_log_level, structlog.processors.TimeStamper(fmt="iso", utc=True), _add_request_id]
    if _readable(settings, writer):
        last: list[Any] = [structlog.dev.ConsoleRenderer(colors=writer.terminal)]
    else:
        last = [structlog.processors.format_exc_info, structlog.processors.JSONRenderer(_as_json)]
    handler = logging.StreamHandler(writer)
    strip = structlog.stdlib.ProcessorFormatter.remove_processors_meta
    handler.setFormatter(structlog.stdlib.ProcessorFormatter(foreign_pre_chain=shared, processors=[strip, *last]))
    root = logging.getLogger()
    root.handlers[:] = [handler]
    root.setLevel(settings.log_level.upper())
    for name in ("uvicorn", "uvicorn.error", "uvicorn.access"):
        logger = logging.getLogger(name)
        logger.handlers[:] = []
        logger.propagate = True
    logging.captureWarnings(True)


class RequestLog:
    """Formats the line of a request. It does without structlog's chain of processors, which would cost ten times as much."""

    def __init__(self, settings: Settings, writer: LogWriter) -> None:
        self.level = logging.getLevelNamesMapping()[settings.log_level.upper()]
        self.on = settings.log_requests and self.level <= logging.INFO
        self._renderer = structlog.dev.ConsoleRenderer(colors=writer.terminal) if _readable(settings, writer) else None

    def line(self, seen: RequestRecord) -> str:
        """The line of one request: ids, route template, status, time, and what was resolved or refused, in published words.

        It is empty where nothing is logged: requests are off, or a probe succeeded.
        """
        if not self.on or (seen.route in _PROBES and seen.status < 400 and self.level > logging.DEBUG):
            return ""
        facts: dict[str, Any] = {
            "request_id": seen.id,
            "method": seen.method,
            "route": seen.route,
            "status": seen.status,
            "ms": round(seen.seconds * 1000, 3),
        }
        if len(seen.actions) == 1 and 1 in seen.actions.values():
            ((facts["verb"], facts["action"], facts["outcome"]),) = seen.actions
        elif seen.actions:
            facts["action"], facts["count"] = sorted({tag for _, tag, _ in seen.actions}), sum(seen.actions.values())
        if seen.refusals:
            facts["refusals"] = sorted(set(seen.refusals))
        facts["event"], facts["level"], facts["timestamp"] = "request", "info", datetime.fromtimestamp(seen.ended, UTC)
        if self._renderer is None:
            return orjson.dumps(facts, option=_LINE).decode()
        return f"{self._renderer(None, 'info', {**facts, 'timestamp': facts['timestamp'].isoformat().replace('+00:00', 'Z')})}\n"
