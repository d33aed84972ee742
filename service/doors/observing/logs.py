"""The log: one line a request and whatever is worth telling, as JSON or, on a terminal, readable. Never a body, query or header."""

from __future__ import annotations

import logging
import sys
from collections.abc import MutableMapping
from typing import Any, TextIO

import orjson
import structlog

from service.doors.observing import visit
from service.settings import Settings

_QUIET = frozenset({"/livez", "/readyz", "/metrics"})


def _with_request(logger: object, name: str, event: MutableMapping[str, Any]) -> MutableMapping[str, Any]:
    """Say which request it was about."""
    found = visit.current().id
    if found:
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


class StandardError:
    """Writes each line to whatever the standard error is just then; it is flushed at every line's end."""

    def info(self, line: str) -> None:
        """One line."""
        sys.stderr.write(line + "\n")


class RequestLog:
    """Writes one line a request, by a logger of its own: the standard library's would cost three times as much."""

    def __init__(self, settings: Settings) -> None:
        self.level = logging.getLevelNamesMapping()[settings.log_level.upper()]
        self.on = settings.log_requests and self.level <= logging.INFO
        stream = sys.stderr
        shared: list[Any] = [structlog.processors.add_log_level, structlog.processors.TimeStamper(fmt="iso", utc=True)]
        plain = _plain(settings, stream)
        renderer: Any = structlog.dev.ConsoleRenderer(colors=stream.isatty()) if plain else structlog.processors.JSONRenderer(_as_json)
        self._log = structlog.wrap_logger(
            StandardError(),
            processors=[*shared, renderer],
            wrapper_class=structlog.make_filtering_bound_logger(self.level),
            cache_logger_on_first_use=True,
        ).bind()

    def told(self, method: str, route: str, seen: visit.Visit, seconds: float) -> None:
        """One request: ids, route template, status, time, and what was resolved or refused, in published words."""
        if not self.on or (route in _QUIET and seen.status < 400 and self.level > logging.DEBUG):
            return
        facts: dict[str, Any] = {
            "request_id": seen.id,
            "method": method,
            "route": route,
            "status": seen.status,
            "ms": round(seconds * 1000, 3),
        }
        if list(seen.actions.values()) == [1]:
            ((facts["verb"], facts["action"], facts["outcome"]),) = seen.actions
        elif seen.actions:
            facts["action"], facts["count"] = sorted({tag for _, tag, _ in seen.actions}), sum(seen.actions.values())
        if seen.refusals:
            facts["refusals"] = sorted(set(seen.refusals))
        self._log.info("request", **facts)
