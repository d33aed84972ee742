"""A darkpages character and who rolls: Attributes, damage, scars, and the book's notation for modifiers."""

from __future__ import annotations

import re
from typing import Annotated, Any, ClassVar, Literal, NamedTuple, Self

from pydantic import AfterValidator, BeforeValidator, Field, model_validator

from tablecall.model.base import Id, MayBeNull, Model, Name, Participant, Text, WholeNumber, not_allowed

Attribute = Literal["body", "mind", "soul"]
Trait = Literal["health", "sanity", "aura"]
State = Literal["unhurt", "diminished", "damaged", "destroyed"]
Choice = Literal["highest", "mostZeros", "mostZerosThatSucceed"]

MAX_POOL = 60
"""The most dice a pool may have once every modifier is added; the sheet's own pools have at most 40."""

MAX_SCARS = 50
"""The most scars a sheet holds."""

MAX_COUNT = 99
"""As far as overflow is counted."""

NOTATION = r"^(\+[0-9]{1,2}/\+?[0-9]{1,2}|[-−][0-9]{1,2}/[-−]?[0-9]{1,2})$"
_NOTATION = re.compile(NOTATION)


class Weight(NamedTuple):
    """What weighs on a pool: so many dice more to roll and to keep, or fewer. It never gives to one and takes from the other."""

    roll: int = 0
    keep: int = 0

    def __str__(self) -> str:
        """In the book's notation: ``-1/2`` (darkpages.modifiers.notation)."""
        return f"{'-' if self.roll < 0 or self.keep < 0 else '+'}{abs(self.roll)}/{abs(self.keep)}"


def read_modifier(text: str) -> Weight:
    """``-1/2`` is −1 to roll and −2 to keep: one sign speaks for both numbers (darkpages.modifiers.notation)."""
    sign = 1 if text[0] == "+" else -1
    roll, keep = text[1:].split("/")
    return Weight(sign * int(roll), sign * int(keep.lstrip("+-−")))


def _notation(text: str) -> str:
    if not _NOTATION.fullmatch(text):
        raise not_allowed(
            "a modifier is a sign, dice rolled, a stroke, dice kept, and the sign speaks for both: `+1/0`, `-1/2`",
            rule="darkpages.modifiers.notation",
        )
    return text


def _penalty(text: str) -> str:
    if _notation(text)[0] == "+" or read_modifier(text) == (0, 0):
        raise not_allowed("a Scar is a negative modifier", rule="darkpages.scars")
    return text


Modifier = Annotated[str, AfterValidator(_notation), Field(max_length=12, json_schema_extra={"pattern": NOTATION})]
"""Signed dice to roll / keep: `+1/1`, `-2/0`, `+0/1`, `-1/2` (−1 and −2)."""
Penalty = Annotated[str, AfterValidator(_penalty), Field(max_length=12, json_schema_extra={"pattern": r"^[-−][0-9]{1,2}/[-−]?[0-9]{1,2}$"})]
"""A negative modifier."""


def at_least_one(rule: str, detail: str) -> BeforeValidator:
    """The rule that speaks where a number is below 1; the published bounds are the field's own."""

    def check(value: Any) -> Any:
        if isinstance(value, int) and not isinstance(value, bool) and value < 1:
            raise not_allowed(detail, rule=rule)
        return value

    return BeforeValidator(check)


RollSize = Annotated[
    int, Field(ge=1, le=40), at_least_one("darkpages.attributes", "everyone rolls at least one die, before modifiers"), WholeNumber
]
KeepSize = Annotated[
    int, Field(ge=1, le=40), at_least_one("darkpages.dice.keep", "everyone keeps at least one die, before modifiers"), WholeNumber
]
Count = Annotated[int, Field(ge=0, le=MAX_COUNT), WholeNumber]


def _brings(document: Any, *fields: str) -> Any:
    """Nothing here has a default the source does not give: say so of whatever is left out (darkpages.attributes)."""
    for field in fields:
        if isinstance(document, dict) and field not in document:
            detail = "the rules give a rating no dice of its own: roll and keep of each Attribute come with the request"
            raise not_allowed(detail, rule="darkpages.attributes", at=f"/{field}")
    return document


class DarkpagesPool(Model):
    """Dice to roll and dice to keep; keeping more than are rolled is legal (darkpages.dice.keep)."""

    roll: RollSize
    """How many ten-sided dice are rolled."""
    keep: KeepSize
    """How many of them are kept."""

    @model_validator(mode="before")
    @classmethod
    def _both(cls, document: Any) -> Any:
        return _brings(document, "roll", "keep")


class DarkpagesAttribute(DarkpagesPool):
    """An Attribute's pair of numbers (darkpages.attributes)."""

    rating: Name | None = None
    """Primary, Secondary or Limited: a label, the numbers come with the sheet."""


class DarkpagesAttributes(Model):
    """Body, Mind and Soul. The source says nothing of how many dice a rating gives, so each comes with its roll and keep."""

    body: DarkpagesAttribute
    """Strength, agility, health."""
    mind: DarkpagesAttribute
    """Wit, knowledge, sanity."""
    soul: DarkpagesAttribute
    """Purpose, will, humanity."""

    @model_validator(mode="before")
    @classmethod
    def _all_three(cls, document: Any) -> Any:
        return _brings(document, "body", "mind", "soul")


class DarkpagesDamage(Model):
    """The state of the three Damage Traits (darkpages.damage.traits)."""

    health: State = "unhurt"
    """Body's trait."""
    sanity: State = "unhurt"
    """Mind's trait."""
    aura: State = "unhurt"
    """Soul's trait."""


class DarkpagesOverflow(Model):
    """Harm that non-lethal Trauma did beyond Damaged, counted (darkpages.damage.nonlethal)."""

    health: Count = 0
    """To Health."""
    sanity: Count = 0
    """To Sanity."""
    aura: Count = 0
    """To Aura."""


class DarkpagesScar(Model):
    """A permanent negative modifier (darkpages.scars)."""

    attribute: Attribute | None = None
    """The Attribute it weighs on; left out, any."""
    modifier: Penalty
    """The penalty."""
    condition: Text | None = None
    """When it matters; the request says whether it does here."""


class DarkpagesCharacter(Participant):
    """A character sheet."""

    is_sheet: ClassVar[bool] = True

    id: Id | None = None
    """The caller's own identifier, passed through."""
    name: Name
    """The character's name."""
    archetype: Name | None = None
    """Whose members earn what this character's kept zeros earn (darkpages.zero.points)."""
    npc: bool = False
    """The game master's: keeps the highest dice and earns nothing."""
    attributes: DarkpagesAttributes
    """The three Attributes."""
    lethal: Trait
    """The Damage Trait whose Trauma is lethal to this character (darkpages.damage.lethal)."""
    damage: Annotated[DarkpagesDamage, MayBeNull()] = Field(default_factory=DarkpagesDamage)
    """The three tracks."""
    overflow: Annotated[DarkpagesOverflow, MayBeNull()] = Field(default_factory=DarkpagesOverflow)
    """Harm beyond Damaged, counted."""
    defeated: bool = False
    """Sitting out what is left of the conflict (darkpages.damage.defeated)."""
    out_of_game: bool = False
    """Gone for good (darkpages.damage.destroyed)."""
    scars: Annotated[list[DarkpagesScar], Field(max_length=MAX_SCARS)] = []
    """The scars carried."""

    @model_validator(mode="before")
    @classmethod
    def _rated(cls, document: Any) -> Any:
        return _brings(document, "attributes")


class DarkpagesActor(Participant):
    """Who rolls: a character and an Attribute, or a bare pool."""

    one_shot_fields: ClassVar[frozenset[str]] = frozenset({"keepDice"})

    character: DarkpagesCharacter | None = None
    """The sheet."""
    attribute: Attribute | None = None
    """The Attribute that is checked."""
    pool: DarkpagesPool | None = None
    """The dice of a roller without a sheet; refused beside a character."""
    npc: bool | None = None
    """Whether the game master rolls; left out, the sheet says, or a player does."""
    archetype: Name | None = None
    """Whose members earn the points; left out, the sheet says."""
    modifiers: Annotated[list[Modifier], Field(max_length=20)] = []
    """What the situation adds or takes (darkpages.modifiers.notation)."""
    scars: Annotated[list[Annotated[int, Field(ge=0, le=49), WholeNumber]], Field(max_length=MAX_SCARS)] = []
    """Which of the character's scars matter here, counted from 0."""
    keep: Choice = "highest"
    """Which dice the player keeps (darkpages.dice.choice). `highest`: the best. `mostZeros`: as many zeros as can be, then the best.
    `mostZerosThatSucceed`: as many zeros as still succeed, and the best where nothing does."""
    keep_dice: Annotated[list[Annotated[int, Field(ge=0, le=99), WholeNumber]], Field(max_length=MAX_POOL)] | None = None
    """The very dice kept, counted from 0 in the order drawn; before `keep` where both are sent."""

    @model_validator(mode="after")
    def _sheet_or_pool(self) -> Self:
        if self.character is None:
            if self.attribute is not None:
                raise not_allowed("an Attribute needs the character it belongs to", rule="darkpages.attributes", at="/attribute")
            if self.pool is None:
                raise not_allowed(
                    "how many dice to roll and keep comes with the request: a character, or a pool", rule="darkpages.attributes"
                )
            if self.scars:
                raise not_allowed("scars that matter need the character who carries them", rule="darkpages.scars", at="/scars")
        else:
            if self.pool is not None:
                raise not_allowed("a bare pool is for rollers without a character", rule="darkpages.attributes", at="/pool")
            for index, scar in enumerate(self.scars):
                if scar >= len(self.character.scars) or scar in self.scars[:index]:
                    raise not_allowed("no such scar on the sheet, or named twice", rule="darkpages.scars", at=f"/scars/{index}")
        if self.is_npc and (self.keep != "highest" or self.keep_dice is not None):
            at = "/keep" if self.keep_dice is None else "/keepDice"
            raise not_allowed("the game master's characters keep the highest dice", rule="darkpages.dice.choice", at=at)
        return self

    @property
    def is_npc(self) -> bool:
        """Whether the game master rolls."""
        if self.npc is not None:
            return self.npc
        return self.character is not None and self.character.npc

    @property
    def earns(self) -> str | None:
        """The Archetype that earns this roller's points."""
        return self.archetype or (self.character.archetype if self.character else None)
