"""Reads requests from the bytes of one connection: httptools' callbacks, plus the checks that httptools leaves to its user.

httptools (llhttp) finds heads, bodies and chunks, and refuses malformed framing. It does not bound a head, it accepts a request
without ``Host``, it reports trailers as headers, and it drops the body of a request that offers an upgrade. This module adds
exactly that. It uses the documented callbacks of `httptools.HttpRequestParser` and no private name.
"""

from __future__ import annotations

import re
from enum import Enum
from functools import lru_cache
from typing import Any, Protocol
from urllib.parse import unquote

import httptools


class Refused(Exception):
    """These bytes are not a request that will be answered; ``code`` is the problem's code."""

    def __init__(self, code: str) -> None:
        super().__init__(code)
        self.code = code


class Receiver(Protocol):
    """What the parser reports to. Each method may raise `Refused`."""

    def request_began(self, scope: dict[str, Any], keep_alive: bool, wants_continue: bool) -> None:
        """A head is complete."""
        ...

    def body_received(self, part: bytes) -> None:
        """A part of the body."""
        ...

    def request_ended(self) -> None:
        """The body is complete."""
        ...


class Place(Enum):
    """Where in the stream of requests the next byte belongs."""

    BETWEEN = "between two requests"
    HEAD = "in a head"
    BODY = "in a body, its chunk sizes or its trailers"


BETWEEN, HEAD, BODY = Place

_REQUEST_LINE = len("GET  HTTP/1.1\r\n\r\n")
_HEADER_LINE = len(": \r\n")
_CHECKED = frozenset({b"host", b"transfer-encoding", b"expect"})
_OFFERS = frozenset({b"upgrade", b"http2-settings"})
_HOST = re.compile(rb"(\[[0-9A-Za-z:.%_~!$&'()*+,;=-]+\]|[0-9A-Za-z.%_~!$&'()*+,;=-]*)(:[0-9]*)?")


class RequestParser:
    """The parser of one connection.

    ``max_head`` bounds the bytes of a head, and those of the trailers; ``max_url`` those of the path and query. ``base`` holds the
    entries that every ASGI scope of this connection has.

    httptools does not report positions in the stream. They follow from two counts: ``_fed`` bytes were handed to httptools, and at
    least ``_passed`` of them belong to what it has reported. ``_start`` is where the head, or what follows a body part, begins.
    """

    def __init__(self, receiver: Receiver, base: dict[str, Any], max_head: int, max_url: int) -> None:
        self._receiver = receiver
        self._base = base
        self._max_head = max_head
        self._max_url = max_url
        self._parser = httptools.HttpRequestParser(self)
        self._fed = self._passed = self._start = 0
        self._offered = False
        self._url = b""
        self._headers: list[tuple[bytes, bytes]] = []
        self._hosts: list[bytes] = []
        self._coding = b"chunked"
        self._expect = b""
        self.place = BETWEEN

    def feed(self, data: bytes) -> None:
        """Read some bytes. Raises `Refused` when they are not a request; nothing may be fed after that."""
        while data:
            before = self._passed = self._fed
            self._fed += len(data)
            rest = self._parse(data)
            if self._offered:
                self._fed -= len(rest)
                self._parse(self._without_offer())
            data = rest
            if self.place is BODY and self._start > before:
                self._start = self._fed  # how much of these bytes stands behind the last part of the body is not known
            elif self.place is not BETWEEN:
                self._within_bound(self._fed)

    def _parse(self, data: bytes) -> bytes:
        """Parse these bytes; what stands behind a head that offers an upgrade is returned."""
        try:
            self._parser.feed_data(data)
        except httptools.HttpParserUpgrade as offer:
            return data[offer.args[0] :]
        except httptools.HttpParserCallbackError as error:
            raise (error.__context__ or error) from None  # what a callback raised: a refusal, or a fault of ours
        except httptools.HttpParserError:
            raise Refused("bad-request") from None
        return b""

    def close(self) -> None:
        """Release httptools' parser, which refers back to this object."""
        del self._parser

    def _within_bound(self, position: int) -> None:
        if position - self._start > self._max_head:
            raise Refused("headers-too-large")

    def _without_offer(self) -> bytes:
        """The head without the upgrade it offers, for a new parser. A server may ignore the offer (RFC 9110, 7.8).

        httptools takes everything behind such a head for another protocol. The new parser reads the head again, and then the body
        and what follows as of any request. Bytes behind the head are not touched.
        """
        kept = [(name, value) for name, value in self._headers if name not in _OFFERS and name != b"connection"]
        tokens = {token.strip().lower() for name, value in self._headers if name == b"connection" for token in value.split(b",")}
        kept += [(b"connection", token) for token in (b"close", b"keep-alive") if token in tokens]
        line = b"%b %b HTTP/%b\r\n" % (self._parser.get_method(), self._url, self._parser.get_http_version().encode())
        self._offered = False
        self._parser = httptools.HttpRequestParser(self)
        return b"".join((line, *(b"%b: %b\r\n" % header for header in kept), b"\r\n"))

    # ── What httptools calls ─────────────────────────────────────────────────────────────────────────────────────────

    def on_message_begin(self) -> None:
        """A head begins."""
        self.place = HEAD
        self._start = self._passed
        self._url = b""
        self._headers = []
        self._hosts = []
        self._coding = b"chunked"
        self._expect = b""

    def on_url(self, part: bytes) -> None:
        """A part of the request target."""
        self._url += part
        self._passed += len(part)
        if len(self._url) > self._max_url:
            raise Refused("url-too-long")

    def on_header(self, name: bytes, value: bytes) -> None:
        """A header or a trailer. Trailers are counted and dropped: merging them would bypass checks of the head (RFC 9110, 6.5.1)."""
        self._passed += len(name) + len(value) + _HEADER_LINE
        if self._passed - self._start > self._max_head:
            self._within_bound(min(self._passed, self._fed))
        if self.place is BODY:
            return
        name = name.lower()
        if name in _CHECKED:
            if name == b"host":
                self._hosts.append(value)
            elif name == b"expect":
                self._expect = value.lower()
            elif value.lower() != b"chunked":
                self._coding = value
        self._headers.append((name, value))

    def on_headers_complete(self) -> None:
        """The head is complete."""
        self._passed += _REQUEST_LINE
        self._start = self._passed
        self.place = BODY
        if self._parser.should_upgrade():
            if self._parser.get_method() == b"CONNECT":
                raise Refused("not-implemented")
            self._offered = True
            return
        version = self._parser.get_http_version()
        if version == "1.1":
            if len(self._hosts) != 1 or not _is_host(self._hosts[0]):
                raise Refused("bad-request")
        elif version != "1.0":
            raise Refused("bad-request")
        if self._coding != b"chunked":
            raise Refused("not-implemented")
        try:
            url = httptools.parse_url(self._url)
            raw_path = url.path or b"/"
            path = raw_path.decode("ascii")
        except (httptools.HttpParserInvalidURLError, UnicodeDecodeError):
            raise Refused("bad-request") from None
        scope = self._base.copy()
        scope["http_version"] = version
        scope["method"] = self._parser.get_method().decode("ascii")
        scope["path"] = unquote(path) if "%" in path else path
        scope["raw_path"] = raw_path
        scope["query_string"] = url.query or b""
        scope["headers"] = self._headers
        # An HTTP/1.0 connection is never kept: its bodies of unknown length end with it.
        keep_alive = version == "1.1" and self._parser.should_keep_alive()
        self._receiver.request_began(scope, keep_alive, self._expect == b"100-continue" and version == "1.1")

    def on_body(self, part: bytes) -> None:
        """A part of the body."""
        self._passed += len(part)
        self._start = self._passed
        self._receiver.body_received(part)

    def on_message_complete(self) -> None:
        """The request is complete."""
        if not self._offered:
            self.place = BETWEEN
            self._receiver.request_ended()


@lru_cache(maxsize=256)
def _is_host(value: bytes) -> bool:
    """Whether a ``Host`` header is a host and perhaps a port (RFC 9110, 7.2); it may be empty."""
    return _HOST.fullmatch(value) is not None
