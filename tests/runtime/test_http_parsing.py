"""The parser of a connection: the requests in the bytes, in whatever pieces they arrive."""

from __future__ import annotations

from typing import Any

import pytest

from tablecall.runtime.http_parsing import Refused, RequestParser

MAX_HEAD, MAX_URL = 500, 100


class Recorder:
    """Notes each complete request as `METHOD target [headers] body`."""

    def __init__(self) -> None:
        self.requests: list[str] = []
        self.keep_alive: list[bool] = []
        self.continues: list[bool] = []
        self.scope: dict[str, Any] = {}

    def request_began(self, scope: dict[str, Any], keep_alive: bool, wants_continue: bool) -> None:
        if scope["path"] == "/fault":
            raise LookupError("a bug")
        self.scope, self.body = scope, b""
        self.keep_alive.append(keep_alive)
        self.continues.append(wants_continue)

    def body_received(self, part: bytes) -> None:
        self.body += part

    def request_ended(self) -> None:
        query = b"?" + self.scope["query_string"] if self.scope["query_string"] else b""
        names = sorted(name.decode() for name, _ in self.scope["headers"] if name not in (b"host", b"content-length", b"transfer-encoding"))
        target = (self.scope["raw_path"] + query).decode()
        self.requests.append(f"{self.scope['method']} {target} {' '.join(names)}| {self.body.decode()}")


def parse(data: bytes, size: int) -> tuple[Recorder, str]:
    """What is received of these bytes, in pieces of that size, and the code of the refusal that ends it."""
    recorder = Recorder()
    parser = RequestParser(recorder, {"base": True}, MAX_HEAD, MAX_URL)
    code = ""
    try:
        for at in range(0, len(data), size):
            parser.feed(data[at : at + size])
    except Refused as refused:
        code = refused.code
    parser.close()
    return recorder, code


SIZES = [1_000_000, 1, 7]

POST = b"POST /p HTTP/1.1\r\nHost: h\r\n"
CHUNKED = POST + b"Transfer-Encoding: chunked\r\n"
GET = b"GET /g HTTP/1.1\r\nHost: h\r\n\r\n"
OFFER = b"Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAEA\r\n"

READ: dict[str, tuple[bytes, list[str]]] = {
    "two requests": (GET + POST + b"Content-Length: 3\r\n\r\nabc" + GET, ["GET /g | ", "POST /p | abc", "GET /g | "]),
    "empty lines before a head": (b"\r\n\r\n" + GET, ["GET /g | "]),
    "chunks, with extensions": (CHUNKED + b"\r\n3;x=y\r\nabc\r\n2\r\nde\r\n0\r\n\r\n" + GET, ["POST /p | abcde", "GET /g | "]),
    "trailers are dropped": (
        CHUNKED + b"\r\n3\r\nabc\r\n0\r\nAuthorization: key\r\nHost: i\r\nUpgrade: h2c\r\n\r\n" + GET,
        ["POST /p | abc", "GET /g | "],
    ),
    "an offer to upgrade is ignored": (POST + OFFER + b"Content-Length: 3\r\n\r\nabc" + GET, ["POST /p | abc", "GET /g | "]),
    "an offer before chunks": (CHUNKED + OFFER + b"X: y\r\n\r\n3\r\nabc\r\n0\r\nT: u\r\n\r\n" + GET, ["POST /p x| abc", "GET /g | "]),
    "several offers": ((POST + OFFER + b"Content-Length: 3\r\n\r\nabc") * 3 + GET, ["POST /p | abc"] * 3 + ["GET /g | "]),
    "an offer without a body": (GET[:-2] + b"Connection: upgrade\r\nUpgrade: websocket\r\n\r\n" + GET, ["GET /g | "] * 2),
    "a body that looks like an offer": (
        POST + b"Content-Length: %d\r\n\r\n" % len(GET[:-2] + OFFER + b"\r\n") + GET[:-2] + OFFER + b"\r\n" + GET,
        [f"POST /p | {(GET[:-2] + OFFER).decode()}\r\n", "GET /g | "],
    ),
    "HTTP/1.0 needs no host": (b"GET /g HTTP/1.0\r\n\r\n", ["GET /g | "]),
    "an empty host": (GET.replace(b" h\r", b"\r"), ["GET /g | "]),
    "an address as host": (GET.replace(b" h\r", b" [::1]:8000\r"), ["GET /g | "]),
    "a whole address as target": (GET.replace(b"/g", b"http://h/a%20b?c=d#e"), ["GET /a%20b?c=d | "]),
    "a whole address without a path": (GET.replace(b"/g", b"http://h"), ["GET / | "]),
    "a head that just fits": (GET[:-2] + b"A: %b\r\n\r\n" % (b"x" * (MAX_HEAD - len(GET) - 5)), ["GET /g a| "]),
    "trailers that just fit": (CHUNKED + b"\r\n1\r\na\r\n0\r\nA: %b\r\n\r\n" % (b"x" * (MAX_HEAD - 20)), ["POST /p | a"]),
    "heads that fit one by one": (GET * 50, ["GET /g | "] * 50),
    "a long body": (POST + b"Content-Length: 5000\r\n\r\n" + b"x" * 5000, ["POST /p | " + "x" * 5000]),
    "a long body in small chunks": (CHUNKED + b"\r\n" + b"1\r\nx\r\n" * 600 + b"0\r\n\r\n", ["POST /p | " + "x" * 600]),
}


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("name", READ)
def test_requests_are_read(name: str, size: int) -> None:
    data, requests = READ[name]
    recorder, code = parse(data, size)
    assert (recorder.requests, code) == (requests, "")


LONG = b"x" * (MAX_HEAD + 50)
REFUSED: dict[str, tuple[bytes, str]] = {
    "not HTTP": (b"hello\r\n\r\n", "bad-request"),
    "HTTP/2 begun without asking": (b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", "bad-request"),
    "HTTP/2.0": (GET.replace(b"1.1", b"2.0"), "bad-request"),
    "HTTP/0.9": (b"GET /g\r\n\r\n", "bad-request"),
    "no host": (b"GET /g HTTP/1.1\r\n\r\n", "bad-request"),
    "two hosts": (GET[:-2] + b"host: h\r\n\r\n", "bad-request"),
    "a list of hosts": (GET.replace(b" h\r", b" h, i\r"), "bad-request"),
    "an address for a host": (GET.replace(b" h\r", b" http://h/\r"), "bad-request"),
    "a host with a user": (GET.replace(b" h\r", b" u@h\r"), "bad-request"),
    "a host with a wrong port": (GET.replace(b" h\r", b" h:x\r"), "bad-request"),
    "a path that is no text": (GET.replace(b"/g", b"/\xff"), "bad-request"),
    "a target that is none": (GET.replace(b"/g", b"http://h:99999/"), "bad-request"),
    "a length and a coding": (CHUNKED + b"Content-Length: 3\r\n\r\nabc", "bad-request"),
    "two lengths": (POST + b"Content-Length: 3\r\nContent-Length: 4\r\n\r\nabc", "bad-request"),
    "broken chunks": (CHUNKED + b"\r\nzz\r\n", "bad-request"),
    "broken chunks after an offer": (CHUNKED + OFFER + b"\r\nzz\r\n", "bad-request"),
    "an offer without a host": (b"GET /g HTTP/1.1\r\n" + OFFER + b"\r\n", "bad-request"),
    "an unknown coding": (POST + b"Transfer-Encoding: gzip\r\n\r\n", "not-implemented"),
    "a coding before chunks": (POST + b"Transfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n", "not-implemented"),
    "a coding in a header before chunks": (POST + b"Transfer-Encoding: gzip\r\nTransfer-Encoding: chunked\r\n\r\n", "not-implemented"),
    "CONNECT": (b"CONNECT h:1 HTTP/1.1\r\nHost: h\r\n\r\n", "not-implemented"),
    "a long target": (GET.replace(b"/g", b"/" + b"x" * MAX_URL), "url-too-long"),
    "a long head": (GET[:-2] + b"".join(b"A%d: %b\r\n" % (i, b"x" * 100) for i in range(5)) + b"\r\n", "headers-too-large"),
    "a long header that never ends": (GET[:-2] + b"A: " + LONG, "headers-too-large"),
    "a long name that never ends": (GET[:-2] + LONG, "headers-too-large"),
    "long trailers": (CHUNKED + b"\r\n1\r\na\r\n0\r\n" + b"A: %b\r\n" % (b"x" * 100) * 6 + b"\r\n", "headers-too-large"),
}


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("name", REFUSED)
def test_malformed_request_is_refused(name: str, size: int) -> None:
    data, expected = REFUSED[name]
    recorder, code = parse(GET + data, size)
    assert (recorder.requests, code) == (["GET /g | "], expected)


@pytest.mark.parametrize("size", [1, 7])
@pytest.mark.parametrize("rest", [b"1;" + LONG, b"1\r\na\r\n0\r\nA: " + LONG])
def test_bytes_between_the_parts_of_a_body_are_bounded(rest: bytes, size: int) -> None:
    assert parse(CHUNKED + b"\r\n" + rest, size)[1] == "headers-too-large"


def test_scope_of_a_request() -> None:
    recorder, _ = parse(GET.replace(b"/g", b"/a%20b?c=d"), 1_000)
    assert recorder.scope == {
        "base": True,
        "http_version": "1.1",
        "method": "GET",
        "path": "/a b",
        "raw_path": b"/a%20b",
        "query_string": b"c=d",
        "headers": [(b"host", b"h")],
    }


@pytest.mark.parametrize(
    ("version", "headers", "kept"),
    [
        (b"1.1", b"", True),
        (b"1.1", b"Connection: close\r\n", False),
        (b"1.1", b"Upgrade: x\r\nConnection: Upgrade, close\r\n", False),
        (b"1.1", b"Upgrade: x\r\nConnection: Upgrade, keep-alive\r\n", True),
        (b"1.0", b"Connection: keep-alive\r\n", False),
    ],
)
def test_keep_alive(version: bytes, headers: bytes, kept: bool) -> None:
    assert parse(GET.replace(b"1.1", version).replace(b"Host", headers + b"Host"), 1_000)[0].keep_alive == [kept]


def test_expectation_of_100_continue() -> None:
    data = POST + b"Expect: 100-Continue\r\nContent-Length: 1\r\n\r\na" + GET
    assert parse(data, 1_000)[0].continues == [True, False]
    assert parse(data.replace(b"1.1", b"1.0"), 1_000)[0].continues[0] is False


def test_error_of_the_receiver_is_raised() -> None:
    with pytest.raises(LookupError):
        parse(GET.replace(b"/g", b"/fault"), 1_000)
