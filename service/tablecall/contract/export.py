"""The generated files: the contracts and schemas, committed and served."""

from __future__ import annotations

from collections.abc import Sequence

from tablecall.contract import json_schema, openapi
from tablecall.contract.operations import Operation
from tablecall.systems import SYSTEMS


def texts(operations: Sequence[Operation], sdl: str) -> dict[str, bytes]:
    """Every generated file by its path, for these REST operations and this GraphQL schema."""
    document = openapi.document(operations)
    return {
        "openapi/openapi.json": json_schema.as_text(document),
        **{f"openapi/{name}.json": json_schema.as_text(openapi.system_document(operations, name)) for name in SYSTEMS},
        "openapi/openapi.yaml": openapi.as_yaml(document).encode(),
        "schema/schema.graphql": sdl.encode() + b"\n",
        **{f"schema/json/{name}.json": json_schema.text(name) for name in json_schema.components()},
    }
