"""Reads request bodies: headers that describe them, the bytes within a limit, the JSON object inside."""

from __future__ import annotations

from typing import Any

from starlette.requests import ClientDisconnect, Request

from tablecall.engine.requests import as_object
from tablecall.http.json_body import read
from tablecall.model.problems import HttpProblem

JSON = frozenset({"application/json", "text/json"})


def header(request: Request, name: bytes) -> str:
    """The value of a header, whose ``name`` is given in lower case; empty if the client did not send it.

    Starlette's `Headers` decodes and compares every header for each look-up; this reads the raw list once.
    """
    for header_name, value in request.scope["headers"]:
        if header_name == name:
            return str(value, "latin-1")
    return ""


def media_type(content_type: str) -> str:
    """The media type of a body in lower case, without parameters."""
    return content_type.partition(";")[0].strip().lower()


def refuse_encoding(coding: str) -> None:
    """Refuse (415) a compressed body: unpacked it could have any size."""
    if coding.lower() not in ("", "identity"):
        raise HttpProblem("unsupported-media-type", "http.compressed")


async def read_bytes(request: Request, limit: int) -> bytes:
    """The body. Refuses a compressed one (415) and one of more than ``limit`` bytes (413), as soon as that is known."""
    sent = dict(reversed(request.scope["headers"]))  # the first counts, if a header was sent twice
    if b"content-encoding" in sent:
        refuse_encoding(str(sent[b"content-encoding"], "latin-1"))
    length = sent.get(b"content-length", b"")
    if length.isdigit() and (len(length) > 18 or int(length) > limit):
        raise HttpProblem("too-large", "http.body", max=limit)
    chunk, more = b"", True
    chunks, size = [], 0
    while more:
        message = await request.receive()
        if message["type"] == "http.disconnect":
            raise ClientDisconnect
        chunk, more = message.get("body", b""), message.get("more_body", False)
        size += len(chunk)
        if size > limit:
            raise HttpProblem("too-large", "http.body", max=limit)
        chunks.append(chunk)
    return chunk if len(chunks) == 1 else b"".join(chunks)


async def read_json(request: Request, limit: int, expected: str = "refused.request_object") -> dict[str, Any]:
    """The body as a JSON object. Refuses other media types (415), invalid JSON (400) and other JSON values (422, ``expected``)."""
    media = media_type(header(request, b"content-type"))
    if media not in JSON and not (media.startswith("application/") and media.endswith("+json")):
        raise HttpProblem("unsupported-media-type")
    return as_object(await read(await read_bytes(request, limit)), expected)
