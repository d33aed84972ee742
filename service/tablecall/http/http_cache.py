"""Responses that clients may cache: entity tags, ``Cache-Control`` and gzip (RFC 9110, section 8.8.3, and RFC 9111)."""

from __future__ import annotations

import asyncio
import gzip
import hashlib
from collections.abc import Callable
from functools import lru_cache

from starlette.requests import Request
from starlette.responses import Response

from tablecall.contract.operations import Endpoint
from tablecall.engine import VERSION
from tablecall.runtime.request_context import context_of

MAX_AGE = 300
"""Seconds a contract or a rule book stays fresh. After that a client revalidates it by its tag."""
HOUR = 3600
"""Seconds a seeded ruling, or odds, stay fresh: a new version may word them otherwise."""
_MIN_COMPRESSED = 1_000
"""Shorter bodies are not compressed."""


class CachedBody:
    """A body with its entity tag and its gzip form, both made once."""

    def __init__(self, body: bytes, media: str) -> None:
        self.body = body
        self.media = media
        self.tag = hashlib.sha256(body).hexdigest()[:32]
        self.compressed = gzip.compress(body, mtime=0) if len(body) >= _MIN_COMPRESSED else b""

    def answer(self, request: Request, vary: str = "Accept-Encoding") -> Response:
        """The body, compressed if the client accepts gzip, or 304 if the client has it. ``vary``: the headers that chose it."""
        compressed = bool(self.compressed) and _accepts_gzip(request.headers.get("accept-encoding", ""))
        tag = f'"{self.tag}-gzip"' if compressed else f'"{self.tag}"'
        headers = {"etag": tag, "cache-control": f"{_scope_of(request)}, max-age={MAX_AGE}", "vary": vary}
        if _matches(request.headers.get("if-none-match", ""), tag):
            return Response(status_code=304, headers=headers)
        if compressed:
            return Response(self.compressed, headers={**headers, "content-encoding": "gzip"}, media_type=self.media)
        return Response(self.body, headers=headers, media_type=self.media)


@lru_cache(maxsize=1024)
def kept(body: bytes, media: str) -> CachedBody:
    """The cached form of a body. Only for bodies of the service itself, of which there is a limited number."""
    return CachedBody(body, f"{media}; charset=utf-8" if media.endswith("json") else media)


def constant(make: Callable[[], bytes], media: str) -> Endpoint:
    """An endpoint with one constant body. A thread makes it at the first request, so that other requests do not wait."""
    body: bytes | None = None

    async def endpoint(request: Request) -> Response:
        nonlocal body
        body = body or await asyncio.to_thread(make)
        return kept(body, media).answer(request)

    return endpoint


class ReplayTag:
    """The entity tag of a response that follows from its address alone: a seeded ruling, or odds.

    It changes with the form, the language, the version of the service and of the rule book. It is weak, because a receipt or a
    simulation that ended at its time limit may differ in its bytes.
    """

    def __init__(self, request: Request, form: str, language: str, rulebook: str) -> None:
        self._request = request
        scope = request.scope
        parts = (form, language, VERSION, rulebook, scope["path"], scope["query_string"].decode("latin-1"))
        self.tag = f'W/"{hashlib.sha256(chr(0).join(parts).encode()).hexdigest()[:32]}"'

    @property
    def known(self) -> bool:
        """Whether the client has the response. ``*`` matches only what is known to exist, so it does not count here."""
        sent = self._request.headers.get("if-none-match", "")
        return sent.strip() != "*" and _matches(sent, self.tag.removeprefix("W/"))

    def not_modified(self) -> Response:
        """The 304 response for a client that has the response."""
        return self.mark(Response(status_code=304))

    def mark(self, response: Response) -> Response:
        """Let caches keep the response for an hour."""
        response.headers["etag"] = self.tag
        response.headers["cache-control"] = f"{_scope_of(self._request)}, max-age={HOUR}"
        return response


def _scope_of(request: Request) -> str:
    """``private`` if the service asks for keys: then only the client that sent one may cache the response."""
    return "private" if context_of(request.scope).services.settings.api_keys else "public"


def _accepts_gzip(accept: str) -> bool:
    names = (part.lower().replace(" ", "").partition(";q=") for part in accept.split(","))
    return any(name == "gzip" and (not quality or quality.strip("0.") != "") for name, _, quality in names)


def _matches(tags: str, tag: str) -> bool:
    """Whether an ``If-None-Match`` list holds the tag, by weak comparison (RFC 9110, section 13.1.2)."""
    return any(sent.strip().removeprefix("W/") in (tag, "*") for sent in tags.split(","))
