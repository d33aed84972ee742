"""Checking a character sheet against the rules for creating a character."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Any, Literal

from pydantic import Field

from tablecall.dice.roll import RolledDice
from tablecall.dice.source import Dice
from tablecall.model.base import Body
from tablecall.model.ruling import OutputModel
from tablecall.model.wording import plural
from tablecall.systems.jazz.roller import report_weird_sum
from tablecall.systems.jazz.sheet import JazzCharacter
from tablecall.systems.jazz.tables import FICTION_LEVELS, FictionLevelName
from tablecall.systems.verdict import Verdict


class JazzFinding(OutputModel):
    """One way in which a sheet differs from the rules."""

    rule: str
    """The rule's id."""
    severity: Literal["error", "warning"]
    """An `error` makes the sheet illegal, a `warning` does not."""
    text: str
    """What is wrong."""
    pointer: str
    """Where in the request, as a JSON pointer."""


class JazzCharacterCheck(Body):
    """Checks a character sheet: bonuses, aspects and pools, against the fiction level and each other (jazz.fiction.levels)."""

    character: JazzCharacter
    """The sheet to check."""
    fiction_level: FictionLevelName
    """The fiction level the sheet is made for."""


FIELDS: dict[str, Any] = {
    "findings": Annotated[list[JazzFinding], Field(description="What is wrong with the sheet: errors first, then warnings.")]
}


def character(request: JazzCharacterCheck, dice: Dice) -> Verdict:
    """Check a sheet. Nothing is rolled; ``findings`` lists what is wrong and where.

    Outcomes: ``legal`` (no errors; there may be warnings), ``illegal``. A sheet that could not be played at all is refused
    instead: a pool above its maximum, a weird pool without a weird aspect, a survival aspect that is not on the sheet.
    """
    sheet = request.character
    weird = sheet.weird_size()
    if sheet.weird_pool == "sum" and weird is not None:
        report_weird_sum(dice, sheet.name, weird)
    unsorted = (*_aspects(sheet), *_level(sheet, request.fiction_level), *_health(sheet), *_weird(sheet))
    findings = sorted(unsorted, key=lambda finding: finding.severity != "error")
    for finding in findings:
        dice.step(finding.rule, "{}: {}", finding.severity, finding.text, value=finding.pointer)
    if not findings:
        dice.step("jazz.fiction.levels", "{}: there is nothing to say against the sheet", sheet.name)
    if sheet.complication is not None:
        dice.step("jazz.complication.sheet", "any complication will do")
    legal = all(finding.severity == "warning" for finding in findings)
    fields = {"findings": [finding.model_dump() for finding in findings]}
    return Verdict("legal" if legal else "illegal", legal, fields=fields)


def _error(rule: str, text: str, at: str) -> JazzFinding:
    return JazzFinding(rule=rule, severity="error", text=text, pointer=f"/character/{at}")


def _warning(rule: str, text: str, at: str) -> JazzFinding:
    return JazzFinding(rule=rule, severity="warning", text=text, pointer=f"/character/{at}")


def _aspects(sheet: JazzCharacter) -> Iterator[JazzFinding]:
    """jazz.aspects.primary: a primary and at least one secondary aspect; jazz.aspects.expertise: one phrase per point of bonus."""
    if len(sheet.aspects) < 2:
        missing = "a secondary aspect" if sheet.aspects else "a primary aspect and a secondary one"
        yield _error("jazz.aspects.primary", f"the sheet lacks {missing}", "aspects")
    for index, aspect in enumerate(sheet.aspects):
        phrases = len(aspect.expertise)
        if phrases != aspect.bonus:
            text = f"{phrases} phrases of expertise for a bonus of +{aspect.bonus}"
            yield _warning("jazz.aspects.expertise", text, f"aspects/{index}/expertise")


def _level(sheet: JazzCharacter, name: FictionLevelName) -> Iterator[JazzFinding]:
    """jazz.fiction.levels: the total of all bonuses, and the maximum of one."""
    level = FICTION_LEVELS[name]
    total = sum(aspect.bonus for aspect in sheet.aspects)
    if total > level.total:
        yield _error("jazz.fiction.levels", f"bonuses of {total} in all, where {name} allows {level.total}", "aspects")
    elif total < level.total:
        yield _warning("jazz.fiction.levels", f"bonuses of {total} in all, where {name} gives {level.total}", "aspects")
    for index, aspect in enumerate(sheet.aspects):
        if aspect.bonus > level.maximum:
            text = f"a bonus of +{aspect.bonus}, where {name} allows +{level.maximum}"
            yield _error("jazz.fiction.levels", text, f"aspects/{index}/bonus")


def _health(sheet: JazzCharacter) -> Iterator[JazzFinding]:
    """jazz.health.pool: the bonus of the survival aspect."""
    size, pool = sheet.health_size(), sheet.health
    if pool is None:
        yield _warning("jazz.health.pool", "no survival aspect is named, so there is no health pool", "survivalAspect")
    elif size is None:
        yield _error("jazz.health.pool", "a health pool that no survival aspect explains", "health")
    elif pool.max != size:
        yield _error("jazz.health.pool", f"a health pool of {pool.max}, where the survival aspect gives {size}", "health/max")


def _weird(sheet: JazzCharacter) -> Iterator[JazzFinding]:
    """jazz.weird.pool: the bonus of the weird aspect; of several, the highest or their sum."""
    size = sheet.weird_size()
    if size is not None and sheet.weird is not None and sheet.weird.max != size:
        yield _error("jazz.weird.pool", f"a weird pool of {sheet.weird.max}, where the weird aspects give {size}", "weird/max")


def summary(request: JazzCharacterCheck, verdict: Verdict, record: RolledDice) -> str:
    """One line: whose sheet, legal or not, how many findings."""
    count = len(verdict.fields["findings"])
    findings = plural(count, "finding") if count else "no findings"
    return f"{request.character.name}: {verdict.outcome} for {request.fiction_level}, {findings}"
