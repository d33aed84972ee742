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

import pytest

from tablecall.runtime.log_writer import LogWriter
from tests.support.server import WAIT, wait_for

LINE = "x" * 99 + "\n"


class Pipe:
    """A pipe of 4 KiB whose writing end is a text stream."""

    def __init__(self) -> None:
        self.out, into = os.pipe()
        fcntl.fcntl(into, fcntl.F_SETPIPE_SZ, 4096)
        self.stream: TextIO = os.fdopen(into, "w")
        self._parts: list[bytes] = []
        self._reader: threading.Thread | None = None

    def read_in_background(self) -> None:
        self._reader = threading.Thread(target=self._read)
        self._reader.start()

    def _read(self) -> None:
        while part := os.read(self.out, 65536):
            self._parts.append(part)

    def text(self) -> str:
        """Close the writing end, and return all that was written."""
        self.stream.close()
        if self._reader:
            self._reader.join()
        else:
            self._read()
        return b"".join(self._parts).decode()

    def close(self) -> None:
        self.text()
        os.close(self.out)


@pytest.fixture
def pipe() -> Iterator[Pipe]:
    pipe = Pipe()
    yield pipe
    pipe.close()


@pytest.fixture
def without_reader() -> Iterator[TextIO]:
    """The writing end of a pipe whose reader is gone."""
    pipe = Pipe()
    os.close(pipe.out)
    yield pipe.stream
    pipe.stream.close()


def stop_thread(writer: LogWriter) -> None:
    writer.close(WAIT)
    assert writer._thread is None


# ── A stream that works ──────────────────────────────────────────────────────────────────────────────────────────────


def test_lines_are_written_in_order(pipe: Pipe) -> None:
    writer = LogWriter(pipe.stream)
    for number in range(100):
        writer.write(f"line {number} – é\n")
    stop_thread(writer)
    assert pipe.text() == "".join(f"line {number} – é\n" for number in range(100))
    assert writer.dropped == 0


def test_lines_of_several_threads_all_arrive_whole(pipe: Pipe) -> None:
    pipe.read_in_background()
    writer = LogWriter(pipe.stream)

    def work(name: int) -> None:
        for number in range(500):
            writer.write(f"{name} {number}\n")

    threads = [threading.Thread(target=work, args=(name,)) for name in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    stop_thread(writer)
    lines = pipe.text().splitlines()
    assert [[line for line in lines if line.startswith(f"{name} ")] for name in range(4)] == [
        [f"{name} {number}" for number in range(500)] for name in range(4)
    ]
    assert writer._size == 0


def test_the_thread_ends_when_nothing_is_left_and_starts_again(pipe: Pipe) -> None:
    writer = LogWriter(pipe.stream)
    for text in ("first\n", "second\n"):
        writer.write(text)
        wait_for(lambda: writer._thread is None)
    assert pipe.text() == "first\nsecond\n"


def test_text_queued_after_close_is_still_written(pipe: Pipe) -> None:
    writer = LogWriter(pipe.stream)
    writer.close()
    writer.write("last\n")
    stop_thread(writer)
    assert pipe.text() == "last\n"


def test_a_lone_surrogate_is_escaped(pipe: Pipe) -> None:
    writer = LogWriter(pipe.stream)
    writer.write("\ud800\n")
    stop_thread(writer)
    assert pipe.text() == "\\ud800\n"


def test_a_stream_in_memory_is_written_to() -> None:
    stream = io.StringIO()
    writer = LogWriter(stream)
    writer.write("here\n")
    stop_thread(writer)
    assert stream.getvalue() == "here\n"


def test_no_thread_left_in_the_system_delays_the_line(pipe: Pipe, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(thread: threading.Thread) -> None:
        raise RuntimeError("can't start new thread")

    writer = LogWriter(pipe.stream)
    with monkeypatch.context() as patch:
        patch.setattr(threading.Thread, "start", refuse)
        writer.write("first\n")
        writer.close()
    stop_thread(writer)
    assert pipe.text() == "first\n"


# ── A stream that blocks ─────────────────────────────────────────────────────────────────────────────────────────────


def test_what_does_not_fit_is_dropped_and_counted(pipe: Pipe) -> None:
    writer = LogWriter(pipe.stream, max_bytes=10_000)
    for _ in range(1000):
        writer.write(LINE)
    assert writer.dropped == 900
    pipe.read_in_background()
    stop_thread(writer)
    writer.write("again\n")
    stop_thread(writer)
    assert pipe.text() == LINE * 100 + "again\n"
    assert writer.dropped == 900


def test_several_lines_in_one_text_are_counted_one_by_one() -> None:
    writer = LogWriter(io.StringIO(), max_bytes=10)
    writer.write("one\ntwo\nthree\n")
    assert writer.dropped == 3


def test_close_leaves_a_stuck_thread_behind(pipe: Pipe) -> None:
    writer = LogWriter(pipe.stream)
    writer.write(LINE * 100)
    writer.close(0.01)
    assert writer._thread is not None
    pipe.read_in_background()
    stop_thread(writer)


def test_a_stream_that_does_not_block_is_waited_for(pipe: Pipe) -> None:
    os.set_blocking(pipe.stream.fileno(), False)
    writer = LogWriter(pipe.stream)
    writer.write(LINE * 100)
    wait_for(lambda: writer._waiting == [])
    pipe.read_in_background()
    stop_thread(writer)
    assert pipe.text() == LINE * 100
    assert writer.dropped == 0


# ── A stream that fails ──────────────────────────────────────────────────────────────────────────────────────────────


def test_a_pipe_without_a_reader_drops_the_lines(without_reader: TextIO) -> None:
    writer = LogWriter(without_reader)
    for count in (1, 2):
        writer.write(LINE)
        stop_thread(writer)
        assert writer.dropped == count


def test_a_full_disk_drops_the_lines() -> None:
    with Path("/dev/full").open("w") as stream:
        writer = LogWriter(stream)
        writer.write(LINE)
        stop_thread(writer)
    assert writer.dropped == 1


def test_a_closed_stream_drops_the_lines(pipe: Pipe) -> None:
    writer = LogWriter(pipe.stream)
    pipe.stream.close()
    writer.write(LINE)
    stop_thread(writer)
    assert writer.dropped == 1


def test_without_a_stream_lines_are_dropped() -> None:
    writer = LogWriter(None)
    writer.write(LINE)
    stop_thread(writer)
    assert (writer.dropped, writer.terminal) == (1, False)


def test_what_was_written_before_the_failure_is_not_counted() -> None:
    pipe = Pipe()
    writer = LogWriter(pipe.stream)
    writer.write(LINE * 100)
    assert os.read(pipe.out, 100) == LINE.encode()
    os.close(pipe.out)
    stop_thread(writer)
    pipe.stream.close()
    assert 0 < writer.dropped < 100


# ── The service ──────────────────────────────────────────────────────────────────────────────────────────────────────

SERVE = (sys.executable, "-c", "from tablecall.cli import main; main()", "serve", "--port")


def metric(port: int, name: str) -> float:
    with socket.create_connection(("127.0.0.1", port), WAIT) as caller:
        caller.sendall(b"GET /metrics HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n")
        answer = b""
        while part := caller.recv(65536):
            answer += part
    found = re.search(rf"^{name} (\S+)$", answer.decode(), re.MULTILINE)
    assert found, answer
    return float(found[1])


def test_a_log_that_nobody_reads_does_not_stop_the_service() -> None:
    """8,000 lines are more than the pipe and the queue hold."""
    with subprocess.Popen([*SERVE, "0"], stderr=subprocess.PIPE) as process:
        assert process.stderr is not None
        line = next(line for line in process.stderr if b"running on" in line).decode()
        port = int(line.partition("127.0.0.1:")[2].partition(" ")[0])
        request = b"GET /version HTTP/1.1\r\nHost: h\r\nX-Request-ID: %s\r\n\r\n" % (b"x" * 64)
        with socket.create_connection(("127.0.0.1", port), WAIT) as caller, caller.makefile("rb") as reader:
            for _ in range(1000):
                caller.sendall(request * 8)
                for _ in range(8):
                    assert reader.readline() == b"HTTP/1.1 200 OK\r\n"
                    length = 0
                    while header := reader.readline().rstrip():
                        if header.lower().startswith(b"content-length:"):
                            length = int(header.partition(b":")[2])
                    reader.read(length)
        assert metric(port, "tablecall_log_lines_dropped_total") > 0
        process.send_signal(signal.SIGTERM)
        assert process.wait(WAIT) == 0


def test_a_standard_error_that_is_closed_at_the_start_does_not_stop_the_service() -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = ["/bin/sh", "-c", 'exec "$@" 2>&-', "sh", *SERVE, str(port)]
    with subprocess.Popen(command) as process:
        try:

            def answers() -> bool:
                assert process.poll() is None
                try:
                    return metric(port, "tablecall_log_lines_dropped_total") > 0
                except ConnectionRefusedError:
                    return False

            wait_for(answers)
            process.send_signal(signal.SIGTERM)
            assert process.wait(WAIT) == 0
        finally:
            process.kill()


def test_every_line_is_written_before_a_normal_exit() -> None:
    with subprocess.Popen([*SERVE, "0"], stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr is not None
        line = next(line for line in process.stderr if "running on" in line)
        port = int(line.partition("127.0.0.1:")[2].partition(" ")[0])
        with socket.create_connection(("127.0.0.1", port), WAIT) as caller:
            caller.sendall(b"GET /version HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n")
            while caller.recv(65536):
                pass
        process.send_signal(signal.SIGTERM)
        rest = process.stderr.read().splitlines()
        assert process.wait(WAIT) == 0
    assert '"route":"/version"' in rest[0]
    assert "Finished server process" in rest[-1]
