"""What is reported of one request when it is over, in the log and the metrics. Never what was sent.

The request id is also a context variable, because log records of other libraries need it.
"""

from __future__ import annotations

from contextvars import ContextVar
from dataclasses import dataclass, field

OTHER = "other"
"""Replaces an outcome or a method that is in the caller's own words."""

REQUEST_ID: ContextVar[str] = ContextVar("request_id", default="")
"""The id of the request being answered, for log records; empty outside of requests."""


@dataclass(slots=True)
class RequestRecord:
    """One request.

    ``status`` is the status of the response once it has started. ``method``, ``route`` (the path template), ``seconds`` and ``ended``
    (seconds since 1970) are set when the request is over.
    """

    id: str = ""
    status: int = 0
    actions: dict[tuple[str, str, str], int] = field(default_factory=dict)
    refusals: list[str] = field(default_factory=list)
    method: str = ""
    route: str = ""
    seconds: float = 0.0
    ended: float = 0.0

    def acted(self, verb: str, tag: str, outcome: str, known: tuple[str, ...]) -> None:
        """Count that ``verb`` was asked of the action ``tag``. An outcome that is not one of the ``known`` words is counted as other."""
        action = (verb, tag, outcome if outcome in known else OTHER)
        # Counted instead of listed: a batch may hold a hundred thousand.
        self.actions[action] = self.actions.get(action, 0) + 1

    def refused(self, code: str) -> None:
        """Note that a problem with this code was answered."""
        self.refusals.append(code)
