"""API keys as bearer tokens (RFC 6750). The service knows only their hashes."""

from __future__ import annotations

import hashlib
import hmac
import re
from collections.abc import Callable, Sequence

from starlette.middleware import Middleware
from starlette.routing import Route
from starlette.types import ASGIApp, Receive, Scope, Send

from tablecall.contract.operations import OPEN
from tablecall.http.addresses import path_of
from tablecall.http.negotiation import prefers
from tablecall.model.problems import HttpProblem
from tablecall.settings import Settings

_BEARER = b"bearer "
_FILES = ("/sw.js", "/manifest.webmanifest", "/icon.svg")
_PAGES = re.compile(r"/(play|characters|docs|graphql|(systems|problems)(/.*)?)?")
"""The paths with pages for browsers. They hold no secret, and ask for the key themselves."""


def _is_page(scope: Scope, path: str) -> bool:
    """Whether a browser asks for a page or one of its files."""
    if scope.get("method") not in ("GET", "HEAD"):
        return False
    if path.startswith("/static/") or path in _FILES:
        return True
    accept = next((value for name, value in scope["headers"] if name == b"accept"), b"").decode("latin-1")
    return bool(_PAGES.fullmatch(path)) and not scope["query_string"] and prefers(accept, "text/html", "application/json")


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
        if scope["type"] != "lifespan" and not self._is_open(scope) and not self._has_key(scope):
            scope["route"] = self.route_of(scope)
            raise HttpProblem("unauthorized")
        await self.app(scope, receive, send)

    def _is_open(self, scope: Scope) -> bool:
        path = path_of(scope)
        return path in OPEN or _is_page(scope, path)

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
