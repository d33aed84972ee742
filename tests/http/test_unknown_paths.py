"""Paths that lead nowhere, and what they nearly meant."""

from __future__ import annotations

import pytest
from starlette.testclient import TestClient

from tablecall.model.problems import KINDS
from tablecall.systems import SYSTEMS
from tests.support.client import problem

ACTIONS = "; there are " + ", ".join(action.name for action in SYSTEMS["jazz"].actions)


@pytest.mark.parametrize(
    ("path", "said"),
    [
        ("/resolve/jazz/chek", "jazz has no such action; did you mean `check`?"),
        ("/odds/darkpages/no_mercy", "darkpages has no such action; did you mean `noMercy`?"),
        ("/resolve/jazz/check/again", f"jazz has no such action{ACTIONS}"),
        ("/resolve/jazz/xyzzy", f"jazz has no such action{ACTIONS}"),
        ("/odds/jazz", f"jazz has no such action{ACTIONS}"),
        ("/resolve/jaz/check", "no such system; did you mean `jazz`?"),
        ("/resolve/xyzzy/check", "no such system; there are jazz, darkpages"),
        ("/odds/xyzzy", "no such system; there are jazz, darkpages"),
        ("/nowhere", KINDS["not-found"].fix),
        ("/nowhere/jazz/chek", KINDS["not-found"].fix),
    ],
)
@pytest.mark.parametrize("method", ["GET", "POST"])
def test_it_says_what_there_is_instead(client: TestClient, method: str, path: str, said: str) -> None:
    assert problem(client.request(method, path), 404, "not-found")["detail"] == said
