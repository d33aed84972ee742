"""The sentences of rulings: labels, notes, summaries and Markdown."""

from __future__ import annotations

from typing import Any

import pytest

from tablecall.contract.action_models import PUBLISHED
from tablecall.engine import resolve
from tablecall.engine.requests import body_of, tagged
from tablecall.engine.text import MAX_MARKDOWN, utf16_units
from tablecall.systems import ACTIONS

GUARD = {"name": "Guard", "named": False, "aspects": [{"name": "tired guard", "bonus": 1}]}


def ruling(action: str, **request: Any) -> dict[str, Any]:
    return resolve(*tagged({"action": action, "seed": 42, **request}))


def attack(**more: Any) -> dict[str, Any]:
    request = {"attackers": [{"name": "Rook", "bonus": 9}], "defender": {"character": GUARD}}
    dice = [{"roll": "attackers.0", "faces": [4, 3]}, {"roll": "defender", "faces": [1, 3]}]
    return ruling("jazz.attack", **{**request, "dice": dice, **more})


def bare(text: str) -> str:
    return text.translate({0x2068: None, 0x2069: None})


def test_summary_tells_who_did_what_and_what_changed() -> None:
    assert bare(attack()["summary"]) == "Rook attacks Guard: 16 against 4, hit. Guard: health −1, out of the fight"


def test_names_are_isolated() -> None:
    found = attack()
    assert "\u2068Rook\u2069 attacks \u2068Guard\u2069" in found["summary"]
    assert "\u2068Rook\u2069 attacks \u2068Guard\u2069" in found["markdown"]


def test_markdown_has_the_dice() -> None:
    assert bare(attack()["markdown"]).splitlines()[-1] == "Rook 4 \\+ 3 \\+ 9 = 16 · Guard 1 \\+ 3 = 4"
    dropped = ruling(
        "darkpages.check", actor={"pool": {"roll": 3, "keep": 1}}, targetNumber=5, dice=[{"roll": "actor", "faces": [9, 1, 2]}]
    )
    assert dropped["markdown"].endswith("actor 9 ~~1 2~~ = 9")


def test_language_is_chosen_by_the_request() -> None:
    found = attack(language="de")
    assert bare(found["summary"]) == "Rook greift Guard an: 16 gegen 4, Treffer. Guard: Gesundheit −1, aus dem Kampf"
    assert found["outcome"] == "hit"
    assert found["outcomeText"] == "Treffer"


def test_equal_names_are_told_apart_by_id() -> None:
    found = attack(attackers=[{"character": {**GUARD, "id": "g1"}}], defender={"character": {**GUARD, "id": "g2"}})
    assert bare(found["summary"]).startswith("Guard (g1) attacks Guard (g2)")
    healer = {"id": "g1", **GUARD, "aspects": [{"name": "witch", "bonus": 1, "weird": True}]}
    same = ruling("jazz.check", actor={"character": healer, "using": ["witch"]}, effect="restoreHealth.one", subject=healer)
    assert bare(same["summary"]).startswith("Guard tries restoreHealth.one")


def test_rollers_without_a_name_are_called_by_their_role() -> None:
    assert ruling("jazz.teamwork", members=[{"bonus": 1}, {"bonus": 2}], difficulty=5)["summary"].startswith("member 1 and member 2")
    assert ruling("jazz.check", actor={"bonus": 1}, difficulty=5)["summary"].startswith("actor")


def test_option_without_effect_is_noted_once() -> None:
    found = ruling("jazz.check", actor={"bonus": 3, "universal": True}, difficulty=5, ties="opponent", spendOn="success")
    assert [note["pointer"] for note in found["notes"]] == ["/ties", "/spendOn", "/actor/universal"]
    assert found["notes"][0]["text"] == "`ties` was set, but had no effect"
    assert found["notes"][0]["args"] == {"field": "ties"}


def test_option_with_an_effect_is_not_noted() -> None:
    assert ruling("jazz.check", actor={"universal": True, "advantage": True}, difficulty=5)["notes"] == []


def test_steps_have_a_key_and_facts() -> None:
    [step] = [step for step in attack()["steps"] if step["key"] == "jazz.attack.hit"]
    assert step["args"] == {"total": 16, "target": 4}
    assert step["text"] == "16 against 4: a hit"


def test_groups_are_named_by_the_caller() -> None:
    actor = {"pool": {"roll": 2, "keep": 1}, "archetype": "Mystic", "keep": "mostZeros"}
    found = ruling("darkpages.check", actor=actor, targetNumber=5, dice=[{"roll": "actor", "faces": [0, 4]}])
    assert bare(found["summary"]).endswith("Mystic: 1 Training Point for each member")


def test_long_markdown_is_shortened_and_says_so() -> None:
    people = [{"id": f"😀{n}" + "x" * 100, "name": "😀" * 60 + str(n)} for n in range(64)]
    found = ruling("jazz.initiative", combatants=people)
    assert utf16_units(found["markdown"]) <= MAX_MARKDOWN
    assert "more" in found["markdown"]
    fighters = [{"id": str(n), "side": "a" if n % 2 else "b", "actor": {"name": "N" * 110 + str(n), "bonus": 3}} for n in range(64)]
    orders = [{"by": [str(n)], "attack": str(n + 1 if n % 2 == 0 else n - 1)} for n in range(64)]
    found = ruling("jazz.round", combatants=fighters, orders=orders)
    assert utf16_units(found["markdown"]) <= MAX_MARKDOWN
    assert found["markdown"].endswith("… (shortened)")
    fighting = [{"id": n, "actor": {"pool": {"roll": 3, "keep": 2}, "name": "N" * 110 + str(n)}} for n in range(32)]
    actions = [{"action": "darkpages.check", "actor": {"participant": n}, "targetNumber": 9} for n in range(32)]
    found = ruling("darkpages.conflict", participants=fighting, actions=actions)
    assert 1_500 < utf16_units(found["markdown"]) <= MAX_MARKDOWN
    assert found["markdown"].endswith("… (shortened)")
    attacks = [
        {"action": "darkpages.attack", "attacker": {"participant": n}, "defender": {"participant": 31 - n}, "trauma": "injury"}
        for n in range(32)
    ]
    found = ruling("darkpages.conflict", participants=fighting, actions=attacks)
    assert 1_500 < utf16_units(found["markdown"]) <= MAX_MARKDOWN
    assert found["markdown"].endswith("… (shortened)")


@pytest.mark.parametrize("language", ["en", "de"])
def test_every_example_has_short_markdown_and_an_outcome_in_words(language: str) -> None:
    for tag, published in PUBLISHED.items():
        system, action = ACTIONS[tag]
        for example in published.action.examples.values():
            found = resolve(system, action, body_of(action, {**example, "language": language}))
            assert utf16_units(found["markdown"]) <= MAX_MARKDOWN
            assert found["outcomeText"]
            assert found["summary"]
