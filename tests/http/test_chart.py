"""The odds as a picture."""

from __future__ import annotations

from typing import Any
from xml.etree import ElementTree

import pytest
from starlette.testclient import TestClient

from tablecall.http.chart import svg
from tests.support.client import EXAMPLES, ids

SVG = "{http://www.w3.org/2000/svg}"


def odds(**outcomes: float) -> dict[str, Any]:
    rows = [{"outcome": name, "probability": chance, "percent": f"{chance:.1%}"} for name, chance in outcomes.items()]
    return {"action": "toy.toss", "outcomes": rows}


def test_a_bar_for_each_outcome_as_long_as_it_is_likely() -> None:
    drawn = ElementTree.fromstring(svg(odds(success=0.25, failure=0.75)))
    bars = [float(bar.attrib["width"]) for bar in drawn.iter(f"{SVG}rect") if bar.attrib["class"] == "bar"]
    assert bars == [95.0, 285.0]
    assert [text.text for text in drawn.iter(f"{SVG}text")] == ["toy.toss: exact odds", "success", "25.0%", "failure", "75.0%"]


def test_a_word_that_no_xml_may_hold_is_drawn_all_the_same() -> None:
    drawn = ElementTree.fromstring(svg(odds(**{"a\uffff\x00b": 1.0})))
    assert "a\ufffd\ufffdb" in [text.text for text in drawn.iter(f"{SVG}text")]
    assert drawn[1].text == "a\ufffd\ufffdb 100.0%"


def test_a_simulation_says_how_often_it_was_played_and_how_sure_it_is() -> None:
    found = odds(crew=0.25) | {"simulated": {"trials": 2000}}
    found["outcomes"][0]["interval"] = {"low": 0.2, "high": 0.3}
    drawn = ElementTree.fromstring(svg(found))
    assert drawn[0].text == "toy.toss: odds of 2,000 trials"
    assert [line.attrib["d"] for line in drawn.iter(f"{SVG}path")] == ["M246.0 51H284.0"]


def test_a_column_for_each_number_of_rounds_that_can_be_seen() -> None:
    chances = {1: 0.25, 2: 0.5, 4: 0.2495, 9: 0.0004, 30: 0.0001}
    rows = [{"rounds": number, "probability": chance} for number, chance in chances.items()]
    drawn = ElementTree.fromstring(svg(odds(crew=1.0) | {"rounds": {"distribution": rows, "mean": 2.254, "standardDeviation": 1.0}}))
    columns = [bar.attrib for bar in drawn.iter(f"{SVG}rect") if bar.attrib["class"] == "bar"][1:]
    assert [float(column["height"]) for column in columns] == [50.0, 100.0, 49.9]
    assert [float(column["x"]) for column in columns] == [10.0, 44.0, 112.0]
    assert len({float(column["y"]) + float(column["height"]) for column in columns}) == 1
    texts = [text.text for text in drawn.iter(f"{SVG}text")]
    assert texts[-4:] == ["rounds: 2.3 on average, 2 most often", "1", "2", "4"]
    assert drawn[1].text == "crew 100.0%; 2.3 rounds on average"
    assert float(drawn.attrib["viewBox"].split()[3]) > float(columns[0]["y"]) + float(columns[0]["height"]) + 18


def test_many_rounds_share_the_width_there_is() -> None:
    rows = [{"rounds": number, "probability": 0.01} for number in range(1, 101)]
    drawn = ElementTree.fromstring(svg(odds(crew=1.0) | {"rounds": {"distribution": rows, "mean": 50.5, "standardDeviation": 29.0}}))
    lefts = [float(bar.attrib["x"]) for bar in drawn.iter(f"{SVG}rect") if bar.attrib["class"] == "bar"][1:]
    assert len(lefts) == 100
    assert max(lefts) < 640 - 10
    assert lefts == sorted(set(lefts))


def test_it_says_in_words_what_it_draws() -> None:
    drawn = ElementTree.fromstring(svg(odds(success=0.25, failure=0.75)))
    assert drawn.attrib["role"] == "img"
    assert [(part.tag.removeprefix(SVG), part.text) for part in drawn][:2] == [
        ("title", "toy.toss: exact odds"),
        ("desc", "success 25.0%, failure 75.0%"),
    ]


def test_a_callers_own_word_cannot_break_it() -> None:
    word = "</text><script>alert(1)</script>"
    drawn = ElementTree.fromstring(svg(odds(**{word: 1.0})))
    assert not list(drawn.iter(f"{SVG}script"))
    assert word[:19] + "…" in [text.text for text in drawn.iter(f"{SVG}text")]


@pytest.mark.parametrize(("tag", "name", "body"), EXAMPLES, ids=ids)
def test_the_odds_of_every_example_can_be_drawn(client: TestClient, tag: str, name: str, body: dict[str, Any]) -> None:
    answer = client.post("/odds", json={"action": tag, **body}, headers={"accept": "image/svg+xml"})
    assert answer.status_code == 200
    assert ElementTree.fromstring(answer.text).tag == f"{SVG}svg"
