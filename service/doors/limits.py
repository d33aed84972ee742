"""How many requests are answered at once, and how long one may take: its body to arrive, its answer to begin."""

from __future__ import annotations

import asyncio

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from service.doors.observing.vitals import Vitals
from service.doors.problems import Refused

HEALTH = frozenset({"/livez", "/readyz"})
"""What is answered however busy the service is."""


class Patience:
    """Refuses one request too many (503), a body that arrives too slowly (408), an answer that does not begin in time (503).

    An answer that has begun may go on. One timer does for all, on the event loop's own clock.
    """

    def __init__(self, app: ASGIApp, vitals: Vitals) -> None:
        self.app = app
        self.vitals = vitals
        self.most = vitals.settings.max_requests
        self.body_seconds = min(vitals.settings.body_seconds, vitals.settings.request_seconds)
        self.rest = vitals.settings.request_seconds - self.body_seconds

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request while there is time."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        if self.vitals.running > self.most and scope["path"] not in HEALTH:
            raise Refused("busy")
        task = asyncio.current_task()
        assert task is not None
        wait = Wait(task, receive, send, self.rest)
        wait.timer = wait.loop.call_later(self.body_seconds, wait.body_is_late)
        try:
            await self.app(scope, wait.receive, wait.send)
        except asyncio.CancelledError:
            # Cancelled by whoever stops the service when its grace is over: that is no fault either.
            why = "busy" if self.vitals.draining else wait.late
            if wait.begun or not why or task.uncancel() > 0:
                raise
            raise Refused(why) from None
        finally:
            wait.timer.cancel()


class Wait:
    """The waiting for one request. ``late`` is the problem's code once it took too long."""

    __slots__ = ("arriving", "begun", "from_caller", "late", "loop", "rest", "task", "timer", "to_caller")

    timer: asyncio.TimerHandle

    def __init__(self, task: asyncio.Task[object], receive: Receive, send: Send, rest: float) -> None:
        self.loop = asyncio.get_running_loop()
        self.task = task
        self.from_caller = receive
        self.to_caller = send
        self.rest = rest
        self.arriving = self.begun = False
        self.late = ""

    async def receive(self) -> Message:
        """What the caller sends, noting whether there is more of it to wait for."""
        self.arriving = True
        message = await self.from_caller()
        self.arriving = bool(message.get("more_body"))
        return message

    async def send(self, message: Message) -> None:
        """The answer has begun: it was in time."""
        self.timer.cancel()
        self.begun = True
        await self.to_caller(message)

    def body_is_late(self) -> None:
        """The first bound: it is only for whoever still waits for the body."""
        if self.arriving:
            self.end("too-slow")
        else:
            self.timer = self.loop.call_later(self.rest, self.end, "timed-out")

    def end(self, code: str) -> None:
        """Stop whatever is being done for the request."""
        self.late = code
        self.task.cancel()
