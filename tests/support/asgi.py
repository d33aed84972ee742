"""An ASGI application called without a server or a test client."""

from __future__ import annotations

import asyncio
from typing import Any

from starlette.types import Message


def scope(path: str = "/resolve/jazz/check", method: str = "POST", **headers: str) -> dict[str, Any]:
    """The scope of a request with a JSON body, unless the headers say otherwise."""
    named = [(name.replace("_", "-").encode(), text.encode()) for name, text in {"content_type": "application/json", **headers}.items()]
    return {"type": "http", "method": method, "path": path, "raw_path": path.encode(), "query_string": b"", "headers": named}


async def call(app: Any, request: dict[str, Any], *parts: bytes, stall: bool = False, disconnect: bool = False) -> list[Message]:
    """Send the parts of a body, and return what is sent back. Then the client waits, or disconnects.

    With ``stall`` the last part promises more.
    """
    sent: list[Message] = []
    left = list(parts)

    async def receive() -> Message:
        if left:
            return {"type": "http.request", "body": left.pop(0), "more_body": stall or bool(left)}
        if not disconnect:
            await asyncio.get_running_loop().create_future()
        return {"type": "http.disconnect"}

    async def send(message: Message) -> None:
        sent.append(message)

    await app(request, receive, send)
    return sent


def status(sent: list[Message]) -> int:
    """The status of a response."""
    return int(sent[0]["status"])
