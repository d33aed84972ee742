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

from service.settings import Settings

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


def test_every_number_has_both_bounds() -> None:
    numbers = [name for name, field in FIELDS.items() if field.annotation in (int, float)]
    assert len(BEYOND) == 2 * len(numbers)
