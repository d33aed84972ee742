"""Pages of other origins: which may call, and what they are told (the Fetch standard's CORS protocol)."""

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
"""What every answer says where any origin may call, whoever asks."""


class Cors:
    """What the settings let pages of other origins do. Whether a preflight may pass, Starlette decides.

    Any method may be tried, for a page is to read which ones its path answers (405) instead of being kept from the answer.
    """

    def __init__(self, settings: Settings) -> None:
        self._starlette = CORSMiddleware(
            Response(),  # nothing is ever passed on to it
            allow_origins=settings.cors_origins,
            allow_methods=["*"],
            allow_headers=["*"],
            allow_private_network=settings.private_network,
        )
        self.open_to_all = self._starlette.allow_all_origins

    def preflight(self, scope: Scope) -> Response | None:
        """The answer to a preflight: 200, or a problem that carries the same headers. None where it is none."""
        headers = datastructures.Headers(scope=scope)
        if "origin" not in headers or "access-control-request-method" not in headers:
            return None
        found = self._starlette.preflight_response(headers)
        if found.status_code == 200:
            return found
        kept = {name: value for name, value in found.headers.items() if name not in ("content-length", "content-type")}
        return respond(scope, HttpProblem("bad-request", "this cross-origin request is not allowed"), kept)

    def told(self, answer: Headers, asked: Iterable[tuple[bytes, bytes]]) -> Headers:
        """An answer's headers, where only some origins may call: whether the one that asks may read it hangs on its name.

        The answer to a preflight has said so already.
        """
        if any(name == b"access-control-allow-origin" for name, _ in answer):
            return answer
        varies = [value for name, value in answer if name == b"vary"]
        found = [pair for pair in answer if pair[0] != b"vary"]
        for name, origin in asked:
            if name == b"origin" and self._starlette.is_allowed_origin(origin.decode("latin-1")):
                found += [(b"access-control-allow-origin", origin), _EXPOSED]
        return [*found, (b"vary", b", ".join([*varies, b"Origin"]))]
