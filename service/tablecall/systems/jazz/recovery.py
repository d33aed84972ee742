"""Recovery: what half an hour's rest or a night's sleep restores."""

from __future__ import annotations

from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from tablecall.dice.roll import RolledDice
from tablecall.dice.source import Dice
from tablecall.model.base import Body, not_allowed
from tablecall.systems.jazz.roller import report_summed_weird
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
    """`halfHour` restores half of what is lost, once a day for each pool. `night` restores everything and begins a new day."""
    pools: Pools = list(POOLS)
    """The pools the rest is for. Half an hour for one pool leaves the other pool's rest for later in the day."""
    rounding: Literal["up", "down"] = "up"
    """How half of an odd number is rounded."""
    blocked: Pools = []
    """Pools that cannot recover, because of a disfigurement, an attack on the aspect, or a complication."""

    @model_validator(mode="after")
    def _unique_pools(self) -> Self:
        for field, pools in (("pools", self.pools), ("blocked", self.blocked)):
            if len(set(pools)) < len(pools):
                raise not_allowed("each pool can be named only once", rule="jazz.recovery.rest", at=f"/{field}")
        return self


def recovery(request: JazzRecovery, dice: Dice) -> Verdict:
    """Rest. Nothing is rolled.

    Outcomes: ``recovered``, ``unchanged`` (nothing on the sheet changes). A character who was out and has health afterwards
    comes round: after half an hour only if health rose, after a night in any case. A rest that restores nothing is not used up.
    """
    character, night = request.character, request.rest == "night"
    verdict = Verdict("unchanged", None)
    report_summed_weird(dice, character)
    rule = "jazz.recovery.sleep" if night else "jazz.recovery.rest"
    pools: dict[Pool, JazzPool | None] = {"health": character.health, "weird": character.weird}
    gains: dict[Pool, int] = {}
    for name, pool in pools.items():
        reason = _why_not(request, name, pool)
        if pool is None or reason is not None:
            dice.step(rule, "{}: {}", name, reason, value=0)
        else:
            gains[name] = (_sleep if night else _rest)(request, name, pool, dice, verdict)
    if request.rounding == "down" and (night or not gains):
        dice.step(rule, "nothing is halved, so nothing is rounded (option rounding)")
    if night:
        _begin_day(character, dice, verdict)
    _come_round(request, gains.get("health", 0) > 0, dice, verdict)
    if verdict.changes:
        verdict.outcome = "recovered"
    return verdict


def _why_not(request: JazzRecovery, name: Pool, pool: JazzPool | None) -> str | None:
    """Why this rest cannot restore a pool; None if it can."""
    rested = request.character.rested
    if name not in request.pools:
        return "the rest is not for it (option pools)"
    if pool is None:
        return "there is no such pool"
    if name in request.blocked:
        return "it is held back (option blocked)"
    if pool.current == pool.max:
        return "nothing of it is lost"
    if request.rest == "halfHour" and (rested.health if name == "health" else rested.weird):
        return "today's rest for it is used up"
    return None


def _rest(request: JazzRecovery, name: Pool, pool: JazzPool, dice: Dice, verdict: Verdict) -> int:
    """jazz.recovery.rest: half of what is lost, once a day. Returns the points gained."""
    lost = pool.max - pool.current
    gain = (lost + (request.rounding == "up")) // 2
    aside = " (option rounding: down)" if request.rounding == "down" else ""
    dice.step("jazz.recovery.rest", "{}: half of the {} lost is {}{}", name, lost, gain, aside, value=gain)
    verdict.change("character", name, pool.current, pool.current + gain)
    if gain:
        verdict.set_flag("character", f"rested.{name}", to=True)
    return gain


def _sleep(request: JazzRecovery, name: Pool, pool: JazzPool, dice: Dice, verdict: Verdict) -> int:
    """jazz.recovery.sleep: everything that is lost. Returns the points gained."""
    gain = pool.max - pool.current
    dice.step("jazz.recovery.sleep", "{}: full again, {}", name, pool.max, value=gain)
    verdict.change("character", name, pool.current, pool.max)
    return gain


def _begin_day(character: JazzCharacter, dice: Dice, verdict: Verdict) -> None:
    """jazz.recovery.sleep: the half-hour rests are available again."""
    dice.step("jazz.recovery.sleep", "{}: a new day, with its half-hour rests", character.name)
    for pool, used in (("health", character.rested.health), ("weird", character.rested.weird)):
        if used:
            verdict.set_flag("character", f"rested.{pool}", to=False)


def _come_round(request: JazzRecovery, health_rose: bool, dice: Dice, verdict: Verdict) -> None:
    """jazz.conflict.out: a character who gains health is no longer out; after a night, neither is one with health left or no pool."""
    character = request.character
    if not character.out:
        return
    able = character.health is None or character.health.current > 0
    if health_rose or (request.rest == "night" and able):
        dice.step("jazz.conflict.out", "{} comes round", character.name)
        verdict.set_flag("character", "out", to=False)
    else:
        dice.step("jazz.conflict.out", "{} stays out", character.name)


def summary(request: JazzRecovery, verdict: Verdict, record: RolledDice) -> str:
    """One line: who rested how, and which pools rose."""
    gains = [f"{change.stat} {change.before} → {change.to}" for change in verdict.changes if change.stat in POOLS]
    rest = "a night's sleep" if request.rest == "night" else "half an hour's rest"
    return f"{request.character.name}, {rest}: {', '.join(gains) or 'no pool rises'}; {verdict.outcome}"
