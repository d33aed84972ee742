"""The Jazz character sheet, and `JazzActor`: everything a request says about one roller."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Annotated, Any, ClassVar, Literal, Self

from pydantic import BeforeValidator, Field, model_validator

from tablecall.model.base import Id, MayBeNull, Model, Name, Participant, Text, WholeNumber, not_allowed

MAX_ASPECTS = 50
MAX_POINTS = 999
"""The most points a pool can hold."""
Karma = Literal["neutral", "positive", "negative"]
WeirdPool = Literal["highest", "sum"]
HeldDie = Literal["karma", "heldAdvantage"]
"""An advantage die a character can hold for a later roll."""
DIE_RULES: dict[HeldDie, str] = {"karma": "jazz.karma.positive", "heldAdvantage": "jazz.complication.die"}
"""The rule behind each die a character can hold."""
EXACT_NAMES = "names are case-sensitive and must match exactly"
NO_SUCH_ASPECT = f"the character has no aspect of that name; {EXACT_NAMES}"
"""Does not repeat the refused name or those on the sheet: refusals never repeat the caller's own text."""


def _positive_bonus(bonus: Any) -> Any:
    """jazz.aspects.primary: an aspect's bonus is at least 1."""
    if type(bonus) is int and bonus < 1:
        raise not_allowed("an aspect has a bonus of at least 1", rule="jazz.aspects.primary")
    return bonus


Bonus = Annotated[int, Field(ge=1, le=99), BeforeValidator(_positive_bonus), WholeNumber]
Points = Annotated[int, Field(ge=0, le=MAX_POINTS), WholeNumber]


class JazzAspect(Model):
    """One aspect: something the character is, and how good they are at it. The first on a sheet is the primary aspect
    (jazz.aspects.primary)."""

    name: Name
    """Usually an adjective and a noun."""
    bonus: Bonus
    """Added to the roll; at least 1."""
    weird: bool = False
    """Whether the aspect can do things no ordinary aspect can."""
    expertise: Annotated[list[Text], Field(max_length=99)] = []
    """Short phrases, one per point of the bonus. They do not affect rolls (jazz.aspects.expertise)."""


class JazzPool(Model):
    """A pool of points."""

    current: Points
    """The points left; at most `max`."""
    max: Points
    """The points in a full pool."""


class JazzRested(Model):
    """Which of the daily half-hour rests have been taken (jazz.recovery.rest)."""

    health: bool = False
    """Whether today's rest for health is used up."""
    weird: bool = False
    """Whether today's rest for weird is used up."""


class JazzCharacter(Participant):
    """A character sheet. Pools you leave out are derived from the aspects: `health` from `survivalAspect` (no `survivalAspect`, no
    pool), `weird` from the weird aspects (jazz.health.pool, jazz.weird.pool)."""

    is_sheet: ClassVar[bool] = True

    id: Id | None = None
    """Your own identifier; returned unchanged."""
    name: Name
    """The character's name."""
    aspects: Annotated[list[JazzAspect], Field(max_length=MAX_ASPECTS)]
    """The primary aspect first, then the secondary ones."""
    survival_aspect: Name | None = None
    """The name of the aspect most relevant to survival; never guessed. A character without this and without `health` has no
    health pool: hits are reported, but only an unnamed character goes out of the fight."""
    health: JazzPool | None = None
    """How many hits the character can take before going out of the fight."""
    weird: JazzPool | None = None
    """How many extraordinary uses of weird aspects are left."""
    weird_pool: WeirdPool = "highest"
    """How several weird aspects make one weird pool: the `highest` bonus, or their `sum`."""
    complication: Text | None = None
    """What makes the character's life harder (jazz.complication.sheet)."""
    named: bool = True
    """An unnamed character goes out of the fight at the first hit (jazz.conflict.unnamed)."""
    out: bool = False
    """Out of the fight (jazz.conflict.out)."""
    karma: Karma = "neutral"
    """The karma the character holds; at most one of a kind (jazz.karma.neutral)."""
    held_advantage: bool = False
    """Whether the character holds an advantage die earned by a complication (jazz.complication.die)."""
    rested: Annotated[JazzRested, MayBeNull()] = Field(default_factory=JazzRested)
    """The daily rests already taken."""

    @model_validator(mode="after")
    def _check_and_derive_pools(self) -> Self:
        names = [aspect.name for aspect in self.aspects]
        health, weird = self.health, self.weird
        if len(set(names)) < len(names):
            raise not_allowed("an aspect can be on the sheet only once", rule="jazz.aspects.primary", at="/aspects")
        for name, pool in (("health", health), ("weird", weird)):
            if pool is not None and pool.current > pool.max:
                raise not_allowed("`current` cannot be more than `max`", rule=f"jazz.{name}.pool", at=f"/{name}/current")
        if self.survival_aspect is not None and self.survival_aspect not in names:
            raise not_allowed("the survival aspect must be one of the sheet's aspects", rule="jazz.health.pool", at="/survivalAspect")
        if weird is not None and weird.max and not any(aspect.weird for aspect in self.aspects):
            raise not_allowed("a weird pool needs a weird aspect", rule="jazz.weird.pool", at="/weird")
        if health is None:
            self.derive("health", full_pool(self.health_size()))
        if weird is None:
            size = self.weird_size()
            if size is not None and size > MAX_POINTS:
                raise not_allowed(f"a pool can hold at most {MAX_POINTS} points", rule="jazz.weird.pool", at="/weirdPool")
            self.derive("weird", full_pool(size))
        return self

    @property
    def weird_summed(self) -> bool:
        """Whether the weird pool was left out and derived as a sum (jazz.weird.pool)."""
        return self.weird_pool == "sum" and self.weird is not None and "weird" not in self.model_fields_set

    def health_size(self) -> int | None:
        """The size of the health pool by jazz.health.pool; None if no survival aspect is named."""
        return next((aspect.bonus for aspect in self.aspects if aspect.name == self.survival_aspect), None)

    def weird_size(self) -> int | None:
        """The size of the weird pool by jazz.weird.pool; None without a weird aspect."""
        bonuses = [aspect.bonus for aspect in self.aspects if aspect.weird]
        return weird_pool_size(bonuses, self.weird_pool) if bonuses else None

    def is_out(self) -> bool:
        """Whether the character is out of the fight: marked as ``out``, or without health left."""
        return self.out or (self.health is not None and self.health.max > 0 and self.health.current == 0)


def weird_pool_size(bonuses: list[int], weird_pool: WeirdPool) -> int:
    """The size of the weird pool of one or more weird aspects with these ``bonuses`` (jazz.weird.pool)."""
    return sum(bonuses) if weird_pool == "sum" else max(bonuses)


def full_pool(size: int | None) -> JazzPool | None:
    """A full pool of that size; None for None."""
    return None if size is None else JazzPool(current=size, max=size)


class JazzGear(Model):
    """Unusual equipment (jazz.equipment.unusual)."""

    advantage: bool = False
    """Whether it grants an advantage die."""
    reroll: Annotated[list[Annotated[int, Field(ge=1, le=6), WholeNumber]], Field(max_length=6)] = []
    """Dice that show one of these faces are rolled again (jazz.dice.reroll)."""
    until: Literal["once", "clear"] = "once"
    """`once`: each die is rolled again at most once. `clear`: until it shows none of these faces."""

    @model_validator(mode="after")
    def _ends(self) -> Self:
        if self.until == "clear" and len(set(self.reroll)) == 6:
            raise not_allowed("re-rolling until none of the six faces shows would never end", rule="jazz.dice.reroll", at="/reroll")
        return self


class JazzActor(Participant):
    """Who rolls, and how: a character and the aspects that apply, or a bare bonus."""

    one_shot_fields: ClassVar[frozenset[str]] = frozenset({"spend", "imposeKarma", "advantage", "disadvantage", "extraordinary"})

    character: JazzCharacter | None = None
    """The character sheet. Without one, use `bonus`."""
    using: Annotated[list[Name], Field(max_length=50)] = []
    """The names of the aspects that apply. The highest bonus counts (jazz.aspects.highest); with no names, no bonus is added."""
    bonus: Annotated[int, Field(ge=0, le=99), WholeNumber] | None = None
    """The bonus of a roller without a sheet; refused together with `character`."""
    universal: bool = False
    """Everyone in the setting can do this, so the bonus is at least 1 (jazz.aspects.universal)."""
    advantage: bool = False
    """The situation grants an advantage die (jazz.dice.advantage)."""
    disadvantage: bool = False
    """The situation takes a die away (jazz.dice.disadvantage)."""
    spend: HeldDie | None = None
    """Spend positive `karma`, or the advantage die earned by a complication (`heldAdvantage`), on this roll."""
    impose_karma: bool = False
    """The game master imposes the character's negative karma on this roll (jazz.karma.negative)."""
    without_equipment: bool = False
    """The aspect's ordinary equipment, normally assumed (jazz.equipment.ordinary), is missing (jazz.equipment.lost)."""
    gear: JazzGear | None = None
    """Unusual equipment used on this roll."""
    extraordinary: bool = False
    """A truly extraordinary use of a weird aspect; it costs one weird (jazz.weird.spend)."""

    @model_validator(mode="after")
    def _sheet_or_bonus(self) -> Self:
        if self.character is None:
            if self.using:
                raise not_allowed("`using` names aspects, so it needs a `character`", rule="jazz.aspects.highest", at="/using")
            if self.spend is not None:
                raise not_allowed("only a `character` can hold a die to spend", rule=DIE_RULES[self.spend], at="/spend")
            if self.impose_karma:
                raise not_allowed("only a `character` can have karma", rule="jazz.karma.negative", at="/imposeKarma")
            return self
        if self.bonus is not None:
            raise not_allowed("`bonus` is for rollers without a `character`", rule="jazz.aspects.highest", at="/bonus")
        names = {aspect.name for aspect in self.character.aspects}
        for index, name in enumerate(self.using):
            if name not in names:
                raise not_allowed(NO_SUCH_ASPECT, rule="jazz.aspects.highest", at=f"/using/{index}")
        return self


def no_character_twice(actors: Iterable[tuple[str, JazzActor]], rule: str) -> None:
    """Refuse ``actors``, pairs of a pointer and an actor, if two have a character with the same id."""
    seen: set[str] = set()
    for at, actor in actors:
        id_ = actor.character.id if actor.character else None
        if id_ is None:
            continue
        if id_ in seen:
            raise not_allowed("the same character appears twice", rule=rule, at=at)
        seen.add(id_)
