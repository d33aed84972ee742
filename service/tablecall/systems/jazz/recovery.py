"""Jazz, recovery: what half an hour's rest and a night's sleep give back."""

from __future__ import annotations

from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from tablecall.dice.roll import RolledDice
from tablecall.dice.source import Dice
from tablecall.model.base import Body, not_allowed
from tablecall.systems.jazz.roller import derived
from tablecall.systems.jazz.sheet import JazzCharacter, JazzPool
from tablecall.systems.verdict import Verdict

Pool = Literal["health", "weird"]
Pools = Annotated[list[Pool], Field(max_length=2)]
POOLS: tuple[Pool, ...] = ("health", "weird")


class JazzRecovery(Body):
    """A character rests for half an hour (jazz.recovery.rest) or sleeps through a night (jazz.recovery.sleep)."""

    character: JazzCharacter
    """Who rests."""
    rest: Literal["halfHour", "night"]
    """`halfHour`: half of what is lost, once a day for each pool; `night`: everything, and a new day begins."""
    pools: Pools = list(POOLS)
    """The pools the rest is for: half an hour may serve one of them, and leave the other's for later in the day."""
    rounding: Literal["up", "down"] = "up"
    """How half of an odd number is rounded."""
    blocked: Pools = []
    """The pools held back: by a disfigurement, an attack on the aspect, or a complication."""

    @model_validator(mode="after")
    def _each_once(self) -> Self:
        for field, pools in (("pools", self.pools), ("blocked", self.blocked)):
            if len(set(pools)) < len(pools):
                raise not_allowed("each pool is named once", rule="jazz.recovery.rest", at=f"/{field}")
        return self


def recovery(request: JazzRecovery, dice: Dice) -> Verdict:
    """Rest; nothing is rolled.

    Outcomes: ``recovered``, ``unchanged`` (nothing on the sheet changes). Whoever was out and has health afterwards comes
    round: after half an hour if health rose, after a night in any case. A rest that gives nothing back uses nothing up.
    """
    verdict = Verdict("unchanged", None)
    derived(dice, request.character)
    restore = _sleep if request.rest == "night" else _rest
    risen = {pool: restore(request, pool, dice, verdict) for pool in POOLS if _open(request, pool, dice)}
    if request.rounding == "down" and (request.rest == "night" or not risen):
        dice.step(_rule(request), "nothing is halved, so nothing is rounded (option rounding)")
    if request.rest == "night":
        _new_day(request, dice, verdict)
    _come_round(request, risen.get("health") is True, dice, verdict)
    if verdict.changes:
        verdict.outcome = "recovered"
    return verdict


def _pool(character: JazzCharacter, pool: Pool) -> JazzPool | None:
    return character.health if pool == "health" else character.weird


def _rested(character: JazzCharacter, pool: Pool) -> bool:
    return character.rested.health if pool == "health" else character.rested.weird


def _rule(request: JazzRecovery) -> str:
    return "jazz.recovery.sleep" if request.rest == "night" else "jazz.recovery.rest"


def _open(request: JazzRecovery, pool: Pool, dice: Dice) -> bool:
    """Whether this rest can give the pool anything back."""
    there = _pool(request.character, pool)
    why = None
    if pool not in request.pools:
        why = "the rest is not for it (option pools)"
    elif there is None:
        why = "there is no such pool"
    elif pool in request.blocked:
        why = "it is held back (option blocked)"
    elif there.current == there.max:
        why = "nothing of it is lost"
    elif request.rest == "halfHour" and _rested(request.character, pool):
        why = "today's rest for it is used up"
    if why is not None:
        dice.step(_rule(request), "{}: {}", pool, why, value=0)
    return why is None


def _rest(request: JazzRecovery, pool: Pool, dice: Dice, verdict: Verdict) -> bool:
    """jazz.recovery.rest: half of what is lost, once a day; whether the pool rose."""
    there = _pool(request.character, pool)
    assert there is not None
    lost = there.max - there.current
    gain = (lost + (request.rounding == "up")) // 2
    aside = " (option rounding: down)" if request.rounding == "down" else ""
    dice.step("jazz.recovery.rest", "{}: half of the {} lost is {}{}", pool, lost, gain, aside, value=gain)
    verdict.change("character", pool, there.current, there.current + gain)
    if gain:
        verdict.set_flag("character", f"rested.{pool}", to=True)
    return gain > 0


def _sleep(request: JazzRecovery, pool: Pool, dice: Dice, verdict: Verdict) -> bool:
    """jazz.recovery.sleep: everything that is lost; whether the pool rose."""
    there = _pool(request.character, pool)
    assert there is not None
    dice.step("jazz.recovery.sleep", "{}: full again, {}", pool, there.max, value=there.max - there.current)
    verdict.change("character", pool, there.current, there.max)
    return True


def _new_day(request: JazzRecovery, dice: Dice, verdict: Verdict) -> None:
    rested = request.character.rested
    dice.step("jazz.recovery.sleep", "{}: a new day, with its half-hour rests", request.character.name)
    for pool, used in (("health", rested.health), ("weird", rested.weird)):
        if used:
            verdict.set_flag("character", f"rested.{pool}", to=False)


def _come_round(request: JazzRecovery, health_rose: bool, dice: Dice, verdict: Verdict) -> None:
    """jazz.conflict.out ends with health to stand on; a night ends it too for whoever went down with health left, or has no pool."""
    character = request.character
    if not character.out:
        return
    left = character.health is None or character.health.current > 0
    if health_rose or (request.rest == "night" and left):
        dice.step("jazz.conflict.out", "{} comes round", character.name)
        verdict.set_flag("character", "out", to=False)
    else:
        dice.step("jazz.conflict.out", "{} stays out", character.name)


def summary(request: JazzRecovery, verdict: Verdict, record: RolledDice) -> str:
    """One line: who rested how, and what came back."""
    gains = [f"{change.stat} {change.before} → {change.to}" for change in verdict.changes if change.stat in POOLS]
    rest = "a night's sleep" if request.rest == "night" else "half an hour's rest"
    return f"{request.character.name}, {rest}: {', '.join(gains) or 'no pool rises'}; {verdict.outcome}"
