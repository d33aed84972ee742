"""What every action of every system must fulfil, checked on each of its examples. A new system gets all of this at once."""

from __future__ import annotations

import ast
import json
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from copy import deepcopy
from fractions import Fraction
from functools import cache
from pathlib import Path
from typing import Any

import orjson
import pytest
from pydantic import TypeAdapter

from tablecall import engine
from tablecall.dice.roll import RolledDice, SuppliedFaces, seeded
from tablecall.model.base import Body
from tablecall.model.refusals import TooLargeToCount
from tablecall.model.ruling import Odds, Ruling
from tablecall.systems import SYSTEMS
from tablecall.systems.system import Action, System
from tablecall.systems.verdict import Verdict

ROOT = Path(__file__).parents[2]
SEEDED = 600
"""How many seeds the odds are compared with."""
Z = 6
"""How many standard errors a mean may be off; by chance it is off further once in 5·10⁸."""
FOLLOWED = 300
"""How many branches are followed if all would be too many."""
EVERYTHING = frozenset(["factors", "options"])


def examples_of(systems: Iterable[System]) -> list[Any]:
    """Every example of every action, as parameters."""
    return [
        pytest.param(system, action, example, id=f"{system.name}.{action.name}: {name}")
        for system in systems
        for action in system.actions
        for name, example in action.examples.items()
    ]


def body_of(action: Action, example: Mapping[str, Any], **changed: Any) -> Body:
    return action.body.model_validate({**deepcopy(dict(example)), **changed})


def odds_of(system: System, action: Action, example: Mapping[str, Any]) -> dict[str, Any]:
    try:
        return engine.odds(system, action, body_of(action, {**example, "method": "exact"}))
    except TooLargeToCount:
        pytest.skip("too large to count exactly")


def drawn_faces(dice: list[dict[str, Any]]) -> list[int]:
    """The faces of a roll as they are supplied: all base dice first, then the re-rolls from left to right."""
    return [[*die["replaced"], die["face"]][0] for die in dice] + [die["face"] for die in dice if die["replaced"]]


def python_name(body: Body, alias: str) -> str:
    """The python name of a field."""
    return next(name for name, field in type(body).model_fields.items() if (field.alias or name) == alias)


def as_read(value: Any) -> Any:
    """A participant with every default, without the fields of one roll."""
    if isinstance(value, list):
        return [as_read(item) for item in value]
    once = {"spend", "imposeKarma", "advantage", "disadvantage", "extraordinary", "keepDice", "modifiers", "scars", "hurried"}
    document = value.model_dump(by_alias=True)
    if "actor" in document:
        return {**document, "actor": as_read(value.actor)}
    if document.get("defeated", True) is None:
        document["defeated"] = False
    if "character" in document or "pool" in document or "luck" in document:
        return {name: part for name, part in document.items() if name not in once}
    return document


def verdict_of(action: Action, body: Body) -> Verdict:
    """What the rule itself returns."""
    given = {dice.roll: SuppliedFaces(dice.faces, "") for dice in body.dice}
    return action.rule(body, RolledDice(seeded(str(body.seed), given)))


class Contract:
    """The contract. A subclass is parametrized with systems, actions and examples."""

    def test_ruling_has_the_published_shape(self, system: System, action: Action, example: Mapping[str, Any]) -> None:
        assert orjson.loads(orjson.dumps(example)) == example
        assert "action" not in example
        ruling = engine.resolve(system, action, body_of(action, example), include=EVERYTHING)
        envelope = {name: value for name, value in ruling.items() if name not in action.fields}
        assert Ruling.model_validate(envelope, strict=True).model_dump(by_alias=True, exclude_unset=True) == envelope
        named = {alias for _, alias, _ in engine.participant_fields(action.body)}
        assert set(ruling["after"]) == (named & set(example)) | set(action.after)
        for document, types in ((ruling, action.fields), (ruling["after"], action.after)):
            for name, type_ in types.items():
                TypeAdapter(type_).validate_python(document[name])
        assert (ruling["action"], ruling["system"], ruling["rulebook"]) == (f"{system.name}.{action.name}", system.name, system.version)
        assert not action.outcomes or ruling["outcome"] in action.outcomes
        assert "\n" not in ruling["summary"]

    def test_steps_cite_rules_and_effects_add_up(self, system: System, action: Action, example: Mapping[str, Any]) -> None:
        ruling = engine.resolve(system, action, body_of(action, example))
        assert ruling["steps"]
        assert {step["rule"] for step in ruling["steps"]} <= {rule.id for rule in system.rules}
        for step in ruling["steps"]:
            assert step["text"] == step["text"].strip() != ""
            assert not re.search(r"[{}]|Fraction|Spread|<service", step["text"]), step["text"]
        for effect in ruling["effects"]:
            if type(effect["from"]) is int and type(effect["to"]) is int:
                assert effect["change"] == effect["to"] - effect["from"] != 0
            elif type(effect["from"]) is bool:
                assert (effect["to"], effect["change"]) == (not effect["from"], 1 if effect["to"] else -1)

    def test_same_seed_gives_the_same_bytes(self, system: System, action: Action, example: Mapping[str, Any]) -> None:
        first = engine.resolve(system, action, body_of(action, example, seed="again"), include=EVERYTHING)
        copied = orjson.loads(orjson.dumps(example))
        second = engine.resolve(system, action, body_of(action, copied, seed="again"), include=EVERYTHING)
        assert orjson.dumps(first) == orjson.dumps(second)

    def test_supplied_dice_give_the_same_ruling(self, system: System, action: Action, example: Mapping[str, Any]) -> None:
        ruling = engine.resolve(system, action, body_of(action, example))
        rolls = ruling["rolls"]
        if any(len(die["replaced"]) > 1 for roll in rolls for die in roll["dice"]):
            pytest.skip("the ruling does not show in which order a die was rolled several times")
        dice = [{"roll": roll["roll"], "faces": drawn_faces(roll["dice"])} for roll in rolls]
        again = engine.resolve(system, action, body_of(action, example, dice=dice, seed=ruling["seed"]))
        for roll in (*ruling["rolls"], *again["rolls"]):
            assert roll.pop("from") in ("seed", "table")
        assert {**again, "seedFrom": ruling["seedFrom"], "unusedDice": []} == {**ruling, "unusedDice": []}

    def test_options_give_what_they_say(self, system: System, action: Action, example: Mapping[str, Any]) -> None:
        """An option's merge patch is applied to the request, which is resolved again with the same dice."""
        ruling = engine.resolve(system, action, body_of(action, example), include=frozenset(["options"]))
        faces = {roll["roll"]: [die["face"] for die in roll["dice"]] for roll in ruling["rolls"]}
        for option in ruling["options"]:
            assert option["chance"] is None or 0 <= option["chance"] <= 1
            if option["request"] is None:  # another action carries it out
                continue
            document = engine.merge(deepcopy(dict(example)), option["request"])
            taken = engine.resolve(system, action, action.body.model_validate(document))
            assert taken["seed"] == ruling["seed"]
            for roll in taken["rolls"]:
                again = [die["face"] for die in roll["dice"]]
                assert all(new == old for new, old in zip(again, faces.get(roll["roll"], again), strict=False))

    def test_necessary_factors_change_the_outcome(self, system: System, action: Action, example: Mapping[str, Any]) -> None:
        ruling = engine.resolve(system, action, body_of(action, example), include=frozenset(["factors"]))
        keys = [(factor["on"], factor["kind"], factor["name"]) for factor in ruling["factors"]]
        assert len(set(keys)) == len(keys)
        for factor in ruling["factors"]:
            without = factor["without"]["outcome"]
            assert (factor["verdict"] == "uncertain") == (without is None)
            if without is not None and not {"turn", "turns", "results"} & set(ruling):
                assert (factor["verdict"] == "necessary") == (without != ruling["outcome"])

    def test_after_is_a_valid_request_and_can_be_undone(self, system: System, action: Action, example: Mapping[str, Any]) -> None:
        body = body_of(action, example)
        ruling = engine.resolve(system, action, body)
        sent = engine.after(body, [])
        people = {name: deepcopy(part) for name, part in ruling["after"].items() if name in sent}
        if "orders" not in example:  # who is out by now cannot be attacked again
            body_of(action, example, **people)
        engine.undo(people, ruling["effects"])
        again = body_of(action, {**example, **people})
        for name in sent:
            assert as_read(getattr(again, python_name(again, name))) == as_read(getattr(body, python_name(body, name)))

    def test_odds_have_the_published_shape_and_add_up(self, system: System, action: Action, example: Mapping[str, Any]) -> None:
        odds = odds_of(system, action, example)
        assert Odds.model_validate(odds, strict=True).model_dump(by_alias=True, exclude_unset=True) == odds
        orjson.dumps(odds)
        assert_adds_up(odds["outcomes"])
        for roll in odds["rolls"]:
            totals = [row["total"] for row in roll["distribution"]]
            assert_adds_up(roll["distribution"])
            assert totals == sorted(set(totals))
        words = [row["outcome"] for row in odds["outcomes"]]
        assert len(set(words)) == len(words) > 0
        if action.outcomes and verdict_of(action, body_of(action, example)).odds_outcome is None:
            assert words == [word for word in action.outcomes if word in words]

    def test_rulings_of_many_seeds_match_the_odds(self, system: System, action: Action, example: Mapping[str, Any]) -> None:
        """Outcomes by a chi-square; the mean total of each roll and the mean change of each stat by their standard errors."""
        example = {name: value for name, value in example.items() if name != "method"}
        odds = odds_of(system, action, example)
        body = body_of(action, example, include=[])
        rulings = [engine.resolve(system, action, body.model_copy(update={"seed": f"odds {number}"})) for number in range(SEEDED)]
        outcomes = Counter(ruling["outcome"] for ruling in rulings)
        if verdict_of(action, body).odds_outcome is not None:
            verdicts = [verdict_of(action, body.model_copy(update={"seed": ruling["seed"]})) for ruling in rulings]
            outcomes = Counter(verdict.odds_outcome or verdict.outcome for verdict in verdicts)
        chances = {row["outcome"]: Fraction(row["fraction"] or row["probability"]) for row in odds["outcomes"]}
        assert set(outcomes) <= set(chances)
        assert_plausible(outcomes, chances)
        totals: dict[str, list[int]] = defaultdict(list)
        changes: dict[str, list[int]] = defaultdict(lambda: [0] * SEEDED)
        for number, ruling in enumerate(rulings):
            for roll in ruling["rolls"]:
                totals[roll["roll"]].append(roll["total"])
            for effect in ruling["effects"]:
                if effect["change"] is not None:
                    changes[f"{effect['on']}.{effect['stat']}"][number] += effect["change"]
        expected = {roll["roll"]: roll for roll in odds["rolls"]}
        if "rounds" in odds:
            expected["rounds"] = odds["rounds"]
            totals["rounds"] = [ruling["rounds"] for ruling in rulings]
        for name, seen in totals.items():
            if name not in expected and re.search(r"\.tie[0-9]+$|\.round[0-9]+\.", name):
                continue  # the odds do not list the rolls of an even tie or those of a fight
            error = expected[name]["standardDeviation"] / len(seen) ** 0.5
            assert abs(sum(seen) / len(seen) - expected[name]["mean"]) <= Z * error + 1e-9
        for stat, seen in changes.items():
            mean = sum(seen) / SEEDED
            error = (sum((change - mean) ** 2 for change in seen) / SEEDED / SEEDED) ** 0.5
            # a change that was always the same may rarely differ: what happens once in SEEDED / 14 is missed less than once in a million
            expected_change = odds["expected"].get(stat, 0)
            unseen = 0 if error or expected_change == mean else 14 / SEEDED
            assert abs(mean - expected_change) <= Z * error + unseen + 1e-9, stat


def assert_adds_up(rows: list[dict[str, Any]]) -> None:
    """Exactly, unless a fraction is left out because it is long, or because the odds are in double precision."""
    total = sum((Fraction(row["fraction"] or row["probability"]) for row in rows), Fraction())
    assert total == 1 if all(row["fraction"] for row in rows) else abs(total - 1) < Fraction(1, 10**9)


def assert_plausible(seen: Counter[str], chances: dict[str, Fraction]) -> None:
    """A chi-square, with outcomes expected less than five times counted together; fails by chance less than once in a million."""
    expected = {word: float(chance * seen.total()) for word, chance in chances.items()}
    rare = [word for word, number in expected.items() if number < 5]
    cells = [(seen[word], number) for word, number in expected.items() if number >= 5]
    cells.append((sum(seen[word] for word in rare), sum(expected[word] for word in rare)))
    statistic = sum((count - number) ** 2 / number for count, number in cells if number >= 1)
    # Wilson and Hilferty's approximation of the chi-square's quantile.
    freedom = max(len(cells) - 1, 1)
    assert statistic < freedom * (1 - 2 / (9 * freedom) + 4.76 * (2 / (9 * freedom)) ** 0.5) ** 3, (dict(seen), expected)
    if cells[-1][1] < 1:
        assert cells[-1][0] < 10


def constants(folder: Path) -> set[str]:
    """Every string constant in the sources of a folder."""
    trees = (ast.parse(path.read_text("utf-8")) for path in folder.rglob("*.py"))
    return {node.value for tree in trees for node in ast.walk(tree) if isinstance(node, ast.Constant) and isinstance(node.value, str)}


CONSTANTS = constants(ROOT / "service" / "tablecall" / "systems") | constants(Path(__file__).parent)


@pytest.mark.parametrize(("system", "action", "example"), examples_of(SYSTEMS.values()))
class TestEveryExample(Contract):
    """Every example of the service."""


# ── Actions, cases and citations ─────────────────────────────────────────────────────────────────────────────────────

EVERY_SYSTEM = [pytest.param(system, id=name) for name, system in SYSTEMS.items()]
EVERY_ACTION = [pytest.param(system, action, id=f"{system.name}.{action.name}") for system in SYSTEMS.values() for action in system.actions]


@pytest.mark.parametrize(("system", "action"), EVERY_ACTION)
def test_action_is_complete(system: System, action: Action) -> None:
    assert len(action.examples) >= 2
    assert action.title
    assert action.text.endswith(".")
    assert len(set(action.outcomes)) == len(action.outcomes)
    assert not set(action.fields) & {name for field, info in Ruling.model_fields.items() for name in (field, info.alias)}


@pytest.mark.parametrize("system", EVERY_SYSTEM)
def test_action_names(system: System) -> None:
    names = [action.name for action in system.actions]
    assert len(set(names)) == len(names)
    assert all(re.fullmatch(r"[a-z]+([A-Z][a-z]+)*", name) for name in names)


@pytest.mark.parametrize("system", EVERY_SYSTEM)
def test_every_action_and_rule_has_cases(system: System) -> None:
    """The cases themselves are run by tests/test_cases.py."""
    cases = json.loads((ROOT / "tests" / "cases" / f"{system.name}.json").read_text("utf-8"))
    assert {rule for case in cases for rule in case["rules"]} == {rule.id for rule in system.rules}
    assert {case["request"]["action"] for case in cases} == {f"{system.name}.{action.name}" for action in system.actions}
    assert len({case["id"] for case in cases}) == len(cases)


def cited(system: System, paths: Iterable[Path]) -> set[str]:
    """Every dotted name that begins with a system's name, in any of these files, other than the keys of refusals."""
    pattern = re.compile(rf"(?<![\w./]){system.name}(?!\.refused)(?:\.[a-zA-Z]+)+")
    return {name for path in paths for name in pattern.findall(read(path))}


@cache
def read(path: Path) -> str:
    return path.read_text("utf-8")


def sources(folder: str, *suffixes: str) -> list[Path]:
    return [path for path in (ROOT / folder).rglob("*") if path.suffix in suffixes and "node_modules" not in path.parts]


@pytest.mark.parametrize("system", EVERY_SYSTEM)
@pytest.mark.parametrize("folder", ["service", "tests"])
def test_every_rule_is_cited(system: System, folder: str) -> None:
    """Outside of rules.toml."""
    assert {rule.id for rule in system.rules} - cited(system, sources(folder, ".py", ".json", ".yaml", ".yml")) == set()


@pytest.mark.parametrize("system", EVERY_SYSTEM)
def test_every_citation_is_a_rule(system: System) -> None:
    ids = {rule.id for rule in system.rules} | {f"{system.name}.{action.name}" for action in system.actions}
    assert system.dice_rule in ids
    assert cited(system, sources("service/tablecall/systems", ".py", ".json", ".toml")) - ids == set()
