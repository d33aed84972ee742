from __future__ import annotations

import pytest

from tablecall.model.wording import by_margin, plural


@pytest.mark.parametrize(("count", "said"), [(0, "0 rounds"), (1, "1 round"), (2, "2 rounds")])
def test_only_one_is_one(count: int, said: str) -> None:
    assert plural(count, "round") == said


@pytest.mark.parametrize(("margin", "said"), [(None, ""), (0, ""), (2, " by 2"), (-3, " by 3")])
def test_a_margin_is_how_far_off(margin: int | None, said: str) -> None:
    assert by_margin(margin) == said
