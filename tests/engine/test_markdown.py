"""The Markdown line of a ruling, and that names in it cannot format, link or mention."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from tablecall.contract.action_models import PUBLISHED
from tablecall.engine import markdown, resolve
from tablecall.engine.requests import body_of
from tablecall.systems import ACTIONS

READ = MarkdownIt("commonmark").enable(["strikethrough"])
HOSTILE = (
    "@everyone",
    "@here <@123456789012345678> <@&1> <#2> <!channel>",
    "**bold** _it_ ~~gone~~ `code` ||spoiler||",
    "[click](https://evil.example) <https://evil.example> https://evil.example www.evil.example",
    "# title\n> quote\n- item\n1. item\n\n```\nfence\n```",
    "&commat;everyone &#64;here \\@everyone",
    "a\u2028b\u0085c\u202ed\u200be",
    "![x](y) | a | b | :skull: $x$ #general evil.example",
)


def ruling(**changed: Any) -> dict[str, Any]:
    die = {"sides": 6, "face": 5, "kept": True, "replaced": []}
    roll = {"roll": "actor", "name": "Rook", "dice": [die, {**die, "face": 3}], "modifier": 4, "total": 12}
    return {"outcome": "success", "summary": "Rook: a summary", "target": 10, "total": 12, "margin": 2, "rolls": [roll], **changed}


def rolls(number: int) -> list[dict[str, Any]]:
    return ruling()["rolls"] * number  # type: ignore[no-any-return]


def test_outcome_margin_and_dice() -> None:
    assert markdown.line(ruling()) == "**success** by 2: Rook 5 + 3 + 4 = 12 against 10"
    assert markdown.line(ruling(margin=0, target=12)) == "**success**: Rook 5 + 3 + 4 = 12 against 12"


def test_outcome_has_spaces() -> None:
    assert markdown.line(ruling(outcome="dismalFailure", margin=-5)).startswith("**dismal failure** by 5: ")


def test_unkept_dice_are_struck_out() -> None:
    dice = [{"face": 9, "kept": True}, {"face": 0, "kept": False}, {"face": 7, "kept": True}]
    found = markdown.line(ruling(rolls=[{"name": "Nyx", "dice": dice, "modifier": 0, "total": 16}], total=16))
    assert found.endswith("Nyx 9 + 7 ~~0~~ = 16 against 10")


def test_no_dice_and_a_negative_modifier() -> None:
    found = markdown.line(ruling(rolls=[{"name": "Nyx", "dice": [], "modifier": -2, "total": -2}], total=-2))
    assert found.endswith("Nyx nothing − 2 = -2 against 10")


def test_several_rolls_and_their_total() -> None:
    found = markdown.line(ruling(rolls=rolls(2), total=14))
    assert found == "**success** by 2: Rook 5 + 3 + 4 = 12; Rook 5 + 3 + 4 = 12; 14 against 10"


def test_rolls_without_a_target() -> None:
    assert markdown.line(ruling(rolls=rolls(2), target=None, margin=None)) == "**success**: Rook 5 + 3 + 4 = 12; Rook 5 + 3 + 4 = 12"


def test_summary_without_rolls() -> None:
    assert markdown.line(ruling(rolls=[], total=None, margin=None, summary="Rook *rests*")) == "**success**: Rook \\*rests\\*"
    assert markdown.line(ruling(rolls=[], summary="Rook rests")) == "**success** by 2: Rook rests"


def test_many_rolls_and_dice_are_cut() -> None:
    found = markdown.line(ruling(rolls=rolls(9)))
    assert "and 5 more rolls" in found
    assert "; and 1 more roll; 12 against 10" in markdown.line(ruling(rolls=rolls(5)))
    many = {"name": "Nyx", "dice": [{"face": 1, "kept": True}] * 60, "modifier": 0, "total": 60}
    assert "1 …" in markdown.line(ruling(rolls=[many]))


def test_plain_text_is_unchanged() -> None:
    assert markdown.escape("Zoë the 3rd, former getaway driver") == "Zoë the 3rd, former getaway driver"


@given(st.one_of(st.text(max_size=60), st.text("@<>#*_`~[]()!:/\\.|&;x \n", max_size=40)))
@example("_")
@example("1 < 2 & 3")
def test_any_name_is_plain_text(name: str) -> None:
    plain(name)


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_name_is_plain_text(name: str) -> None:
    plain(name)


def plain(name: str) -> None:
    """The name shows as text on one line, and nothing in it is active in a chat."""
    line = f"**success**: {markdown.escape(name)} 5"
    [paragraph] = [token for token in READ.parse(line) if token.type == "inline"]
    parts = paragraph.children or []
    assert [part.type for part in parts if part.type not in ("text", "text_special")] == ["strong_open", "strong_close"]
    shown = "".join(part.content for part in parts)
    assert len(line.splitlines()) == 1
    assert letters(shown) == f"success{letters(name)}5"
    for active in ("@everyone", "@here", "<@", "<!", "<#", "://", "www.e", "evil.e"):
        assert active not in shown


def letters(text: str) -> str:
    return "".join(character for character in text if character.isalnum())


def test_every_example_has_one_line() -> None:
    for tag, published in PUBLISHED.items():
        system, action = ACTIONS[tag]
        for body in published.action.examples.values():
            found = resolve(system, action, body_of(action, dict(body)))
            assert found["markdown"].startswith("**")
            assert len(found["markdown"].splitlines()) == 1
