"""darkpages, recovery: what a conflict's end, a respite and the ends of a session put right."""

from __future__ import annotations

from typing import Literal

from tablecall.dice.roll import RolledDice
from tablecall.dice.source import Dice
from tablecall.model.base import Body
from tablecall.model.refusals import Forbidden
from tablecall.systems.darkpages.sheet import MAX_SCARS, DarkpagesCharacter, DarkpagesScar
from tablecall.systems.darkpages.tables import STATES, TRAITS
from tablecall.systems.verdict import Change, Verdict

When = Literal["conflictEnd", "respite", "sessionEnd", "sessionStart", "interval"]
ENDS = ("sessionEnd", "interval")
STARTS = ("sessionStart", "interval")
OUTCOMES = ("recovered", "unchanged")


class DarkpagesRecovery(Body):
    """A character recovers as far as the moment allows."""

    character: DarkpagesCharacter
    """Who recovers."""
    when: When
    """What has come. `conflictEnd`: the Defeated are back in play. `respite`: Diminished clears. `sessionEnd`: Destroyed becomes Damaged,
    with a Scar. `sessionStart`: Damaged clears. `interval`: both of these (darkpages.recovery.interval)."""
    care: bool = True
    """Whether the surroundings let what is Damaged heal (darkpages.recovery.damaged)."""
    scar: DarkpagesScar | None = None
    """The Scar that is left where a Destroyed character recovers: required there, refused elsewhere (darkpages.scars)."""


def recovery(request: DarkpagesRecovery, dice: Dice) -> Verdict:
    """Work out what a character recovers from. No dice.

    Outcomes: ``recovered``, ``unchanged``. Recovering from Damaged clears what overflow was counted on that trait. Whoever
    is out of the game recovers nothing. Refuses a Scar where none is due, none where one is, and more than a sheet holds.
    """
    sheet, when = request.character, request.when
    verdict = Verdict("unchanged", False)
    states = {trait: getattr(sheet.damage, trait) for trait in TRAITS.values()}
    _scar(request, due=when in ENDS and not sheet.out_of_game and "destroyed" in states.values())
    if when == "interval":
        dice.step("darkpages.recovery.interval", "the interval is up: it does what the end and the start of a session would")
    if sheet.out_of_game:
        dice.step("darkpages.damage.destroyed", "{} is out of the game, and recovers nothing", sheet.name)
        if not request.care:
            text = "nothing heals of who is out of the game, with care or without (option care)"
            dice.step("darkpages.recovery.damaged", text, value=False)
        return verdict
    if when == "conflictEnd":
        _back_in_play(sheet, dice, verdict)
    if when in ENDS:
        _ease(request, states, dice, verdict)
    if when in STARTS:
        _heal(request, states, dice, verdict)
    elif not request.care:
        dice.step("darkpages.recovery.damaged", "nothing that is damaged heals now, with care or without (option care)", value=False)
    if when in ("respite", *STARTS):
        _clear(sheet, states, dice, verdict)
    if verdict.changes:
        verdict.outcome, verdict.succeeded = "recovered", True
    return verdict


def _scar(request: DarkpagesRecovery, *, due: bool) -> None:
    if due and request.scar is None:
        raise Forbidden.by("darkpages.recovery.destroyed", "/scar", "a Destroyed character recovers with a Scar, and the table says which")
    if request.scar is not None and not due:
        raise Forbidden.by("darkpages.scars", "/scar", "a Scar is left by recovering from Destroyed at the end of a session, not otherwise")
    if due and len(request.character.scars) >= MAX_SCARS:
        raise Forbidden.by("darkpages.scars", "/character/scars", f"a sheet holds at most {MAX_SCARS} scars")


def _back_in_play(sheet: DarkpagesCharacter, dice: Dice, verdict: Verdict) -> None:
    """darkpages.recovery.conflictEnd: the Defeated come back."""
    if sheet.defeated:
        dice.step("darkpages.recovery.conflictEnd", "{} is back in play", sheet.name)
        verdict.set_flag("character", "defeated", to=False)
    else:
        dice.step("darkpages.recovery.conflictEnd", "{} was not Defeated", sheet.name)


def _ease(request: DarkpagesRecovery, states: dict[str, str], dice: Dice, verdict: Verdict) -> None:
    """darkpages.recovery.destroyed: Destroyed becomes Damaged, and leaves a Scar."""
    if "destroyed" not in states.values():
        dice.step("darkpages.recovery.destroyed", "nothing is Destroyed")
    for trait, state in states.items():
        if state == "destroyed":
            dice.step("darkpages.recovery.destroyed", "{} eases to damaged", trait, value=trait)
            _mend(trait, "damaged", states, verdict)
    if request.scar is not None:
        dice.step("darkpages.scars", "a Scar stays for good: {}", request.scar.modifier, value=request.scar.modifier)
        scar = request.scar.model_dump()
        verdict.changes.append(Change("character", f"scars.{len(request.character.scars)}", None, scar, 1))


def _heal(request: DarkpagesRecovery, states: dict[str, str], dice: Dice, verdict: Verdict) -> None:
    """darkpages.recovery.damaged: Damaged heals altogether, with care."""
    damaged = [trait for trait, state in states.items() if state == "damaged"]
    if not damaged and not request.care:
        dice.step("darkpages.recovery.damaged", "nothing is damaged, so care decides nothing (option care)", value=False)
    for trait in damaged:
        if not request.care:
            dice.step("darkpages.recovery.damaged", "{} stays damaged without care (option care)", trait, value=False)
            continue
        dice.step("darkpages.recovery.damaged", "{} heals altogether", trait, value=trait)
        _mend(trait, "unhurt", states, verdict)
        verdict.change("character", f"overflow.{trait}", getattr(request.character.overflow, trait), 0)


def _clear(sheet: DarkpagesCharacter, states: dict[str, str], dice: Dice, verdict: Verdict) -> None:
    """darkpages.recovery.diminished: Diminished clears; between sessions there has been a respite."""
    diminished = [trait for trait, state in states.items() if state == "diminished"]
    if not diminished:
        dice.step("darkpages.recovery.diminished", "nothing of {} is diminished", sheet.name)
    for trait in diminished:
        dice.step("darkpages.recovery.diminished", "{} is well again", trait, value=trait)
        _mend(trait, "unhurt", states, verdict)


def _mend(trait: str, to: str, states: dict[str, str], verdict: Verdict) -> None:
    before = states[trait]
    verdict.changes.append(Change("character", f"damage.{trait}", before, to, STATES.index(to) - STATES.index(before)))
    states[trait] = to


_WHEN: dict[When, str] = {
    "conflictEnd": "after the conflict",
    "respite": "after a respite",
    "sessionEnd": "at the end of the session",
    "sessionStart": "at the start of the session",
    "interval": "after the interval",
}


def summary(request: DarkpagesRecovery, verdict: Verdict, record: RolledDice) -> str:
    """One line: who, when, and what becomes of what."""
    said = ", ".join(_said(change) for change in verdict.changes)
    return f"{request.character.name}, {_WHEN[request.when]}: {said or verdict.outcome}"


def _said(change: Change) -> str:
    """One change in words: of a state from what to what, of the rest what is so now."""
    kind, _, of = change.stat.partition(".")
    if kind == "defeated":
        return "no longer defeated"
    if kind == "scars":
        return f"a Scar of {change.to['modifier']}"
    return f"{'overflow of ' if kind == 'overflow' else ''}{of} {change.before} → {change.to}"
