"""What is generated, committed and served: the contracts and schemas as texts, by their place in the repository."""

from __future__ import annotations

from functools import cache

from service.doors import openapi, rest, schemas
from service.doors.graphql.schema import SCHEMA


@cache
def texts() -> dict[str, bytes]:
    """Every generated file by its path."""
    document = openapi.document(rest.operations(0))
    found = {
        "openapi/openapi.json": schemas.as_text(document),
        "openapi/openapi.yaml": openapi.as_yaml(document).encode(),
        "schema/schema.graphql": SCHEMA.as_str().encode() + b"\n",
    }
    return found | {f"schema/json/{name}.json": schemas.text(name) for name in schemas.components()}


def text(path: str) -> bytes:
    """One of them."""
    return texts()[path]
