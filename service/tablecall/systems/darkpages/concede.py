"""Conceding: a character chooses to be Defeated (darkpages.damage.defeated)."""

from __future__ import annotations

from tablecall.dice.roll import RolledDice
from tablecall.dice.source import Dice
from tablecall.model.refusals import Forbidden
from tablecall.model.text import Sentence, say
from tablecall.systems.darkpages.sheet import DarkpagesBody, DarkpagesCharacter
from tablecall.systems.verdict import Verdict


class DarkpagesConcede(DarkpagesBody):
    """A character chooses to be Defeated, at any time before being Destroyed (darkpages.damage.defeated)."""

    character: DarkpagesCharacter
    """Who concedes."""


def concede(request: DarkpagesConcede, dice: Dice) -> Verdict:
    """Concede. No dice. Outcome: ``defeated``. Refuses who is Destroyed, Defeated already, or out of the game."""
    sheet = request.character
    if sheet.out_of_game:
        raise Forbidden.by("darkpages.damage.destroyed", "/character/outOfGame", "darkpages.refused.out_of_game", who=sheet.name)
    if "destroyed" in (sheet.damage.health, sheet.damage.sanity, sheet.damage.aura):
        raise Forbidden.by("darkpages.damage.defeated", "/character/damage", "darkpages.refused.destroyed_cannot_concede", who=sheet.name)
    if sheet.defeated:
        raise Forbidden.by("darkpages.damage.defeated", "/character/defeated", "darkpages.refused.defeated_already", who=sheet.name)
    dice.note("darkpages.damage.defeated", "concede.defeated", value="defeated", who="character")
    verdict = Verdict("defeated", None)
    verdict.set_flag("character", "defeated", to=True)
    return verdict


def summary(request: DarkpagesConcede, verdict: Verdict, record: RolledDice) -> list[Sentence]:
    """Who concedes."""
    return [say("concede.summary", who="character", outcome=verdict.outcome)]
