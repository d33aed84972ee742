"""The log: one line a request and whatever is worth telling, as JSON or, on a terminal, readable. Never a body, query or header."""

from __future__ import annotations

import logging
import sys
from collections.abc import MutableMapping
from datetime import UTC, datetime
from typing import Any, TextIO

import orjson
import structlog

from tablecall.runtime import request_context
from tablecall.settings import Settings

_LINE = orjson.OPT_UTC_Z | orjson.OPT_APPEND_NEWLINE
_QUIET = frozenset({"/livez", "/readyz", "/metrics"})


def _with_request(logger: object, name: str, event: MutableMapping[str, Any]) -> MutableMapping[str, Any]:
    """Say which request it was about."""
    if found := request_context.REQUEST_ID.get():
        event.setdefault("request_id", found)
    return event


def _as_json(event: Any, **options: Any) -> str:
    return orjson.dumps(event, default=str).decode()


def _plain(settings: Settings, stream: TextIO) -> bool:
    return settings.log_format == "text" or (settings.log_format == "auto" and stream.isatty())


def configure(settings: Settings) -> None:
    """Send what the standard library's loggers say (ours, the server's) to the standard error, in the format asked for."""
    stream = sys.stderr
    shared: list[Any] = [structlog.stdlib.add_log_level, structlog.processors.TimeStamper(fmt="iso", utc=True), _with_request]
    if _plain(settings, stream):
        last: list[Any] = [structlog.dev.ConsoleRenderer(colors=stream.isatty())]
    else:
        last = [structlog.processors.format_exc_info, structlog.processors.JSONRenderer(_as_json)]
    handler = logging.StreamHandler(stream)
    strip = structlog.stdlib.ProcessorFormatter.remove_processors_meta
    handler.setFormatter(structlog.stdlib.ProcessorFormatter(foreign_pre_chain=shared, processors=[strip, *last]))
    root = logging.getLogger()
    root.handlers[:] = [handler]
    root.setLevel(settings.log_level.upper())
    for name in ("uvicorn", "uvicorn.error", "uvicorn.access"):
        logger = logging.getLogger(name)
        logger.handlers[:] = []
        logger.propagate = True


class RequestLog:
    """Makes the line of a request by itself: a chain of processors would cost ten times as much as the line."""

    def __init__(self, settings: Settings) -> None:
        self.level = logging.getLevelNamesMapping()[settings.log_level.upper()]
        self.on = settings.log_requests and self.level <= logging.INFO
        stream = sys.stderr
        self._readable = structlog.dev.ConsoleRenderer(colors=stream.isatty()) if _plain(settings, stream) else None

    def line(self, seen: request_context.RequestContext) -> str:
        """Of one request: ids, route template, status, time, and what was resolved or refused, in published words.

        Empty where nothing is to be told.
        """
        if not self.on or (seen.route in _QUIET and seen.status < 400 and self.level > logging.DEBUG):
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
        if self._readable is None:
            return orjson.dumps(facts, option=_LINE).decode()
        return f"{self._readable(None, 'info', {**facts, 'timestamp': facts['timestamp'].isoformat().replace('+00:00', 'Z')})}\n"
