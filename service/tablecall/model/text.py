"""Sentences in several languages, from templates in data files.

A rule gives a key and facts; the text is made here. Templates are published with the rule books, so that clients can translate steps
themselves: ``{n}`` in a template is replaced by the fact ``n``, and the word after a colon says how the fact is shown (`_SHOWN`).

Project Fluent and ICU MessageFormat do the same and more. Their Python libraries isolate numbers too and take ten times as long as
the rule itself.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from importlib.resources import files
from importlib.resources.abc import Traversable
from string import Formatter
from typing import Any, Literal, NamedTuple, get_args

from tablecall.model.names import isolated, quotable

Language = Literal["en", "de"]
LANGUAGES: tuple[Language, ...] = get_args(Language)
"""The languages of all sentences; the first is the default."""
MAX_LISTED = 64
"""The most names or sentences one placeholder lists; the others are counted."""


class Sentence(NamedTuple):
    """A template's key, without the name of the system, and the facts in it."""

    key: str
    facts: Mapping[str, Any]


def say(key: str, /, **facts: object) -> Sentence:
    """The sentence of a key with these facts."""
    return Sentence(key, facts)


class Rendered(NamedTuple):
    """A sentence as text, as safe Markdown, and its facts as published."""

    text: str
    markdown: str
    args: dict[str, Any]


class Shown(NamedTuple):
    """One fact as text, as Markdown, and as published."""

    text: str
    markdown: str
    fact: Any


class Role(str):
    """The label of a roller without a name: not the caller's own word."""

    __slots__ = ()


@dataclass(frozen=True, slots=True)
class Scope:
    """What a sentence is rendered with.

    ``namespace`` is the system, ``labels`` the names of rollers by place, ``dice`` the dice of a roll by its name: as text and as
    Markdown. ``max_name`` and ``max_listed`` shorten names and lists.
    """

    namespace: str = ""
    language: Language = "en"
    labels: Mapping[str, str] = field(default_factory=dict)
    dice: Mapping[str, tuple[str, str]] = field(default_factory=dict)
    max_name: int = 500
    max_listed: int = MAX_LISTED

    def shorter(self, max_name: int, max_listed: int) -> Scope:
        """The same scope with shorter names and lists."""
        return replace(self, max_name=max_name, max_listed=max_listed)


class _Part(NamedTuple):
    """A literal text, then the fact that follows it, if any."""

    literal: str
    fact: str | None
    how: str
    extra: str


class Catalogue:
    """All templates by language and key. Keys of a system start with its name."""

    def __init__(self) -> None:
        self.templates: dict[str, dict[str, str]] = {language: {} for language in LANGUAGES}
        self.shared: set[str] = set()
        """The keys of the templates that belong to no system."""
        self._compiled: dict[tuple[str, str], tuple[_Part, ...]] = {}

    def add(self, folder: Traversable, namespace: str = "") -> None:
        """Read ``en.toml``, ``de.toml``, … of a folder. The keys get the ``namespace`` in front; a repeated folder replaces its keys."""
        for language in LANGUAGES:
            document = tomllib.loads(folder.joinpath(f"{language}.toml").read_text("utf-8"))
            templates = dict(_flat(document, namespace))
            self.templates[language].update(templates)
            if not namespace:
                self.shared.update(templates)
        self._compiled.clear()

    def of(self, namespace: str) -> dict[str, dict[str, str]]:
        """The templates of a system, by language and key."""
        start = f"{namespace}."
        return {language: {key: text for key, text in texts.items() if key.startswith(start)} for language, texts in self.templates.items()}

    def find(self, namespace: str, key: str, language: str) -> str | None:
        """The full key of a template: that of the system, or else the common one."""
        texts = self.templates[language]
        full = f"{namespace}.{key}" if namespace else key
        return full if full in texts else key if key in texts else None

    def word(self, namespace: str, kind: str, word: str, language: str) -> str | None:
        """The translation of a word of the wire; ``None`` if there is none."""
        key = self.find(namespace, f"{kind}.{word}", language)
        return None if key is None else self.templates[language][key]

    def render(self, key: str, facts: Mapping[str, Any], scope: Scope) -> Rendered:
        """The sentence of a key. Raises `KeyError` for an unknown key or a missing fact."""
        full = self.find(scope.namespace, key, scope.language)
        if full is None:
            raise KeyError(f"no template {key!r} of {scope.namespace!r}")
        text, markdown, args = [], [], {}
        for literal, name, how, extra in self._parts(full, scope.language):
            text.append(literal)
            markdown.append(literal)
            if name is not None:
                shown = self._shown(facts[name], how, extra, scope)
                text.append(shown.text)
                markdown.append(shown.markdown)
                args[name] = shown.fact
        return Rendered("".join(text), "".join(markdown), args)

    def _parts(self, full: str, language: str) -> tuple[_Part, ...]:
        parts = self._compiled.get((language, full))
        if parts is None:
            parts = self._compiled[language, full] = tuple(parse(self.templates[language][full]))
        return parts

    def _shown(self, fact: Any, how: str, extra: str, scope: Scope) -> Shown:
        if not how:
            text = str(fact)
            return Shown(text, text if type(fact) is int else escape(text), fact)
        return _SHOWN[how](self, fact, extra, scope)


def parse(template: str) -> Iterator[_Part]:
    """The parts of a template. Raises `ValueError` for a placeholder that is not known."""
    for literal, name, spec, conversion in Formatter().parse(template):
        how, _, extra = (spec or "").partition(" ")
        if conversion or name == "" or (how and how not in _SHOWN):
            raise ValueError(f"the template {template!r} has a placeholder that is not known")
        yield _Part(literal, name, how, extra)


def _flat(document: Mapping[str, Any], prefix: str) -> Iterator[tuple[str, str]]:
    for key, value in document.items():
        full = f"{prefix}.{key}" if prefix else key
        if isinstance(value, Mapping):
            yield from _flat(value, full)
        else:
            yield full, value


# ── How facts are shown ──────────────────────────────────────────────────────────────────────────────────────────────

_CAPITAL = re.compile(r"(?<=[a-z])([A-Z])(?=[a-z])")


@lru_cache(maxsize=512)
def plain_word(word: str) -> str:
    """A word of the wire without a translation: ``noRoll`` as ``no roll``."""
    return _CAPITAL.sub(lambda match: f" {match[1].lower()}", word)


def _caller(text: str, scope: Scope) -> tuple[str, str]:
    """A text of the caller as text and as Markdown."""
    if len(text) > scope.max_name:
        text = text[: scope.max_name - 1] + "…"
    return isolated(text), isolated(text, escape)


def _name(_: Catalogue, fact: Any, __: str, scope: Scope) -> Shown:
    return Shown(*_caller(str(fact), scope), fact)


def _roller(_: Catalogue, fact: Any, __: str, scope: Scope) -> Shown:
    label = scope.labels.get(fact)
    if label is None or isinstance(label, Role):
        text = str(label or fact)
        return Shown(text, escape(text), fact)
    return Shown(*_caller(label, scope), label)


def _listed(catalogue: Catalogue, shown: Sequence[Shown], total: int, scope: Scope) -> Shown:
    more = total - len(shown)
    texts, marks = [part.text for part in shown], [part.markdown for part in shown]
    if more > 0:
        rest = catalogue.render("list.more", {"count": more}, scope)
        texts.append(rest.text)
        marks.append(rest.markdown)
    last = catalogue.templates[scope.language]["list.and"]

    def joined(parts: list[str]) -> str:
        return f" {last} ".join((", ".join(parts[:-1]), parts[-1])) if len(parts) > 1 else "".join(parts)

    return Shown(joined(texts), joined(marks), [part.fact for part in shown])


def _many(one: Callable[[Catalogue, Any, str, Scope], Shown]) -> Callable[[Catalogue, Any, str, Scope], Shown]:
    def many(catalogue: Catalogue, facts: Any, extra: str, scope: Scope) -> Shown:
        shown = [one(catalogue, fact, extra, scope) for fact in facts[: scope.max_listed]]
        return _listed(catalogue, shown, len(facts), scope)

    return many


def _sentences(catalogue: Catalogue, facts: Any, separator: str, scope: Scope) -> Shown:
    parts = [catalogue.render(key, inner, scope) for key, inner in facts[: scope.max_listed]]
    texts, marks = [part.text for part in parts], [part.markdown for part in parts]
    if len(facts) > len(parts):
        rest = catalogue.render("list.more", {"count": len(facts) - len(parts)}, scope)
        texts.append(rest.text)
        marks.append(rest.markdown)
    between = f"{separator or ','} "
    return Shown(between.join(texts), between.join(marks), [part.args for part in parts])


def _word(catalogue: Catalogue, fact: Any, _: str, scope: Scope) -> Shown:
    text = catalogue.word(scope.namespace, "word", str(fact), scope.language) or plain_word(str(fact))
    return Shown(text, escape(text), fact)


def _outcome(catalogue: Catalogue, fact: Any, _: str, scope: Scope) -> Shown:
    text = catalogue.word(scope.namespace, "outcome", str(fact), scope.language)
    if text is None:  # outcomes without a template are named by the caller
        plain, marked = _caller(str(fact), scope)
        return Shown(plain, f"**{marked}**", fact)
    return Shown(text, f"**{text}**", fact)


def _signed(_: Catalogue, fact: Any, __: str, ___: Scope) -> Shown:
    text = f"+{fact}" if fact >= 0 else f"−{-fact}"
    return Shown(text, escape(text), fact)


def _plural(_: Catalogue, fact: Any, extra: str, __: Scope) -> Shown:
    one, many = extra.split("/")
    text = f"{fact} {one if fact == 1 else many}"
    return Shown(text, text, fact)


def _dice(_: Catalogue, fact: Any, __: str, scope: Scope) -> Shown:
    text, markdown = scope.dice[fact]
    return Shown(text, markdown, text)


def _quoted(_: Catalogue, fact: Any, __: str, ___: Scope) -> Shown:
    text = f"“{quotable(str(fact))}”"
    return Shown(text, escape(text), fact)


def _near(catalogue: Catalogue, fact: Any, _: str, scope: Scope) -> Shown:
    """The nearest known name as the end of a sentence; nothing if there is none."""
    if not fact:
        return Shown("", "", fact)
    return Shown(*catalogue.render("refused.did_you_mean", {"near": fact}, scope)[:2], fact)


_SHOWN: dict[str, Callable[[Catalogue, Any, str, Scope], Shown]] = {
    "name": _name,
    "names": _many(_name),
    "roller": _roller,
    "rollers": _many(_roller),
    "word": _word,
    "words": _many(_word),
    "outcome": _outcome,
    "signed": _signed,
    "plural": _plural,
    "dice": _dice,
    "quoted": _quoted,
    "near": _near,
    "quotes": _many(_quoted),
    "list": _sentences,
}
"""How a fact is shown, by the word after the colon."""

# ── Markdown ─────────────────────────────────────────────────────────────────────────────────────────────────────────

_BREAK = "\u200b"
_MARKS = re.compile(r"([\\`*_{}\[\]()<>#+!|~:&$=^-])")
# @somebody, <@id>, #channel, :emoji:, scheme://, somewhere.com
_LIVE = re.compile(r"(?<=[@<#:])(?=\S)|(?<=\w)(?=\.[^\W\d])")
_PLAIN = re.compile(r"(?:[^\W_]|[ ,'“”])*")


@lru_cache(maxsize=1024)
def escape(text: str) -> str:
    """Text that Markdown shows literally, and that no chat turns into a link or a mention: escaped as CommonMark specifies, with a
    zero-width space where chats make links and mentions even of escaped text."""
    if _PLAIN.fullmatch(text):
        return text
    return _MARKS.sub(r"\\\1", _LIVE.sub(_BREAK, text))


CATALOGUE = Catalogue()
"""The templates of this package and of every system that was imported."""
CATALOGUE.add(files("tablecall.model").joinpath("texts"))
