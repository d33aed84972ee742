"""Refusals carry a code, a status and findings."""

from __future__ import annotations

import pickle
import re

import pytest

from tablecall.model import refusals
from tablecall.model.refusals import Finding, Forbidden, NotJson, Refusal, TooLargeToCount, UnknownRng, Unprocessable, WrongDice, pointer_of

TREE = [
    (Refusal, 422, "refused"),
    (NotJson, 400, "not-json"),
    (Unprocessable, 422, "invalid-request"),
    (Forbidden, 422, "rule-forbids"),
    (WrongDice, 422, "wrong-dice"),
    (UnknownRng, 422, "unknown-rng"),
    (TooLargeToCount, 422, "too-large-to-count"),
]


@pytest.mark.parametrize(("kind", "status", "code"), TREE)
def test_status_and_code(kind: type[Refusal], status: int, code: str) -> None:
    assert issubclass(kind, Refusal)
    assert (kind.status, kind.code) == (status, code)


def test_codes_and_titles_are_unique() -> None:
    kinds = [kind for kind in vars(refusals).values() if isinstance(kind, type) and issubclass(kind, Refusal)]
    assert len({kind.code for kind in kinds}) == len({kind.title for kind in kinds}) == len(kinds) >= len(TREE)
    for kind in kinds:
        assert re.fullmatch(r"[a-z]+(-[a-z]+)*", kind.code)
        assert 400 <= kind.status < 600


def test_detail_is_that_of_the_first_finding() -> None:
    findings = Finding("/a", "wrong", "this is wrong"), Finding("/b", "bad", "that is bad", "toy.rule")
    refused = Unprocessable(*findings)
    assert refused.findings == findings
    assert (refused.detail, str(refused)) == (None, "this is wrong")
    assert refused.words() == "this is wrong (and 1 more error)"


def test_detail_may_be_given() -> None:
    refused = Unprocessable(Finding("/a", "wrong", "this is wrong"), detail="two things are wrong")
    assert refused.detail == str(refused) == "two things are wrong"


def test_detail_without_findings_is_the_title() -> None:
    assert (NotJson().findings, NotJson().words()) == ((), "Bad Request")


def test_refusal_of_one_place() -> None:
    refused = Forbidden.by("toy.rule", "/actor", "not today")
    assert type(refused) is Forbidden
    assert refused.findings == (Finding("/actor", "rule-forbids", "not today", "toy.rule"),)
    assert WrongDice.at("/dice/0", "too few dice").findings == (Finding("/dice/0", "wrong-dice", "too few dice", None),)


@pytest.mark.parametrize(
    "refused",
    [
        NotJson(),
        Forbidden.by("toy.rule", "/actor", "not today"),
        WrongDice(Finding("", "wrong", "first"), Finding("", "bad", "second"), detail="two"),
    ],
)
def test_refusal_can_be_pickled(refused: Refusal) -> None:
    again = pickle.loads(pickle.dumps(refused))
    assert type(again) is type(refused)
    assert (again.findings, again.detail, str(again)) == (refused.findings, refused.detail, str(refused))


def test_pointer_is_escaped() -> None:
    assert pointer_of(["a/b", 0, "m~n", ""]) == "/a~1b/0/m~0n/"
    assert pointer_of([]) == ""
