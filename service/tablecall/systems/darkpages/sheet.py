"""The darkpages character sheet, the description of who rolls, and the notation of modifiers."""

from __future__ import annotations

import re
from typing import Annotated, Any, ClassVar, Literal, NamedTuple, Self

from pydantic import AfterValidator, BeforeValidator, Field, model_validator

from tablecall.model.base import Body, Data, Id, Model, Name, Participant, Text, WholeNumber, not_allowed

Attribute = Literal["body", "mind", "soul"]
Trait = Literal["health", "sanity", "aura"]
State = Literal["unhurt", "diminished", "damaged", "destroyed"]
Choice = Literal["highest", "mostZeros", "mostZerosThatSucceed"]

Floor = Literal["one", "zero"]
Overflow = Literal["stack", "hold"]
DamageTie = Literal["stalemate", "harm"]
GoalPolicy = Literal["reject", "warn", "ignore"]

MAX_POOL = 60
"""The most dice a pool may roll after all modifiers. A pool on a sheet has at most 40."""
MAX_SCARS = 50
MAX_OVERFLOW = 99

NOTATION = r"^(\+[0-9]{1,2}/\+?[0-9]{1,2}|[-−–][0-9]{1,2}/[-−–]?[0-9]{1,2})$"
_NOTATION = re.compile(NOTATION)


class PoolChange(NamedTuple):
    """Dice added to what a pool rolls and to what it keeps; negative numbers remove dice. The two never have opposite signs."""

    roll: int = 0
    keep: int = 0

    def __str__(self) -> str:
        """The rule book's notation, ``-1/2`` (darkpages.modifiers.notation)."""
        return f"{'-' if self.roll < 0 or self.keep < 0 else '+'}{abs(self.roll)}/{abs(self.keep)}"


def read_modifier(text: str) -> PoolChange:
    """Parse a valid modifier: ``-1/2`` is −1 roll and −2 keep, because one sign counts for both (darkpages.modifiers.notation)."""
    sign = 1 if text[0] == "+" else -1
    roll, keep = text[1:].split("/")
    return PoolChange(sign * int(roll), sign * int(keep.lstrip("+-−–")))


def _check_notation(text: str) -> str:
    if not _NOTATION.fullmatch(text):
        raise not_allowed("darkpages.refused.notation", rule="darkpages.modifiers.notation", code="bad-notation")
    return text


def _check_penalty(text: str) -> str:
    if _check_notation(text)[0] == "+" or read_modifier(text) == (0, 0):
        raise not_allowed("darkpages.refused.scar_not_negative", rule="darkpages.scars", code="bad-notation")
    return text


Modifier = Annotated[str, AfterValidator(_check_notation), Field(max_length=12, json_schema_extra={"pattern": NOTATION})]
"""Signed dice to roll / keep: `+1/1`, `-2/0`, `+0/1`, `-1/2` (−1 roll and −2 keep)."""
Penalty = Annotated[
    str, AfterValidator(_check_penalty), Field(max_length=12, json_schema_extra={"pattern": r"^[-−–][0-9]{1,2}/[-−–]?[0-9]{1,2}$"})
]
"""A negative modifier."""


def at_least_one(rule: str, key: str) -> BeforeValidator:
    """A validator that refuses numbers below 1 with a rule and a sentence. The published bounds stay the field's own."""

    def check(value: Any) -> Any:
        if isinstance(value, int) and not isinstance(value, bool) and value < 1:
            raise not_allowed(f"darkpages.refused.{key}", rule=rule, code="out-of-range")
        return value

    return BeforeValidator(check)


RollSize = Annotated[int, Field(ge=1, le=40), at_least_one("darkpages.attributes", "rolls_one"), WholeNumber]
KeepSize = Annotated[int, Field(ge=1, le=40), at_least_one("darkpages.dice.keep", "keeps_one"), WholeNumber]
OverflowCount = Annotated[int, Field(ge=0, le=MAX_OVERFLOW), WholeNumber]
DiceKept = Annotated[list[Annotated[int, Field(ge=0, le=99), WholeNumber]], Field(max_length=MAX_POOL)]
"""Positions of dice in the order drawn, counted from 0."""


def _require(document: Any, *fields: str) -> Any:
    """Refuse missing dice with the reason: the rule book gives no defaults for them (darkpages.attributes)."""
    for field in fields:
        if isinstance(document, dict) and document.get(field) is None:
            raise not_allowed(
                "darkpages.refused.no_default_dice", rule="darkpages.attributes", at=f"/{field}", code="missing-field", field=field
            )
    return document


class DarkpagesPool(Model):
    """How many dice to roll and how many to keep. `keep` may exceed `roll` (darkpages.dice.keep)."""

    roll: RollSize
    """Ten-sided dice to roll, before modifiers."""
    keep: KeepSize
    """Dice to keep, before modifiers."""

    @model_validator(mode="before")
    @classmethod
    def _require_both(cls, document: Any) -> Any:
        return _require(document, "roll", "keep")


class DarkpagesAttribute(DarkpagesPool):
    """The dice of one Attribute (darkpages.attributes)."""

    rating: Name | None = None
    """Primary, Secondary or Limited. A label only: it changes no dice."""


class DarkpagesAttributes(Model):
    """Body, Mind and Soul. The rules set no dice for a rating, so each Attribute gives its own `roll` and `keep`."""

    body: DarkpagesAttribute
    """Strength, agility, health."""
    mind: DarkpagesAttribute
    """Wit, knowledge, sanity."""
    soul: DarkpagesAttribute
    """Purpose, will, humanity."""

    @model_validator(mode="before")
    @classmethod
    def _require_all(cls, document: Any) -> Any:
        return _require(document, "body", "mind", "soul")


class DarkpagesDamage(Model):
    """The Damage State of each Damage Trait (darkpages.damage.traits)."""

    health: State = "unhurt"
    """The state of Body's trait."""
    sanity: State = "unhurt"
    """The state of Mind's trait."""
    aura: State = "unhurt"
    """The state of Soul's trait."""


class DarkpagesOverflow(Model):
    """How often non-lethal Trauma harmed a trait that was already Damaged (darkpages.damage.nonlethal)."""

    health: OverflowCount = 0
    """Harm to Health beyond Damaged."""
    sanity: OverflowCount = 0
    """Harm to Sanity beyond Damaged."""
    aura: OverflowCount = 0
    """Harm to Aura beyond Damaged."""


class DarkpagesScar(Model):
    """A permanent negative modifier (darkpages.scars)."""

    attribute: Attribute | None = None
    """The Attribute it reduces. Left out: every Attribute."""
    modifier: Penalty
    """The penalty, such as `-1/0`."""
    condition: Text | None = None
    """When it applies, in words; it then counts where the request lists it. Left out: it counts by itself."""


class DarkpagesCharacter(Participant):
    """A darkpages character sheet."""

    is_sheet: ClassVar[bool] = True

    id: Id | None = None
    """The caller's own identifier, returned as it was sent."""
    name: Name
    """The character's name."""
    archetype: Name | None = None
    """The character's Archetype. Its members earn the Training Points of the zeros this character keeps (darkpages.zero.points)."""
    npc: bool = False
    """Whether the game master plays this character. NPCs keep the highest dice and earn no Training Points."""
    attributes: DarkpagesAttributes
    """The dice of Body, Mind and Soul."""
    lethal: Trait
    """The Damage Trait whose Trauma is lethal to this character (darkpages.damage.lethal)."""
    damage: DarkpagesDamage = Field(default_factory=DarkpagesDamage)
    """The state of each Damage Trait."""
    overflow: DarkpagesOverflow = Field(default_factory=DarkpagesOverflow)
    """Harm counted beyond Damaged."""
    defeated: bool = False
    """Whether the character is Defeated: out of play until the conflict ends (darkpages.damage.defeated)."""
    out_of_game: bool = False
    """Whether the character is out of the game permanently (darkpages.damage.destroyed)."""
    scars: Annotated[list[DarkpagesScar], Field(max_length=MAX_SCARS)] = []
    """The character's Scars."""
    data: Data | None = None
    """Anything of your own, up to 4 KB of JSON; returned untouched."""

    @model_validator(mode="before")
    @classmethod
    def _require_attributes(cls, document: Any) -> Any:
        return _require(document, "attributes")


class DarkpagesActor(Participant):
    """Someone who rolls: a character with an Attribute, or a bare pool."""

    one_shot_fields: ClassVar[frozenset[str]] = frozenset({"keepDice", "modifiers", "scars"})
    bare_state: ClassVar[frozenset[str]] = frozenset({"defeated"})
    options: ClassVar[frozenset[str]] = frozenset({"modifiers", "scars", "keep", "keep_dice"})

    name: Name | None = None
    """The name of a roller without a sheet."""
    character: DarkpagesCharacter | None = None
    """The character sheet."""
    attribute: Attribute | None = None
    """The Attribute to roll."""
    pool: DarkpagesPool | None = None
    """The dice of a roller without a sheet. Refused with `character`."""
    npc: bool | None = None
    """Whether the game master rolls. Left out: as on the sheet; without a sheet, a player rolls."""
    defeated: bool | None = None
    """Whether a roller without a sheet is Defeated (darkpages.damage.defeated)."""
    archetype: Name | None = None
    """The Archetype that earns the Training Points. Left out: the one on the sheet."""
    modifiers: Annotated[list[Modifier], Field(max_length=20)] = []
    """Modifiers of the situation, such as `+1/0` (darkpages.modifiers.notation)."""
    scars: Annotated[list[Annotated[int, Field(ge=0, le=49), WholeNumber]], Field(max_length=MAX_SCARS)] = []
    """The character's Scars that apply to this roll: positions in `character.scars`, counted from 0."""
    keep: Choice = "highest"
    """Which dice to keep (darkpages.dice.choice). `highest`: the highest dice. `mostZeros`: as many zeros as possible, then the highest.
    `mostZerosThatSucceed`: as many zeros as still succeed, or the highest dice if nothing succeeds."""
    keep_dice: DiceKept | None = None
    """The exact dice to keep: positions in the order drawn, counted from 0. Overrides `keep`."""

    @model_validator(mode="after")
    def _check_combination(self) -> Self:
        if self.character is None:
            self._check_bare_pool()
        else:
            self._check_character(self.character)
        if self.is_npc and (self.keep != "highest" or self.keep_dice is not None):
            at = "/keep" if self.keep_dice is None else "/keepDice"
            raise not_allowed("darkpages.refused.npc_choice", rule="darkpages.dice.choice", at=at, code="rule-forbids")
        return self

    def _check_bare_pool(self) -> None:
        if self.attribute is not None:
            raise not_allowed(
                "darkpages.refused.attribute_without_sheet", rule="darkpages.attributes", at="/attribute", code="conflicting-fields"
            )
        if self.pool is None:
            raise not_allowed("darkpages.refused.character_or_pool", rule="darkpages.attributes", code="needs-one-of")
        if self.scars:
            raise not_allowed("darkpages.refused.scars_without_sheet", rule="darkpages.scars", at="/scars", code="conflicting-fields")

    def _check_character(self, character: DarkpagesCharacter) -> None:
        if self.pool is not None:
            raise not_allowed("darkpages.refused.character_and_pool", rule="darkpages.attributes", at="/pool", code="conflicting-fields")
        for field, value in (("name", self.name), ("defeated", self.defeated)):
            if value is not None:
                at = f"/{field}"
                raise not_allowed(
                    "darkpages.refused.on_the_sheet", rule="darkpages.attributes", at=at, code="conflicting-fields", field=field
                )
        for index, scar in enumerate(self.scars):
            if scar >= len(character.scars) or scar in self.scars[:index]:
                raise not_allowed("darkpages.refused.no_such_scar", rule="darkpages.scars", at=f"/scars/{index}", code="unknown-name")

    @property
    def is_npc(self) -> bool:
        """Whether the game master rolls."""
        if self.npc is not None:
            return self.npc
        return self.character is not None and self.character.npc

    @property
    def earning_archetype(self) -> str | None:
        """The Archetype whose members earn this roller's Training Points."""
        return self.archetype or (self.character.archetype if self.character else None)


class DarkpagesHouseRules(Model):
    """The table's conventions. Each stands in for a field that the request leaves out."""

    floor: Floor | None = None
    """What penalties leave at least (darkpages.modifiers.floor): `one` or `zero`."""
    overflow: Overflow | None = None
    """Whether harm beyond Damaged weighs (darkpages.damage.nonlethal): `stack` or `hold`."""
    damage_tie: DamageTie | None = None
    """What a tie with an attacker's total does (darkpages.damage.check): `stalemate` or `harm`."""
    goal_policy: GoalPolicy | None = None
    """What to do with several goals (darkpages.goals.single): `reject`, `warn` or `ignore`."""
    reuse_attack: bool | None = None
    """Whether the attacker's first roll also counts against the defender (darkpages.defenders)."""


class DarkpagesBody(Body):
    """The fields of every darkpages request."""

    house_rules: DarkpagesHouseRules | None = None
    """The table's conventions, for the fields that this request leaves out."""

    def house(self, name: str) -> Any:
        """The house rule of that python name; None if the table has none."""
        return None if self.house_rules is None else getattr(self.house_rules, name)
