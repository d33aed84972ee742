"""What is computed with a rule: rulings with factors and options (`resolve`), exact or simulated odds (`odds`)."""

from tablecall.engine.budget import Budget, BudgetExceeded, Cooperative, at_once
from tablecall.engine.needed import rolls
from tablecall.engine.odds import odds
from tablecall.engine.outcomes import percent
from tablecall.engine.participants import after, participant_fields, undo
from tablecall.engine.rulings import resolve, resolve_with_pauses
from tablecall.engine.simulate import SimulationResult, part_count, run_trials, simulated_odds
from tablecall.engine.version import VERSION
from tablecall.engine.what_if import merge

__all__ = [
    "VERSION",
    "Budget",
    "BudgetExceeded",
    "Cooperative",
    "SimulationResult",
    "after",
    "at_once",
    "merge",
    "odds",
    "part_count",
    "participant_fields",
    "percent",
    "resolve",
    "resolve_with_pauses",
    "rolls",
    "run_trials",
    "simulated_odds",
    "undo",
]
