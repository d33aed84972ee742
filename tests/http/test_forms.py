"""The forms of an answer (JSON, text, Markdown, SVG, CSV) and its language, by header, by query and in the body."""

from __future__ import annotations

import csv
import io
from typing import Any

import pytest
from starlette.testclient import TestClient

from tablecall.http.odds_forms import COLUMNS, as_csv, in_markdown, in_words
from tests.support.client import problem

CHECK: dict[str, Any] = {"actor": {"bonus": 3}, "difficulty": 10, "seed": "42"}
QUERY = "/jazz/check?actor.bonus=3&difficulty=10&seed=42"
TYPES = {
    "json": "application/json; charset=utf-8",
    "text": "text/plain; charset=utf-8",
    "markdown": "text/markdown; charset=utf-8",
    "svg": "image/svg+xml",
    "csv": "text/csv; charset=utf-8",
}
FORMS = [("resolve", name) for name in ("json", "text", "markdown")] + [("odds", name) for name in TYPES]


@pytest.mark.parametrize(("verb", "form"), FORMS)
def test_format_and_accept_choose_the_same_form(client: TestClient, verb: str, form: str) -> None:
    by_format = client.get(f"/{verb}{QUERY}&format={form}", headers={"accept": "video/mp4"})
    assert (by_format.status_code, by_format.headers["content-type"]) == (200, TYPES[form])
    accept = {"accept": TYPES[form].partition(";")[0]}
    by_accept = [
        client.get(f"/{verb}{QUERY}", headers=accept),
        client.post(f"/{verb}/jazz/check", json=CHECK, headers=accept),
        client.post(f"/{verb}", json={"action": "jazz.check", **CHECK}, headers=accept),
    ]
    for answer in by_accept:
        assert (answer.headers["content-type"], answer.content) == (TYPES[form], by_format.content)


def test_ruling_as_text_and_markdown_is_its_summary(client: TestClient) -> None:
    ruling = client.get(f"/resolve{QUERY}").json()
    assert client.get(f"/resolve{QUERY}&format=TEXT").text == ruling["summary"]
    assert client.get(f"/resolve{QUERY}&format=markdown").text == ruling["markdown"]
    assert client.get(f"/resolve{QUERY}&format=").json() == ruling


@pytest.mark.parametrize("query", ["format=svg", "format=yaml", "format=text&format=json"])
def test_unknown_format_is_refused(client: TestClient, query: str) -> None:
    found = problem(client.get(f"/resolve{QUERY}&{query}"), 422, "invalid-request")
    assert found["errors"][0]["pointer"] == "/format"
    assert "“json”, “text” and “markdown”" in found["detail"]


def test_odds_as_csv(client: TestClient) -> None:
    text = client.get(f"/odds{QUERY}&format=csv", headers={"accept-language": "de"}).text
    header, *rows = csv.reader(io.StringIO(text))
    assert tuple(header) == COLUMNS
    assert [row[:2] for row in rows] == [["success", "Erfolg"], ["failure", "Fehlschlag"]]
    assert [row[3:] for row in rows] == [["7/12", "58.3 %", "", ""], ["5/12", "41.7 %", "", ""]]
    assert text.endswith("\r\n")


ROW: dict[str, Any] = {"probability": 1.0, "fraction": "1", "percent": "100 %"}
OWN_WORDS: dict[str, Any] = {
    "action": "jazz.fight",
    "outcomes": [{"outcome": "=1+1", "outcomeText": "=1+1", **ROW, "interval": {"low": 0.5, "high": 1.0}}],
}


def test_cell_of_a_caller_is_no_formula() -> None:
    _, row = csv.reader(io.StringIO(as_csv(OWN_WORDS)))
    assert row == ["'=1+1", "'=1+1", "1.0", "1", "100 %", "0.5", "1.0"]


def test_word_of_a_caller_is_isolated_and_escaped() -> None:
    assert in_words(OWN_WORDS) == "\u2068=1+1\u2069 100 %"
    assert in_markdown(OWN_WORDS) == "**\u2068\\=1\\+1\u2069** 100 %"


def test_length_and_trials_are_in_the_language() -> None:
    document = OWN_WORDS | {"rounds": {"mean": 2.25}, "simulated": {"trials": 100}}
    assert in_words(document).endswith(" 100 %; 2.2 rounds on average (of 100 trials)")
    assert in_words(document, "de").endswith(" 100 %; im Mittel 2.2 Runden (aus 100 Versuchen)")


# ── The language ─────────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("verb", ["resolve", "odds"])
@pytest.mark.parametrize(
    ("sent", "accept", "language"), [(None, "", "en"), (None, "de-AT, en;q=0.5", "de"), ("en", "de", "en"), ("de", "en", "de")]
)
def test_language_of_the_request_comes_before_the_header(
    client: TestClient, verb: str, sent: str | None, accept: str, language: str
) -> None:
    body = CHECK if sent is None else {**CHECK, "language": sent}
    headers = {"accept-language": accept, "accept": "text/plain"}
    posted = client.post(f"/{verb}/jazz/check", json=body, headers=headers)
    got = client.get(f"/{verb}{QUERY}" + ("" if sent is None else f"&language={sent}"), headers=headers)
    for answer in (posted, got):
        assert answer.headers["content-language"] == language
        assert ("Fehlschlag" in answer.text) is (language == "de")


def test_language_of_a_batch_is_that_of_its_items_or_of_the_header(client: TestClient) -> None:
    request = {"action": "jazz.check", **CHECK}
    results = client.post("/batch", json={"requests": [request, {**request, "language": "en"}]}, headers={"accept-language": "de"}).json()[
        "results"
    ]
    assert [result["ruling"]["outcomeText"] for result in results] == ["Fehlschlag", "failure"]


def test_language_is_in_no_receipt_and_changes_no_number(client: TestClient) -> None:
    german, english = (client.post("/resolve/jazz/check", json=CHECK, headers={"accept-language": code}).json() for code in ("de", "en"))
    assert german["summary"] != english["summary"]
    for key in ("rolls", "total", "after", "seed", "effects"):
        assert german[key] == english[key]


def test_problem_has_a_language(client: TestClient) -> None:
    for headers in ({}, {"accept-language": "de"}):
        answer = client.get("/nowhere", headers=headers)
        assert answer.headers["content-language"] == (headers.get("accept-language") or "en")
    assert client.post("/resolve/jazz/check", json={"language": "de"}).headers["content-language"] == "de"
    assert client.get("/resolve/jazz/check?language=de").headers["content-language"] == "de"
