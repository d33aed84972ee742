"""The readings of one rule: a roll (`resolve`), what mattered (its factors), every fall (`odds`), and so many trials."""

from service.readings.odds import odds
from service.readings.outcomes import percent
from service.readings.participants import after, apply, participant_fields
from service.readings.rulings import merge, resolve, resolving, whole
from service.readings.simulating import Played, is_simulated, parts, played, simulated
from service.readings.steps import Aside, Dear, Steps, TooLong, at_once
from service.readings.table import seed_of
from service.readings.version import VERSION

__all__ = [
    "VERSION",
    "Aside",
    "Dear",
    "Played",
    "Steps",
    "TooLong",
    "after",
    "apply",
    "at_once",
    "is_simulated",
    "merge",
    "odds",
    "participant_fields",
    "parts",
    "percent",
    "played",
    "resolve",
    "resolving",
    "seed_of",
    "simulated",
    "whole",
]
