"""darkpages (Part I): roll ten-sided dice, keep some, total them."""

from __future__ import annotations

from service.systems.darkpages import check, examples, rulebook, tables
from service.systems.system import Action, System

SYSTEM = System(
    name="darkpages",
    title=rulebook.TITLE,
    credit=rulebook.CREDIT,
    version=rulebook.VERSION,
    rules=rulebook.RULES,
    tables=tables.tables,
    dice_rule="darkpages.dice.faces",
    actions=(
        Action(
            name="check",
            body=check.DarkpagesCheck,
            rule=check.check,
            summary=check.summary,
            outcomes=("success", "failure", "dismalFailure", "dramaticFailure", "stalemate", "noRoll"),
            title="A check",
            text="Somebody tries to reach a goal against a Target Number or against somebody with a goal of their own.",
            examples=examples.CHECK,
            fields=check.FIELDS,
        ),
    ),
)
