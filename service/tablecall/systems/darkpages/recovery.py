"""Recovery: what the end of a conflict, a respite and the ends of a session heal."""

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
SESSION_ENDS = ("sessionEnd", "interval")
SESSION_STARTS = ("sessionStart", "interval")


class DarkpagesRecovery(Body):
    """A character recovers as far as the moment allows."""

    character: DarkpagesCharacter
    """Who recovers."""
    when: When
    """The moment. `conflictEnd`: the Defeated return to play. `respite`: Diminished clears. `sessionEnd`: Destroyed becomes Damaged, with a
    Scar. `sessionStart`: Damaged and Diminished clear. `interval`: what a session's end and start do (darkpages.recovery.interval)."""
    care: bool = True
    """Whether Damaged can heal in these surroundings (darkpages.recovery.damaged)."""
    scar: DarkpagesScar | None = None
    """The Scar left by recovering from Destroyed: required then, refused otherwise (darkpages.scars)."""


def recovery(request: DarkpagesRecovery, dice: Dice) -> Verdict:
    """Resolve a recovery. No dice.

    Outcomes: ``recovered``, ``unchanged``. Healing Damaged also clears the overflow of that trait. A character who is out of
    the game recovers nothing. Refuses a missing Scar, a Scar that is not due, and more Scars than a sheet holds.
    """
    sheet, when = request.character, request.when
    verdict = Verdict("unchanged", False)
    states = {trait: getattr(sheet.damage, trait) for trait in TRAITS.values()}
    _check_scar(request, due=when in SESSION_ENDS and not sheet.out_of_game and "destroyed" in states.values())
    if when == "interval":
        dice.step("darkpages.recovery.interval", "the interval is up: it does what the end and the start of a session would")
    if sheet.out_of_game:
        dice.step("darkpages.damage.destroyed", "{} is out of the game, and recovers nothing", sheet.name)
        if not request.care:
            text = "nothing heals of who is out of the game, with care or without (option care)"
            dice.step("darkpages.recovery.damaged", text, value=False)
        return verdict
    if when == "conflictEnd":
        _return_to_play(sheet, dice, verdict)
    if when in SESSION_ENDS:
        _leave_destroyed(request, states, dice, verdict)
    if when in SESSION_STARTS:
        _heal_damaged(request, states, dice, verdict)
    elif not request.care:
        dice.step("darkpages.recovery.damaged", "nothing that is damaged heals now, with care or without (option care)", value=False)
    if when in ("respite", *SESSION_STARTS):
        _clear_diminished(sheet, states, dice, verdict)
    if verdict.changes:
        verdict.outcome, verdict.succeeded = "recovered", True
    return verdict


def _check_scar(request: DarkpagesRecovery, *, due: bool) -> None:
    if due and request.scar is None:
        raise Forbidden.by("darkpages.recovery.destroyed", "/scar", "a character who recovers from Destroyed gets a Scar: send it")
    if request.scar is not None and not due:
        raise Forbidden.by("darkpages.scars", "/scar", "only recovery from Destroyed at the end of a session leaves a Scar")
    if due and len(request.character.scars) >= MAX_SCARS:
        raise Forbidden.by("darkpages.scars", "/character/scars", f"a sheet holds at most {MAX_SCARS} Scars")


def _return_to_play(sheet: DarkpagesCharacter, dice: Dice, verdict: Verdict) -> None:
    """darkpages.recovery.conflictEnd: Defeated ends."""
    if sheet.defeated:
        dice.step("darkpages.recovery.conflictEnd", "{} is back in play", sheet.name)
        verdict.set_flag("character", "defeated", to=False)
    else:
        dice.step("darkpages.recovery.conflictEnd", "{} was not Defeated", sheet.name)


def _leave_destroyed(request: DarkpagesRecovery, states: dict[str, str], dice: Dice, verdict: Verdict) -> None:
    """darkpages.recovery.destroyed: Destroyed becomes Damaged and leaves a Scar."""
    if "destroyed" not in states.values():
        dice.step("darkpages.recovery.destroyed", "nothing is Destroyed")
    for trait, state in states.items():
        if state == "destroyed":
            dice.step("darkpages.recovery.destroyed", "{} eases to damaged", trait, value=trait)
            _set_state(trait, "damaged", states, verdict)
    if request.scar is not None:
        dice.step("darkpages.scars", "a Scar stays for good: {}", request.scar.modifier, value=request.scar.modifier)
        scar = request.scar.model_dump()
        verdict.changes.append(Change("character", f"scars.{len(request.character.scars)}", None, scar, 1))


def _heal_damaged(request: DarkpagesRecovery, states: dict[str, str], dice: Dice, verdict: Verdict) -> None:
    """darkpages.recovery.damaged: Damaged heals fully, with care."""
    damaged = [trait for trait, state in states.items() if state == "damaged"]
    if not damaged and not request.care:
        dice.step("darkpages.recovery.damaged", "nothing is damaged, so care decides nothing (option care)", value=False)
    for trait in damaged:
        if not request.care:
            dice.step("darkpages.recovery.damaged", "{} stays damaged without care (option care)", trait, value=False)
            continue
        dice.step("darkpages.recovery.damaged", "{} heals altogether", trait, value=trait)
        _set_state(trait, "unhurt", states, verdict)
        verdict.change("character", f"overflow.{trait}", getattr(request.character.overflow, trait), 0)


def _clear_diminished(sheet: DarkpagesCharacter, states: dict[str, str], dice: Dice, verdict: Verdict) -> None:
    """darkpages.recovery.diminished: Diminished clears. Between two sessions there was a respite."""
    diminished = [trait for trait, state in states.items() if state == "diminished"]
    if not diminished:
        dice.step("darkpages.recovery.diminished", "nothing of {} is diminished", sheet.name)
    for trait in diminished:
        dice.step("darkpages.recovery.diminished", "{} is well again", trait, value=trait)
        _set_state(trait, "unhurt", states, verdict)


def _set_state(trait: str, to: str, states: dict[str, str], verdict: Verdict) -> None:
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
    """One line: who, when, and every change."""
    changes = ", ".join(_describe(change) for change in verdict.changes)
    return f"{request.character.name}, {_WHEN[request.when]}: {changes or verdict.outcome}"


def _describe(change: Change) -> str:
    stat, _, trait = change.stat.partition(".")
    if stat == "defeated":
        return "no longer defeated"
    if stat == "scars":
        return f"a Scar of {change.to['modifier']}"
    return f"{'overflow of ' if stat == 'overflow' else ''}{trait} {change.before} → {change.to}"
