"""Shared components of the OpenAPI document, and the depth of query parameters."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from tablecall.contract import flat_query, openapi
from tablecall.http import routes
from tablecall.model.base import Model
from tablecall.settings import Settings

OPERATION = next(operation for operation in routes.operations(Settings()) if operation.id == "rule")


class Leaf(Model):
    points: int = 0
    """How many."""


class Branch(Model):
    leaf: Leaf
    """One."""
    leaves: list[Leaf]
    """Many."""


def test_shared_parameter_is_defined_once() -> None:
    shown, parameter = openapi.SharedComponents(), OPERATION.parameters[0]
    reference = {"$ref": "#/components/parameters/path.system"}
    assert shown.parameter(OPERATION, parameter) == reference
    assert shown.parameter(replace(OPERATION, id="other"), parameter) == reference
    assert shown.components()["parameters"] == {"path.system": parameter}


def test_other_parameter_of_the_same_name_is_inlined() -> None:
    shown, parameter = openapi.SharedComponents(), OPERATION.parameters[0]
    other: dict[str, Any] = {**parameter, "description": "Something else."}
    shown.parameter(OPERATION, parameter)
    assert shown.parameter(OPERATION, other) == other


def test_shared_example_is_defined_once() -> None:
    shown = openapi.SharedComponents()
    first, again = shown.refer("A", {"It fails": {"total": 7}}), shown.refer("B", {"The same": {"total": 7}})
    assert first == {"It_fails": {"$ref": "#/components/examples/A.It_fails"}}
    assert again == {"The_same": {"$ref": "#/components/examples/A.It_fails"}}


def test_depth_of_query_parameters_is_bounded() -> None:
    assert flat_query.flat_parameters(Branch, depth=0) == ()
