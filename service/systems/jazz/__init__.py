"""Jazz (JazzCore): 2d6 plus an aspect's bonus."""

from __future__ import annotations

from service.systems.jazz import attack, check, examples, rulebook, tables
from service.systems.system import Action, System

SYSTEM = System(
    name="jazz",
    title=rulebook.TITLE,
    credit=rulebook.CREDIT,
    version=rulebook.VERSION,
    rules=rulebook.RULES,
    tables=tables.tables,
    dice_rule="jazz.dice.roll",
    actions=(
        Action(
            name="check",
            body=check.JazzCheck,
            rule=check.check,
            summary=check.summary,
            outcomes=("success", "failure", "stalemate", "automatic", "impossible"),
            title="A check",
            text="Somebody attempts something against a difficulty, a row of the weird table, or somebody who opposes it.",
            examples=examples.CHECK,
        ),
        Action(
            name="attack",
            body=attack.JazzAttack,
            rule=attack.attack,
            summary=attack.summary,
            outcomes=("hit", "miss"),
            title="An attack",
            text="One attacker or a team of them against one defender in a conflict.",
            examples=examples.ATTACK,
        ),
    ),
)
