"""What takes long to make, made off the event loop: soon after the start, or when it is first asked for."""

from __future__ import annotations

import asyncio
import gc
from collections.abc import AsyncIterator, Callable, Iterable
from contextlib import asynccontextmanager
from threading import Lock

from starlette.types import ASGIApp, Receive, Scope, Send


class LazyApp:
    """An ASGI application that is made once, in a thread; whoever asks before waits, and everybody else is answered meanwhile."""

    def __init__(self, made: Callable[[], ASGIApp]) -> None:
        self._made = made
        self._app: ASGIApp | None = None
        self._lock = Lock()

    def make(self) -> ASGIApp:
        """Make it, unless it is made already."""
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
    """Meanwhile, do all of it in threads; at the end all of it is done.

    What a service has loaded stays, so the collector of garbage need not look through it: that would hold everybody up for a
    tenth of a second, again and again. It looks at what came later, and not at all while still more is loaded.
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
