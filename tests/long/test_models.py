"""10,000 random rulings and 300 exact odds are those of the models (tests/models)."""

from __future__ import annotations

import os

import pytest
from starlette.testclient import TestClient

from tablecall.app import create_app
from tablecall.settings import Settings
from tests.models.comparing import Comparison
from tests.models.games import GAMES, Game

PARTS = 10
"""How many tests share the work."""
RULINGS = int(os.environ.get("LONG_RULINGS", "10000"))
ODDS = int(os.environ.get("LONG_ODDS", "300"))
"""How many of each are compared, half of them for each game."""


@pytest.fixture(scope="module")
def client() -> TestClient:
    return TestClient(create_app(Settings(odds_workers=0, odds_seconds=300, log_requests=False)))


@pytest.mark.parametrize("part", range(PARTS))
@pytest.mark.parametrize("game", GAMES, ids=lambda game: game.name)
def test_rulings(client: TestClient, game: Game, part: int) -> None:
    Comparison(client, game, seed=100 + part).rulings(RULINGS // 2 // PARTS)


@pytest.mark.parametrize("part", range(PARTS))
@pytest.mark.parametrize("game", GAMES, ids=lambda game: game.name)
def test_odds(client: TestClient, game: Game, part: int) -> None:
    Comparison(client, game, seed=200 + part).odds(ODDS // 2 // PARTS, most=7776)
