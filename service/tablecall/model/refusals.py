"""Why a request is refused: one small tree of errors, each with its code, its status and the places it speaks of.

A refusal carries facts; of the caller's input at most a short name. It is answered as ``application/problem+json`` (RFC 9457).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache, partial
from typing import ClassVar

from tablecall.model.text import CATALOGUE, LANGUAGES, Language, Scope


@lru_cache(maxsize=256)
def pointer(where: str, field: str = "") -> str:
    """The JSON pointer of a dotted place (``attackers.0`` is ``/attackers/0``), or of one of its fields."""
    return "/" + where.replace(".", "/") + (f"/{field}" if field else "")


_MAX_KEY = 64


def pointer_of(place: Iterable[str | int]) -> str:
    """The JSON pointer of a place given as keys and indices. A key longer than any field name is cut."""
    parts = []
    for key in place:
        text = str(key)
        parts.append("/" + text[:_MAX_KEY].replace("~", "~0").replace("/", "~1"))
    return "".join(parts)


@dataclass(frozen=True, slots=True)
class Finding:
    """One error: a JSON pointer into the request, a code, a sentence, and the rule that forbids it, if any.

    ``detail`` is the key of a template, with its ``facts``, or else the sentence itself.
    """

    pointer: str
    code: str
    detail: str
    rule: str | None = None
    facts: Facts = ()

    def words(self, language: Language = LANGUAGES[0]) -> str:
        """The sentence."""
        return sentence(self.detail, self.facts, language)


Facts = tuple[tuple[str, object], ...]


def sentence(detail: str, facts: Facts, language: Language) -> str:
    """The template with the key ``detail`` and its facts in a language; ``detail`` itself where it is no key."""
    if CATALOGUE.find("", detail, language) is None:
        return detail
    return CATALOGUE.render(detail, dict(facts), Scope(language=language, namespace=detail.partition(".")[0])).text


def facts_of(facts: Mapping[str, object]) -> Facts:
    """Facts as a value that can be compared and hashed."""
    return tuple((name, tuple(fact) if isinstance(fact, list) else fact) for name, fact in facts.items())


class Refusal(Exception):
    """The request is refused; ``findings`` say where and why. Nothing was rolled."""

    status: ClassVar[int] = 422
    code: ClassVar[str] = "refused"
    title: ClassVar[str] = "Refused"

    def __init__(self, *findings: Finding, detail: str | None = None) -> None:
        """``detail`` sums up the findings; by default it is that of the first."""
        self.findings = findings
        self.detail = detail
        super().__init__(detail or (findings[0].words() if findings else self.title))

    def words(self, language: Language = LANGUAGES[0]) -> str:
        """What is wrong, in one sentence: the first finding, and how many more there are."""
        if self.detail is not None or not self.findings:
            return self.detail or self.title
        first, more = self.findings[0].words(language), len(self.findings) - 1
        if not more:
            return first
        return CATALOGUE.render("refused.and_more", {"first": first, "count": more}, Scope(language=language)).text

    def __reduce__(self) -> tuple[object, ...]:
        """Pickle with all facts: odds are computed in other processes too."""
        return partial(type(self), detail=self.detail), self.findings


class NotJson(Refusal):
    """The body is not a JSON document this service reads."""

    status = 400
    code = "not-json"
    title = "Bad Request"


class Unprocessable(Refusal):
    """The body is JSON, but not of the published shape."""

    code = "invalid-request"
    title = "Validation Failed"


class Forbidden(Refusal):
    """The request is well formed, but the rule book does not allow it; each finding names the rule."""

    code = "rule-forbids"
    title = "Forbidden By The Rules"

    @classmethod
    def by(cls, rule: str, pointer: str, detail: str, /, **facts: object) -> Forbidden:
        """One finding: ``rule`` forbids what is at ``pointer``. ``detail`` is the key of a template, with its ``facts``."""
        return cls(Finding(pointer, cls.code, detail, rule, facts_of(facts)))


class WrongDice(Refusal):
    """The dice handed in are not the dice this action rolls."""

    code = "wrong-dice"
    title = "Wrong Dice"

    @classmethod
    def at(cls, pointer: str, detail: str, /, **facts: object) -> WrongDice:
        """One finding about the dice at ``pointer``. ``detail`` is the key of a template, with its ``facts``."""
        return cls(Finding(pointer, cls.code, detail, None, facts_of(facts)))


class UnknownRng(Refusal):
    """The request pins a dice algorithm this service does not have."""

    code = "unknown-rng"
    title = "Unknown Dice Algorithm"


class TooLargeToCount(Refusal):
    """The exact odds would cost more than the published bound; nothing was computed."""

    code = "too-large-to-count"
    title = "Too Large To Count"

    @classmethod
    def by(cls, detail: str, /, **facts: object) -> TooLargeToCount:
        """The bound that is exceeded, as the key of a template with its ``facts``."""
        return cls(Finding("", cls.code, detail, None, facts_of(facts)))
