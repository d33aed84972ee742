"""What is generated, committed and served: the contracts and schemas as texts, by their place in the repository."""

from __future__ import annotations

from functools import cache

from service.doors import openapi, rest, schemas
from service.settings import Settings


@cache
def texts() -> dict[str, bytes]:
    """Every generated file by its path."""
    from service.doors.graphql.schema import SCHEMA  # half of what a start takes, for what is seldom asked for

    document = openapi.document(rest.operations(Settings.model_construct()))
    found = {
        "openapi/openapi.json": schemas.as_text(document),
        "openapi/openapi.yaml": openapi.as_yaml(document).encode(),
        "schema/schema.graphql": SCHEMA.as_str().encode() + b"\n",
    }
    return found | {f"schema/json/{name}.json": schemas.text(name) for name in schemas.components()}


def text(path: str) -> bytes:
    """One of them."""
    return texts()[path]
