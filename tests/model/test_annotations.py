"""The fields at a place of a document, by wire names."""

from __future__ import annotations

from typing import Annotated

import pytest
from pydantic import Field

from tablecall.model.annotations import fields_at
from tablecall.model.base import Model


class Inner(Model):
    deep_name: str
    number: int


class Outer(Model):
    inner: Inner | None = None
    several: Annotated[list[Annotated[Inner, Field()]], Field(max_length=3)] = []
    other: dict[str, Inner] = {}
    text: str = ""


@pytest.mark.parametrize(
    ("place", "names"),
    [
        ((), ["inner", "several", "other", "text"]),
        (("inner",), ["deepName", "number"]),
        (("several", 2), ["deepName", "number"]),
        (("several",), []),
        (("inner", 0), []),
        (("text",), []),
        (("other", "anybody"), []),
        (("nobody", "nothing", 0), []),
    ],
)
def test_fields_at_a_place(place: tuple[str | int, ...], names: list[str]) -> None:
    assert fields_at(Outer, place) == names
