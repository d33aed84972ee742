"""What every action of every system owes, on each of its examples: a new system has all of this at once."""

from __future__ import annotations

import ast
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
from tablecall.dice.enumeration import EnumeratedDice
from tablecall.dice.roll import RolledDice, SuppliedFaces, seeded
from tablecall.model.base import Body
from tablecall.model.refusals import TooLargeToCount
from tablecall.model.ruling import Odds, Ruling
from tablecall.systems import SYSTEMS
from tablecall.systems.system import Action, System
from tablecall.systems.verdict import Verdict

ROOT = Path(__file__).parents[2]
SEEDED = 600
"""How many seeds the odds are held against."""
Z = 6
"""How many standard errors a mean may stray; further, by chance, once in 5·10⁸."""
FOLLOWED = 300
"""How many branches are followed where every one would be too many."""


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
        return engine.odds(system, action, body_of(action, example))
    except TooLargeToCount:
        pytest.skip("too large to count exactly")


def in_the_order_drawn(dice: list[dict[str, Any]]) -> list[int]:
    """All base dice first, then the re-rolls from left to right."""
    return [[*die["replaced"], die["face"]][0] for die in dice] + [die["face"] for die in dice if die["replaced"]]


def inside(action: Action, ruling: dict[str, Any]) -> list[tuple[str, dict[str, Any]]]:
    """The rulings of the actions inside an action, by their place in its ruling."""
    lists = [(name, ruling[name]) for name in action.fields if isinstance(ruling[name], list)]
    return [
        (f"{name}.{index}", one) for name, found in lists for index, one in enumerate(found) if isinstance(one, dict) and "request" in one
    ]


def fallen(action: Action, body: Body) -> Verdict:
    """What the rule itself hands back, dice and all."""
    given = {dice.roll: SuppliedFaces(dice.faces, "") for dice in body.dice}
    return action.rule(body, RolledDice(seeded(str(body.seed), given)))


class Contract:
    """The contract itself; a class that inherits it names the examples."""

    def test_the_ruling_is_of_the_published_shape(self, system: System, action: Action, example: Mapping[str, Any]) -> None:
        ruling = engine.resolve(system, action, body_of(action, example), include=frozenset(["factors", "options"]))
        envelope = {name: value for name, value in ruling.items() if name not in action.fields}
        assert Ruling.model_validate(envelope, strict=True).model_dump(by_alias=True, exclude_unset=True) == envelope
        for name, kind in action.fields.items():
            TypeAdapter(kind).validate_python(ruling[name])
        named = {alias for _, alias, _ in engine.participant_fields(action.body)}
        assert set(ruling["after"]) == named | set(action.after)
        for name, kind in action.after.items():
            TypeAdapter(kind).validate_python(ruling["after"][name])
        assert (ruling["action"], ruling["system"], ruling["rulebook"]) == (f"{system.name}.{action.name}", system.name, system.version)

    def test_the_outcome_is_one_of_the_actions_words(self, system: System, action: Action, example: Mapping[str, Any]) -> None:
        ruling = engine.resolve(system, action, body_of(action, example))
        if action.outcomes:
            assert ruling["outcome"] in action.outcomes

    def test_every_step_cites_a_rule_of_the_book(self, system: System, action: Action, example: Mapping[str, Any]) -> None:
        ruling = engine.resolve(system, action, body_of(action, example))
        assert {step["rule"] for step in ruling["steps"]} <= {rule.id for rule in system.rules}
        assert ruling["steps"]
        for step in ruling["steps"]:
            assert step["text"] == step["text"].strip() != ""
            assert not re.search(r"[{}]|Fraction|Spread|<service", step["text"]), step["text"]
        assert "\n" not in ruling["summary"]

    def test_the_example_survives_json(self, system: System, action: Action, example: Mapping[str, Any]) -> None:
        assert orjson.loads(orjson.dumps(example)) == example
        assert "action" not in example

    def test_the_same_seed_gives_the_same_bytes(self, system: System, action: Action, example: Mapping[str, Any]) -> None:
        include = frozenset(["factors", "options"])
        first = engine.resolve(system, action, body_of(action, example, seed="again"), include=include)
        second = engine.resolve(system, action, body_of(action, orjson.loads(orjson.dumps(example)), seed="again"), include=include)
        assert orjson.dumps(first) == orjson.dumps(second)

    def test_the_dice_may_be_handed_in_as_they_fell(self, system: System, action: Action, example: Mapping[str, Any]) -> None:
        """Faces in the order drawn, and none of the seed's: the same ruling."""
        ruling = engine.resolve(system, action, body_of(action, example))
        rolls = [*ruling["rolls"]]
        for place, one in inside(action, ruling):
            rolls += [{**roll, "roll": f"{place}.{roll['roll']}"} for roll in one["rolls"]]
            del one["request"]
        if any(len(die["replaced"]) > 1 for roll in rolls for die in roll["dice"]):
            pytest.skip("in which order a die was rolled again and again does not show")
        dice = [{"roll": roll["roll"], "faces": in_the_order_drawn(roll["dice"])} for roll in rolls]
        again = engine.resolve(system, action, body_of(action, example, dice=dice, seed=ruling["seed"]))
        for _, one in inside(action, again):
            del one["request"]
        assert {**again, "seedFrom": ruling["seedFrom"]} == ruling

    def test_an_action_inside_an_action_rules_as_it_would_alone(self, system: System, action: Action, example: Mapping[str, Any]) -> None:
        ruling = engine.resolve(system, action, body_of(action, example))
        actions = {f"{system.name}.{one.name}": one for one in system.actions}
        for _, one in inside(action, ruling):
            request = one.pop("request")
            alone = actions[request.pop("action")]
            assert engine.resolve(system, alone, body_of(alone, request)) == one
            assert {step["rule"] for step in one["steps"]} <= {rule.id for rule in system.rules}

    def test_every_option_gives_what_it_says(self, system: System, action: Action, example: Mapping[str, Any]) -> None:
        """Its merge patch applied to the request, which is resolved again, on the same dice."""
        ruling = engine.resolve(system, action, body_of(action, example), include=frozenset(["options"]))
        for option in ruling["options"]:
            document = engine.merge(deepcopy(dict(example)), option["request"])
            taken = engine.resolve(system, action, action.body.model_validate(document))
            assert taken["outcome"] == option["then"]
            assert taken["seed"] == ruling["seed"]
            assert (taken["outcome"], taken["total"], taken["effects"]) != (ruling["outcome"], ruling["total"], ruling["effects"])
            faces = {roll["roll"]: [die["face"] for die in roll["dice"]] for roll in ruling["rolls"]}
            for roll in taken["rolls"]:
                again = [die["face"] for die in roll["dice"]]
                assert all(new == old for new, old in zip(again, faces.get(roll["roll"], again), strict=False))

    def test_every_factor_is_judged_by_what_it_changes(self, system: System, action: Action, example: Mapping[str, Any]) -> None:
        ruling = engine.resolve(system, action, body_of(action, example), include=frozenset(["factors"]))
        keys = [(factor["on"], factor["kind"], factor["name"]) for factor in ruling["factors"]]
        assert len(set(keys)) == len(keys)
        for factor in ruling["factors"]:
            assert (factor["verdict"] == "necessary") == (factor["without"]["outcome"] != ruling["outcome"])

    def test_effects_are_undone_backwards(self, system: System, action: Action, example: Mapping[str, Any]) -> None:
        body = body_of(action, example)
        ruling = engine.resolve(system, action, body)
        named = [alias for _, alias, _ in engine.participant_fields(action.body)]
        people = {name: deepcopy(ruling["after"][name]) for name in named}
        for effect in reversed(ruling["effects"]):
            engine.apply(people, effect["on"], effect["stat"], effect["from"], action.body)
        assert people == engine.after(body, [])

    def test_effects_say_the_difference(self, system: System, action: Action, example: Mapping[str, Any]) -> None:
        ruling = engine.resolve(system, action, body_of(action, example))
        for effect in ruling["effects"]:
            if type(effect["from"]) is int and type(effect["to"]) is int:
                assert effect["change"] == effect["to"] - effect["from"] != 0
            elif type(effect["from"]) is bool:
                assert (effect["to"], effect["change"]) == (not effect["from"], 1 if effect["to"] else -1)

    def test_what_comes_after_is_a_request_again(self, system: System, action: Action, example: Mapping[str, Any]) -> None:
        ruling = engine.resolve(system, action, body_of(action, example))
        named = [alias for _, alias, _ in engine.participant_fields(action.body)]
        body_of(action, example, **{name: ruling["after"][name] for name in named})

    def test_the_odds_are_of_the_published_shape(self, system: System, action: Action, example: Mapping[str, Any]) -> None:
        odds = odds_of(system, action, example)
        assert Odds.model_validate(odds, strict=True).model_dump(by_alias=True, exclude_unset=True) == odds
        orjson.dumps(odds)

    def test_the_odds_add_up_to_one(self, system: System, action: Action, example: Mapping[str, Any]) -> None:
        odds = odds_of(system, action, example)
        assert sum(Fraction(outcome["fraction"]) for outcome in odds["outcomes"]) == 1
        for roll in odds["rolls"]:
            assert sum(Fraction(total["fraction"]) for total in roll["distribution"]) == 1
            assert [total["total"] for total in roll["distribution"]] == sorted({total["total"] for total in roll["distribution"]})

    def test_the_odds_are_of_the_actions_words_in_its_order(self, system: System, action: Action, example: Mapping[str, Any]) -> None:
        words = [outcome["outcome"] for outcome in odds_of(system, action, example)["outcomes"]]
        if action.outcomes and fallen(action, body_of(action, example)).odds_outcome is None:
            assert words == [word for word in action.outcomes if word in words]
        assert len(set(words)) == len(words) > 0

    def test_many_rolls_fall_as_the_odds_say(self, system: System, action: Action, example: Mapping[str, Any]) -> None:
        """Outcomes by a chi-square; the mean total of each roll, and of each stat the mean change, by their standard errors."""
        example = {name: value for name, value in example.items() if name != "method"}
        odds = odds_of(system, action, example)
        body = body_of(action, example, include=[])
        rulings = [engine.resolve(system, action, body.model_copy(update={"seed": f"odds {number}"})) for number in range(SEEDED)]
        outcomes = Counter(ruling["outcome"] for ruling in rulings)
        if fallen(action, body).odds_outcome is not None:
            verdicts = [fallen(action, body.model_copy(update={"seed": ruling["seed"]})) for ruling in rulings]
            outcomes = Counter(verdict.odds_outcome or verdict.outcome for verdict in verdicts)
        chances = {outcome["outcome"]: Fraction(outcome["fraction"]) for outcome in odds["outcomes"]}
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
                continue  # the odds of an even tie need no throws, those of a fight tell no attacks
            error = expected[name]["standardDeviation"] / len(seen) ** 0.5
            assert abs(sum(seen) / len(seen) - expected[name]["mean"]) <= Z * error + 1e-9
        for stat, seen in changes.items():
            mean = sum(seen) / SEEDED
            error = (sum((one - mean) ** 2 for one in seen) / SEEDED / SEEDED) ** 0.5
            # what was the same every time may rarely be otherwise: of what happens once in SEEDED / 14, less than one in a million
            expected_change = odds["expected"].get(stat, 0)
            unseen = 0 if error or expected_change == mean else 14 / SEEDED
            assert abs(mean - expected_change) <= Z * error + unseen + 1e-9, stat

    def test_the_odds_write_nothing(self, system: System, action: Action, example: Mapping[str, Any]) -> None:
        """Every text handed to the odds reading stands in the source as it is: none was made for nobody to read."""
        body = body_of(action, example)
        held = {dice.roll: dice.faces for dice in body.dice}
        frontier: list[tuple[int, ...]] = [()]
        memo: dict[tuple[int, ...], list[int]] = {}
        texts: set[str] = set()

        class Listening(EnumeratedDice):
            def step(self, rule: str, text: str, *facts: object, value: object = None) -> None:
                texts.add(text)

        for _ in range(FOLLOWED):
            if frontier:
                action.rule(
                    body,
                    Listening(frontier.pop(), frontier, memo, {}, lambda name: SuppliedFaces(held[name], "") if name in held else None),
                )
        assert texts <= WRITTEN, texts - WRITTEN


def assert_plausible(seen: Counter[str], chances: dict[str, Fraction]) -> None:
    """A chi-square, what is expected less than five times counted together; it fails by chance less than once in a million."""
    expected = {word: float(chance * seen.total()) for word, chance in chances.items()}
    rare = [word for word, number in expected.items() if number < 5]
    cells = [(seen[word], number) for word, number in expected.items() if number >= 5]
    cells.append((sum(seen[word] for word in rare), sum(expected[word] for word in rare)))
    statistic = sum((found - number) ** 2 / number for found, number in cells if number >= 1)
    # Wilson and Hilferty's approximation of the chi-square's quantile.
    freedom = max(len(cells) - 1, 1)
    assert statistic < freedom * (1 - 2 / (9 * freedom) + 4.76 * (2 / (9 * freedom)) ** 0.5) ** 3, (dict(seen), expected)
    if cells[-1][1] < 1:
        assert cells[-1][0] < 10


def constants(folder: Path) -> set[str]:
    """Every string that stands in the sources of a folder."""
    trees = (ast.parse(path.read_text("utf-8")) for path in folder.rglob("*.py"))
    return {node.value for tree in trees for node in ast.walk(tree) if isinstance(node, ast.Constant) and isinstance(node.value, str)}


WRITTEN = constants(ROOT / "service" / "tablecall" / "systems") | constants(Path(__file__).parent)


@pytest.mark.parametrize(("system", "action", "example"), examples_of(SYSTEMS.values()))
class TestEveryExample(Contract):
    """Every example of the service."""


# ── The tables ───────────────────────────────────────────────────────────────────────────────────────────────────────

SYSTEMS_BY_NAME = [pytest.param(system, id=name) for name, system in SYSTEMS.items()]
EVERY_ACTION = [pytest.param(system, action, id=f"{system.name}.{action.name}") for system in SYSTEMS.values() for action in system.actions]


@pytest.mark.parametrize(("system", "action"), EVERY_ACTION)
def test_every_action_has_examples_and_words(system: System, action: Action) -> None:
    assert action.examples
    assert action.title
    assert action.text.endswith(".")
    assert len(set(action.outcomes)) == len(action.outcomes)
    assert not set(action.fields) & {name for field, info in Ruling.model_fields.items() for name in (field, info.alias)}


@pytest.mark.parametrize("system", SYSTEMS_BY_NAME)
def test_an_action_has_one_name(system: System) -> None:
    names = [action.name for action in system.actions]
    assert len(set(names)) == len(names)
    assert all(re.fullmatch(r"[a-z]+([A-Z][a-z]+)*", name) for name in names)


@pytest.mark.parametrize("system", SYSTEMS_BY_NAME)
def test_the_rule_of_the_dice_is_in_the_book(system: System) -> None:
    assert system.dice_rule in {rule.id for rule in system.rules}


def cited(system: System, paths: Iterable[Path]) -> set[str]:
    """The dotted names under a system's name, wherever a text has them."""
    pattern = re.compile(rf"(?<![\w./]){system.name}(?:\.[a-zA-Z]+)+")
    return {found for path in paths for found in pattern.findall(read(path))}


@cache
def read(path: Path) -> str:
    return path.read_text("utf-8")


def sources(folder: str, *without: str) -> list[Path]:
    kinds = {".py", ".json", ".yaml", ".yml"}
    return [
        path
        for path in (ROOT / folder).rglob("*")
        if path.suffix in kinds and path.name not in without and "node_modules" not in path.parts
    ]


@pytest.mark.parametrize("system", SYSTEMS_BY_NAME)
def test_every_rule_is_cited_where_it_is_obeyed(system: System) -> None:
    found = cited(system, sources("service", "rulebook.py"))
    missing = [rule.id for rule in system.rules if rule.id not in found]
    assert not missing, f"no code cites {', '.join(missing)}"


@pytest.mark.parametrize("system", SYSTEMS_BY_NAME)
def test_every_rule_is_cited_where_it_is_tested(system: System) -> None:
    found = cited(system, sources("tests", "test_rulebooks.py"))
    missing = [rule.id for rule in system.rules if rule.id not in found]
    assert not missing, f"no test cites {', '.join(missing)}"


@pytest.mark.parametrize("system", SYSTEMS_BY_NAME)
def test_no_code_cites_a_rule_there_is_not(system: System) -> None:
    known = {rule.id for rule in system.rules} | {f"{system.name}.{action.name}" for action in system.actions}
    assert cited(system, (ROOT / "service" / "tablecall" / "systems").rglob("*.py")) - known == set()
