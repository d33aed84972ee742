"""API keys as bearer tokens (RFC 6750). The service knows only their hashes."""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Callable, Sequence

from starlette.middleware import Middleware
from starlette.routing import Route
from starlette.types import ASGIApp, Receive, Scope, Send

from tablecall.contract.operations import OPEN
from tablecall.http.addresses import path_of
from tablecall.model.problems import HttpProblem
from tablecall.settings import Settings

_BEARER = b"bearer "


class ApiKeys:
    """Refuses requests (401) without one of the keys whose SHA-256 hashes are ``hashes``.

    ``route_of`` finds the route of a refused request, for the log and the metrics.
    """

    def __init__(self, app: ASGIApp, hashes: Sequence[str], route_of: Callable[[Scope], Route | None]) -> None:
        self.app = app
        self.route_of = route_of
        self.hashes = tuple(bytes.fromhex(text) for text in hashes)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass on a request that needs no key or has one."""
        if scope["type"] != "lifespan" and path_of(scope) not in OPEN and not self._has_key(scope):
            scope["route"] = self.route_of(scope)
            raise HttpProblem("unauthorized")
        await self.app(scope, receive, send)

    def _has_key(self, scope: Scope) -> bool:
        """Whether there is exactly one ``Authorization`` header, with a known key. All hashes are compared, in constant time."""
        sent = [value for name, value in scope["headers"] if name == b"authorization"]
        if len(sent) != 1 or sent[0][: len(_BEARER)].lower() != _BEARER:
            return False
        digest = hashlib.sha256(sent[0][len(_BEARER) :].strip()).digest()
        return sum(hmac.compare_digest(digest, known) for known in self.hashes) > 0


def layers(settings: Settings, route_of: Callable[[Scope], Route | None]) -> list[Middleware]:
    """The layer that checks keys, if there are any."""
    return [Middleware(ApiKeys, hashes=settings.api_keys, route_of=route_of)] if settings.api_keys else []
