"""What the operations of the document share, and how far into a body its query goes."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from tablecall.contract import openapi
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


def test_a_parameter_stands_once_however_many_share_it() -> None:
    shown, parameter = openapi.SharedComponents(), OPERATION.parameters[0]
    reference = {"$ref": "#/components/parameters/path.system"}
    assert shown.parameter(OPERATION, parameter) == reference
    assert shown.parameter(replace(OPERATION, id="other"), parameter) == reference
    assert shown.components()["parameters"] == {"path.system": parameter}


def test_another_parameter_of_its_name_stands_where_it_is_used() -> None:
    shown, parameter = openapi.SharedComponents(), OPERATION.parameters[0]
    other: dict[str, Any] = {**parameter, "description": "Something else."}
    shown.parameter(OPERATION, parameter)
    assert shown.parameter(OPERATION, other) == other


def test_an_example_stands_once_however_many_show_it() -> None:
    shown = openapi.SharedComponents()
    first, again = shown.refer("A", {"It fails": {"total": 7}}), shown.refer("B", {"The same": {"total": 7}})
    assert first == {"It_fails": {"$ref": "#/components/examples/A.It_fails"}}
    assert again == {"The_same": {"$ref": "#/components/examples/A.It_fails"}}


def test_a_query_goes_only_so_deep() -> None:
    assert openapi.flat_parameters(Branch, depth=0) == ()
