"""The tables of darkpages as data: Target Numbers, Damage Traits, Damage States."""

from __future__ import annotations

from tablecall.systems.darkpages.sheet import Attribute, PoolChange

# darkpages.damage.traits: the Attribute each Trauma attacks, and the Damage Trait of each Attribute.
TRAUMAS: dict[str, Attribute] = {"injury": "body", "illness": "body", "stress": "mind", "fatigue": "mind", "corruption": "soul"}
TRAITS: dict[str, str] = {"body": "health", "mind": "sanity", "soul": "aura"}

# darkpages.damage.steps: from best to worst.
STATES: tuple[str, ...] = ("unhurt", "diminished", "damaged", "destroyed")

# darkpages.damage.penalties. The book gives no penalty for Destroyed; it keeps Damaged's.
PENALTIES: dict[str, PoolChange] = {
    "unhurt": PoolChange(),
    "diminished": PoolChange(-1, 0),
    "damaged": PoolChange(-1, -1),
    "destroyed": PoolChange(-1, -1),
}

# darkpages.check.target: the book names only the ends of the scale and the size of a step.
EASY = 5
EXTREMELY_DIFFICULT = 25
TARGET_STEP = 5

_STATE_TEXTS: dict[str, str] = {
    "unhurt": "Nothing is wrong.",
    "diminished": "Shaken or scratched; a short rest or a little care puts it right.",
    "damaged": "Badly hurt; with care it has healed when the next session starts.",
    "destroyed": "Ruined, by lethal Trauma only; it eases to damaged when the session ends, and leaves a Scar.",
}


def tables() -> dict[str, list[dict[str, object]]]:
    """Every table by its published name, as rows ready for JSON. Each call returns a new copy."""
    return {
        "targetNumbers": [
            {
                "level": "easy",
                "targetNumber": EASY,
                "orMore": False,
                "step": TARGET_STEP,
                "text": "Within a beginner's reach; each step up or down is 5.",
            },
            {
                "level": "extremely difficult",
                "targetNumber": EXTREMELY_DIFFICULT,
                "orMore": True,
                "step": TARGET_STEP,
                "text": "The far end of the scale, which has no upper limit.",
            },
        ],
        "damageTraits": [
            {"attribute": attribute, "trait": trait, "traumas": [trauma for trauma, attacked in TRAUMAS.items() if attacked == attribute]}
            for attribute, trait in TRAITS.items()
        ],
        "damageStates": [
            {"state": state, "roll": PENALTIES[state].roll, "keep": PENALTIES[state].keep, "text": _STATE_TEXTS[state]} for state in STATES
        ],
    }
