"""A Jazz character and how one rolls: the sheet, its pools, and the words of a request about a roller."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Annotated, Any, ClassVar, Literal, Self

from pydantic import BeforeValidator, Field, model_validator

from tablecall.model.base import Id, MayBeNull, Model, Name, Participant, Text, WholeNumber, not_allowed

MOST_ASPECTS = 50
Karma = Literal["neutral", "positive", "negative"]
WeirdPool = Literal["highest", "sum"]
Held = Literal["karma", "heldAdvantage"]
MOST_POINTS = 999
LETTER_BY_LETTER = "names are compared letter by letter, capitals too, with the `aspects`"
NO_SUCH_ASPECT = f"the character has no such aspect: {LETTER_BY_LETTER} of the `character`"
"""Refused names stay unsaid, and so do those on the sheet: both are the caller's own."""


def _an_aspect(bonus: Any) -> Any:
    """jazz.aspects.primary: what has no bonus is no aspect."""
    if type(bonus) is int and bonus < 1:
        raise not_allowed("an aspect has a bonus of at least 1", rule="jazz.aspects.primary")
    return bonus


Bonus = Annotated[int, Field(ge=1, le=99), BeforeValidator(_an_aspect), WholeNumber]
Points = Annotated[int, Field(ge=0, le=MOST_POINTS), WholeNumber]


class JazzAspect(Model):
    """One aspect: what the character is, and how good at it. The first on a sheet is the primary one (jazz.aspects.primary)."""

    name: Name
    """An adjective and a noun, as a rule."""
    bonus: Bonus
    """Added to the roll; at least 1."""
    weird: bool = False
    """Whether it can do what no ordinary aspect can."""
    expertise: Annotated[list[Text], Field(max_length=99)] = []
    """Short phrases, as many as the bonus; they change no roll (jazz.aspects.expertise)."""


class JazzPool(Model):
    """A pool of points; it never holds more than its maximum."""

    current: Points
    """What is left."""
    max: Points
    """What it holds when full."""


class JazzRested(Model):
    """Which daily half-hour rests are used up (jazz.recovery.rest)."""

    health: bool = False
    """The one for health."""
    weird: bool = False
    """The one for weird."""


class JazzCharacter(Participant):
    """A character sheet. Pools left out follow from the aspects: health from `survivalAspect`, without which there is none, weird from
    the weird ones (jazz.health.pool, jazz.weird.pool)."""

    is_sheet: ClassVar[bool] = True

    id: Id | None = None
    """The caller's own identifier, passed through."""
    name: Name
    """The character's name."""
    aspects: Annotated[list[JazzAspect], Field(max_length=MOST_ASPECTS)]
    """The primary aspect first, then the secondary ones."""
    survival_aspect: Name | None = None
    """The name of the aspect most relevant to survival; it is never guessed. Whoever has neither this nor `health` loses health that
    nobody counts, and is brought down only if unnamed."""
    health: JazzPool | None = None
    """How much the character can take before being out of the fight."""
    weird: JazzPool | None = None
    """How many truly extraordinary uses of weird aspects are left."""
    weird_pool: WeirdPool = "highest"
    """How several weird aspects make one weird pool."""
    complication: Text | None = None
    """What makes life harder (jazz.complication.sheet)."""
    named: bool = True
    """An unnamed character goes down with one hit (jazz.conflict.unnamed)."""
    out: bool = False
    """Out of the fight (jazz.conflict.out)."""
    karma: Karma = "neutral"
    """Never more than one of a kind (jazz.karma.neutral)."""
    held_advantage: bool = False
    """An advantage die earned by a complication, kept for later (jazz.complication.die)."""
    rested: Annotated[JazzRested, MayBeNull()] = Field(default_factory=JazzRested)
    """The daily rests already taken."""

    @model_validator(mode="after")
    def _pools(self) -> Self:
        names = [aspect.name for aspect in self.aspects]
        health, weird = self.health, self.weird
        if len(set(names)) < len(names):
            raise not_allowed("each aspect stands on the sheet once", rule="jazz.aspects.primary", at="/aspects")
        for pool, there in (("health", health), ("weird", weird)):
            if there is not None and there.current > there.max:
                raise not_allowed("a pool holds no more than its maximum", rule=f"jazz.{pool}.pool", at=f"/{pool}/current")
        if self.survival_aspect is not None and self.survival_aspect not in names:
            raise not_allowed("the survival aspect is one of the sheet's aspects", rule="jazz.health.pool", at="/survivalAspect")
        if weird is not None and weird.max and not any(aspect.weird for aspect in self.aspects):
            raise not_allowed("a weird pool needs a weird aspect", rule="jazz.weird.pool", at="/weird")
        if health is None:
            self.derive("health", full_pool(self.health_bonus()))
        if weird is None:
            self._derive_weird()
        return self

    def _derive_weird(self) -> None:
        size = self.weird_bonus()
        if size is not None and size > MOST_POINTS:
            raise not_allowed(f"a pool holds {MOST_POINTS} at most", rule="jazz.weird.pool", at="/weirdPool")
        self.derive("weird", full_pool(size))

    @property
    def weird_summed(self) -> bool:
        """Whether the weird pool was left out and follows from the sum of the weird aspects (jazz.weird.pool)."""
        return self.weird_pool == "sum" and self.weird is not None and "weird" not in self.model_fields_set

    def health_bonus(self) -> int | None:
        """What the health pool holds by jazz.health.pool; None where no survival aspect is named."""
        return next((aspect.bonus for aspect in self.aspects if aspect.name == self.survival_aspect), None)

    def weird_bonus(self) -> int | None:
        """What the weird pool holds by jazz.weird.pool; None without a weird aspect."""
        bonuses = [aspect.bonus for aspect in self.aspects if aspect.weird]
        return weird_bonus(bonuses, self.weird_pool) if bonuses else None

    def is_out(self) -> bool:
        """Out of the fight: said so, or no health left."""
        return self.out or (self.health is not None and self.health.max > 0 and self.health.current == 0)


def weird_bonus(bonuses: list[int], weird_pool: WeirdPool) -> int:
    """What these weird aspects, one at least, make the weird pool hold (jazz.weird.pool): the highest of them or their sum."""
    return sum(bonuses) if weird_pool == "sum" else max(bonuses)


def full_pool(size: int | None) -> JazzPool | None:
    """A full pool of that size; none where there is no size."""
    return None if size is None else JazzPool(current=size, max=size)


class JazzGear(Model):
    """Unusual equipment (jazz.equipment.unusual)."""

    advantage: bool = False
    """It grants an advantage die."""
    reroll: Annotated[list[Annotated[int, Field(ge=1, le=6), WholeNumber]], Field(max_length=6)] = []
    """Dice that show one of these faces are rolled again (jazz.dice.reroll)."""
    until: Literal["once", "clear"] = "once"
    """`once`: the second result stands. `clear`: again until none of these faces shows."""

    @model_validator(mode="after")
    def _ends(self) -> Self:
        if self.until == "clear" and len(set(self.reroll)) == 6:
            raise not_allowed("re-rolling all six faces until none shows would never end", rule="jazz.dice.reroll", at="/reroll")
        return self


class JazzActor(Participant):
    """Who rolls, and how: a character and the aspects that apply, or a bare bonus."""

    one_shot_fields: ClassVar[frozenset[str]] = frozenset({"spend", "imposeKarma", "extraordinary"})

    character: JazzCharacter | None = None
    """The sheet. Left out, `bonus` stands for it."""
    using: Annotated[list[Name], Field(max_length=50)] = []
    """The names of the aspects that apply; the highest counts (jazz.aspects.highest). Where none is named, nothing is added."""
    bonus: Annotated[int, Field(ge=0, le=99), WholeNumber] | None = None
    """The bonus of a roller without a sheet; refused beside a character."""
    universal: bool = False
    """Everyone of the setting can do this: the bonus is at least 1 (jazz.aspects.universal)."""
    advantage: bool = False
    """The situation grants an advantage die (jazz.dice.advantage)."""
    disadvantage: bool = False
    """The situation costs a die (jazz.dice.disadvantage)."""
    spend: Held | None = None
    """Spend positive karma, or the advantage die a complication earned, on this roll."""
    impose_karma: bool = False
    """The game master imposes the character's negative karma on this roll."""
    without_equipment: bool = False
    """The ordinary equipment of the aspect, otherwise taken for granted (jazz.equipment.ordinary), is gone (jazz.equipment.lost)."""
    gear: JazzGear | None = None
    """Unusual equipment."""
    extraordinary: bool = False
    """A truly extraordinary use of a weird aspect: it costs one weird (jazz.weird.spend)."""

    @model_validator(mode="after")
    def _sheet_or_bonus(self) -> Self:
        if self.character is None:
            if self.using:
                raise not_allowed("aspects that apply need the character they stand on", rule="jazz.aspects.highest", at="/using")
            if self.spend is not None:
                raise not_allowed("only a character holds a die to spend", rule=SPENDING[self.spend], at="/spend")
            if self.impose_karma:
                raise not_allowed("only a character has karma", rule="jazz.karma.negative", at="/imposeKarma")
            return self
        if self.bonus is not None:
            raise not_allowed("a bare bonus is for rollers without a character", rule="jazz.aspects.highest", at="/bonus")
        names = {aspect.name for aspect in self.character.aspects}
        for index, name in enumerate(self.using):
            if name not in names:
                raise not_allowed(NO_SUCH_ASPECT, rule="jazz.aspects.highest", at=f"/using/{index}")
        return self


SPENDING: dict[Held, str] = {"karma": "jazz.karma.positive", "heldAdvantage": "jazz.complication.die"}
"""The rule that speaks of each die a character may hold."""


def nobody_twice(actors: Iterable[tuple[str, JazzActor]], rule: str) -> None:
    """Refuse the same character, by the caller's own id, twice among ``actors``, each with its pointer."""
    seen: set[str] = set()
    for at, actor in actors:
        known = actor.character.id if actor.character else None
        if known is None:
            continue
        if known in seen:
            raise not_allowed("the same character is there already", rule=rule, at=at)
        seen.add(known)
