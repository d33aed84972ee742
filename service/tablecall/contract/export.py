"""What is generated, committed and served: the contracts and schemas as texts, by their place in the repository."""

from __future__ import annotations

from functools import cache

from tablecall.contract import json_schema, openapi
from tablecall.http import routes
from tablecall.settings import Settings


@cache
def texts() -> dict[str, bytes]:
    """Every generated file by its path."""
    from tablecall.graphql.schema import SCHEMA  # half of what a start takes, for what is seldom asked for

    document = openapi.document(routes.operations(Settings.model_construct()))
    found = {
        "openapi/openapi.json": json_schema.as_text(document),
        "openapi/openapi.yaml": openapi.as_yaml(document).encode(),
        "schema/schema.graphql": SCHEMA.as_str().encode() + b"\n",
    }
    return found | {f"schema/json/{name}.json": json_schema.text(name) for name in json_schema.components()}


def text(path: str) -> bytes:
    """One of them."""
    return texts()[path]
