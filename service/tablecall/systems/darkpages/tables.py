"""The tables of darkpages as data: target numbers, damage traits, damage states."""

from __future__ import annotations

from tablecall.systems.darkpages.sheet import Attribute, Weight

# darkpages.damage.traits: what each Trauma attacks, and where the harm is written down.
TRAUMAS: dict[str, Attribute] = {"injury": "body", "illness": "body", "stress": "mind", "fatigue": "mind", "corruption": "soul"}
TRAITS: dict[str, str] = {"body": "health", "mind": "sanity", "soul": "aura"}

# darkpages.damage.steps, from the lightest to the worst.
STATES: tuple[str, ...] = ("unhurt", "diminished", "damaged", "destroyed")

# darkpages.damage.penalties: (roll, keep). The book gives Destroyed no figure of its own; we keep Damaged's.
PENALTIES: dict[str, Weight] = {
    "unhurt": Weight(),
    "diminished": Weight(-1, 0),
    "damaged": Weight(-1, -1),
    "destroyed": Weight(-1, -1),
}

# darkpages.check.target: the book names the two ends of the scale and the size of a step, nothing between.
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
    """Every table as plain JSON-ready rows, under the name each is published by; a fresh copy at each call."""
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
            {"attribute": attribute, "trait": trait, "traumas": [trauma for trauma, struck in TRAUMAS.items() if struck == attribute]}
            for attribute, trait in TRAITS.items()
        ],
        "damageStates": [
            {"state": state, "roll": PENALTIES[state].roll, "keep": PENALTIES[state].keep, "text": _STATE_TEXTS[state]} for state in STATES
        ],
    }
