"""Reads a query string into names and values, for clients that can only send GET."""

from __future__ import annotations

from urllib.parse import parse_qsl

from starlette.requests import Request

from tablecall.model.problems import HttpProblem

MAX_PARAMETERS = 1000
"""The most parameters a query may have."""


def read_query(request: Request) -> list[tuple[str, str]]:
    """The names and values of the query in order. Refuses (400) invalid percent-encoding or UTF-8, and too many parameters.

    A name without ``=`` stands for true. Empty values and ``_``, which some clients send to get around caches, are left out.
    """
    raw: bytes = request.scope["query_string"]
    try:
        texts = [text if "=" in text else f"{text}=true" for text in raw.decode().split("&") if text]
        pairs = parse_qsl("&".join(texts), errors="strict", max_num_fields=MAX_PARAMETERS)
        return [(name, value) for name, value in pairs if name != "_"]
    except ValueError:
        raise HttpProblem("bad-request", "http.query", max=MAX_PARAMETERS) from None
