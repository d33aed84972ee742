"""Keys that open the doors, where the operator asks for them (RFC 6750). Only their hashes are known here."""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Callable, Sequence

from starlette.middleware import Middleware
from starlette.routing import Route
from starlette.types import ASGIApp, Receive, Scope, Send

from tablecall.contract.operations import OPEN
from tablecall.model.problems import HttpProblem
from tablecall.settings import Settings

_BEARER = b"bearer "


class ApiKeys:
    """Refuses (401) whoever does not bring one of the keys whose SHA-256 are ``hashes``.

    ``asked`` finds the route that would have answered, so that the log and the metrics can tell it.
    """

    def __init__(self, app: ASGIApp, hashes: Sequence[str], asked: Callable[[Scope], Route | None]) -> None:
        self.app = app
        self.asked = asked
        self.hashes = tuple(bytes.fromhex(one) for one in hashes)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let a request through that needs no key or brings one."""
        if scope["type"] != "lifespan" and scope["path"] not in OPEN and not self._opens(scope):
            scope["route"] = self.asked(scope)
            raise HttpProblem("unauthorized")
        await self.app(scope, receive, send)

    def _opens(self, scope: Scope) -> bool:
        """Whether exactly one key is brought and is one of ours. Every hash is compared, in the same time whatever they hold."""
        brought = [value for name, value in scope["headers"] if name == b"authorization"]
        if len(brought) != 1 or brought[0][: len(_BEARER)].lower() != _BEARER:
            return False
        found = hashlib.sha256(brought[0][len(_BEARER) :].strip()).digest()
        return sum(hmac.compare_digest(found, one) for one in self.hashes) > 0


def layers(settings: Settings, asked: Callable[[Scope], Route | None]) -> list[Middleware]:
    """The layer that asks for a key, if there are any."""
    return [Middleware(ApiKeys, hashes=settings.api_keys, asked=asked)] if settings.api_keys else []
