"""Answers a caller may keep (RFC 9110, section 8.8.3, and RFC 9111): what is the same for as long as the service runs."""

from __future__ import annotations

import asyncio
import gzip
import hashlib
from collections.abc import Callable
from functools import lru_cache

from starlette.requests import Request
from starlette.responses import Response

from tablecall.contract.operations import Endpoint
from tablecall.runtime.request_context import context_of

MINUTES = 300
"""For how many seconds a contract or a rule book is not asked for again; then its tag is compared."""
YEAR = 31_536_000
_WORTH_PACKING = 1_000


class CachedBody:
    """One text: its tag, and the same packed, both made once."""

    def __init__(self, body: bytes, media: str) -> None:
        self.body = body
        self.media = media
        self.tag = hashlib.sha256(body).hexdigest()[:32]
        self.packed = gzip.compress(body, mtime=0) if len(body) >= _WORTH_PACKING else b""

    def answer(self, request: Request) -> Response:
        """The text, packed for who can unpack it, or 304 for who has it already."""
        packed = bool(self.packed) and _unpacks(request.headers.get("accept-encoding", ""))
        tag = f'"{self.tag}-gzip"' if packed else f'"{self.tag}"'
        headers = {"etag": tag, "cache-control": f"{_scope_of(request)}, max-age={MINUTES}", "vary": "Accept-Encoding"}
        if _has(request.headers.get("if-none-match", ""), tag):
            return Response(status_code=304, headers=headers)
        if packed:
            return Response(self.packed, headers={**headers, "content-encoding": "gzip"}, media_type=self.media)
        return Response(self.body, headers=headers, media_type=self.media)


@lru_cache(maxsize=1024)
def kept(body: bytes, media: str) -> CachedBody:
    """The text as it is kept. Only for texts of the service's own: there are but so many."""
    return CachedBody(body, media)


def constant(make: Callable[[], bytes], media: str) -> Endpoint:
    """An endpoint that always answers the same, made when it is first asked for: others are answered meanwhile."""
    body: bytes | None = None

    async def endpoint(request: Request) -> Response:
        nonlocal body
        body = body or await asyncio.to_thread(make)
        return kept(body, media).answer(request)

    return endpoint


def immutable(request: Request, response: Response) -> Response:
    """A response that never changes."""
    return _cached(response, f"{_scope_of(request)}, max-age={YEAR}, immutable")


def short_lived(request: Request, response: Response) -> Response:
    """A response that stays the same as long as the service runs."""
    return _cached(response, f"{_scope_of(request)}, max-age={MINUTES}")


def _cached(response: Response, control: str) -> Response:
    response.headers["cache-control"] = control
    response.headers["vary"] = "Accept"
    return response


def _scope_of(request: Request) -> str:
    """``private`` if the service asks for keys: then only the client that sent one may cache the response."""
    return "private" if context_of(request.scope).services.settings.api_keys else "public"


def _unpacks(accept: str) -> bool:
    names = (part.lower().replace(" ", "").partition(";q=") for part in accept.split(","))
    return any(name == "gzip" and (not quality or quality.strip("0.") != "") for name, _, quality in names)


def _has(tags: str, tag: str) -> bool:
    """Whether one of the tags a caller has is this one; compared weakly, as for a GET."""
    return any(one.strip().removeprefix("W/") in (tag, "*") for one in tags.split(","))
