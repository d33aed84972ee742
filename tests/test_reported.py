"""What users of this and of other services reported: each test sends the small request that went wrong for somebody."""

from __future__ import annotations

import json
from typing import Any

import pytest
from starlette.testclient import TestClient
from typer.testing import CliRunner

from tablecall.cli import main
from tests.support.client import problem

CHECK: dict[str, Any] = {"action": "jazz.check", "actor": {"bonus": 3}, "difficulty": 10}
NYX: dict[str, Any] = {
    "name": "Nyx",
    "archetype": "Warrior",
    "attributes": {name: {"roll": 5, "keep": 3} for name in ("body", "mind", "soul")},
    "lethal": "health",
}


def jazz(id_: str | int, **more: Any) -> dict[str, Any]:
    aspects = [{"name": "driver", "bonus": 2}, {"name": "witch", "bonus": 2, "weird": True}]
    return {"id": id_, "name": f"Rook {id_}", "aspects": aspects, "health": {"current": 2, "max": 3}, **more}


def actor(id_: str | int, **more: Any) -> dict[str, Any]:
    return {"character": jazz(id_), "using": ["driver"], **more}


def nyx(id_: str | int, **more: Any) -> dict[str, Any]:
    return {"character": {"id": id_, **NYX, **more}, "attribute": "body"}


def resolve(client: TestClient, action: str, **body: Any) -> dict[str, Any]:
    """The ruling."""
    answer = client.post("/resolve", json={"action": action, **body})
    assert answer.status_code == 200, answer.text
    ruling: dict[str, Any] = answer.json()
    return ruling


def refusal(client: TestClient, action: str, **body: Any) -> dict[str, Any]:
    """The first error of a refusal."""
    error: dict[str, Any] = problem(client.post("/resolve", json={"action": action, **body}), 422)["errors"][0]
    return error


# ── Ids ──────────────────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("action", "body", "pointer"),
    [
        ("jazz.attack", {"attackers": [actor("r")], "defender": actor("r")}, "/defender/character/id"),
        ("jazz.attack", {"attackers": [actor(1)], "targets": [actor(2), actor("1")]}, "/targets/1/character/id"),
        ("jazz.teamwork", {"members": [actor(1), actor(2)], "opponent": actor(2)}, "/members/1/character/id"),
        ("jazz.recovery", {"characters": [jazz(1), jazz("1")], "rest": "night"}, "/characters/1/id"),
        ("darkpages.attack", {"attacker": nyx(1), "defender": nyx(1), "trauma": "injury"}, "/defender/character/id"),
        ("darkpages.swarm", {"members": [nyx(1), nyx(1)], "targetNumber": 9, "use": "highest"}, "/members/1/character/id"),
        ("darkpages.noMercy", {"attacker": nyx(1), "victim": nyx(1, defeated=True)["character"], "trauma": "injury"}, "/victim/id"),
    ],
)
def test_nobody_takes_part_twice(client: TestClient, action: str, body: dict[str, Any], pointer: str) -> None:
    assert refusal(client, action, **body)["pointer"] == pointer


def test_healer_may_be_the_subject_with_the_id_as_text(client: TestClient) -> None:
    body = {"actor": {"character": jazz(1), "using": ["witch"]}, "effect": "restoreHealth.full", "seed": 1}
    ruling = resolve(client, "jazz.check", **body, subject=jazz("1", name="Rook 1"))
    assert ruling["after"]["actor"]["character"]["weird"] == ruling["after"]["subject"]["weird"]
    assert "(1)" not in ruling["summary"]
    assert refusal(client, "jazz.check", **body, subject=jazz(1, name="Vale"))["code"] == "not-allowed"


def test_participants_of_a_conflict_may_share_a_sheet(client: TestClient) -> None:
    people = [{"id": "a", "actor": nyx("guard")}, {"id": "b", "actor": nyx("guard")}]
    attack = {"action": "darkpages.attack", "attacker": {"participant": "a"}, "defender": {"participant": "b"}, "trauma": "injury"}
    assert resolve(client, "darkpages.conflict", participants=people, actions=[attack])["outcome"] == "ongoing"


def test_targets_of_a_turn_are_attacked_once(client: TestClient) -> None:
    combatants = [{"id": name, "side": name, "actor": actor(name)} for name in "ab"]
    body = {"combatants": combatants, "order": [{"ids": ["a"]}, {"ids": ["b"]}]}
    assert (
        refusal(client, "jazz.turn", **body, turn={"by": ["a"], "targets": ["b", "b"], "using": ["witch"]})["pointer"] == "/turn/targets/1"
    )


# ── Lines and numbers ────────────────────────────────────────────────────────────────────────────────────────────────


def test_numbers_of_an_attack_are_those_of_the_damage_check(client: TestClient) -> None:
    dice = [
        {"roll": "attacker", "faces": [9, 5, 1, 1]},
        {"roll": "defender", "faces": [3, 3, 0, 0, 0]},
        {"roll": "defender.damage", "faces": [9, 4, 1, 1, 1]},
    ]
    body = {"attacker": {"pool": {"roll": 4, "keep": 2}}, "defender": nyx(1), "trauma": "injury", "dice": dice}
    ruling = resolve(client, "darkpages.attack", **body)
    assert (ruling["outcome"], ruling["total"], ruling["target"], ruling["margin"]) == ("stalemate", 14, 14, 0)
    assert "14 against 6." in ruling["summary"]
    assert "14 against 14, stalemate" in ruling["summary"]


def test_ledger_shows_the_first_spelling_of_an_archetype(client: TestClient) -> None:
    body = {"ledger": [{"archetype": "Straße", "points": 1}], "award": {"archetype": " STRASSE ", "points": 2}}
    assert resolve(client, "darkpages.training", **body)["summary"].replace("\u2068", "").replace("\u2069", "") == (
        "Training Points: each Straße +2. ledger entry: Training Points 1 → 3"
    )


def test_sheet_check_warns_of_who_is_out_of_the_game(client: TestClient) -> None:
    ruling = resolve(client, "darkpages.character", character=NYX | {"outOfGame": True, "damage": {"health": "destroyed"}})
    (found,) = ruling["findings"]
    assert (ruling["outcome"], found["rule"], found["pointer"]) == ("legal", "darkpages.damage.destroyed", "/character/outOfGame")


# ── Refusals ─────────────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("body", "pointer", "code", "detail"),
    [
        ({"action": "jazz.chek"}, "/action", "unknown-action", "there is no action “jazz.chek”; did you mean “jazz.check”?"),
        ({"action": "jazz.\u202echeck"}, "/action", "unknown-action", "there is no action “…”; did you mean “jazz.check”?"),
        ({"action": "x" * 500}, "/action", "unknown-action", "there is no action “…”"),
        (CHECK | {"language": "fr"}, "/language", "unknown-value", "`language` must be one of “en” and “de”, not “fr”"),
        (CHECK | {"language": "f\nr"}, "/language", "unknown-value", "`language` must be one of “en” and “de”"),
        (CHECK | {"actor": {"bonus": 300}}, "/actor/bonus", "out-of-range", "`bonus` must be at most 99"),
        ({"action": "jazz.check"}, "/actor", "missing-field", "`actor` is missing"),
    ],
)
def test_refusal_tells_a_player_what_was_wrong(client: TestClient, body: dict[str, Any], pointer: str, code: str, detail: str) -> None:
    found = problem(client.post("/resolve", json=body), 422)
    assert found["detail"] == detail
    assert (found["errors"][0]["pointer"], found["errors"][0]["code"]) == (pointer, code)


def test_rescue_of_no_roll_is_an_unknown_name(client: TestClient) -> None:
    attack = {"attackers": [{"bonus": 1}], "defender": {"bonus": 1}}
    for action, body in (("jazz.attack", attack), ("jazz.teamwork", {"members": [{"bonus": 1}], "difficulty": 9})):
        assert refusal(client, action, **body, rescue="attackers.4")["code"] == "unknown-name"


def test_level_of_two_spellings_is_listed_once(client: TestClient) -> None:
    detail = refusal(client, "jazz.check", actor={"bonus": 3}, level="hard")["detail"]
    assert "“frustrating” and “nigh-impossible”, not “hard”" in detail
    assert "nighImpossible" not in detail


@pytest.mark.parametrize(("name", "meant"), [("actor[bonus]", "actor.bonus"), ("actor[using][]", "actor.using")])
def test_query_with_brackets_is_told_of_dots(client: TestClient, name: str, meant: str) -> None:
    found = problem(client.get("/resolve/jazz/check", params={name: "3", "difficulty": 10}), 422)
    assert found["detail"] == f"there is no field `{name}` here; did you mean “{meant}”?"
    assert "…" in problem(client.get("/resolve/jazz/check", params={"a[" + "b" * 500: "3"}), 422)["detail"]


@pytest.mark.parametrize(
    "rolls",
    [
        5,
        [5],
        [{"from": "table"}],
        [{"from": "table", "roll": "actor", "dice": [1, 2]}],
        [{"from": "table", "roll": "actor", "dice": [{"face": 1}]}],
        [{"from": "table", "roll": "actor", "dice": [{"face": "six", "replaced": []}]}],
    ],
)
def test_verify_says_that_a_ruling_with_broken_rolls_differs(client: TestClient, rolls: Any) -> None:
    sent = {"request": CHECK, "ruling": {"outcome": "success", "seed": "an evening", "rolls": rolls}}
    answer = client.post("/verify", json=sent)
    assert (answer.status_code, answer.json()["verdict"]) == (200, "differs"), answer.text
    assert answer.json()["differences"][0].startswith("/rolls")


def test_verify_asks_for_a_ruling_where_it_is_missing(client: TestClient) -> None:
    found = problem(client.post("/verify", json={"request": CHECK, "ruling": []}), 422)
    assert (found["detail"], found["errors"][0]["pointer"]) == ("a ruling must be a JSON object", "/ruling")


@pytest.mark.parametrize(
    ("variable", "value", "message"),
    [
        ("ResolveRequest!", None, "the variable `r`: Expected value of non-null type 'ResolveRequest!' not to be None."),
        ("ResolveRequest!", {"jazzChek": {}}, "there is no field `jazzChek` here. Did you mean 'jazzCheck', 'jazzFate', or 'jazzTurn'?"),
        (
            "ResolveRequest!",
            {"jazzCheck": {"actor": {"bonus": 3}, "level": "nigh-impossible"}},
            "the variable `r`: Value 'nigh-impossible' does not exist in 'AttemptTermsLevel' enum. "
            "Did you mean the enum value 'nighImpossible'?",
        ),
        ("ResolveRequest!", {"jazzCheck": {"level": "x\u202e" * 50}}, "`level` must be one of"),
    ],
)
def test_graphql_names_the_variable_and_what_is_wrong(client: TestClient, variable: str, value: Any, message: str) -> None:
    query = f"query($r: {variable}) {{ resolve(request: $r) {{ outcome }} }}"
    error = client.post("/graphql", json={"query": query, "variables": {"r": value}}).json()["errors"][0]
    assert error["message"].startswith(message)
    assert "\u202e" not in error["message"]


def test_graphql_says_where_a_document_ends_to_be_one(client: TestClient) -> None:
    error = client.post("/graphql", json={"query": "{systems {"}).json()["errors"][0]
    assert error["message"] == "the query is not a GraphQL document from line 1, column 11 on"


# ── Forms ────────────────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("accept", "media"),
    [
        ("application/openmetrics-text; version=1.0.0", "application/openmetrics-text; version=1.0.0"),
        ("application/openmetrics-text; version=0.0.1, text/plain; version=0.0.4", "text/plain; version=0.0.4"),
        ("text/plain; version=1.0.0", "text/plain; version=1.0.0"),
        ("*/*", "text/plain; version=0.0.4"),
    ],
)
def test_metrics_are_in_the_version_that_the_scraper_reads(client: TestClient, accept: str, media: str) -> None:
    assert client.get("/metrics", headers={"accept": accept}).headers["content-type"].startswith(f"{media}; charset=utf-8")


def test_undecided_fight_goes_on_with_the_same_seed(client: TestClient) -> None:
    combatants = [{"id": name, "side": name, "actor": actor(name)} for name in "ab"]
    first = resolve(client, "jazz.fight", combatants=combatants, maxRounds=1, seed="the vault")
    second = resolve(client, "jazz.fight", **first["after"], maxRounds=1, seed="the vault")
    whole = resolve(client, "jazz.fight", combatants=combatants, maxRounds=2, seed="the vault")
    assert whole["after"] == second["after"]
    assert whole["rolls"] == first["rolls"] + second["rolls"]


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
def test_command_line_reads_what_editors_write(encoding: str) -> None:
    run = CliRunner().invoke(main, ["resolve", "-"], input=json.dumps({**CHECK, "actor": {"bonus": 3, "name": "Zoë"}}).encode(encoding))
    assert (run.exit_code, json.loads(run.stdout)["rolls"][0]["name"]) == (0, "Zoë")


def test_command_line_refuses_half_a_character() -> None:
    run = CliRunner().invoke(main, ["resolve", "-"], input=b"\xff\xfe\x00")
    assert (run.exit_code, json.loads(run.stderr)["status"]) == (1, 400)


# ── Dice from the table ──────────────────────────────────────────────────────────────────────────────────────────────

FIGHTERS = [{"id": name, "side": name, "actor": actor(name)} for name in "abc"]


def test_ruling_says_which_dice_came_from_the_table(client: TestClient) -> None:
    dice = [{"roll": "actor", "faces": [6, 6]}]
    alone = resolve(client, "jazz.check", actor={"bonus": 3}, difficulty=10, dice=dice)
    assert (alone["seedFrom"], alone["rolls"][0]["from"]) == ("table", "table")
    both = resolve(client, "jazz.check", actor={"bonus": 3}, opponent={"bonus": 3}, dice=dice)
    assert (both["seedFrom"], [roll["from"] for roll in both["rolls"]]) == ("service", ["table", "seed"])


def test_dice_stay_with_their_combatant_when_a_turn_falls_away(client: TestClient) -> None:
    # `a` puts `b` out, so the dice thrown for `b` are not used, and those for `c` are not shifted
    body: dict[str, Any] = {"combatants": [FIGHTERS[0], {**FIGHTERS[1], "actor": {"character": jazz("b", named=False)}}, FIGHTERS[2]]}
    body["order"] = [{"ids": ["a"]}, {"ids": ["b"]}, {"ids": ["c"]}]
    body["orders"] = [{"by": ["a"], "attack": "b"}, {"by": ["b"], "attack": "c"}, {"by": ["c"], "attack": "a"}]
    thrown = {"combatants.0.round1.attack": [6, 6], "combatants.1.round1.attack": [6, 5], "combatants.2.round1.attack": [5, 5]}
    ruling = resolve(client, "jazz.round", **body, dice=[{"roll": roll, "faces": faces} for roll, faces in thrown.items()], seed=1)
    assert ruling["unusedDice"] == [{"roll": "combatants.1.round1.attack", "faces": [6, 5]}]
    assert [turn["outcome"] for turn in ruling["turns"]][1] == "lost"
    assert {roll["roll"]: [die["face"] for die in roll["dice"]] for roll in ruling["rolls"]}["combatants.2.round1.attack"] == [5, 5]


def test_tie_of_initiative_asks_for_dice_of_the_table(client: TestClient) -> None:
    dice = [{"roll": f"combatants.{number}", "faces": [3, number + 3]} for number in (0, 1, 2)]
    dice[1]["faces"] = [3, 3]
    asked = client.post("/rolls", json={"action": "jazz.turn", "combatants": FIGHTERS, "dice": dice}).json()
    assert [one["roll"] for one in asked["needed"]] == ["combatants.0.tie1", "combatants.1.tie1"]
    assert not asked["complete"]


def test_unknown_roll_is_refused_with_the_nearest(client: TestClient) -> None:
    body = {"combatants": FIGHTERS, "order": [{"ids": [name]} for name in "abc"], "turn": {"by": ["a"], "attack": "b"}}
    error = refusal(client, "jazz.turn", **body, dice=[{"roll": "combatants.0.round1.attak", "faces": [1, 1]}])
    assert error["detail"] == "no turn here can make combatants.0.round1.attak; the nearest is combatants.0.round1.attack"


# ── Names ────────────────────────────────────────────────────────────────────────────────────────────────────────────


def test_name_cannot_turn_the_line_around_or_format_it(client: TestClient) -> None:
    ruling = resolve(client, "jazz.check", actor={"name": "a\u2069 \u202eש\u200dc **x** @everyone", "bonus": 3}, difficulty=10, seed=1)
    assert ruling["summary"].startswith("\u2068a ש\u200dc **x** @everyone\u2069: ")
    assert ruling["markdown"].startswith("\u2068a ש\u200dc \\*\\*x\\*\\* @\u200beveryone\u2069: ")
    assert ruling["steps"][0]["markdown"].startswith("\u2068a ש\u200dc \\*\\*x\\*\\* @\u200beveryone\u2069: ")


def test_markdown_of_many_emoji_fits_a_chat(client: TestClient) -> None:
    combatants = [{"id": number, "name": "😀*" * 60} for number in range(64)]
    markdown = resolve(client, "jazz.initiative", combatants=combatants, ties="listed")["markdown"]
    assert len(markdown.encode("utf-16-le")) // 2 <= 1_900
    assert markdown.endswith("… (shortened)")


def test_equal_names_are_told_apart_in_initiative_and_rounds(client: TestClient) -> None:
    def guard(name: str) -> dict[str, Any]:
        return {"id": name, "side": name, "actor": {"character": {"name": "Guard", "aspects": []}}}

    assert (
        "\u2068Guard (g1)\u2069"
        in resolve(client, "jazz.initiative", combatants=[{"id": n, "name": "Guard"} for n in ("g1", "g2")])["summary"]
    )
    ruling = resolve(client, "jazz.round", combatants=[guard("g1"), guard("g2")], orders=[{"by": ["g1"], "attack": "g2"}])
    assert "\u2068Guard (g1)\u2069 attacks \u2068Guard (g2)\u2069" in ruling["summary"]


def test_sides_of_another_case_are_one_side(client: TestClient) -> None:
    sides = [{**FIGHTERS[0], "side": "crew"}, {**FIGHTERS[1], "side": "Crew "}]
    assert resolve(client, "jazz.fight", combatants=[*sides, {**FIGHTERS[2], "side": "museum"}])["outcome"] in ("crew", "museum")
    assert resolve(client, "jazz.fight", combatants=sides)["attacks"] == []


@pytest.mark.parametrize("name", [" ", "\u200b", "\u2066\u2069", "\u3164"])
def test_name_that_nobody_sees_is_refused(client: TestClient, name: str) -> None:
    assert refusal(client, "jazz.check", actor={"bonus": 3, "name": name}, difficulty=9)["code"] == "bad-characters"


def test_aspect_of_another_unicode_form_is_found(client: TestClient) -> None:
    sheet = {"name": "Zoë", "aspects": [{"name": "café owner", "bonus": 2}]}
    ruling = resolve(client, "jazz.check", actor={"character": sheet, "using": [" CAFE\u0301 Owner"]}, difficulty=9)
    assert ruling["rolls"][0]["modifier"] == 2
    error = refusal(client, "jazz.check", actor={"character": sheet, "using": ["cafe ownr"]}, difficulty=9)
    assert (error["code"], error["detail"]) == ("unknown-aspect", "no aspect called “cafe ownr”; did you mean “café owner”?")


def test_turn_says_which_effect_was_tried(client: TestClient) -> None:
    order = [{"ids": [name]} for name in "abc"]
    check = {"effect": "restoreHealth.full", "subject": "a"}
    body = {"combatants": FIGHTERS, "order": order, "turn": {"by": ["a"], "check": check, "using": ["witch"]}}
    assert "\u2068Rook a\u2069 tries restoreHealth.full: " in resolve(client, "jazz.turn", **body, seed=1)["summary"]


# ── Seeds, queries, caches ───────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(("one", "other"), [("é", "e\u0301"), ("a", "A"), ("a", "a "), (" a", "a"), ("1", "01"), ("ß", "ss")])
def test_different_texts_are_different_seeds(client: TestClient, one: str, other: str) -> None:
    body = {"members": [{"bonus": 1}] * 8, "difficulty": 10}
    assert resolve(client, "jazz.teamwork", **body, seed=one)["rolls"] != resolve(client, "jazz.teamwork", **body, seed=other)["rolls"]


@pytest.mark.parametrize(
    ("query", "dice"),
    [
        ("actor.advantage=True", 3),
        ("actor.advantage=1", 3),
        ("actor.advantage", 3),
        ("actor.advantage=FALSE", 2),
        ("actor.advantage=", 2),
        ("level=&actor.name=", 2),
        ("_=1700000000", 2),
    ],
)
def test_query_is_read_as_forms_and_scripts_write_it(client: TestClient, query: str, dice: int) -> None:
    answer = client.get(f"/resolve/jazz/check?actor.bonus=3&difficulty=10&{query}")
    assert answer.status_code == 200, answer.text
    assert len(answer.json()["rolls"][0]["dice"]) == dice


def test_parameter_of_a_link_tracker_is_named(client: TestClient) -> None:
    found = problem(client.get("/resolve/jazz/check?actor.bonus=3&difficulty=10&utm_source=x"), 422)
    assert found["detail"] == "there is no field `utm_source` here"


def test_seeded_answers_are_kept_for_an_hour_and_checked_by_their_etag(client: TestClient) -> None:
    path = "/resolve/jazz/check?actor.bonus=3&difficulty=10&seed=1"
    answer = client.get(path)
    assert answer.headers["cache-control"] == "public, max-age=3600"
    assert client.get(path, headers={"if-none-match": answer.headers["etag"]}).status_code == 304
    others = [client.get(path, headers={"accept-language": "de"}), client.get(f"{path}&format=text"), client.get(f"{path}0")]
    assert len({other.headers["etag"] for other in (answer, *others)}) == 4
    assert client.get(path.removesuffix("&seed=1")).headers["cache-control"] == "no-store"


@pytest.mark.parametrize("path", ["/resolve", "/odds", "/rolls", "/batch", "/verify", "/graphql"])
def test_byte_order_mark_is_skipped_everywhere(client: TestClient, path: str) -> None:
    sent = {
        "/batch": {"requests": [CHECK]},
        "/verify": {"request": CHECK, "ruling": {"outcome": "x", "seed": 1}},
        "/graphql": {"query": "{__typename}"},
    }
    body = json.dumps(sent.get(path, CHECK)).encode("utf-8-sig")
    assert client.post(path, content=body, headers={"content-type": "application/json"}).status_code == 200


def test_number_beyond_a_double_is_out_of_range_at_its_place(client: TestClient) -> None:
    body = json.dumps(CHECK).replace("10", "1e400").encode()
    found = problem(client.post("/resolve", content=body, headers={"content-type": "application/json"}), 422)
    assert (found["errors"][0]["pointer"], found["errors"][0]["code"]) == ("/difficulty", "out-of-range")
    nan = client.post("/resolve", content=body.replace(b"1e400", b"NaN"), headers={"content-type": "application/json"})
    assert problem(nan, 400)["errors"][0]["code"] == "not-json"


def test_line_separators_are_escaped_in_lines(client: TestClient) -> None:
    line = json.dumps({**CHECK, "actor": {"bonus": 3, "name": "a\u2028b"}}).encode() + b"\n"
    answer = client.post("/batch?seed=1", content=line, headers={"content-type": "application/x-ndjson"})
    assert len(answer.text.splitlines()) == 1
    assert answer.json()["ruling"]["rolls"][0]["name"] == "a\u2028b"


# ── Odds and options ─────────────────────────────────────────────────────────────────────────────────────────────────


def test_simulation_that_never_lost_does_not_say_never(client: TestClient) -> None:
    combatants = [{**FIGHTERS[0], "actor": {"character": {**jazz("a"), "health": {"current": 5, "max": 5}}}}]
    strong = {"name": "Chief", "aspects": [{"name": "officer", "bonus": 7}], "health": {"current": 5, "max": 5}}
    combatants.append({"id": "z", "side": "museum", "actor": {"character": strong, "using": ["officer"]}})
    body = {
        "action": "jazz.fight",
        "combatants": combatants,
        "order": [{"ids": ["a"]}, {"ids": ["z"]}],
        "method": "simulation",
        "trials": 500,
    }
    odds = client.post("/odds", json={**body, "seed": 1}).json()
    assert {row["outcome"]: row["percent"][0] for row in odds["outcomes"]} == {"museum": ">", "a": "<", "undecided": "<"}
    for accept in ("text/plain", "text/markdown", "text/csv", "image/svg+xml", "text/event-stream"):
        assert "100 %" not in client.post("/odds", json={**body, "seed": 1}, headers={"accept": accept}).text


def test_no_karma_is_offered_after_the_roll(client: TestClient) -> None:
    sheet = jazz("r", karma="positive")
    dice = [{"roll": "actor", "faces": [1, 1]}]
    ruling = resolve(client, "jazz.check", actor={"character": sheet}, difficulty=8, dice=dice, include=["options"])
    (option,) = ruling["options"]
    assert (option["choice"], option["request"]["rescue"], option["chance"]) == ("rescue", True, pytest.approx(1 / 6))
    (cost,) = option["costs"]
    assert (cost["stat"], cost["from"], cost["to"]) == ("karma", "positive", "neutral")


def test_odds_and_roll_come_in_one_answer(client: TestClient) -> None:
    ruling = resolve(client, "jazz.check", actor={"bonus": 3}, difficulty=10, include=["odds"])
    assert ruling["odds"]["outcomes"] == client.post("/odds", json=CHECK).json()["outcomes"]


def test_places_of_an_order_are_objects(client: TestClient) -> None:
    order = resolve(client, "jazz.initiative", combatants=[{"id": 1}, {"id": 2}], ties="simultaneous")["after"]["order"]
    assert all(set(place) == {"ids", "total"} for place in order)


def test_unknown_action_of_a_path_lists_all(client: TestClient) -> None:
    assert "“check”, “teamwork”" in problem(client.post("/resolve/jazz/foo", json={}), 404)["detail"]
    assert problem(client.post("/resolve/jazz/chek", json={}), 404)["detail"].endswith("did you mean “check”?")


def test_attribute_that_agrees_with_the_trauma_is_taken(client: TestClient) -> None:
    body = {"target": {**nyx(1), "attribute": "soul"}, "against": 15, "opposed": False}
    assert resolve(client, "darkpages.damage", **body, trauma="corruption")["rolls"][0]["roll"] == "target"
    assert refusal(client, "darkpages.damage", **body, trauma="injury")["pointer"] == "/target/attribute"


# ── GraphQL ──────────────────────────────────────────────────────────────────────────────────────────────────────────


def test_mutation_rolls_anew_each_time(client: TestClient) -> None:
    query = "mutation { resolve(request: {jazzCheck: {actor: {bonus: 3}, difficulty: 10}}) { seed } }"
    seeds = {client.post("/graphql", json={"query": query}).json()["data"]["resolve"]["seed"] for _ in range(3)}
    assert len(seeds) == 3


@pytest.mark.parametrize("method", ["GET", "POST"])
def test_hash_of_a_query_without_its_text_is_answered_as_clients_expect(client: TestClient, method: str) -> None:
    extensions = {"persistedQuery": {"version": 1, "sha256Hash": "ecf4"}}
    post, get = (
        {"json": {"extensions": extensions}},
        {"params": {"extensions": json.dumps(extensions)}, "headers": {"accept": "application/json"}},
    )
    answer = client.request(method, "/graphql", **(get if method == "GET" else post))
    assert answer.status_code == 200
    assert answer.json()["errors"][0]["extensions"]["code"] == "PERSISTED_QUERY_NOT_SUPPORTED"


def test_empty_name_of_an_operation_is_no_name(client: TestClient) -> None:
    assert client.post("/graphql", json={"query": "{__typename}", "operationName": ""}).json() == {"data": {"__typename": "Query"}}
