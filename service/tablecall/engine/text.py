"""The sentences of a ruling: summary, Markdown, steps and notes, in the language asked for."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from itertools import accumulate
from typing import Any

from tablecall.dice.roll import NamedRoll, RolledDice
from tablecall.engine.participants import identity, nested, participants, path_to_sheet
from tablecall.model.base import Body, Model, Participant
from tablecall.model.names import name_key
from tablecall.model.refusals import pointer
from tablecall.model.text import CATALOGUE, Language, Role, Scope, Sentence, escape, plain_word, say
from tablecall.systems.system import System

MAX_MARKDOWN = 1_900
"""The most UTF-16 code units of a ruling's Markdown: chats count these, and many refuse more than 2,000."""
MAX_ROLLS = 6
"""How many rolls the Markdown shows; the others are counted."""
MAX_DICE = 20
"""How many dice of a roll a sentence shows."""
_SHORTER = ((500, 64), (40, 24), (16, 8))
"""The longest name and list in the Markdown, tried one after the other."""
_INDEX = re.compile(r"\.\d+")


def scope_of(system: System, body: Body, rolls: Sequence[NamedRoll], language: Language) -> Scope:
    """What the sentences of a ruling are rendered with."""
    return Scope(system.name, language, labels(body, language), {named.roll: dice_text(named) for named in rolls})


def labels(body: Body, language: Language) -> dict[str, str]:
    """The label of each participant by place: the name; ``Guard (g1)`` if others have it too; or else the role, ``attacker 2``."""
    people = participants(body)
    shown: dict[str, str] = {}
    by_name: dict[str, list[str]] = {}
    for place, who in people.items():
        name = name_of(who)
        if name is None and identity(who) is not None:
            shown[place] = str(identity(who))
        elif name is None:
            shown[place] = Role(_role(place, people, language))
        else:
            shown[place] = name
            by_name.setdefault(name_key(name), []).append(place)
    for places in by_name.values():
        ids = {place: identity(people[place]) for place in places}
        if len(set(map(str, ids.values()))) > 1:
            shown.update((place, f"{shown[place]} ({id_})") for place, id_ in ids.items() if id_ is not None)
    return shown


def name_of(who: Participant) -> str | None:
    """The name of a participant, or of the sheet inside."""
    return next((part.name for part in reversed(nested(who)) if getattr(part, "name", None) is not None), None)


def _role(place: str, people: Mapping[str, Participant], language: Language) -> str:
    field, _, index = place.partition(".")
    role = CATALOGUE.word("", "role", field, language) or plain_word(field)
    return f"{role} {int(index) + 1}" if index and f"{field}.1" in people else role


def dice_text(named: NamedRoll) -> tuple[str, str]:
    """``5 + 3 + 4`` with the modifier: as text, and as Markdown, where dice that are not kept follow, struck out."""
    result = named.result
    dice = result.dice[:MAX_DICE]
    kept = " + ".join(str(die.face) for die in dice if die.kept) or "0"
    dropped = " ".join(str(die.face) for die in dice if not die.kept)
    more = " …" if len(result.dice) > MAX_DICE else ""
    modifier = f" {'+' if result.modifier > 0 else '−'} {abs(result.modifier)}" if result.modifier else ""
    return f"{kept}{more}{modifier}", f"{escape(kept)}{f' ~~{dropped}~~' if dropped else ''}{more}{escape(modifier)}"


def steps(record: RolledDice, scope: Scope) -> list[dict[str, Any]]:
    """The steps of a record as published (`Step`)."""
    return [_step(step, scope) for step in record.steps]


def _step(step: Mapping[str, Any], scope: Scope) -> dict[str, Any]:
    rendered = CATALOGUE.render(step["key"], step["facts"], scope)
    return {
        "rule": step["rule"],
        "text": rendered.text,
        "markdown": rendered.markdown,
        "key": CATALOGUE.find(scope.namespace, step["key"], scope.language),
        "args": rendered.args,
        "value": step["value"],
    }


# ── Options without effect ───────────────────────────────────────────────────────────────────────────────────────────


def notes(body: Body, used: set[tuple[str, str]], scope: Scope) -> list[dict[str, Any]]:
    """The options that were sent with another value than their default and that no rule reported (`Note`)."""
    unused = [*_unused(body, "", "", used)]
    for place, who in participants(body).items():
        at = pointer(place)
        for part, path in _parts(who):
            unused += _unused(part, place, at + path, used)
    return [_note(at, field, scope) for at, field in unused]


def _unused(model: Body | Participant, place: str, at: str, used: set[tuple[str, str]]) -> Iterable[tuple[str, str]]:
    for name, alias in _options(type(model)):
        if name in model.model_fields_set and (place, alias) not in used:
            value = getattr(model, name)
            if value is not None and value != type(model).model_fields[name].get_default(call_default_factory=True):
                yield f"{at}/{alias}", alias


@cache
def _options(model: type[Model]) -> tuple[tuple[str, str], ...]:
    fields = model.model_fields.items()
    return tuple((name, field.alias or name) for name, field in fields if name in model.options)  # type: ignore[attr-defined]


def _parts(who: Participant) -> Iterable[tuple[Participant, str]]:
    """A participant and those inside, each with its place in the first."""
    path = ""
    yield who, path
    for part, alias in zip(nested(who)[1:], _aliases(type(who)), strict=False):
        path += f"/{alias}"
        if part is not who:
            yield part, path


@cache
def _aliases(model: type[Participant]) -> tuple[str, ...]:
    return tuple(alias for _, alias in path_to_sheet(model))


def _note(at: str, field: str, scope: Scope) -> dict[str, Any]:
    rendered = CATALOGUE.render("note.unused", {"field": field}, scope)
    return {"pointer": at, "text": rendered.text, "markdown": rendered.markdown, "key": "note.unused", "args": rendered.args}


# ── Summary and Markdown ─────────────────────────────────────────────────────────────────────────────────────────────


def outcome_text(outcome: str, scope: Scope) -> str:
    """The outcome in words; an outcome that the caller named, as it is."""
    return CATALOGUE.word(scope.namespace, "outcome", outcome, scope.language) or plain_word(outcome)


def lines(told: Sequence[Sentence], effects: Sequence[Mapping[str, Any]], rolls: Sequence[NamedRoll], scope: Scope) -> tuple[str, str]:
    """The summary and the Markdown of a ruling: what was told, then what changed; the Markdown shows the dice, too."""
    sentences = [*told, *changes(effects, scope)]
    summary = ". ".join(CATALOGUE.render(key, facts, scope).text for key, facts in sentences)
    return summary, _markdown(sentences, rolls, scope)


def _markdown(sentences: Sequence[Sentence], rolls: Sequence[NamedRoll], scope: Scope) -> str:
    """The sentences and the dice; where that is too long, with shorter names and lists, and then with fewer sentences."""
    end = " " + CATALOGUE.templates[scope.language]["ruling.shortened"]
    parts: list[str] = []
    for tried, (longest_name, longest_list) in enumerate(_SHORTER):
        short = scope.shorter(longest_name, longest_list)
        parts = [CATALOGUE.render(key, facts, short).markdown for key, facts in sentences]
        text = ". ".join(parts) + _dice_line(rolls, short) + (end if tried else "")
        if utf16_units(text) <= MAX_MARKDOWN:
            return text
    fitting = [text for text in accumulate(parts, "{}. {}".format) if utf16_units(text) + len(end) <= MAX_MARKDOWN]
    return (fitting[-1] if fitting else "") + end


def rendered(value: Any, scope: Scope) -> Any:
    """The value with every sentence in it as text."""
    if isinstance(value, Sentence):
        return CATALOGUE.render(value.key, value.facts, scope).text
    if isinstance(value, dict):
        return {name: rendered(part, scope) for name, part in value.items()}
    return [rendered(part, scope) for part in value] if isinstance(value, list) else value


def utf16_units(text: str) -> int:
    """The length of a text as JavaScript and most chats count it."""
    return len(text) if text.isascii() else len(text.encode("utf-16-le")) // 2


def _dice_line(rolls: Sequence[NamedRoll], scope: Scope) -> str:
    if not rolls or len(rolls) > MAX_ROLLS:
        return ""
    shown = []
    for named in rolls:
        who = CATALOGUE.render("ruling.who", {"who": _roller_of(named.roll, scope)}, scope).markdown
        shown.append(f"{who} {scope.dice[named.roll][1]} = {named.result.total}")
    return "\n" + " · ".join(shown)


def _roller_of(roll: str, scope: Scope) -> str:
    """The place of who made a roll: the longest beginning of its name that is a participant's place."""
    place = roll
    while place and place not in scope.labels:
        place = place.rpartition(".")[0]
    return place or roll


def changes(effects: Sequence[Mapping[str, Any]], scope: Scope) -> list[Sentence]:
    """One sentence for each participant or group that changes."""
    by_place: dict[str, list[Sentence]] = {}
    for effect in effects:
        by_place.setdefault(effect["on"], []).append(_change(effect, scope))
    told = []
    for place, inner in by_place.items():
        group = place.partition(":")[2]
        told.append(say("change.group", who=group, changes=inner) if group else say("change.line", who=place, changes=inner))
    return told


def _change(effect: Mapping[str, Any], scope: Scope) -> Sentence:
    """The sentence of one effect: the system's own of its stat, or a common one."""
    before, to, change = effect["from"], effect["to"], effect["change"]
    stat = _INDEX.sub("", effect["stat"])
    name = next((part["name"] for part in (to, before) if isinstance(part, dict) and "name" in part), "")
    if isinstance(to, dict) and "current" in to:
        to = to["current"]
    facts = {"before": before, "to": to, "change": change, "name": name, "stat": stat}
    key = f"change.{stat.replace('.', '_')}"
    if isinstance(to, bool):
        kinds = [f"_{str(to).lower()}"]
    elif before is None and to is None:
        kinds = ["_unseen"]
    elif before is None:
        kinds = ["_added", ""]
    elif to is None:
        kinds = ["_removed"]
    else:
        kinds = [""]
    for kind in kinds:
        if CATALOGUE.find(scope.namespace, key + kind, scope.language):
            return Sentence(key + kind, facts)
    common = {"_unseen": "unseen", "_added": "added", "_removed": "removed"}.get(kinds[0], "default")
    return Sentence(f"change.{common}", facts)
