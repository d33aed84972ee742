"""Parts of an answer that go to the system together."""

from __future__ import annotations

import asyncio
from typing import Any, cast

from service.doors.writing import Together


class Wire:
    """A transport that notes what it is told."""

    def __init__(self) -> None:
        self.told: list[Any] = []
        self.gone = False

    def write(self, data: bytes) -> None:
        self.told.append(data)

    def is_closing(self) -> bool:
        return self.gone

    def close(self) -> None:
        self.told.append("close")

    def get_write_buffer_size(self) -> int:
        return 7


async def told(*parts: bytes | None, gone: bool = False, close: bool = False) -> list[Any]:
    """What the wire is told of these parts, written one after the other; ``None`` lets the loop come round."""
    wire = Wire()
    transport = Together(cast("asyncio.Transport", wire), asyncio.get_running_loop())
    for part in parts:
        if part is None:
            await asyncio.sleep(0)
        else:
            transport.write(part)
    wire.gone = gone
    if close:
        transport.close()
    await asyncio.sleep(0)
    assert transport.get_write_buffer_size() == 7
    return wire.told


def test_head_and_body_are_one() -> None:
    assert asyncio.run(told(b"head", b"body")) == [b"headbody"]
    assert asyncio.run(told(b"head", b"", b"next", b"body")) == [b"head", b"nextbody"]


def test_nothing_waits_longer_than_the_loop_takes_to_come_round() -> None:
    assert asyncio.run(told(b"head", None, b"body")) == [b"head", b"body"]
    assert asyncio.run(told(b"one", b"two", b"three", None, b"four")) == [b"onetwo", b"three", b"four"]


def test_nothing_is_nothing() -> None:
    assert asyncio.run(told(b"")) == []


def test_what_is_held_goes_out_before_it_is_closed() -> None:
    assert asyncio.run(told(b"head", close=True)) == [b"head", "close"]


def test_whoever_has_gone_is_sent_nothing() -> None:
    assert asyncio.run(told(b"head", gone=True)) == []
