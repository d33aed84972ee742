"""Healing by weird means: the rows of the weird effects table that restore health (jazz.weird.restore)."""

from __future__ import annotations

from typing import Literal

from tablecall.dice.source import Dice
from tablecall.model.names import name_key
from tablecall.model.refusals import Forbidden, pointer
from tablecall.systems.jazz.sheet import JazzCharacter, Rounding
from tablecall.systems.verdict import Change, Verdict

Row = Literal["one", "half", "full", "dying", "dead"]
_STRENGTH = {"one": 1, "half": 1, "full": 1, "dying": 2, "dead": 3}
"""How bad a condition each row can help."""
_NEEDS = {"unconscious": 1, "dying": 2, "dead": 3}
"""The strength that a condition needs; captured, spared and other words need none."""
_MEANT_FOR = {"one": "unconscious", "dying": "dying", "dead": "dead"}
"""Whom a row is meant for, if for somebody who is out."""


def row_of(effect: str | None) -> str:
    """The row of an effect: ``half`` of ``restoreHealth.half``."""
    return str(effect).rpartition(".")[2]


def can_heal(effect: str | None, where: str, subject: JazzCharacter) -> None:
    """Refuse a named subject without a health pool, and a row that is too weak for the subject's condition."""
    if subject.health is None and subject.named:
        raise Forbidden.by("jazz.weird.restore", pointer(where, "health"), "jazz.refused.no_health_pool", who=subject.name)
    needed = _NEEDS.get(name_key(subject.condition or ""), 0)
    if needed > _STRENGTH[row_of(effect)]:
        at = pointer(where, "condition")
        raise Forbidden.by(
            "jazz.weird.restore", at, "jazz.refused.row_too_weak", who=subject.name, condition=name_key(subject.condition or "")
        )


def heal(
    effect: str | None,
    subject: tuple[str, JazzCharacter] | None,
    verdict: Verdict,
    dice: Dice,
    *,
    amount: int | None,
    rounding: Rounding | None,
) -> None:
    """What the row gives back to the subject, never past the maximum."""
    if subject is None:
        dice.note("jazz.weird.restore", "heal.nobody", value=0)
        return
    where, sheet = subject
    dice.option("", "subject")
    if not verdict.succeeded:
        dice.note("jazz.weird.restore", "heal.failed", value=0, who=where)
        return
    row = row_of(effect)
    if row in _MEANT_FOR and not sheet.is_out():
        dice.note("jazz.weird.restore", "heal.not_out", who=where, condition=_MEANT_FOR[row])
    healed = 0
    if sheet.health is not None:
        current, maximum = sheet.health.current, sheet.health.max
        gain = {"half": (maximum + (rounding == "up")) // 2, "full": maximum}.get(row, 1)
        if row == "half" and rounding is not None and maximum % 2:
            dice.option("", "rounding")
        if amount is not None and amount < min(gain, maximum - current):
            dice.option("", "amount")
        healed = min(current + min(gain, amount or gain), maximum)
        dice.note("jazz.weird.restore", "heal.health", value=healed - current, who=where, before=current, to=healed)
        verdict.change(where, "health", current, healed)
    else:
        dice.note("jazz.weird.restore", "heal.unnamed", who=where)
    if sheet.is_out() and (healed or sheet.health is None):
        stand_again(where, sheet, verdict)


def stand_again(where: str, sheet: JazzCharacter, verdict: Verdict) -> None:
    """Somebody who was out stands again: no longer out, and without the condition."""
    if sheet.out:
        verdict.set_flag(where, "out", to=False)
    if sheet.condition is not None:
        verdict.changes.append(Change(where, "condition", sheet.condition, None, None))
