"""The two files that browsers and crawlers ask every site for."""

from __future__ import annotations

import struct
import zlib

from starlette.routing import BaseRoute, Route

from tablecall.http.http_cache import constant
from tablecall.http.router import EndpointApp

ROBOTS = b"User-agent: *\nDisallow: /resolve\nDisallow: /odds\nDisallow: /graphql\n"
"""Crawlers keep off whatever rolls dice or counts odds."""
SIZE = 32
_PIPS = ((9, 9), (22, 9), (15.5, 15.5), (9, 22), (22, 22))


def icon() -> bytes:
    """The icon, the face of a die that shows five, as a PNG in an ICO file."""
    png = _png()
    head = struct.pack("<HHH", 0, 1, 1)
    entry = struct.pack("<BBBBHHII", SIZE, SIZE, 0, 0, 1, 32, len(png), 6 + 16)
    return head + entry + png


def _png() -> bytes:
    rows = b"".join(b"\0" + b"".join(_pixel(x, y) for x in range(SIZE)) for y in range(SIZE))
    header = struct.pack(">IIBBBBB", SIZE, SIZE, 8, 6, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + _chunk(b"IHDR", header) + _chunk(b"IDAT", zlib.compress(rows, 9)) + _chunk(b"IEND", b"")


def _chunk(name: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))


def _pixel(x: int, y: int) -> bytes:
    """Red, green, blue and opacity."""
    if any((x - a) ** 2 + (y - b) ** 2 <= 7 for a, b in _PIPS):
        return b"\xff\xff\xff\xff"
    edge = max(abs(2 * x - SIZE + 1), abs(2 * y - SIZE + 1))
    return b"\x3d\x6f\xb4\xff" if edge <= 29 else b"\0\0\0\0"


def routes() -> list[BaseRoute]:
    """The routes of the files."""
    files = {"/favicon.ico": (icon, "image/x-icon"), "/robots.txt": (lambda: ROBOTS, "text/plain; charset=utf-8")}
    return [Route(path, EndpointApp(constant(make, media)), methods=["GET"]) for path, (make, media) in files.items()]
