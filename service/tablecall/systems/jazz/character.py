"""Jazz, a sheet held against the rules of making a character."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Any, Literal

from pydantic import Field

from tablecall.dice.roll import RolledDice
from tablecall.dice.source import Dice
from tablecall.model.base import Body
from tablecall.model.ruling import OutputModel
from tablecall.model.wording import plural
from tablecall.systems.jazz.roller import summed
from tablecall.systems.jazz.sheet import JazzCharacter
from tablecall.systems.jazz.tables import FICTION_LEVELS, FictionLevelName
from tablecall.systems.verdict import Verdict


class JazzFinding(OutputModel):
    """One thing about a sheet that is not as the rules have it."""

    rule: str
    """The rule's id."""
    severity: Literal["error", "warning"]
    """An error makes the sheet illegal, a warning does not."""
    text: str
    """What is wrong."""
    pointer: str
    """Where in the request, as a JSON pointer."""


class JazzCharacterCheck(Body):
    """A sheet to be checked: bonuses, aspects and pools against the fiction level and each other (jazz.fiction.levels)."""

    character: JazzCharacter
    """The sheet."""
    fiction_level: FictionLevelName
    """The fiction level it is made for."""


FIELDS: dict[str, Any] = {
    "findings": Annotated[list[JazzFinding], Field(description="What is wrong with the sheet: errors first, then warnings.")]
}


def character(request: JazzCharacterCheck, dice: Dice) -> Verdict:
    """Check a sheet; nothing is rolled. ``findings`` says what is wrong, and where.

    Outcomes: ``legal`` (warnings at most), ``illegal``. A sheet that could not even be played is refused instead: a pool
    above its maximum, a weird pool without a weird aspect, a survival aspect that is not on it.
    """
    sheet = request.character
    weird = sheet.weird_bonus()
    if sheet.weird_pool == "sum" and weird is not None:
        summed(dice, sheet.name, weird)
    found = (*_aspects(sheet), *_level(sheet, request.fiction_level), *_health(sheet), *_weird(sheet))
    findings = sorted(found, key=lambda finding: finding.severity != "error")
    for finding in findings:
        dice.step(finding.rule, "{}: {}", finding.severity, finding.text, value=finding.pointer)
    if not findings:
        dice.step("jazz.fiction.levels", "{}: there is nothing to say against the sheet", sheet.name)
    if sheet.complication is not None:
        dice.step("jazz.complication.sheet", "any complication will do")
    legal = all(finding.severity == "warning" for finding in findings)
    said = [finding.model_dump() for finding in findings]
    return Verdict("legal" if legal else "illegal", legal, fields={"findings": said})


def _error(rule: str, text: str, pointer: str) -> JazzFinding:
    return JazzFinding(rule=rule, severity="error", text=text, pointer=f"/character/{pointer}")


def _warning(rule: str, text: str, pointer: str) -> JazzFinding:
    return JazzFinding(rule=rule, severity="warning", text=text, pointer=f"/character/{pointer}")


def _aspects(sheet: JazzCharacter) -> Iterator[JazzFinding]:
    """jazz.aspects.primary: one primary, one or more secondary; jazz.aspects.expertise: as many phrases as the bonus."""
    if len(sheet.aspects) < 2:
        missing = "a secondary aspect" if sheet.aspects else "a primary aspect and a secondary one"
        yield _error("jazz.aspects.primary", f"the sheet lacks {missing}", "aspects")
    for index, aspect in enumerate(sheet.aspects):
        number = len(aspect.expertise)
        if number != aspect.bonus:
            text = f"{number} phrases of expertise for a bonus of +{aspect.bonus}"
            yield _warning("jazz.aspects.expertise", text, f"aspects/{index}/expertise")


def _level(sheet: JazzCharacter, name: FictionLevelName) -> Iterator[JazzFinding]:
    """jazz.fiction.levels: what all bonuses come to, and the most one may be."""
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
    """jazz.health.pool: the survival aspect's bonus."""
    bonus, pool = sheet.health_bonus(), sheet.health
    if pool is None:
        yield _warning("jazz.health.pool", "no survival aspect is named, so there is no health pool", "survivalAspect")
    elif bonus is None:
        yield _error("jazz.health.pool", "a health pool that no survival aspect explains", "health")
    elif pool.max != bonus:
        yield _error("jazz.health.pool", f"a health pool of {pool.max}, where the survival aspect gives {bonus}", "health/max")


def _weird(sheet: JazzCharacter) -> Iterator[JazzFinding]:
    """jazz.weird.pool: the weird aspect's bonus; of several the highest, or their sum."""
    bonus = sheet.weird_bonus()
    if bonus is not None and sheet.weird is not None and sheet.weird.max != bonus:
        yield _error("jazz.weird.pool", f"a weird pool of {sheet.weird.max}, where the weird aspects give {bonus}", "weird/max")


def summary(request: JazzCharacterCheck, verdict: Verdict, record: RolledDice) -> str:
    """One line: whose sheet, legal or not, and how many findings."""
    found = len(verdict.fields["findings"])
    said = plural(found, "finding") if found else "no findings"
    return f"{request.character.name}: {verdict.outcome} for {request.fiction_level}, {said}"
