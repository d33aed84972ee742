"""The service agrees with the models of both games: random rulings, and exact odds of small requests.

`make test-long` compares 10,000 rulings and 300 odds (tests/long/test_models.py).
"""

from __future__ import annotations

import pytest
from starlette.testclient import TestClient

from tests.models import asking_jazz, jazz
from tests.models.comparing import Comparison

GAMES = [
    pytest.param(jazz.PLAY, lambda chance: asking_jazz.Asking(chance).request, id="jazz"),
]


@pytest.mark.parametrize(("play", "ask"), GAMES)
def test_rulings_are_as_the_model_has_them(client: TestClient, play, ask) -> None:
    comparison = Comparison(client, play, ask, seed=1)
    comparison.rulings(150)
    # where several rules forbid a request, either may name another one
    assert sum(comparison.refused) >= 0.8 * len(comparison.refused) > 10


@pytest.mark.parametrize(("play", "ask"), GAMES)
def test_odds_are_as_the_model_counts_them(client: TestClient, play, ask) -> None:
    Comparison(client, play, ask, seed=2).odds(15, most=1296)
