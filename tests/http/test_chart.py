"""Odds as an SVG chart."""

from __future__ import annotations

from typing import Any
from xml.etree import ElementTree

import pytest
from starlette.testclient import TestClient

from tablecall.http.chart import svg
from tests.support.client import EXAMPLES, ids

SVG = "{http://www.w3.org/2000/svg}"


def odds(**outcomes: float) -> dict[str, Any]:
    rows = [{"outcome": name, "outcomeText": name, "probability": chance, "percent": f"{chance:.1%}"} for name, chance in outcomes.items()]
    return {"action": "jazz.fight", "outcomes": rows}


def drawn(document: dict[str, Any]) -> ElementTree.Element:
    return ElementTree.fromstring(svg(document))


def texts(chart: ElementTree.Element) -> list[str | None]:
    return [text.text for text in chart.iter(f"{SVG}text")]


def bars(chart: ElementTree.Element, kind: str = "bar") -> list[dict[str, float]]:
    """The place and size of each bar, or each column."""
    rects = [rect.attrib for rect in chart.iter(f"{SVG}rect") if rect.attrib["class"] == kind]
    return [{name: float(rect[name]) for name in ("x", "y", "width", "height")} for rect in rects]


def rounds(chances: dict[int, float], mean: float) -> dict[str, Any]:
    """Odds of a fight with the chances of each number of rounds."""
    rows = [{"rounds": number, "probability": chance} for number, chance in chances.items()]
    return odds(crew=1.0) | {"rounds": {"distribution": rows, "mean": mean, "standardDeviation": 1.0}}


def test_bar_of_each_outcome() -> None:
    chart = drawn(odds(success=0.25, failure=0.75))
    assert [bar["width"] for bar in bars(chart)] == [95.0, 285.0]
    assert texts(chart) == ["jazz.fight: exact odds", "success", "25.0%", "failure", "75.0%"]
    assert chart.attrib["role"] == "img"
    assert [(part.tag.removeprefix(SVG), part.text) for part in chart][:2] == [
        ("title", "jazz.fight: exact odds"),
        ("desc", "\u2068success\u2069 25.0%, \u2068failure\u2069 75.0%"),
    ]


@pytest.mark.parametrize(
    ("word", "shown"),
    [
        pytest.param("a\uffff\x00b", "a\ufffd\ufffdb", id="characters that XML forbids"),
        pytest.param("</text><script>alert(1)</script>", "</text><script>aler…", id="markup"),
    ],
)
def test_words_of_a_caller_cannot_break_the_chart(word: str, shown: str) -> None:
    chart = drawn(odds(**{word: 1.0}))
    assert not list(chart.iter(f"{SVG}script"))
    assert shown in texts(chart)
    assert shown[0] in (chart[1].text or "")


def test_simulation_shows_trials_and_intervals() -> None:
    document = odds(crew=0.25) | {"simulated": {"trials": 2000}}
    document["outcomes"][0]["interval"] = {"low": 0.2, "high": 0.3}
    chart = drawn(document)
    assert chart[0].text == "jazz.fight: odds of 2,000 trials"
    assert [line.attrib["d"] for line in chart.iter(f"{SVG}path")] == ["M246.0 51H284.0"]


def test_column_of_each_number_of_rounds() -> None:
    chart = drawn(rounds({1: 0.25, 2: 0.5, 4: 0.2495, 9: 0.0004, 30: 0.0001}, 2.254))
    columns = bars(chart, "column")
    assert [column["height"] for column in columns] == [50.0, 100.0, 49.9]  # none for chances too small to see
    assert [column["x"] for column in columns] == [10.0, 44.0, 112.0]
    assert len({column["y"] + column["height"] for column in columns}) == 1
    assert texts(chart)[-5:] == ["rounds: 2.3 on average, 2 most often", "1", "2", "3", "4"]
    assert chart[1].text == "\u2068crew\u2069 100.0%; 2.3 rounds on average"
    assert float(chart.attrib["viewBox"].split()[3]) > columns[0]["y"] + columns[0]["height"] + 18


def test_many_rounds_fit_into_the_width() -> None:
    lefts = [column["x"] for column in bars(drawn(rounds(dict.fromkeys(range(1, 101), 0.01), 50.5)), "column")]
    assert len(lefts) == 100
    assert max(lefts) < 640 - 10
    assert lefts == sorted(set(lefts))


def test_column_of_each_total_of_the_first_roll() -> None:
    totals = [{"total": total, "probability": share} for total, share in ((2, 0.25), (3, 0.5), (4, 0.25))]
    document = odds(success=1.0) | {"rolls": [{"roll": "actor", "distribution": totals, "mean": 3.0}]}
    assert [column["height"] for column in bars(drawn(document), "column")] == [50.0, 100.0, 50.0]
    assert texts(drawn(document))[-4:] == ["totals of actor: 3.0 on average", "2", "3", "4"]
    document["rolls"][0]["distribution"] = totals[:1]
    assert bars(drawn(document), "column") == []
    assert bars(drawn(document | {"rolls": []}), "column") == []


def test_chart_has_a_size_and_a_card_to_stand_on() -> None:
    chart = drawn(odds(success=1.0))
    width, height = chart.attrib["width"], chart.attrib["height"]
    assert chart.attrib["viewBox"] == f"0 0 {width} {height}"
    (card,) = bars(chart, "card")
    assert (card["width"], card["height"]) == (float(width) - 1, float(height) - 1)


def test_two_charts_in_one_page_have_ids_and_styles_of_their_own() -> None:
    first, second = drawn(odds(success=1.0)), drawn(odds(failure=1.0))
    ids_of = [{part.attrib["id"] for part in chart.iter() if "id" in part.attrib} for chart in (first, second)]
    assert [len(found) for found in ids_of] == [2, 2]
    assert not ids_of[0] & ids_of[1]
    assert first.attrib["aria-labelledby"].split() == [first[0].attrib["id"], first[1].attrib["id"]]
    for chart in (first, second):
        rules = (chart[2].text or "").replace("@media(prefers-color-scheme:dark){", "}").split("}")
        assert all(rule.startswith(f".{chart.attrib['class']} ") for rule in rules if rule)


@pytest.mark.parametrize(("theme", "dark", "follows"), [("light", False, False), ("DARK", True, False), ("", True, True)])
def test_theme_of_a_chart(client: TestClient, theme: str, dark: bool, follows: bool) -> None:
    answer = client.get("/odds/jazz/check", params={"actor.bonus": 3, "difficulty": 10, "format": "svg", "theme": theme})
    assert answer.headers["content-type"] == "image/svg+xml"
    assert ("#1b2028" in answer.text, "prefers-color-scheme" in answer.text) == (dark, follows)


def test_theme_is_for_charts_alone(client: TestClient) -> None:
    query = {"actor.bonus": 3, "difficulty": 10}
    refused = client.get("/odds/jazz/check", params={**query, "theme": "pink"})
    assert [(one["pointer"], one["code"]) for one in refused.json()["errors"]] == [("/theme", "unknown-value")]
    assert client.get("/odds/jazz/check", params={**query, "theme": "dark"}).json()["method"] == "exact"
    assert client.get("/resolve/jazz/check", params={**query, "theme": "dark"}).status_code == 422


@pytest.mark.parametrize(("tag", "name", "body"), EXAMPLES, ids=ids)
def test_odds_of_every_example_can_be_drawn(client: TestClient, tag: str, name: str, body: dict[str, Any]) -> None:
    answer = client.post("/odds", json={"action": tag, **body}, headers={"accept": "image/svg+xml"})
    assert answer.status_code == 200
    assert ElementTree.fromstring(answer.text).tag == f"{SVG}svg"
