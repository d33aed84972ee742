"""Every knob is read from the environment, and has its bound."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError
from pydantic_settings import SettingsError

from service.settings import Settings

FIELDS = Settings.model_fields


@pytest.fixture(autouse=True)
def _bare(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name in FIELDS:
        monkeypatch.delenv(f"TABLECALL_{name.upper()}", raising=False)
    monkeypatch.chdir(tmp_path)


def test_every_knob_is_described_and_starts_somewhere_sound() -> None:
    assert all(field.description for field in FIELDS.values())
    settings = Settings()
    assert (settings.host, settings.port, settings.cors_origins, settings.max_body_bytes) == ("127.0.0.1", 8000, ["*"], 1024 * 1024)
    Settings.model_validate(settings.model_dump())


def test_every_number_has_its_bounds() -> None:
    numbers = {name: field for name, field in FIELDS.items() if field.annotation in (int, float)}
    assert numbers
    for name, field in numbers.items():
        bounds = {type(constraint).__name__ for constraint in field.metadata}
        assert bounds & {"Ge", "Gt"}, name
        assert bounds & {"Le", "Lt"}, name


@pytest.mark.parametrize(
    ("name", "text", "value"),
    [
        ("HOST", "0.0.0.0", "0.0.0.0"),
        ("PORT", "0", 0),
        ("CORS_ORIGINS", '["https://a.example"]', ["https://a.example"]),
        ("MAX_BODY_BYTES", "2048", 2048),
    ],
)
def test_a_knob_is_read_from_the_environment(monkeypatch: pytest.MonkeyPatch, name: str, text: str, value: Any) -> None:
    monkeypatch.setenv(f"TABLECALL_{name}", text)
    assert getattr(Settings(), name.lower()) == value


@pytest.mark.parametrize(
    ("name", "text"), [("PORT", "65536"), ("PORT", "-1"), ("PORT", "http"), ("MAX_BODY_BYTES", "10"), ("MAX_BODY_BYTES", "1e12")]
)
def test_what_is_out_of_bounds_is_refused(monkeypatch: pytest.MonkeyPatch, name: str, text: str) -> None:
    monkeypatch.setenv(f"TABLECALL_{name}", text)
    with pytest.raises(ValidationError) as caught:
        Settings()
    assert caught.value.errors()[0]["loc"] == (name.lower(),)


def test_what_is_no_list_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TABLECALL_CORS_ORIGINS", "https://a.example")
    with pytest.raises(SettingsError, match="cors_origins"):
        Settings()
