"""Applications that take long to build, built in a thread: soon after the start, or at their first request."""

from __future__ import annotations

import asyncio
import gc
from collections.abc import AsyncIterator, Callable, Iterable
from contextlib import asynccontextmanager
from threading import Lock

from starlette.types import ASGIApp, Receive, Scope, Send


class LazyApp:
    """An ASGI application that is built once, in a thread. Its own requests wait until then, and all others are answered."""

    def __init__(self, made: Callable[[], ASGIApp]) -> None:
        self._made = made
        self._app: ASGIApp | None = None
        self._lock = Lock()

    def make(self) -> ASGIApp:
        """The application. Builds it, if nobody has."""
        with self._lock:
            if self._app is None:
                self._app = self._made()
            return self._app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        app = self._app
        if app is None:
            app = await asyncio.to_thread(self.make)
        await app(scope, receive, send)


@asynccontextmanager
async def making(works: Iterable[Callable[[], object]]) -> AsyncIterator[None]:
    """Run all ``works`` in threads. On exit they are done.

    Loaded modules are never freed, so they are frozen: the garbage collector would scan them for 0.1 s at each full collection. It is
    off while more is loaded.
    """
    gc.freeze()
    gc.disable()
    made = asyncio.gather(*map(asyncio.to_thread, works), return_exceptions=True)
    made.add_done_callback(_settled)
    try:
        yield
    finally:
        await made
        gc.unfreeze()


def _settled(_: object) -> None:
    gc.freeze()
    gc.enable()
