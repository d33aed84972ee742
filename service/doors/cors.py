"""Pages of other origins: which may call, and what they are told."""

from __future__ import annotations

from starlette.datastructures import Headers
from starlette.middleware.cors import CORSMiddleware
from starlette.responses import Response
from starlette.types import ASGIApp

from service.doors.problems import Refused, respond
from service.settings import Settings


class Cors(CORSMiddleware):
    """Starlette's, except that a refused preflight is a problem like every other refusal.

    Where any origin may call, what an answer says hangs on nothing the caller said: whoever is around it adds ``said_to_all``
    to every answer, and only OPTIONS need come by here.
    """

    def __init__(self, app: ASGIApp, settings: Settings) -> None:
        super().__init__(
            app,
            allow_origins=settings.cors_origins,
            allow_methods=["*"],
            allow_headers=["*"],
            allow_private_network=settings.private_network,
            expose_headers=["*"],
        )
        self.said_to_all: list[tuple[bytes, bytes]] = []
        if self.allow_all_origins:
            self.said_to_all = [(name.lower().encode(), value.encode()) for name, value in self.simple_headers.items()]
            self.simple_headers = {}

    def preflight_response(self, request_headers: Headers) -> Response:
        """200, or a problem that carries the same headers."""
        found = super().preflight_response(request_headers)
        if found.status_code == 200:
            return found
        kept = {name: value for name, value in found.headers.items() if name not in ("content-length", "content-type")}
        return respond(Refused("bad-request", "this cross-origin request is not allowed"), kept)
