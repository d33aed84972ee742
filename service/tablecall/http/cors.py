"""Cross-origin requests (CORS, as the Fetch standard defines it)."""

from __future__ import annotations

from collections.abc import Iterable

from starlette import datastructures
from starlette.middleware.cors import CORSMiddleware
from starlette.responses import Response
from starlette.types import Scope

from tablecall.http.problems import respond
from tablecall.model.problems import HttpProblem
from tablecall.settings import Settings

Headers = list[tuple[bytes, bytes]]
_EXPOSED = (b"access-control-expose-headers", b"*")
TO_ALL: Headers = [(b"access-control-allow-origin", b"*"), _EXPOSED]
"""The headers of every response when all origins are allowed."""


class Cors:
    """Applies the CORS settings. Starlette decides whether a preflight passes.

    Every method is allowed, so that a page can read a 405 response instead of an opaque network error.
    """

    def __init__(self, settings: Settings) -> None:
        self._starlette = CORSMiddleware(
            Response(),  # never called: only the decisions are used
            allow_origins=settings.cors_origins,
            allow_methods=["*"],
            allow_headers=["*"],
            allow_private_network=settings.private_network,
        )
        self.open_to_all = self._starlette.allow_all_origins

    def preflight(self, scope: Scope) -> Response | None:
        """The response to a preflight: 200, or a problem with the same headers. ``None`` if the request is not a preflight."""
        headers = datastructures.Headers(scope=scope)
        if "origin" not in headers or "access-control-request-method" not in headers:
            return None
        found = self._starlette.preflight_response(headers)
        if found.status_code == 200:
            return found
        kept = {name: value for name, value in found.headers.items() if name not in ("content-length", "content-type")}
        return respond(scope, HttpProblem("bad-request", "http.cross_origin"), kept)

    def for_origin(self, answer: Headers, request: Iterable[tuple[bytes, bytes]]) -> Headers:
        """The headers of a response when only some origins are allowed: they depend on the origin of the request.

        The response to a preflight already has them.
        """
        if any(name == b"access-control-allow-origin" for name, _ in answer):
            return answer
        varies = [value for name, value in answer if name == b"vary"]
        headers = [pair for pair in answer if pair[0] != b"vary"]
        for name, origin in request:
            if name == b"origin" and self._starlette.is_allowed_origin(origin.decode("latin-1")):
                headers += [(b"access-control-allow-origin", origin), _EXPOSED]
        return [*headers, (b"vary", b", ".join([*varies, b"Origin"]))]
