"""Writing an answer at once: uvicorn hands its head and its body to the system one after the other, each a call of its own."""

from __future__ import annotations

import asyncio
from typing import Any


class Together:
    """A transport that holds what it is given until more comes, and no longer than the event loop takes to come round.

    In everything else it is the transport inside it.
    """

    def __init__(self, transport: asyncio.Transport, loop: asyncio.AbstractEventLoop) -> None:
        self.inner = transport
        self.loop = loop
        self.held = b""

    def __getattr__(self, name: str) -> Any:
        """Whatever else a transport can do."""
        return getattr(self.inner, name)

    def write(self, data: bytes) -> None:
        """Hold the first part, hand on the second with it."""
        if self.held:
            data, self.held = self.held + data, b""
            self.inner.write(data)
        elif data:
            self.held = data
            self.loop.call_soon(self.flush)

    def flush(self) -> None:
        """Hand on what is held; to a caller that has gone, nothing."""
        data, self.held = self.held, b""
        if data and not self.inner.is_closing():
            self.inner.write(data)

    def close(self) -> None:
        """Hand on what is held, and close once it is sent."""
        self.flush()
        self.inner.close()
