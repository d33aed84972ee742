"""The thread that writes the log: streams that work, that block, that are closed, and that fail."""

from __future__ import annotations

import fcntl
import io
import os
import re
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import TextIO
from urllib.error import URLError

import pytest

from tablecall.runtime.log_writer import LogWriter
from tests.support.server import WAIT, get, serving, wait_for

LINE = "x" * 99 + "\n"


class Pipe:
    """A pipe of 4 KiB whose writing end is a text stream."""

    def __init__(self) -> None:
        self.out, into = os.pipe()
        fcntl.fcntl(into, fcntl.F_SETPIPE_SZ, 4096)
        self.stream: TextIO = os.fdopen(into, "w")
        self._parts: list[bytes] = []
        self._reader = threading.Thread(target=self._read)

    def read_in_background(self) -> None:
        self._reader.start()

    def _read(self) -> None:
        while part := os.read(self.out, 65536):
            self._parts.append(part)

    def text(self) -> str:
        """Close the writing end, and return all that was written."""
        self.stream.close()
        if self._reader.ident:
            self._reader.join()
        else:
            self._read()
        return b"".join(self._parts).decode()


@pytest.fixture
def pipe() -> Iterator[Pipe]:
    pipe = Pipe()
    yield pipe
    pipe.text()
    os.close(pipe.out)


def write(writer: LogWriter, *texts: str) -> None:
    """Write all texts, and wait for the end of the thread."""
    for text in texts:
        writer.write(text)
    writer.close(WAIT)
    assert writer._thread is None


# ── A stream that works ──────────────────────────────────────────────────────────────────────────────────────────────


def test_lines_are_written_in_order(pipe: Pipe) -> None:
    writer = LogWriter(pipe.stream)
    lines = [f"line {number} – é\n" for number in range(100)] + ["\ud800\n"]
    write(writer, *lines)
    assert pipe.text() == "".join(lines[:-1]) + "\\ud800\n"
    assert writer.dropped == 0


def test_lines_of_several_threads_arrive_whole(pipe: Pipe) -> None:
    pipe.read_in_background()
    writer = LogWriter(pipe.stream)
    lines = [[f"{name} {number}\n" for number in range(500)] for name in range(4)]
    threads = [threading.Thread(target=lambda texts: list(map(writer.write, texts)), args=(texts,)) for texts in lines]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    write(writer)
    written = pipe.text().splitlines(keepends=True)
    assert [[line for line in written if line.startswith(f"{name} ")] for name in range(4)] == lines
    assert writer._size == 0


def test_thread_ends_when_nothing_is_left_and_starts_again(pipe: Pipe) -> None:
    writer = LogWriter(pipe.stream)
    for text in ("first\n", "second\n"):
        writer.write(text)
        wait_for(lambda: writer._thread is None)
    write(writer, "after close\n")
    assert pipe.text() == "first\nsecond\nafter close\n"


def test_stream_in_memory_is_written_to() -> None:
    stream = io.StringIO()
    write(LogWriter(stream), "here\n")
    assert stream.getvalue() == "here\n"


def test_line_is_written_later_if_no_thread_can_start(pipe: Pipe, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(thread: threading.Thread) -> None:
        raise RuntimeError("can't start new thread")

    writer = LogWriter(pipe.stream)
    with monkeypatch.context() as patch:
        patch.setattr(threading.Thread, "start", refuse)
        writer.write("first\n")
        writer.close()
    write(writer)
    assert pipe.text() == "first\n"


# ── A stream that blocks ─────────────────────────────────────────────────────────────────────────────────────────────


def test_lines_that_do_not_fit_are_dropped_and_counted(pipe: Pipe) -> None:
    writer = LogWriter(pipe.stream, max_bytes=10_000)
    for _ in range(1000):
        writer.write(LINE)
    assert writer.dropped == 900
    pipe.read_in_background()
    write(writer)
    write(writer, "again\n")
    assert pipe.text() == LINE * 100 + "again\n"
    assert writer.dropped == 900


def test_close_leaves_a_blocked_thread_behind(pipe: Pipe) -> None:
    writer = LogWriter(pipe.stream)
    writer.write(LINE * 100)
    writer.close(0.01)
    assert writer._thread is not None
    pipe.read_in_background()
    write(writer)


def test_non_blocking_stream_is_awaited(pipe: Pipe) -> None:
    os.set_blocking(pipe.stream.fileno(), False)
    writer = LogWriter(pipe.stream)
    writer.write(LINE * 100)
    wait_for(lambda: writer._waiting == [])
    pipe.read_in_background()
    write(writer)
    assert pipe.text() == LINE * 100
    assert writer.dropped == 0


# ── A stream that fails ──────────────────────────────────────────────────────────────────────────────────────────────


def test_pipe_without_reader_drops_the_lines() -> None:
    pipe = Pipe()
    writer = LogWriter(pipe.stream)
    writer.write(LINE * 100)
    assert os.read(pipe.out, 100) == LINE.encode()
    os.close(pipe.out)
    write(writer)
    dropped = writer.dropped
    assert 0 < dropped < 100  # those written before are not counted
    write(writer, LINE)
    assert writer.dropped == dropped + 1
    pipe.stream.close()


def test_lines_that_cannot_be_written_are_dropped(tmp_path: Path) -> None:
    with Path("/dev/full").open("w") as full, (tmp_path / "log").open("w") as closed:
        writers = [LogWriter(full), LogWriter(closed), LogWriter(None), LogWriter(io.StringIO(), max_bytes=10)]
        closed.close()
        for writer in writers:
            write(writer, LINE + LINE)
            assert (writer.dropped, writer.terminal) == (2, False)


# ── The service ──────────────────────────────────────────────────────────────────────────────────────────────────────


def dropped_lines(port: int) -> float:
    (number,) = re.findall(r"^tablecall_log_lines_dropped_total (\S+)$", get(port, "/metrics"), re.MULTILINE)
    return float(number)


def test_log_that_nobody_reads_does_not_stop_the_service() -> None:
    """8,000 lines are more than the pipe and the queue hold."""
    request = b"GET /version HTTP/1.1\r\nHost: h\r\nX-Request-ID: %s\r\n\r\n" % (b"x" * 64)
    with serving() as (process, port):
        with socket.create_connection(("127.0.0.1", port), WAIT) as caller:
            for _ in range(1000):
                caller.sendall(request * 8)
                answer = b""
                while answer.count(b"\r\n\r\n{") < 8:
                    answer += caller.recv(65536)
        assert dropped_lines(port) > 0
        process.send_signal(signal.SIGTERM)
        assert process.wait(WAIT) == 0


def test_standard_error_that_is_closed_does_not_stop_the_service() -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    serve = [sys.executable, "-c", "from tablecall.cli import main; main()", "serve", "--port", str(port)]
    with subprocess.Popen(["/bin/sh", "-c", 'exec "$@" 2>&-', "sh", *serve]) as process:
        try:

            def drops_lines() -> bool:
                assert process.poll() is None
                try:
                    return dropped_lines(port) > 0
                except URLError:
                    return False

            wait_for(drops_lines)
            process.send_signal(signal.SIGTERM)
            assert process.wait(WAIT) == 0
        finally:
            process.kill()


def test_every_line_is_written_before_the_service_ends() -> None:
    with serving() as (process, port):
        get(port, "/version")
        process.send_signal(signal.SIGTERM)
        assert process.stderr is not None
        lines = process.stderr.read().splitlines()
        assert process.wait(WAIT) == 0
    assert '"route":"/version"' in lines[0]
    assert "Finished server process" in lines[-1]
