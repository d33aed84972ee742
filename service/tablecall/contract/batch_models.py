"""The published shapes of a batch: many requests in one, and their results."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import ConfigDict, Field, WithJsonSchema

from tablecall.model.annotations import refers
from tablecall.model.base import Model, Seed
from tablecall.model.ruling import OutputModel

MAX_REQUESTS = 1_000
"""The most requests of a batch that is one JSON document."""


class Batch(Model):
    """Many requests in one. Each is answered on its own; a refused one does not affect the others."""

    seed: Seed | None = None
    """The batch's seed. Item `i`, counted from 0, without a seed of its own uses `{seed}/{i}`. If left out, the
    service draws one and returns it."""
    requests: Annotated[list[Annotated[Any, WithJsonSchema(refers("ResolveRequest"))]], Field(max_length=MAX_REQUESTS)]
    """The requests, each of any action."""


def _either(schema: dict[str, Any]) -> None:
    """Exactly one of the two properties, never null."""
    schema.update(minProperties=1, maxProperties=1)
    for part in schema["properties"].values():
        del part["default"], part["title"]


class BatchResult(OutputModel):
    """The result of one request: a ruling or a problem."""

    model_config = ConfigDict(json_schema_extra=_either)

    ruling: Annotated[Any, WithJsonSchema(refers("Ruling"))] = None
    """The ruling; left out if the request was refused."""
    problem: Annotated[Any, WithJsonSchema(refers("Problem"))] = None
    """Why the request was refused, with pointers into this request; left out if there is a ruling."""


class BatchAnswer(OutputModel):
    """The results of a batch."""

    seed: str
    """The batch's seed."""
    seed_from: Literal["request", "service"]
    """Who chose the seed. `request`: the caller. `service`: the service drew it."""
    results: list[BatchResult]
    """One for each request, in the same order."""
