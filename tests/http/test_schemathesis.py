"""Schemathesis: valid requests are answered as the contracts say, and invalid ones are refused."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest
import schemathesis
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from schemathesis import GenerationMode
from schemathesis.core.result import Ok
from schemathesis.graphql import nodes
from schemathesis.specs.openapi.checks import positive_data_acceptance

from tablecall.app import create_app
from tablecall.settings import Settings

ACTIONS = ("/resolve", "/resolve/jazz/check", "/odds/jazz/check", "/resolve/darkpages/check")
"""The actions that are tested. Generating requests takes a second for each, and all actions are made alike."""


def few(examples: int) -> Callable[[Any], Any]:
    """The same few examples every time."""
    return settings(
        max_examples=examples,
        derandomize=True,
        deadline=None,
        database=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )


def operations() -> Iterator[Any]:
    """The operations that are tested, with valid requests; actions with invalid ones too."""
    schema = schemathesis.openapi.from_asgi("/openapi.json", create_app(Settings()), timeout=300)
    # The rules may forbid a valid request, and a valid name may be unknown.
    schema.config.checks.positive_data_acceptance.expected_statuses = ["2xx", "404", "422"]
    for found in schema.get_all_operations():
        assert isinstance(found, Ok)
        operation = found.ok()
        if operation.path in ACTIONS:
            yield from (pytest.param(operation, mode, id=f"{operation.label}-{mode.value}") for mode in GenerationMode)
        elif operation.method == "get" and not operation.path.startswith(("/resolve", "/odds")):
            yield pytest.param(operation, GenerationMode.POSITIVE, id=operation.label)


@pytest.mark.parametrize(("operation", "mode"), list(operations()))
def test_rest(operation: Any, mode: GenerationMode) -> None:
    @few(5)
    @given(operation.as_strategy(generation_mode=mode))
    def every(case: Any) -> None:
        case.call_and_validate()

    every()


schemathesis.graphql.scalar("JSON", st.text("abc", max_size=3).map(nodes.String))
schemathesis.graphql.scalar("Id", st.integers(-9, 9).map(nodes.Int) | st.text("abc", min_size=1, max_size=3).map(nodes.String))
schemathesis.graphql.scalar("Seed", st.integers(-9, 9).map(nodes.Int))


def fields() -> Iterator[Any]:
    for found in schemathesis.graphql.from_asgi("/graphql", create_app(Settings()), timeout=300).get_all_operations():
        assert isinstance(found, Ok)
        yield pytest.param(found.ok(), id=found.ok().label)


@pytest.mark.parametrize("operation", list(fields()))
def test_graphql(operation: Any) -> None:
    @few(10)
    @given(operation.as_strategy())
    def every(case: Any) -> None:
        # Schemathesis does not know @oneOf, and an SDL has no bounds, so some generated queries are rightly refused.
        case.call_and_validate(excluded_checks=[positive_data_acceptance])

    every()
