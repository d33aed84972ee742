"""Checking a character sheet against the rules."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Annotated, Any, Literal

from pydantic import Field

from tablecall.dice.roll import RolledDice
from tablecall.dice.source import Dice
from tablecall.model.names import name_key
from tablecall.model.ruling import SheetFinding
from tablecall.model.text import Sentence, say
from tablecall.systems.jazz.sheet import JazzBody, JazzDraft
from tablecall.systems.jazz.tables import FICTION_LEVELS, FictionLevelName
from tablecall.systems.verdict import Change, Verdict

Stage = Literal["creation", "play", "npc"]


class JazzCharacterCheck(JazzBody):
    """Checks a character sheet: bonuses, aspects and pools, against the fiction level and each other (jazz.fiction.levels)."""

    character: JazzDraft
    """The sheet to check, with whatever may be wrong with it."""
    fiction_level: FictionLevelName
    """The fiction level the sheet is made for."""
    stage: Stage = "creation"
    """`creation`: total and maximum of the bonuses bind. `play`: only the maximum of one aspect does. `npc`: neither, and one aspect is
    enough. An unnamed character is always checked as `npc`."""


FIELDS: dict[str, Any] = {
    "findings": Annotated[list[SheetFinding], Field(description="What is wrong with the sheet: errors first, then warnings.")]
}


@dataclass(slots=True)
class Issue:
    """A finding before its sentence is written."""

    severity: Literal["error", "warning"]
    rule: str
    at: str
    key: str
    facts: Mapping[str, object] = field(default_factory=dict)


def character(request: JazzCharacterCheck, dice: Dice) -> Verdict:
    """Check a sheet. Nothing is rolled; ``findings`` lists what is wrong and where. ``after`` adds the pools that the sheet implies.

    Outcomes: ``legal`` (no errors; there may be warnings), ``illegal``.
    """
    sheet = request.character
    # a draft derives no pools, so the house rule is read here
    sheet.__dict__["weird_pool"] = sheet.weird_pool or request.house("weird_pool")
    stage: Stage = request.stage if sheet.named else "npc"
    level = request.fiction_level
    issues = sorted((*_aspects(sheet, stage), *_level(sheet, level, stage), *_pools(sheet)), key=lambda issue: issue.severity != "error")
    for issue in issues:
        dice.note(issue.rule, f"sheet.{issue.key}", value=issue.severity, **issue.facts)
    if not issues:
        dice.note("jazz.fiction.levels", "sheet.fine", who="character")
    if sheet.complication is not None and sheet.complication.strip():
        dice.note("jazz.complication.sheet", "sheet.complication", who="character")
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
    verdict = Verdict("legal" if legal else "illegal", legal, fields={"findings": findings})
    _imply_pools(sheet, verdict)
    return verdict


def _imply_pools(sheet: JazzDraft, verdict: Verdict) -> None:
    """jazz.health.pool, jazz.weird.pool: the pools that the aspects imply and the sheet leaves out, full."""
    for name, pool, size in (("health", sheet.health, sheet.health_size()), ("weird", sheet.weird, sheet.weird_size())):
        if pool is None and size is not None:
            verdict.changes.append(Change("character", name, None, {"current": size, "max": size}, size))


def _aspects(sheet: JazzDraft, stage: Stage) -> Iterator[Issue]:
    """jazz.aspects.primary: a primary and at least one secondary aspect; jazz.aspects.expertise: one phrase per point of bonus."""
    if not sheet.aspects or (len(sheet.aspects) < 2 and stage != "npc"):
        yield Issue("error", "jazz.aspects.primary", "aspects", "no_secondary" if sheet.aspects else "no_primary")
    seen: set[str] = set()
    for index, aspect in enumerate(sheet.aspects):
        key = name_key(aspect.name)
        if key in seen:
            yield Issue("error", "jazz.aspects.highest", f"aspects/{index}/name", "aspect_twice", {"aspect": aspect.name})
        seen.add(key)
        phrases = len(aspect.expertise)
        if phrases != aspect.bonus:
            facts = {"aspect": aspect.name, "count": phrases, "bonus": aspect.bonus}
            yield Issue("warning", "jazz.aspects.expertise", f"aspects/{index}/expertise", "expertise", facts)


def _level(sheet: JazzDraft, name: FictionLevelName, stage: Stage) -> Iterator[Issue]:
    """jazz.fiction.levels: the total of all bonuses at creation, and the maximum of one unless it is an NPC."""
    if stage == "npc":
        return
    level = FICTION_LEVELS[name]
    total = sum(aspect.bonus for aspect in sheet.aspects)
    if stage == "creation" and total != level.total:
        severity: Literal["error", "warning"] = "error" if total > level.total else "warning"
        key = "over_total" if total > level.total else "under_total"
        yield Issue(severity, "jazz.fiction.levels", "aspects", key, {"total": total, "level": name, "max": level.total})
    for index, aspect in enumerate(sheet.aspects):
        if aspect.bonus > level.maximum:
            facts = {"aspect": aspect.name, "bonus": aspect.bonus, "level": name, "max": level.maximum}
            yield Issue("error", "jazz.fiction.levels", f"aspects/{index}/bonus", "over_maximum", facts)


def _pools(sheet: JazzDraft) -> Iterator[Issue]:
    """jazz.health.pool: the bonus of the survival aspect. jazz.weird.pool: that of the weird aspect; of several, a choice."""
    size = sheet.health_size()
    if sheet.survival_aspect is not None and size is None:
        facts = {"aspect": sheet.survival_aspect}
        yield Issue("error", "jazz.health.pool", "survivalAspect", "unknown_survival", facts)
    elif sheet.health is None and size is None:
        yield Issue("warning", "jazz.health.pool", "survivalAspect", "no_survival")
    elif sheet.health is not None and size is None:
        yield Issue("error" if sheet.named else "warning", "jazz.health.pool", "health", "unexplained_health")
    weird = sheet.weird_size()
    if sheet.weird is not None and sheet.weird.max and weird is None:
        yield Issue("error", "jazz.weird.pool", "weird", "weird_without_aspect")
    if weird is not None and len(sheet.weird_aspects) > 1:
        yield Issue("warning", "jazz.weird.pool", "weirdPool", f"weird_{sheet.weird_pool or 'highest'}", {"size": weird})
    for name, pool, right in (("health", sheet.health, size), ("weird", sheet.weird, weird)):
        if pool is not None and right is not None and pool.max != right:
            yield Issue("error", f"jazz.{name}.pool", f"{name}/max", f"wrong_{name}", {"max": pool.max, "right": right})
        if pool is not None and pool.current > pool.max:
            yield Issue(
                "error", f"jazz.{name}.pool", f"{name}/current", "over_max", {"pool": name, "current": pool.current, "max": pool.max}
            )


def summary(request: JazzCharacterCheck, verdict: Verdict, record: RolledDice) -> list[Sentence]:
    """Whose sheet, legal or not, how many findings."""
    count = len(verdict.fields["findings"])
    return [say("sheet.summary", who="character", level=request.fiction_level, outcome=verdict.outcome, count=count)]
