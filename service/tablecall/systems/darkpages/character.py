"""A character sheet checked against the rules: errors and unusual values."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
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


class DarkpagesFinding(OutputModel):
    """One finding about a sheet."""

    rule: str
    """The id of the rule concerned."""
    severity: Literal["error", "warning"]
    """How serious it is. `error`: the sheet is illegal. `warning`: unusual but allowed."""
    text: str
    """The finding in words."""
    pointer: str
    """The place in the request, as a JSON pointer."""


class DarkpagesCharacterCheck(Body):
    """Check a character sheet."""

    character: DarkpagesCharacter
    """The sheet."""


def character(request: DarkpagesCharacterCheck, dice: Dice) -> Verdict:
    """Check a sheet. No dice.

    Outcomes: ``legal``, ``illegal`` (with at least one error). ``findings`` lists errors first. Only what the rules state is
    checked: they set no dice for a rating and list no Archetypes.
    """
    findings = [*_findings(request.character)]
    findings.sort(key=lambda finding: finding.severity != "error")
    for finding in findings:
        dice.step(finding.rule, "{}: {}", finding.severity, finding.text, value=finding.severity)
    if not findings:
        dice.step("darkpages.attributes", "there is nothing to say against the sheet")
    legal = all(finding.severity == "warning" for finding in findings)
    return Verdict("legal" if legal else "illegal", legal, fields={"findings": [finding.model_dump() for finding in findings]})


def _finding(severity: Literal["error", "warning"], rule: str, text: str, at: str) -> DarkpagesFinding:
    return DarkpagesFinding(rule=rule, severity=severity, text=text, pointer=f"/character/{at}")


_error = partial(_finding, "error")
_warning = partial(_finding, "warning")


def _findings(sheet: DarkpagesCharacter) -> Iterator[DarkpagesFinding]:
    labels = {attribute: (getattr(sheet.attributes, attribute).rating or "").casefold() for attribute in TRAITS}
    for attribute, label in labels.items():
        if label and label not in RATINGS:
            yield _warning("darkpages.attributes", "an Attribute is rated Primary, Secondary or Limited", f"attributes/{attribute}/rating")
    primary = [TRAITS[attribute] for attribute, label in labels.items() if label == "primary"]
    if primary and sheet.lethal not in primary:
        yield _warning("darkpages.damage.lethal", "the Primary Attribute's Trauma is usually the lethal one, if not always", "lethal")
    if not sheet.npc and sheet.archetype is None:
        yield _warning("darkpages.zero.points", "without an Archetype nobody earns what the kept zeros teach", "archetype")
    for trait in TRAITS.values():
        yield from _trait_findings(sheet, trait)
    if getattr(sheet.damage, sheet.lethal) == "destroyed" and sheet.defeated and not sheet.out_of_game:
        yield _error("darkpages.damage.destroyed", "nobody is both Destroyed and Defeated and still in the game", "outOfGame")


def _trait_findings(sheet: DarkpagesCharacter, trait: str) -> Iterator[DarkpagesFinding]:
    """Damage States and overflow that cannot occur in play (darkpages.damage.destroyed, darkpages.damage.nonlethal)."""
    state, overflow = getattr(sheet.damage, trait), getattr(sheet.overflow, trait)
    if trait != sheet.lethal and state == "destroyed":
        yield _error("darkpages.damage.destroyed", "only lethal Trauma destroys", f"damage/{trait}")
    if overflow and trait == sheet.lethal:
        text = "further harm is counted where Trauma stops at Damaged, and the lethal one does not"
        yield _warning("darkpages.damage.nonlethal", text, f"overflow/{trait}")
    elif overflow and state != "damaged":
        yield _warning("darkpages.damage.nonlethal", "further harm is counted on what is Damaged", f"overflow/{trait}")


FIELDS: dict[str, Any] = {
    "findings": Annotated[list[DarkpagesFinding], Field(description="Findings about the sheet, errors first. An error makes it illegal.")]
}
"""The ruling field of this action."""


def summary(request: DarkpagesCharacterCheck, verdict: Verdict, record: RolledDice) -> str:
    """One line: the character, the outcome, the number of findings."""
    return f"{request.character.name}: {verdict.outcome}, {plural(len(verdict.fields['findings']), 'finding')}"
