"""Every rule of the book is cited by the code that obeys it and named by a test."""

from __future__ import annotations

from pathlib import Path

import pytest

from tablecall.systems.darkpages import rulebook

TESTS = Path(__file__).parent
CODE = Path(rulebook.__file__).parent


def written(folder: Path, but: str) -> str:
    return "\n".join(file.read_text(encoding="utf-8") for file in sorted(folder.glob("*.py")) if file.name != but)


CITED, NAMED = written(CODE, "rulebook.py"), written(TESTS, "test_rulebook.py")


@pytest.mark.parametrize("rule", [rule.id for rule in rulebook.RULES])
def test_the_rule_is_cited_and_tested(rule: str) -> None:
    assert f'"{rule}"' in CITED
    assert rule in NAMED
