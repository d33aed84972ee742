"""The REST operations as a table: one row feeds both the routes and the OpenAPI document."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeAlias

if TYPE_CHECKING:
    from starlette.requests import Request
    from starlette.responses import Response

Endpoint: TypeAlias = "Callable[[Request], Awaitable[Response]]"

OPEN = frozenset({"/livez", "/readyz", "/.well-known/jwks.json"})
"""The paths that need no API key: the health of the service, and the public keys that anyone may check a receipt with."""

SENT = ("bad-request", "not-json", "too-large", "unsupported-media-type", "invalid-request")
"""The problems any operation with a body can answer."""
RULED = ("rule-forbids", "wrong-dice", "unknown-rng")
"""The problems any operation that resolves can answer."""


@dataclass(frozen=True, slots=True)
class Operation:
    """One method on one path.

    ``body`` is the schema of what is sent; ``answers`` the schema (or ``None`` for text) of each media type of a 200;
    ``problems`` the codes it can refuse with; ``examples`` complete bodies by name, ``samples`` complete answers by name,
    made when the document is, as are the parameters of a ``query``; ``headers`` what a 200 may say in headers of its own. One
    media type of JSON is described for what is sent; others stand in ``text``, for a client generated from several would
    have to ask which it got.
    """

    method: str
    path: str
    endpoint: Endpoint
    id: str
    summary: str
    tag: str
    answers: Mapping[str, str | None]
    text: str = ""
    body: str | None = None
    problems: tuple[str, ...] = ()
    parameters: tuple[Mapping[str, Any], ...] = ()
    examples: Mapping[str, Any] = field(default_factory=dict)
    samples: Callable[[], Mapping[str, Any]] = dict
    headers: Mapping[str, str] = field(default_factory=dict)
    query: Callable[[], tuple[Mapping[str, Any], ...]] = tuple


def path_parameter(name: str, text: str, example: str) -> dict[str, Any]:
    """A parameter in the path."""
    return {"name": name, "in": "path", "required": True, "description": text, "schema": {"type": "string"}, "example": example}
