"""The media type of a response (RFC 9110, section 12.5.1)."""

from __future__ import annotations

import contextlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tablecall.http.negotiation import negotiate, negotiate_language, prefers
from tablecall.model.problems import HttpProblem

OFFERED = ("application/json", "text/plain", "image/svg+xml")


@pytest.mark.parametrize(
    ("accept", "chosen"),
    [
        ("", "application/json"),
        ("*/*", "application/json"),
        ("text/plain", "text/plain"),
        ("TEXT/Plain", "text/plain"),
        ("text/*", "text/plain"),
        ("image/*, text/plain;q=0.5", "image/svg+xml"),
        ("text/plain, application/json", "application/json"),
        ("text/plain;q=0.9, application/json;q=0.8", "text/plain"),
        ("application/json;q=0, */*", "text/plain"),
        ("text/plain ; q=0.2 , */* ; q=0.1", "text/plain"),
        ("text/html, application/xhtml+xml, */*;q=0.8", "application/json"),
        ("text/plain;charset=utf-8", "text/plain"),
        ("text/plain;q=nan, application/json;q=0.5", "text/plain"),
        ("text/plain;q=-1, application/json;q=0.5", "text/plain"),
        ("text/plain;q=7, application/json", "application/json"),
        ("application/json;q=0.001", "application/json"),
        ("text/plain;q=1.000, image/svg+xml;q=0.999", "text/plain"),
    ],
)
def test_preferred_media_type_is_chosen(accept: str, chosen: str) -> None:
    assert negotiate(accept, OFFERED) == chosen


@pytest.mark.parametrize("accept", ["text/html", "application/json;q=0", "*/*;q=0", "video/*", "nonsense", ",", ";q=1"])
def test_no_acceptable_media_type(accept: str) -> None:
    with pytest.raises(HttpProblem) as caught:
        negotiate(accept, OFFERED)
    assert caught.value.kind.status == 406
    assert all(media in caught.value.words() for media in OFFERED)


@given(st.text())
def test_any_accept_header_is_answered_or_refused(accept: str) -> None:
    with contextlib.suppress(HttpProblem):
        assert negotiate(accept, OFFERED) in OFFERED


@pytest.mark.parametrize(
    ("accept", "language"),
    [
        ("", "en"),
        ("de", "de"),
        ("DE-at", "de"),
        ("de, en", "de"),
        ("en, de", "en"),
        ("en;q=0.5, de;q=0.8", "de"),
        ("fr, de;q=0.5", "de"),
        ("fr", "en"),
        ("*", "en"),
        ("de;q=0.1, *", "en"),
        ("en;q=0, *", "de"),
        ("de-CH, en;q=0.9, de;q=0.1", "de"),
        ("den", "en"),
        ("de;q=x, en;q=0.5", "de"),
        (",;q=1", "en"),
    ],
)
def test_preferred_language_is_chosen(accept: str, language: str) -> None:
    assert negotiate_language(accept) == language


@pytest.mark.parametrize(
    ("accept", "preferred"),
    [
        ("", False),
        ("*/*", False),
        ("text/html,*/*;q=0.8", True),
        ("text/html", True),
        ("application/json, text/html", False),
        ("a/b", False),
    ],
)
def test_page_is_preferred(accept: str, preferred: bool) -> None:
    assert prefers(accept, "text/html", "application/json") is preferred
