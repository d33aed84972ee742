"""JSON responses."""

from __future__ import annotations

from typing import Any

import orjson
from starlette.responses import Response


class JsonResponse(Response):
    """A JSON response whose headers are fixed; Starlette's own class builds them for every response."""

    def __init__(self, body: bytes) -> None:
        self.status_code = 200
        self.background = None
        self.body = body
        self.raw_headers = [(b"content-length", b"%d" % len(body)), (b"content-type", b"application/json")]


def json_response(document: Any) -> Response:
    """The document as a JSON response."""
    return JsonResponse(orjson.dumps(document))
