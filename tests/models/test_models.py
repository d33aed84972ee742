"""The service agrees with the models of both games: random rulings, and exact odds of small requests.

`make test-long` compares 10,000 rulings and 300 odds (tests/long/test_models.py).
"""

from __future__ import annotations

import pytest
from starlette.testclient import TestClient

from tests.models.comparing import Comparison
from tests.models.games import GAMES, Game


@pytest.mark.parametrize("game", GAMES, ids=lambda game: game.name)
def test_rulings_are_as_the_model_has_them(client: TestClient, game: Game) -> None:
    comparison = Comparison(client, game, seed=1)
    comparison.rulings(150)
    # where several rules forbid a request, the service may name another one than the model
    assert sum(comparison.refused) >= 0.7 * len(comparison.refused) > 0


@pytest.mark.parametrize("game", GAMES, ids=lambda game: game.name)
def test_odds_are_as_the_model_counts_them(client: TestClient, game: Game) -> None:
    Comparison(client, game, seed=2).odds(12, most=1296)
