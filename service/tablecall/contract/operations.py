"""The rows of the table of REST operations, which both the routes and the OpenAPI document are made from."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeAlias

if TYPE_CHECKING:
    from starlette.requests import Request
    from starlette.responses import Response

Endpoint: TypeAlias = "Callable[[Request], Awaitable[Response]]"

OPEN = frozenset({"/livez", "/readyz", "/.well-known/jwks.json", "/favicon.ico", "/robots.txt"})
"""The paths that need no API key: health, the public keys that anyone may check a receipt with, and what browsers and crawlers ask for."""

SENT = ("bad-request", "not-json", "too-large", "unsupported-media-type", "invalid-request")
"""The problems of every operation with a body."""
RULED = ("rule-forbids", "wrong-dice", "unknown-rng")
"""The problems of every operation that resolves a request."""


@dataclass(frozen=True, slots=True)
class Operation:
    """One method on one path.

    ``body``: the schema of the request body. ``answers``: the schema of each media type of a 200, or ``None`` for text. ``problems``: the
    codes it can be refused with. ``examples``: complete bodies by name. ``samples``: complete answers by name, made on demand, as are the
    parameters of ``query``. ``headers``: the response headers of a 200, with descriptions. Only JSON bodies are described; other media
    types are mentioned in ``text``, because a client generated from several would have to ask which one it got.
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
    """A path parameter."""
    return {"name": name, "in": "path", "required": True, "description": text, "schema": {"type": "string"}, "example": example}
