"""darkpages, a character sheet: what stands on it that the rules do not allow, or seldom mean."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Any, Literal

from pydantic import Field

from tablecall.dice.roll import RolledDice
from tablecall.dice.source import Dice
from tablecall.model.base import Body
from tablecall.model.ruling import OutputModel
from tablecall.model.wording import plural
from tablecall.systems.darkpages.sheet import DarkpagesCharacter
from tablecall.systems.darkpages.tables import TRAITS
from tablecall.systems.verdict import Verdict

RATINGS = ("primary", "secondary", "limited")
OUTCOMES = ("legal", "illegal")


class DarkpagesFinding(OutputModel):
    """One thing about a sheet."""

    rule: str
    """The rule that speaks."""
    severity: Literal["error", "warning"]
    """How bad it is. `error`: the sheet is illegal. `warning`: unusual, and allowed."""
    text: str
    """What it is."""
    pointer: str
    """Where it stands in the request."""


class DarkpagesCharacterCheck(Body):
    """A sheet is looked over."""

    character: DarkpagesCharacter
    """The sheet."""


def character(request: DarkpagesCharacterCheck, dice: Dice) -> Verdict:
    """Look a sheet over. No dice.

    Outcomes: ``legal``, ``illegal`` (where a finding is an error). Only what the rules say is held against a sheet: they
    set no dice for a rating, and list no Archetypes.
    """
    everything = (*_attributes(request.character), *_damage(request.character))
    findings = sorted(everything, key=lambda finding: finding.severity != "error")
    for found in findings:
        dice.step(found.rule, "{}: {}", found.severity, found.text, value=found.severity)
    legal = all(found.severity == "warning" for found in findings)
    if not findings:
        dice.step("darkpages.attributes", "there is nothing to say against the sheet")
    said = [found.model_dump() for found in findings]
    return Verdict("legal" if legal else "illegal", legal, fields={"findings": said})


def _attributes(sheet: DarkpagesCharacter) -> Iterator[DarkpagesFinding]:
    """The labels of the ratings (darkpages.attributes), and what they usually say of lethal Trauma (darkpages.damage.lethal)."""
    labels = {attribute: (getattr(sheet.attributes, attribute).rating or "").casefold() for attribute in TRAITS}
    for attribute, label in labels.items():
        if label and label not in RATINGS:
            text = "an Attribute is rated Primary, Secondary or Limited"
            yield _warning("darkpages.attributes", text, f"attributes/{attribute}/rating")
    primary = [TRAITS[attribute] for attribute, label in labels.items() if label == "primary"]
    if primary and sheet.lethal not in primary:
        yield _warning("darkpages.damage.lethal", "the Primary Attribute's Trauma is usually the lethal one, if not always", "lethal")
    if not sheet.npc and sheet.archetype is None:
        yield _warning("darkpages.zero.points", "without an Archetype nobody earns what the kept zeros teach", "archetype")


def _damage(sheet: DarkpagesCharacter) -> Iterator[DarkpagesFinding]:
    """What the tracks cannot show (darkpages.damage.destroyed, darkpages.damage.nonlethal)."""
    for trait in TRAITS.values():
        if trait != sheet.lethal and getattr(sheet.damage, trait) == "destroyed":
            yield _error("darkpages.damage.destroyed", "only lethal Trauma destroys", f"damage/{trait}")
        if getattr(sheet.overflow, trait) and trait == sheet.lethal:
            text = "further harm is counted where Trauma stops at Damaged, and the lethal one does not"
            yield _warning("darkpages.damage.nonlethal", text, f"overflow/{trait}")
        elif getattr(sheet.overflow, trait) and getattr(sheet.damage, trait) != "damaged":
            yield _warning("darkpages.damage.nonlethal", "further harm is counted on what is Damaged", f"overflow/{trait}")
    if getattr(sheet.damage, sheet.lethal) == "destroyed" and sheet.defeated and not sheet.out_of_game:
        yield _error("darkpages.damage.destroyed", "nobody is both Destroyed and Defeated and still in the game", "outOfGame")


def _error(rule: str, text: str, at: str) -> DarkpagesFinding:
    return DarkpagesFinding(rule=rule, severity="error", text=text, pointer=f"/character/{at}")


def _warning(rule: str, text: str, at: str) -> DarkpagesFinding:
    return DarkpagesFinding(rule=rule, severity="warning", text=text, pointer=f"/character/{at}")


FIELDS: dict[str, Any] = {
    "findings": Annotated[
        list[DarkpagesFinding], Field(description="What there is to say about the sheet, errors first; an error makes it illegal.")
    ]
}
"""What the ruling has beside the envelope."""


def summary(request: DarkpagesCharacterCheck, verdict: Verdict, record: RolledDice) -> str:
    """One line: whose sheet, legal or not, and how much there is to say."""
    return f"{request.character.name}: {verdict.outcome}, {plural(len(verdict.fields['findings']), 'finding')}"
