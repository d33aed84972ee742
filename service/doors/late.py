"""What takes long to make, made off the event loop: soon after the start, or when it is first asked for."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from threading import Lock

from starlette.types import ASGIApp, Receive, Scope, Send


class Late:
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
