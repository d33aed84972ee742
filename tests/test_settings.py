"""Settings: their bounds, lists and unknown variables. tests/docs compares them with the documents."""

from __future__ import annotations

import json
from typing import Any

import pytest
from annotated_types import Ge, Gt, Le
from pydantic import ValidationError

from tablecall.settings import Settings, unknown_variables

FIELDS = Settings.model_fields

BEYOND: list[tuple[str, Any]] = [
    (name, bound)
    for name, field in FIELDS.items()
    for one in field.metadata
    for bound in ([one.ge - 1] if isinstance(one, Ge) else [one.gt] if isinstance(one, Gt) else [one.le + 1] if isinstance(one, Le) else [])  # type: ignore[operator]
]


@pytest.mark.parametrize(("name", "value"), BEYOND)
def test_value_beyond_a_bound_is_refused(name: str, value: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(f"TABLECALL_{name.upper()}", str(value))
    with pytest.raises(ValidationError):
        Settings()


@pytest.mark.parametrize(
    "origin",
    ["*", "null", "https://table.example.org", "http://localhost:3000", "https://xn--bcher-kva.example:8443", "http://[::1]", "app://a.md"],
)
def test_origin_as_browsers_send_it_is_accepted(origin: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TABLECALL_CORS_ORIGINS", json.dumps([origin]))
    assert Settings().cors_origins == [origin]


@pytest.mark.parametrize(
    ("origin", "right"),
    [
        ("https://table.example.org/", "https://table.example.org"),
        ("https://table.example.org/play?a=1", "https://table.example.org"),
        ("table.example.org", "https://table.example.org"),
        ("table.example.org:8443", "https://table.example.org:8443"),
        ("https://table.example.org:443", "https://table.example.org"),
        ("http://Table.Example.org:80", "http://table.example.org"),
        ("https://bücher.example", "https://xn--bcher-kva.example"),
        ("chrome-extension://abc/", "chrome-extension://abc"),
        ("https://*.example.org", "https://table.example.org, or * for any"),
        ("two words", "https://table.example.org, or * for any"),
        ("", "https://table.example.org, or * for any"),
    ],
)
def test_origin_that_can_never_match_is_refused_with_the_right_spelling(origin: str, right: str) -> None:
    with pytest.raises(ValidationError) as refused:
        Settings(cors_origins=["https://table.example.org", origin])
    (error,) = refused.value.errors()
    assert error["loc"] == ("cors_origins", 1)
    assert error["msg"].endswith(f" {right}")


@pytest.mark.parametrize("text", ["https://table.example.org", '["https://table.example.org"', '{"a": 1}', '"*"', "2"])
@pytest.mark.parametrize("name", ["cors_origins", "api_keys"])
def test_list_must_be_json(name: str, text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(f"TABLECALL_{name.upper()}", text)
    with pytest.raises(ValidationError, match="JSON list") as refused:
        Settings()
    assert refused.value.errors()[0]["loc"] == (name,)


def test_unknown_variables_are_found() -> None:
    linked = ["TABLECALL_SERVICE_HOST", "TABLECALL_PORT_80_TCP_ADDR"]
    mistyped = ["TABLECALL_MAX_BODY", "tablecall_api_key"]
    settings = [f"TABLECALL_{name.upper()}" for name in FIELDS]
    assert unknown_variables([*linked, *mistyped, *settings, "tablecall_port", "PATH", "MY_TABLECALL_X"]) == [
        "TABLECALL_MAX_BODY (did you mean TABLECALL_MAX_BODY_BYTES?)",
        "TABLECALL_PORT_80_TCP_ADDR",
        "TABLECALL_SERVICE_HOST",
        "tablecall_api_key (did you mean TABLECALL_API_KEYS?)",
    ]


def test_every_number_has_both_bounds() -> None:
    numbers = [name for name, field in FIELDS.items() if field.annotation in (int, float)]
    assert len(BEYOND) == 2 * len(numbers)
