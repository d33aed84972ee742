"""Work that may take long, as functions that another process can run.

Each takes an action's tag, for systems are not sent between processes, and last the seconds it may take by the clock. A refusal
is raised, and so is `BudgetExceeded`.
"""

from __future__ import annotations

from time import perf_counter
from typing import Any

from tablecall.dice.enumeration import too_many_branches
from tablecall.engine.budget import Budget, at_once
from tablecall.engine.odds import exact_odds
from tablecall.engine.rulings import resolve_with_pauses
from tablecall.engine.simulate import SimulationResult, run_trials
from tablecall.model.base import Body
from tablecall.model.refusals import TooLargeToCount
from tablecall.systems import ACTIONS
from tablecall.systems.system import Action, System

Counted = tuple[dict[str, Any], int]
"""Odds, and how many branches they took. The odds are shared: do not change them."""


def too_long(seconds: float) -> TooLargeToCount:
    """The refusal of work that takes as long as any may."""
    return TooLargeToCount.by("refused.too_long", seconds=f"{seconds:g}")


def count(system: System, action: Action, body: Body, budget: Budget) -> Counted:
    """The exact odds, and how many branches were charged."""
    return exact_odds(system, action, body, budget), budget.charged


def count_odds(tag: str, body: Body, branches: int, seconds: float) -> Counted:
    """The exact odds of one action, following at most ``branches`` branches."""
    return count(*ACTIONS[tag], body, Budget(branches, seconds=seconds, over=too_many_branches))


def make_ruling(tag: str, body: Body, include: frozenset[str], seconds: float) -> dict[str, Any]:
    """One ruling, with the factors and options asked for."""
    return at_once(resolve_with_pauses(*ACTIONS[tag], body, include, Budget(seconds=seconds)))


def play_trials(tag: str, body: Body, seed: str, which: range, branches: int, seconds: float) -> tuple[SimulationResult, int, float]:
    """Some parts of a simulation, the branches they count as, and the seconds they took."""
    began, budget = perf_counter(), Budget(branches, seconds=seconds, over=too_many_branches)
    result = run_trials(*ACTIONS[tag], body, seed, which, budget)
    return result, budget.charged, perf_counter() - began
