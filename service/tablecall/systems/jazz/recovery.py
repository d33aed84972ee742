"""Recovery: what half an hour's rest or a night's sleep restores."""

from __future__ import annotations

from typing import Annotated, ClassVar, Literal, Self

from pydantic import Field, model_validator

from tablecall.dice.roll import RolledDice
from tablecall.dice.source import Dice
from tablecall.model.base import not_allowed
from tablecall.model.text import Sentence, say
from tablecall.systems.jazz.healing import stand_again
from tablecall.systems.jazz.roller import report_weird_pools
from tablecall.systems.jazz.sheet import JazzBody, JazzCharacter, JazzPool, Rounding
from tablecall.systems.verdict import Verdict

Pool = Literal["health", "weird"]
Pools = Annotated[list[Pool], Field(max_length=2)]
POOLS: tuple[Pool, ...] = ("health", "weird")


class JazzRecovery(JazzBody):
    """Characters rest for half an hour (jazz.recovery.rest) or sleep through a night (jazz.recovery.sleep)."""

    options: ClassVar[frozenset[str]] = frozenset({"rounding", "blocked"})

    character: JazzCharacter | None = None
    """Who rests."""
    characters: Annotated[list[JazzCharacter], Field(min_length=1, max_length=32)] | None = None
    """Several who rest together, in place of `character`."""
    rest: Literal["halfHour", "night"]
    """`halfHour` restores half of what is lost, once a day for each pool. `night` restores everything and begins a new day."""
    pools: Pools = list(POOLS)
    """The pools the rest is for. Half an hour for one pool leaves the other pool's rest for later in the day."""
    rounding: Rounding | None = None
    """How half of an odd number is rounded. Left out: as `houseRules` says, else `up`."""
    blocked: Pools = []
    """Pools that cannot recover, because of a disfigurement, an attack on the aspect, or a complication."""

    @model_validator(mode="after")
    def _check(self) -> Self:
        for field, pools in (("pools", self.pools), ("blocked", self.blocked)):
            if len(set(pools)) < len(pools):
                raise not_allowed("jazz.refused.pool_twice", rule="jazz.recovery.rest", at=f"/{field}")
        if (self.character is None) == (self.characters is None):
            code = "needs-one-of" if self.character is None else "conflicting-fields"
            raise not_allowed("jazz.refused.character_or_characters", rule="jazz.recovery.rest", code=code)
        return self

    @property
    def resting(self) -> list[tuple[str, JazzCharacter]]:
        """Everybody who rests, by place."""
        if self.character is not None:
            return [("character", self.character)]
        return [(f"characters.{index}", sheet) for index, sheet in enumerate(self.characters or ())]


def recovery(request: JazzRecovery, dice: Dice) -> Verdict:
    """Rest. Nothing is rolled.

    Outcomes: ``recovered``, ``unchanged`` (nothing on any sheet changes). A character who was out and has health afterwards
    comes round: after half an hour only if health rose, after a night in any case. A rest that restores nothing is not used up.
    """
    verdict = Verdict("unchanged", None)
    report_weird_pools(dice, request.resting)
    for where, sheet in request.resting:
        _one(request, where, sheet, dice, verdict)
    if verdict.changes:
        verdict.outcome = "recovered"
    return verdict


def _one(request: JazzRecovery, where: str, sheet: JazzCharacter, dice: Dice, verdict: Verdict) -> None:
    """What the rest gives to one character."""
    night = request.rest == "night"
    rule = "jazz.recovery.sleep" if night else "jazz.recovery.rest"
    pools: dict[Pool, JazzPool | None] = {"health": sheet.health, "weird": sheet.weird}
    gained = 0
    for name, pool in pools.items():
        reason = _why_not(request, sheet, name, pool)
        if reason == "blocked":
            dice.option("", "blocked")
        if pool is None or reason is not None:
            dice.note(rule, f"rest.{reason}", value=0, who=where, pool=name)
            continue
        gain = pool.max - pool.current if night else _half(request, pool.max - pool.current, dice)
        key = "rest.full" if night else "rest.half"
        dice.note(rule, key, value=gain, who=where, pool=name, before=pool.current, to=pool.current + gain, lost=pool.max - pool.current)
        verdict.change(where, name, pool.current, pool.current + gain)
        if gain and not night:
            verdict.set_flag(where, f"rested.{name}", to=True)
        gained += gain if name == "health" else 0
    if night:
        _begin_day(where, sheet, dice, verdict)
    _come_round(night, where, sheet, gained > 0, dice, verdict)


def _why_not(request: JazzRecovery, sheet: JazzCharacter, name: Pool, pool: JazzPool | None) -> str | None:
    """Why this rest cannot restore a pool, as the key of a sentence; None if it can."""
    if name not in request.pools:
        return "not_for"
    if pool is None:
        return "no_pool"
    if name in request.blocked:
        return "blocked"
    if pool.current == pool.max:
        return "nothing_lost"
    if request.rest == "halfHour" and (sheet.rested.health if name == "health" else sheet.rested.weird):
        return "used_up"
    return None


def _half(request: JazzRecovery, lost: int, dice: Dice) -> int:
    """jazz.recovery.rest: half of what is lost."""
    rounding = request.rounding or request.house("rounding") or "up"
    if lost % 2:
        dice.option("", "rounding")
    return (lost + (rounding == "up")) // 2


def _begin_day(where: str, sheet: JazzCharacter, dice: Dice, verdict: Verdict) -> None:
    """jazz.recovery.sleep: the half-hour rests are available again."""
    dice.note("jazz.recovery.sleep", "rest.new_day", who=where)
    for pool, used in (("health", sheet.rested.health), ("weird", sheet.rested.weird)):
        if used:
            verdict.set_flag(where, f"rested.{pool}", to=False)


def _come_round(night: bool, where: str, sheet: JazzCharacter, health_rose: bool, dice: Dice, verdict: Verdict) -> None:
    """jazz.conflict.out: a character who gains health is no longer out; after a night, neither is one with health left or no pool."""
    if not sheet.is_out():
        return
    able = sheet.health is None or sheet.health.current > 0
    if health_rose or (night and able):
        dice.note("jazz.conflict.out", "rest.comes_round", who=where)
        stand_again(where, sheet, verdict)
    else:
        dice.note("jazz.conflict.out", "rest.stays_out", who=where)


def summary(request: JazzRecovery, verdict: Verdict, record: RolledDice) -> list[Sentence]:
    """Who rested how."""
    return [say(f"rest.summary_{request.rest}", who=[where for where, _ in request.resting], outcome=verdict.outcome)]
