"""Recovery: what the end of a conflict, a respite and the ends of a session heal, and the return of the dead as an NPC."""

from __future__ import annotations

from typing import Annotated, ClassVar, Literal, Self

from pydantic import Field, model_validator

from tablecall.dice.roll import RolledDice
from tablecall.dice.source import Dice, Offer
from tablecall.model.base import not_allowed
from tablecall.model.refusals import Forbidden, pointer
from tablecall.model.text import Sentence, say
from tablecall.systems.darkpages.sheet import MAX_SCARS, DarkpagesBody, DarkpagesCharacter, DarkpagesScar
from tablecall.systems.darkpages.tables import STATES, TRAITS
from tablecall.systems.verdict import Change, Verdict

When = Literal["conflictEnd", "respite", "sessionEnd", "sessionStart", "interval", "returnAsNpc"]
SESSION_ENDS = ("sessionEnd", "interval")
SESSION_STARTS = ("sessionStart", "interval")


class DarkpagesRecovery(DarkpagesBody):
    """Characters recover as far as the moment allows."""

    options: ClassVar[frozenset[str]] = frozenset({"care"})

    character: DarkpagesCharacter | None = None
    """Who recovers."""
    characters: Annotated[list[DarkpagesCharacter], Field(min_length=1, max_length=32)] | None = None
    """Several who recover at the same moment, in place of `character`."""
    when: When
    """The moment. `conflictEnd`: the Defeated return to play. `respite`: Diminished clears. `sessionEnd`: Destroyed becomes Damaged, with a
    Scar. `sessionStart`: Damaged and Diminished clear. `interval`: what a session's end and start do (darkpages.recovery.interval).
    `returnAsNpc`: a character who is out of the game comes back as an NPC, Damaged (darkpages.damage.destroyed)."""
    care: bool = True
    """Whether Damaged can heal in these surroundings (darkpages.recovery.damaged)."""
    scar: DarkpagesScar | None = None
    """The Scar left by recovering from Destroyed: required then, refused otherwise (darkpages.scars)."""

    @model_validator(mode="after")
    def _one_of(self) -> Self:
        if (self.character is None) == (self.characters is None):
            code = "needs-one-of" if self.character is None else "conflicting-fields"
            raise not_allowed("darkpages.refused.character_or_characters", rule="darkpages.recovery.conflictEnd", code=code)
        return self

    @property
    def recovering(self) -> list[tuple[str, DarkpagesCharacter]]:
        """Everybody who recovers, by place."""
        if self.character is not None:
            return [("character", self.character)]
        return [(f"characters.{index}", sheet) for index, sheet in enumerate(self.characters or ())]


def recovery(request: DarkpagesRecovery, dice: Dice) -> Verdict:
    """Resolve a recovery. No dice.

    Outcomes: ``recovered``, ``unchanged``. Healing Damaged also clears the overflow of that trait. A character who is out of
    the game recovers nothing. Refuses a missing Scar, a Scar that is not due, more Scars than a sheet holds, and the return of somebody
    who is in the game.
    """
    verdict = Verdict("unchanged", False)
    _check_scar(request)
    if request.when == "interval":
        dice.note("darkpages.recovery.interval", "recover.interval")
    for where, sheet in request.recovering:
        recover(sheet, where, request.when, dice, verdict, care=request.care, scar=request.scar)
    if verdict.changes:
        verdict.outcome, verdict.succeeded = "recovered", True
    return verdict


def recover(
    sheet: DarkpagesCharacter,
    where: str,
    when: When,
    dice: Dice,
    verdict: Verdict,
    *,
    care: bool = True,
    scar: DarkpagesScar | None = None,
) -> None:
    """What one character recovers at a moment."""
    states = {trait: getattr(sheet.damage, trait) for trait in TRAITS.values()}
    if when == "returnAsNpc":
        _return_as_npc(sheet, where, states, dice, verdict)
        return
    if sheet.out_of_game:
        dice.note("darkpages.damage.destroyed", "recover.out_of_game", who=where)
        return
    if when == "conflictEnd":
        _return_to_play(sheet, where, dice, verdict)
    if when in SESSION_ENDS:
        _leave_destroyed(sheet, where, states, scar, dice, verdict)
    if when in SESSION_STARTS:
        _heal_damaged(sheet, where, states, care, dice, verdict)
    if when in ("respite", *SESSION_STARTS):
        _clear_diminished(where, states, dice, verdict)
    _note_open(sheet, where, when, states, dice)


def _check_scar(request: DarkpagesRecovery) -> None:
    due = [where for where, sheet in request.recovering if request.when in SESSION_ENDS and not sheet.out_of_game and _is_destroyed(sheet)]
    if due and request.scar is None:
        raise Forbidden.by("darkpages.recovery.destroyed", "/scar", "darkpages.refused.scar_needed")
    if request.scar is not None and not due:
        raise Forbidden.by("darkpages.scars", "/scar", "darkpages.refused.scar_not_due")
    for where, sheet in request.recovering:
        if where in due and len(sheet.scars) >= MAX_SCARS:
            raise Forbidden.by("darkpages.scars", pointer(where, "scars"), "darkpages.refused.too_many_scars", max=MAX_SCARS)


def _is_destroyed(sheet: DarkpagesCharacter) -> bool:
    return "destroyed" in (sheet.damage.health, sheet.damage.sanity, sheet.damage.aura)


def _return_as_npc(sheet: DarkpagesCharacter, where: str, states: dict[str, str], dice: Dice, verdict: Verdict) -> None:
    """darkpages.damage.destroyed: who is out of the game may return only as an NPC, Damaged."""
    if not sheet.out_of_game:
        at = pointer(where, "outOfGame")
        raise Forbidden.by("darkpages.damage.destroyed", at, "darkpages.refused.still_in_game", who=sheet.name)
    dice.note("darkpages.damage.destroyed", "recover.returns", value="npc", who=where)
    verdict.set_flag(where, "outOfGame", to=False)
    if sheet.defeated:
        verdict.set_flag(where, "defeated", to=False)
    if not sheet.npc:
        verdict.set_flag(where, "npc", to=True)
    destroyed = [trait for trait, state in states.items() if state == "destroyed"]
    for trait in destroyed or [sheet.lethal]:
        if states[trait] != "damaged":
            _set_state(where, trait, "damaged", states, verdict)


def _return_to_play(sheet: DarkpagesCharacter, where: str, dice: Dice, verdict: Verdict) -> None:
    """darkpages.recovery.conflictEnd: Defeated ends."""
    if sheet.defeated:
        dice.note("darkpages.recovery.conflictEnd", "recover.in_play", who=where)
        verdict.set_flag(where, "defeated", to=False)
    else:
        dice.note("darkpages.recovery.conflictEnd", "recover.not_defeated", who=where)


def _leave_destroyed(
    sheet: DarkpagesCharacter, where: str, states: dict[str, str], scar: DarkpagesScar | None, dice: Dice, verdict: Verdict
) -> None:
    """darkpages.recovery.destroyed: Destroyed becomes Damaged and leaves a Scar."""
    destroyed = [trait for trait, state in states.items() if state == "destroyed"]
    if not destroyed:
        dice.note("darkpages.recovery.destroyed", "recover.nothing_destroyed", who=where)
        return
    for trait in destroyed:
        dice.note("darkpages.recovery.destroyed", "recover.eases", value=trait, who=where, trait=trait)
        _set_state(where, trait, "damaged", states, verdict)
    assert scar is not None
    dice.note("darkpages.scars", "recover.scar", value=scar.modifier, who=where, modifier=scar.modifier)
    new = scar.model_dump(by_alias=True, exclude_unset=True)
    verdict.changes.append(Change(where, f"scars.{len(sheet.scars)}", None, new, 1))


def _heal_damaged(sheet: DarkpagesCharacter, where: str, states: dict[str, str], care: bool, dice: Dice, verdict: Verdict) -> None:
    """darkpages.recovery.damaged: Damaged heals fully, with care."""
    for trait in [trait for trait, state in states.items() if state == "damaged"]:
        if not care:
            dice.option("", "care")
            dice.note("darkpages.recovery.damaged", "recover.no_care", value=False, who=where, trait=trait)
            continue
        dice.note("darkpages.recovery.damaged", "recover.heals", value=trait, who=where, trait=trait)
        _set_state(where, trait, "unhurt", states, verdict)
        verdict.change(where, f"overflow.{trait}", getattr(sheet.overflow, trait), 0)


def _clear_diminished(where: str, states: dict[str, str], dice: Dice, verdict: Verdict) -> None:
    """darkpages.recovery.diminished: Diminished clears. Between two sessions there was a respite."""
    diminished = [trait for trait, state in states.items() if state == "diminished"]
    if not diminished:
        dice.note("darkpages.recovery.diminished", "recover.nothing_diminished", who=where)
    for trait in diminished:
        dice.note("darkpages.recovery.diminished", "recover.clears", value=trait, who=where, trait=trait)
        _set_state(where, trait, "unhurt", states, verdict)


def _note_open(sheet: DarkpagesCharacter, where: str, when: When, states: dict[str, str], dice: Dice) -> None:
    """darkpages.recovery.conflictEnd: the session moments end no conflict, so who is Defeated or Destroyed is still to be dealt with."""
    if sheet.defeated and when != "conflictEnd":
        dice.note("darkpages.recovery.conflictEnd", "recover.still_defeated", who=where)
        dice.offer(lambda: [Offer("conflictEnd", "option.conflict_end", {"who": where}, {"when": "conflictEnd"})])
    if when == "sessionStart" and "destroyed" in states.values():
        dice.note("darkpages.recovery.destroyed", "recover.still_destroyed", who=where)
        # without a request: it takes a Scar, which only the table can give
        dice.offer(lambda: [Offer("sessionEnd", "option.session_end", {"who": where}, None)])


def _set_state(where: str, trait: str, to: str, states: dict[str, str], verdict: Verdict) -> None:
    before = states[trait]
    verdict.changes.append(Change(where, f"damage.{trait}", before, to, STATES.index(to) - STATES.index(before)))
    states[trait] = to


def summary(request: DarkpagesRecovery, verdict: Verdict, record: RolledDice) -> list[Sentence]:
    """Who recovers, and when."""
    return [say(f"recover.summary_{request.when}", who=[where for where, _ in request.recovering], outcome=verdict.outcome)]
