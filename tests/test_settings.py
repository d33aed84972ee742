"""Every setting: read from the environment, bounded, and told of in the README."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from annotated_types import Ge, Gt, Le
from pydantic import ValidationError
from pydantic.fields import FieldInfo

from tablecall.settings import Settings, strangers

README = (Path(__file__).parent.parent / "README.md").read_text(encoding="utf-8")
ROW = re.compile(r"^\| `TABLECALL_([A-Z_]+)` \| (.*?) \| (.*?) \| (.*?) \|$", re.MULTILINE)
TOLD = {name.lower(): (default, bound, text) for name, default, bound, text in ROW.findall(README)}
FIELDS = Settings.model_fields


def default_of(field: FieldInfo) -> str:
    return "" if field.default is None else f"`{json.dumps(field.default) if not isinstance(field.default, str) else field.default}`"


def bound_of(field: FieldInfo) -> str:
    """The bound as the README writes it: `1–65535`, `>0–600`, or the words allowed."""
    lows = [str(one.ge) for one in field.metadata if isinstance(one, Ge)] + [f">{one.gt}" for one in field.metadata if isinstance(one, Gt)]
    highs = [str(one.le) for one in field.metadata if isinstance(one, Le)]
    words = re.findall(r"'(\w+)'", str(field.annotation)) if "Literal" in str(field.annotation) else []
    return "–".join(lows + highs) or ", ".join(words)


def test_the_readme_tells_of_every_setting_and_of_no_other() -> None:
    assert list(TOLD) == list(FIELDS)


@pytest.mark.parametrize("name", FIELDS)
def test_it_tells_its_default_its_bound_and_what_it_is_for(name: str) -> None:
    field = FIELDS[name]
    wanted = (default_of(field), bound_of(field), " ".join((field.description or "").split()))
    assert TOLD.get(name) == wanted, f"| `TABLECALL_{name.upper()}` | {wanted[0]} | {wanted[1]} | {wanted[2]} |"


BEYOND: list[tuple[str, Any]] = [
    (name, bound)
    for name, field in FIELDS.items()
    for one in field.metadata
    for bound in ([one.ge - 1] if isinstance(one, Ge) else [one.gt] if isinstance(one, Gt) else [one.le + 1] if isinstance(one, Le) else [])  # type: ignore[operator]
]


@pytest.mark.parametrize(("name", "value"), BEYOND)
def test_no_setting_goes_beyond_its_bound(name: str, value: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(f"TABLECALL_{name.upper()}", str(value))
    with pytest.raises(ValidationError):
        Settings()


@pytest.mark.parametrize(
    "origin",
    [
        "*",
        "null",
        "https://table.example.org",
        "http://localhost:3000",
        "https://xn--bcher-kva.example:8443",
        "http://[::1]",
        "app://obsidian.md",
    ],
)
def test_an_origin_as_browsers_write_it_is_taken(origin: str, monkeypatch: pytest.MonkeyPatch) -> None:
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
def test_one_that_can_never_match_is_told_its_right_spelling(origin: str, right: str) -> None:
    with pytest.raises(ValidationError) as refused:
        Settings(cors_origins=["https://table.example.org", origin])
    (found,) = refused.value.errors()
    assert found["loc"] == ("cors_origins", 1)
    assert found["msg"].endswith(f" {right}")


@pytest.mark.parametrize("text", ["https://table.example.org", '["https://table.example.org"', '{"a": 1}', '"*"', "2"])
@pytest.mark.parametrize("name", ["cors_origins", "api_keys"])
def test_a_list_is_json(name: str, text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(f"TABLECALL_{name.upper()}", text)
    with pytest.raises(ValidationError, match='a JSON list is wanted, such as \\["') as refused:
        Settings()
    assert refused.value.errors()[0]["loc"] == (name,)


def test_what_is_called_like_a_setting_and_is_none_is_found() -> None:
    linked = ["TABLECALL_SERVICE_HOST", "TABLECALL_PORT_80_TCP_ADDR"]
    mistyped = ["TABLECALL_MAX_BODY", "tablecall_api_key"]
    settings = [f"TABLECALL_{name.upper()}" for name in FIELDS]
    assert strangers([*linked, *mistyped, *settings, "tablecall_port", "PATH", "MY_TABLECALL_X"]) == [
        "TABLECALL_MAX_BODY (there is TABLECALL_MAX_BODY_BYTES)",
        "TABLECALL_PORT_80_TCP_ADDR",
        "TABLECALL_SERVICE_HOST",
        "tablecall_api_key (there is TABLECALL_API_KEYS)",
    ]


def test_every_number_has_both_bounds() -> None:
    numbers = [name for name, field in FIELDS.items() if field.annotation in (int, float)]
    assert len(BEYOND) == 2 * len(numbers)
