"""Counts and margins in words."""

from __future__ import annotations

import pytest

from tablecall.model.wording import by_margin, plural


@pytest.mark.parametrize(("count", "text"), [(0, "0 rounds"), (1, "1 round"), (2, "2 rounds")])
def test_plural(count: int, text: str) -> None:
    assert plural(count, "round") == text


@pytest.mark.parametrize(("margin", "text"), [(None, ""), (0, ""), (2, " by 2"), (-3, " by 3")])
def test_margin(margin: int | None, text: str) -> None:
    assert by_margin(margin) == text
