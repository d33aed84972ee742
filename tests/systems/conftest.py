"""The tests of the rules compare exact fractions of any length."""

from __future__ import annotations

import pytest

from tablecall.engine import outcomes


@pytest.fixture(autouse=True)
def whole_fractions(monkeypatch: pytest.MonkeyPatch) -> None:
    """Publish fractions of any length, to compare them exactly."""
    monkeypatch.setattr(outcomes, "MAX_DIGITS", 10_000)
