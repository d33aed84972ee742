"""The Jazz character sheet, and `JazzActor`: everything a request says about one roller."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Annotated, Any, ClassVar, Literal, Self

from pydantic import BeforeValidator, Field, model_validator
from pydantic_core import PydanticCustomError

from tablecall.model.base import Body, Data, Id, Model, Name, Participant, Text, WholeNumber, not_allowed
from tablecall.model.names import name_key

MAX_ASPECTS = 50
MAX_POINTS = 999
"""The most points a pool can hold."""
Karma = Literal["neutral", "positive", "negative"]
WeirdPool = Literal["highest", "sum"]
HeldDie = Literal["karma", "heldAdvantage"]
"""An advantage die a character can hold for a later roll."""
DIE_RULES: dict[HeldDie, str] = {"karma": "jazz.karma.positive", "heldAdvantage": "jazz.complication.die"}
"""The rule behind each die a character can hold."""
Rounding = Literal["up", "down"]
SpendOn = Literal["attempt", "success"]
RescueBy = Literal["addDie", "rollAgain"]
OrderTies = Literal["rerollOff", "listed", "simultaneous"]


def _positive_bonus(bonus: Any) -> Any:
    """jazz.aspects.primary: an aspect's bonus is at least 1."""
    if type(bonus) is int and bonus < 1:
        raise not_allowed("jazz.refused.bonus_below_one", rule="jazz.aspects.primary", code="out-of-range")
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


class JazzDraft(Participant):
    """A character sheet as it is written, with whatever may be wrong with it."""

    is_sheet: ClassVar[bool] = True

    id: Id | None = None
    """Your own identifier; returned as it was sent."""
    name: Name
    """The character's name."""
    aspects: Annotated[list[JazzAspect], Field(max_length=MAX_ASPECTS)]
    """The primary aspect first, then the secondary ones."""
    survival_aspect: Name | None = None
    """The name of the aspect most relevant to survival; never guessed. A character without this and without `health` has no
    health pool: hits are reported, but only an unnamed character goes out of the fight."""
    health: JazzPool | None = None
    """How many hits the character can take before going out of the fight. Left out: a full pool of the survival aspect's bonus."""
    weird: JazzPool | None = None
    """How many extraordinary uses of weird aspects are left. Left out: a full pool of the weird aspect's bonus."""
    weird_pool: WeirdPool | None = None
    """How several weird aspects make one weird pool: the `highest` bonus, or their `sum`. Left out: as `houseRules` says, else
    `highest`."""
    complication: Text | None = None
    """What makes the character's life harder (jazz.complication.sheet)."""
    named: bool = True
    """An unnamed character goes out of the fight at the first hit (jazz.conflict.unnamed)."""
    out: bool = False
    """Out of the fight (jazz.conflict.out)."""
    condition: Name | None = None
    """What became of a character who is out: `unconscious`, `dying`, `dead`, `captured`, `spared` or other words
    (jazz.conflict.out). Healing removes it."""
    karma: Karma = "neutral"
    """The karma the character holds; at most one of a kind (jazz.karma.neutral)."""
    held_advantage: bool = False
    """Whether the character holds an advantage die earned by a complication (jazz.complication.die)."""
    rested: JazzRested = Field(default_factory=JazzRested)
    """The daily rests already taken."""
    advanced: bool = False
    """Whether this session's attempt to improve or learn has been made (jazz.advance.improve)."""
    data: Data | None = None
    """Anything of your own, up to 4 KB of JSON; returned untouched."""

    @property
    def weird_aspects(self) -> list[JazzAspect]:
        """The weird aspects, in the order of the sheet."""
        return [aspect for aspect in self.aspects if aspect.weird]

    def aspect(self, name: str) -> JazzAspect | None:
        """The aspect of that name; case, blanks at either end and Unicode form do not count."""
        key = name_key(name)
        return next((aspect for aspect in self.aspects if name_key(aspect.name) == key), None)

    def health_size(self) -> int | None:
        """The size of the health pool by jazz.health.pool; None if no survival aspect is named."""
        aspect = self.aspect(self.survival_aspect) if self.survival_aspect is not None else None
        return aspect.bonus if aspect else None

    def weird_size(self) -> int | None:
        """The size of the weird pool by jazz.weird.pool; None without a weird aspect."""
        bonuses = [aspect.bonus for aspect in self.weird_aspects]
        return weird_pool_size(bonuses, self.weird_pool or "highest") if bonuses else None


class JazzCharacter(JazzDraft):
    """A character sheet. Pools you leave out are derived from the aspects: `health` from `survivalAspect` (no `survivalAspect`, no
    pool), `weird` from the weird aspects (jazz.health.pool, jazz.weird.pool)."""

    @model_validator(mode="after")
    def _check_and_derive_pools(self) -> Self:
        keys = [name_key(aspect.name) for aspect in self.aspects]
        if len(set(keys)) < len(keys):
            raise not_allowed("jazz.refused.aspect_twice", rule="jazz.aspects.primary", at="/aspects")
        for name, pool in (("health", self.health), ("weird", self.weird)):
            if pool is not None and pool.current > pool.max:
                raise not_allowed("jazz.refused.more_than_max", rule=f"jazz.{name}.pool", at=f"/{name}/current")
        if self.survival_aspect is not None and self.aspect(self.survival_aspect) is None:
            at = "/survivalAspect"
            raise unknown_aspect(self.survival_aspect, self, rule="jazz.health.pool", at=at)
        if self.weird is not None and self.weird.max and not self.weird_aspects:
            raise not_allowed("jazz.refused.weird_pool_without_aspect", rule="jazz.weird.pool", at="/weird")
        if self.health is None:
            self.derive("health", full_pool(self.health_size()))
        if self.weird is None:
            self.derive_weird()
        return self

    def derive_weird(self) -> None:
        """Fill the weird pool from the weird aspects."""
        size = self.weird_size()
        if size is not None and size > MAX_POINTS:
            raise not_allowed("jazz.refused.pool_too_large", rule="jazz.weird.pool", at="/weirdPool", max=MAX_POINTS)
        self.derive("weird", full_pool(size))

    @property
    def chooses_weird_pool(self) -> bool:
        """Whether the weird pool was left out and derived from several aspects, so that a choice was made (jazz.weird.pool)."""
        return "weird" not in self.model_fields_set and len(self.weird_aspects) > 1

    def is_out(self) -> bool:
        """Whether the character is out of the fight: marked as ``out``, or without health left."""
        return self.out or (self.health is not None and self.health.max > 0 and self.health.current == 0)


def unknown_aspect(name: str, sheet: JazzDraft, *, rule: str, at: str) -> PydanticCustomError:
    """The error for a name that no aspect on the sheet has, with the nearest one."""
    return not_allowed(
        "jazz.refused.no_aspect", rule=rule, at=at, code="unknown-aspect", name=name, near=[aspect.name for aspect in sheet.aspects]
    )


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
            raise not_allowed("jazz.refused.reroll_never_ends", rule="jazz.dice.reroll", at="/reroll", code="rule-forbids")
        return self


class JazzActor(Participant):
    """Who rolls, and how: a character and the aspects that apply, or a bare bonus."""

    one_shot_fields: ClassVar[frozenset[str]] = frozenset({"spend", "imposeKarma", "advantage", "disadvantage", "extraordinary"})
    options: ClassVar[frozenset[str]] = frozenset(
        {"universal", "advantage", "disadvantage", "spend", "impose_karma", "without_equipment", "gear", "extraordinary"}
    )

    name: Name | None = None
    """The name of a roller without a sheet."""
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
    extraordinary: bool | None = None
    """A truly extraordinary use of a weird aspect; it costs one weird (jazz.weird.spend). Left out: true in a check with an `effect`,
    false elsewhere. `false` beside an `effect` says that it is mundane in this game."""

    @model_validator(mode="after")
    def _sheet_or_bonus(self) -> Self:
        if self.character is None:
            if self.using:
                raise not_allowed("jazz.refused.using_without_sheet", rule="jazz.aspects.highest", at="/using", code="conflicting-fields")
            if self.spend is not None:
                raise not_allowed("jazz.refused.spend_without_sheet", rule=DIE_RULES[self.spend], at="/spend", code="conflicting-fields")
            if self.impose_karma:
                at = "/imposeKarma"
                raise not_allowed("jazz.refused.karma_without_sheet", rule="jazz.karma.negative", at=at, code="conflicting-fields")
            return self
        if self.bonus is not None:
            raise not_allowed("jazz.refused.bonus_with_sheet", rule="jazz.aspects.highest", at="/bonus", code="conflicting-fields")
        if self.name is not None:
            raise not_allowed("jazz.refused.name_with_sheet", rule="jazz.dice.roll", at="/name", code="conflicting-fields")
        for index, name in enumerate(self.using):
            if self.character.aspect(name) is None:
                raise unknown_aspect(name, self.character, rule="jazz.aspects.highest", at=f"/using/{index}")
        return self

    @property
    def applying(self) -> list[JazzAspect]:
        """The aspects of the sheet that apply, highest bonus first."""
        assert self.character is not None
        keys = {name_key(name) for name in self.using}
        aspects = [aspect for aspect in self.character.aspects if name_key(aspect.name) in keys]
        return sorted(aspects, key=lambda aspect: -aspect.bonus)


class JazzHouseRules(Model):
    """The table's conventions. Each stands in for a field that the request leaves out."""

    rounding: Rounding | None = None
    """How half of an odd number is rounded in recovery (jazz.recovery.rest): `up` or `down`."""
    spend_on: SpendOn | None = None
    """When an extraordinary use costs its weird (jazz.weird.spend): `attempt` or `success`."""
    weird_pool: WeirdPool | None = None
    """How several weird aspects make one pool (jazz.weird.pool): `highest` or `sum`."""
    rescue_by: RescueBy | None = None
    """What a rescue grants (jazz.karma.rescue): `addDie` or `rollAgain`."""
    initiative_ties: OrderTies | None = None
    """Who goes first after an equal initiative (jazz.conflict.order): `rerollOff`, `listed` or `simultaneous`."""


class JazzBody(Body):
    """The fields of every Jazz request."""

    house_rules: JazzHouseRules | None = None
    """The table's conventions, for the fields that this request leaves out."""

    @model_validator(mode="after")
    def _pool_by_house_rule(self) -> Self:
        if self.house_rules is not None and self.house_rules.weird_pool is not None:
            for sheet in _sheets(self):
                if sheet.weird_pool is None and sheet.chooses_weird_pool:
                    sheet.__dict__["weird_pool"] = self.house_rules.weird_pool
                    sheet.derive_weird()
        return self

    def house(self, name: str) -> Any:
        """The house rule of that python name; None if the table has none."""
        return None if self.house_rules is None else getattr(self.house_rules, name)


def _sheets(value: object) -> Iterator[JazzCharacter]:
    """All sheets inside a request."""
    if isinstance(value, JazzCharacter):
        yield value
    elif isinstance(value, list):
        for item in value:
            yield from _sheets(item)
    elif isinstance(value, Model):
        for name in type(value).model_fields:
            yield from _sheets(getattr(value, name))


def no_character_twice(actors: Iterable[tuple[str, JazzActor]], rule: str) -> None:
    """Refuse ``actors``, pairs of a pointer and an actor, if two have a character with the same id."""
    seen: set[str] = set()
    for at, actor in actors:
        id_ = str(actor.character.id) if actor.character and actor.character.id is not None else None
        if id_ is None:
            continue
        if id_ in seen:
            raise not_allowed("jazz.refused.character_twice", rule=rule, at=at, code="rule-forbids")
        seen.add(id_)
