"""A character sheet checked against the rules: errors and unusual values."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Annotated, Any, Literal

from pydantic import Field

from tablecall.dice.roll import RolledDice
from tablecall.dice.source import Dice
from tablecall.model.ruling import SheetFinding
from tablecall.model.text import Sentence, say
from tablecall.systems.darkpages.sheet import DarkpagesBody, DarkpagesCharacter
from tablecall.systems.darkpages.tables import TRAITS
from tablecall.systems.verdict import Verdict

RATINGS = ("primary", "secondary", "limited")


class DarkpagesCharacterCheck(DarkpagesBody):
    """Check a character sheet."""

    character: DarkpagesCharacter
    """The sheet."""


def character(request: DarkpagesCharacterCheck, dice: Dice) -> Verdict:
    """Check a sheet. No dice.

    Outcomes: ``legal``, ``illegal`` (with at least one error). ``findings`` lists errors first. Only what the rules state is
    checked: they set no dice for a rating and list no Archetypes.
    """
    issues = sorted(_issues(request.character), key=lambda issue: issue.severity != "error")
    for issue in issues:
        dice.note(issue.rule, f"sheet.{issue.key}", value=issue.severity, **issue.facts)
    if not issues:
        dice.note("darkpages.attributes", "sheet.fine", who="character")
    legal = all(issue.severity == "warning" for issue in issues)
    findings = [
        {
            "rule": issue.rule,
            "severity": issue.severity,
            "text": say(f"sheet.{issue.key}", **issue.facts),
            "pointer": f"/character/{issue.at}",
        }
        for issue in issues
    ]
    return Verdict("legal" if legal else "illegal", legal, fields={"findings": findings})


@dataclass(slots=True)
class Issue:
    """A finding before its sentence is written."""

    severity: Literal["error", "warning"]
    rule: str
    key: str
    at: str
    facts: dict[str, object]


def _issues(sheet: DarkpagesCharacter) -> Iterator[Issue]:
    labels = {attribute: (getattr(sheet.attributes, attribute).rating or "").casefold() for attribute in TRAITS}
    for attribute, label in labels.items():
        if label and label not in RATINGS:
            at = f"attributes/{attribute}/rating"
            yield Issue("warning", "darkpages.attributes", "unknown_rating", at, {"attribute": attribute})
    primary = [TRAITS[attribute] for attribute, label in labels.items() if label == "primary"]
    if primary and sheet.lethal not in primary:
        yield Issue("warning", "darkpages.damage.lethal", "lethal_not_primary", "lethal", {"trait": sheet.lethal})
    if sheet.out_of_game:
        yield Issue("warning", "darkpages.damage.destroyed", "out_of_game", "outOfGame", {})
    if not sheet.npc and sheet.archetype is None:
        yield Issue("warning", "darkpages.zero.points", "no_archetype", "archetype", {})
    for trait in TRAITS.values():
        yield from _trait_issues(sheet, trait)
    if getattr(sheet.damage, sheet.lethal) == "destroyed" and sheet.defeated and not sheet.out_of_game:
        yield Issue("error", "darkpages.damage.destroyed", "destroyed_and_defeated", "outOfGame", {})


def _trait_issues(sheet: DarkpagesCharacter, trait: str) -> Iterator[Issue]:
    """Damage States and overflow that cannot occur in play (darkpages.damage.destroyed, darkpages.damage.nonlethal)."""
    state, overflow = getattr(sheet.damage, trait), getattr(sheet.overflow, trait)
    facts: dict[str, object] = {"trait": trait}
    if trait != sheet.lethal and state == "destroyed":
        yield Issue("error", "darkpages.damage.destroyed", "destroyed_by_nonlethal", f"damage/{trait}", facts)
    if overflow and trait == sheet.lethal:
        yield Issue("warning", "darkpages.damage.nonlethal", "overflow_of_lethal", f"overflow/{trait}", facts)
    elif overflow and state != "damaged":
        yield Issue("warning", "darkpages.damage.nonlethal", "overflow_not_damaged", f"overflow/{trait}", facts)


FIELDS: dict[str, Any] = {
    "findings": Annotated[list[SheetFinding], Field(description="Findings about the sheet, errors first. An error makes it illegal.")]
}
"""The ruling field of this action."""


def summary(request: DarkpagesCharacterCheck, verdict: Verdict, record: RolledDice) -> list[Sentence]:
    """Whose sheet, legal or not, how many findings."""
    return [say("sheet.summary", who="character", outcome=verdict.outcome, count=len(verdict.fields["findings"]))]
