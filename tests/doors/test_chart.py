"""The odds as a picture."""

from __future__ import annotations

from typing import Any
from xml.etree import ElementTree

import pytest
from starlette.testclient import TestClient

from service.doors.chart import svg
from tests.doors.asking import EXAMPLES, ids

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
