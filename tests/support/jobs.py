"""Jobs for worker processes, and what becomes of the processes. Imported by workers, so it imports little itself."""

from __future__ import annotations

import asyncio
import os
import signal
import time
from collections import deque
from collections.abc import Callable
from itertools import repeat
from pathlib import Path
from typing import NoReturn

LONG = 600.0
"""More seconds than any test waits."""


def process(seconds: float) -> tuple[int, int, bool]:
    """The process, its priority, and whether it ignores SIGINT."""
    return os.getpid(), os.getpriority(os.PRIO_PROCESS, 0), signal.getsignal(signal.SIGINT) is signal.SIG_IGN


def pid(seconds: float) -> int:
    return os.getpid()


def limit(seconds: float) -> float:
    return seconds


def span(seconds: float) -> tuple[float, float]:
    """When it began and when it ended, by a clock that all processes share."""
    began = time.monotonic()
    time.sleep(0.01)
    return began, time.monotonic()


def refused(seconds: float) -> NoReturn:
    raise LookupError("refused")


def lost(seconds: float) -> NoReturn:
    os.kill(os.getpid(), signal.SIGKILL)
    raise AssertionError


def begin(begun: Path) -> None:
    """Tell the test that the job has begun, and in which process."""
    begun.with_suffix(".new").write_text(str(os.getpid()))
    begun.with_suffix(".new").rename(begun)


def endless(begun: Path, seconds: float) -> NoReturn:
    begin(begun)
    while True:
        time.sleep(0.01)


def endless_odds(tag: str, body: object, branches: int, seconds: float) -> NoReturn:
    """Takes the place of `tablecall.engine.jobs.count_odds`."""
    endless(Path(os.environ["BEGUN"]), seconds)


def stopped(begun: Path, seconds: float) -> None:
    begin(begun)
    os.kill(os.getpid(), signal.SIGSTOP)


def stuck_in_c(begun: Path, seconds: float) -> None:
    """Python never gets its turn again, so no handler of a signal runs."""
    begin(begun)
    deque(repeat(None), maxlen=0)


def fails_to_start() -> NoReturn:
    raise RuntimeError


async def until(condition: Callable[[], object]) -> None:
    """Wait for something that happens, if late on a busy machine."""
    ends = time.monotonic() + LONG / 2
    while not condition():
        assert time.monotonic() < ends
        await asyncio.sleep(0.01)


async def process_of(begun: Path) -> int:
    """Wait until a job has begun; the process that does it."""
    await until(begun.exists)
    return int(begun.read_text())  # noqa: ASYNC240  # a few bytes


def has_ended(process: int) -> bool:
    """Whether a process is gone, or a zombie that nobody has asked for its exit status."""
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(") ")[2].startswith("Z")
    except (FileNotFoundError, ProcessLookupError):
        return True
