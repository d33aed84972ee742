"""The settings: read from the environment, bounded, and documented."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from annotated_types import Ge, Gt, Le
from pydantic import ValidationError
from pydantic.fields import FieldInfo

from tablecall.settings import Settings, unknown_variables

ROOT = Path(__file__).parents[1]
DOCS = "".join(path.read_text("utf-8") for path in [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))])
ROW = re.compile(r"^\| `TABLECALL_([A-Z_]+)` \| (.*?) \| (.*?) \| (.*?) \|$", re.MULTILINE)
DOCUMENTED = {name.lower(): (default, bound, text) for name, default, bound, text in ROW.findall(DOCS)}
FIELDS = Settings.model_fields


def default_of(field: FieldInfo) -> str:
    return "" if field.default is None else f"`{json.dumps(field.default) if not isinstance(field.default, str) else field.default}`"


def bound_of(field: FieldInfo) -> str:
    """The bounds as the documentation writes them: `1–65535`, `>0–600`, or the allowed words."""
    lows = [str(bound.ge) for bound in field.metadata if isinstance(bound, Ge)]
    lows += [f">{bound.gt}" for bound in field.metadata if isinstance(bound, Gt)]
    highs = [str(bound.le) for bound in field.metadata if isinstance(bound, Le)]
    words = re.findall(r"'(\w+)'", str(field.annotation)) if "Literal" in str(field.annotation) else []
    return "–".join(lows + highs) or ", ".join(words)


def test_exactly_the_settings_are_documented() -> None:
    assert list(DOCUMENTED) == list(FIELDS)


@pytest.mark.parametrize("name", FIELDS)
def test_the_documentation_gives_default_bounds_and_description(name: str) -> None:
    field = FIELDS[name]
    row = (default_of(field), bound_of(field), " ".join((field.description or "").split()))
    assert DOCUMENTED.get(name) == row, f"| `TABLECALL_{name.upper()}` | {' | '.join(row)} |"


BEYOND: list[tuple[str, Any]] = [
    (name, bound)
    for name, field in FIELDS.items()
    for one in field.metadata
    for bound in ([one.ge - 1] if isinstance(one, Ge) else [one.gt] if isinstance(one, Gt) else [one.le + 1] if isinstance(one, Le) else [])  # type: ignore[operator]
]


@pytest.mark.parametrize(("name", "value"), BEYOND)
def test_a_value_beyond_a_bound_is_refused(name: str, value: Any, monkeypatch: pytest.MonkeyPatch) -> None:
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
def test_an_origin_as_browsers_send_it_is_accepted(origin: str, monkeypatch: pytest.MonkeyPatch) -> None:
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
def test_an_origin_that_can_never_match_is_refused_with_the_right_spelling(origin: str, right: str) -> None:
    with pytest.raises(ValidationError) as refused:
        Settings(cors_origins=["https://table.example.org", origin])
    (error,) = refused.value.errors()
    assert error["loc"] == ("cors_origins", 1)
    assert error["msg"].endswith(f" {right}")


@pytest.mark.parametrize("text", ["https://table.example.org", '["https://table.example.org"', '{"a": 1}', '"*"', "2"])
@pytest.mark.parametrize("name", ["cors_origins", "api_keys"])
def test_a_list_must_be_json(name: str, text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(f"TABLECALL_{name.upper()}", text)
    with pytest.raises(ValidationError, match='must be a JSON list, such as \\["') as refused:
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
