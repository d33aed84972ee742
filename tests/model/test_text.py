"""Templates: every language has the same keys and placeholders, and each way to show a fact."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from tablecall.model.names import cleaned, isolated, name_key, quotable
from tablecall.model.text import CATALOGUE, LANGUAGES, Catalogue, Role, Scope, escape, parse, plain_word, say
from tablecall.systems import SYSTEMS

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
SOURCE = Path(__file__).parents[2] / "service/tablecall"


def catalogue(**templates: str) -> Catalogue:
    made = Catalogue()
    for language in LANGUAGES:
        made.templates[language] = {"list.and": "and", "list.more": "{count} more", "refused.did_you_mean": "; {near:quoted}?", **templates}
    return made


def shown(template: str, scope: Scope | None = None, **facts: Any) -> str:
    return catalogue(t=template).render("t", facts, scope or Scope()).text


def placeholders(template: str) -> set[tuple[str, str]]:
    return {(part.fact, part.how) for part in parse(template) if part.fact is not None}


def test_every_language_has_every_template_with_the_same_facts() -> None:
    english, german = CATALOGUE.templates["en"], CATALOGUE.templates["de"]
    assert {key for key in english if ".word." not in key} - set(german) == set()
    assert {key for key in german if ".word." not in key} - set(english) == set()
    for key in set(english) & set(german):
        assert placeholders(english[key]) == placeholders(german[key]), key


def test_every_template_is_used() -> None:
    code = "\n".join(path.read_text("utf-8") for path in SOURCE.rglob("*.py"))
    words = set(re.findall(r"[\w-]+", code))
    words.update(outcome for system in SYSTEMS.values() for action in system.actions for outcome in action.outcomes)
    kept = ("change", "word", "outcome", "role", "list", "cause", "fix")
    others = [key for key in CATALOGUE.templates["en"] if not key.startswith("toy.") and not any(f".{kind}." in f".{key}" for kind in kept)]
    assert [key for key in others if not used(key, words, code)] == []


def used(key: str, words: set[str], code: str) -> bool:
    *_, group, last = key.split(".")
    if last in words or f"{group}.{last}" in code:
        return True
    # a key put together: "roll.reroll_{gear.until}", "{key}.summary_opposed"
    return any(last.startswith(start) for start in re.findall(r"([a-zA-Z_]+_)\{", code))


def test_facts_are_shown_as_their_template_says() -> None:
    scope = Scope(labels={"actor": "Rook", "defender": Role("defender")}, dice={"actor": ("5 + 3", "5 \\+ 3")})
    assert shown("{n}", n=3) == "3"
    assert shown("{n}", n="row.id") == "row.id"
    assert shown("{n:signed} {m:signed}", n=2, m=-1) == "+2 −1"
    assert shown("{n:plural die/dice}, {m:plural die/dice}", n=1, m=3) == "1 die, 3 dice"
    assert shown("{who:roller}", scope, who="actor") == "\u2068Rook\u2069"
    assert shown("{who:roller}", scope, who="defender") == "defender"
    assert shown("{who:roller}", scope, who="members.3") == "members.3"
    assert shown("{a:name}", a="Zoë") == "\u2068Zoë\u2069"
    assert shown("{w:word} {v:words}", w="noRoll", v=["a", "noRoll"]) == "no roll a and no roll"
    assert shown("{roll:dice}", scope, roll="actor") == "5 + 3"
    assert shown("{n:quoted}", n="getaway drivr") == "“getaway drivr”"
    assert shown("x{n:near}", n="") == "x"
    assert shown("x{n:near}", n="y") == "x; “y”?"
    assert shown("{n:quotes}", n=["a", "b"]) == "“a” and “b”"


def test_lists_are_joined_and_cut() -> None:
    assert shown("{n:names}", n=[]) == ""
    assert shown("{n:names}", n=["A", "B", "C"]) == "\u2068A\u2069, \u2068B\u2069 and \u2068C\u2069"
    assert shown("{n:names}", Scope(max_listed=1), n=["A", "B", "C"]) == "\u2068A\u2069 and 2 more"
    made = catalogue(t="{n:list ;}", part="<{a}>")
    facts = {"n": [say("part", a=1), say("part", a=2)]}
    assert made.render("t", facts, Scope()).text == "<1>; <2>"
    assert made.render("t", facts, Scope(max_listed=1)).text == "<1>; 1 more"
    assert made.render("t", facts, Scope()).args == {"n": [{"a": 1}, {"a": 2}]}


def test_outcomes_are_bold_in_markdown() -> None:
    made = catalogue(**{"t": "{o:outcome}", "outcome.hit": "a hit"})
    assert made.render("t", {"o": "hit"}, Scope())[:2] == ("a hit", "**a hit**")
    # an outcome without a template is the caller's own word
    assert made.render("t", {"o": "the *crew*"}, Scope())[:2] == ("\u2068the *crew*\u2069", "**\u2068the \\*crew\\*\u2069**")


def test_long_names_are_cut() -> None:
    assert shown("{n:name}", Scope(max_name=4), n="Bartholomew") == "\u2068Bar…\u2069"


def test_unknown_keys_and_placeholders_are_errors() -> None:
    with pytest.raises(KeyError):
        CATALOGUE.render("nothing.here", {}, Scope("jazz"))
    for template in ("{n:nonsense}", "{n!r}", "{}"):
        with pytest.raises(ValueError, match="placeholder"):
            list(parse(template))


def test_templates_of_a_system() -> None:
    german = CATALOGUE.of("jazz")["de"]
    assert german["jazz.outcome.hit"] == "Treffer"
    assert all(key.startswith("jazz.") for key in german)
    assert plain_word("nighImpossible") == "nigh impossible"


def test_names() -> None:
    assert name_key("  Cafe\u0301 OWNER ") == name_key("café owner")
    assert cleaned("a\u2069 \u202eb\u2028c") == "a b c"
    assert cleaned("\u0645\u200c\u062e") == "\u0645\u200c\u062e"
    assert isolated("a\u2069b") == "\u2068ab\u2069"
    assert quotable("short") == "short"
    assert quotable("x" * 61) == quotable("a\u202eb") == quotable("a\nb") == "…"


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
    line = catalogue(t="**success**: {n:name} 5").render("t", {"n": name}, Scope()).markdown
    [paragraph] = [token for token in READ.parse(line) if token.type == "inline"]
    parts = paragraph.children or []
    assert [part.type for part in parts if part.type not in ("text", "text_special")] == ["strong_open", "strong_close"]
    text = "".join(part.content for part in parts)
    assert len(line.splitlines()) == 1
    assert letters(text) == f"success{letters(name)}5"
    for active in ("@everyone", "@here", "<@", "<!", "<#", "://", "www.e", "evil.e"):
        assert active not in text


def letters(text: str) -> str:
    return "".join(character for character in text if character.isalnum())


def test_plain_text_is_not_escaped() -> None:
    assert escape("Zoë the 3rd, former getaway driver") == "Zoë the 3rd, former getaway driver"
