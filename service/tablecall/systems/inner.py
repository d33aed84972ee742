"""An ordinary action inside a conflict: the same rule, with the names and places of the conflict.

A conflict resolves its attacks and checks with the rules of the single actions. `InnerDice` gives them the conflict's dice: the rule asks
for the roll ``attackers.0`` and gets ``combatants.3.round1.attack``. `refusal_before_dice` finds out whether an action would be refused.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Any, Literal, NoReturn, TypeVar

from tablecall.dice.faces import Special
from tablecall.dice.source import Dice, M, MarkovProcess, Offer, Pool, Q, Reroll, Roll, S, Total, Undecided
from tablecall.model.refusals import Forbidden, Refusal
from tablecall.model.text import CATALOGUE, Sentence, parse

T = TypeVar("T")


def moved(name: str, names: Mapping[str, str]) -> str:
    """The name in ``names``, or that of the longest start of it, with the rest kept: ``defender.damage`` by the name of ``defender``.

    A name that is not there is returned as it is.
    """
    start, rest = name, ""
    while start not in names:
        start, dot, last = start.rpartition(".")
        if not dot:
            return name
        rest = f".{last}{rest}"
    return names[start] + rest


def moved_pointer(pointer: str, pointers: Mapping[str, str], elsewhere: str) -> str:
    """A pointer into the inner request as one into the outer request.

    ``pointers`` has the pointer of each participant by place in the inner request (``attackers.0``); what is at none of them is under
    ``elsewhere``.
    """
    keys = pointer.split("/")[1:]
    for length in range(len(keys), 0, -1):
        place = ".".join(keys[:length])
        if place in pointers:
            return "/".join([pointers[place], *keys[length:]])
    return elsewhere + pointer


@lru_cache(maxsize=512)
def _shown(template: str) -> dict[str, str]:
    """How a template shows each fact."""
    return {part.fact: part.how for part in parse(template) if part.fact is not None}


@dataclass(frozen=True, slots=True)
class InnerDice:
    """The dice of an outer action, for the rule of an inner one.

    ``places`` are the participants' places in the outer request by their places in the inner one, and ``rolls`` the names of their rolls.
    ``taking`` changes an option of the inner action into one of the outer action; ``None`` drops it. Steps, contributions and options are
    recorded by the outer dice. Nothing is cached and no branches are declared: what happened before may change the inner action.
    """

    outer: Dice
    namespace: str
    places: Mapping[str, str]
    rolls: Mapping[str, str]
    taking: Callable[[Offer], Offer | None] = lambda offer: None
    made: list[str] = field(default_factory=list)
    """The names of the rolls made."""

    # ── what is renamed ──

    def roll(self, name: str, pool: Pool, who: str, *, list_first: bool = False) -> Roll:
        """Roll under the outer name."""
        name = moved(name, self.rolls)
        self.made.append(name)
        return self.outer.roll(name, pool, who, list_first=list_first)

    def note(self, rule: str, key: str, /, *, value: Any = None, **facts: object) -> None:
        """Record the step, with the outer places."""
        self.outer.note(rule, key, value=value, **self.moved_facts(key, facts))

    def moved_facts(self, key: str, facts: Mapping[str, object]) -> dict[str, object]:
        """The facts of a sentence with the outer places and names of rolls."""
        full = CATALOGUE.find(self.namespace, key, "en")
        shown = _shown(CATALOGUE.templates["en"][full]) if full is not None else {}
        return {name: self._moved_fact(fact, shown.get(name, "")) for name, fact in facts.items()}

    def _moved_fact(self, fact: Any, how: str) -> object:
        if how == "roller":
            return moved(fact, self.places)
        if how == "rollers":
            return [moved(place, self.places) for place in fact]
        if how == "dice":
            return moved(fact, self.rolls)
        if how == "list":
            return [Sentence(key, self.moved_facts(key, facts)) for key, facts in fact]
        return fact

    def option(self, at: str, field: str) -> None:
        """Record that an option had an effect."""
        self.outer.option(moved(at, self.places), field)

    def contribution(self, on: str, kind: str, value: T, without: T, name: str = "") -> T:
        """Record what is part of a roll."""
        return self.outer.contribution(moved(on, self.rolls), kind, value, without, name)

    def offer(self, choices: Callable[[], Iterable[Any]]) -> None:
        """Record the options that the outer action has."""

        def taken() -> Iterable[Offer]:
            for choice in choices():
                costs = [(moved(place, self.places), *change) for place, *change in choice.costs]
                facts = self.moved_facts(choice.key, choice.facts)
                offer = self.taking(choice._replace(facts=facts, costs=costs))
                if offer is not None:
                    yield offer

        self.outer.offer(taken)

    # ── what is not ──

    def explain(self, notes: Callable[[], object]) -> None:
        """Call ``notes`` if steps are recorded."""
        self.outer.explain(notes)

    def compare(self, left: Total, right: Total, *, tie: Literal[0, 1] = 0) -> int:
        """Compare two totals."""
        return self.outer.compare(left, right, tie=tie)

    def value(self, number: Total | Undecided, cap: int | None = None) -> int:
        """The number itself."""
        return self.outer.value(number, cap)

    def special(self, roll: Roll) -> Special | None:
        """The special of a roll."""
        return self.outer.special(roll)

    def rank(
        self,
        rolls: Sequence[Roll],
        reroll: Reroll | None = None,
        *,
        share_places: bool = False,
        among: Sequence[int] | None = None,
        leader_only: bool = False,
    ) -> list[list[int]]:
        """The places by total."""
        return self.outer.rank(rolls, reroll, share_places=share_places, among=among, leader_only=leader_only)

    def follow(self, name: str, process: MarkovProcess[S, M, Q]) -> S:
        """Run a process."""
        return self.outer.follow(name, process)

    def cached(self, name: str, make: Callable[[], T]) -> T:
        """The result of ``make``."""
        return make()

    def declare_branches(self, bound: Callable[[], int]) -> None:
        """The outer action declares its branches."""


class _FirstRoll(Exception):
    """A rule asked for its first roll."""


class _NoDice:
    """Dice that stop a rule at its first roll and record nothing."""

    def roll(self, name: str, pool: Pool, who: str, *, list_first: bool = False) -> NoReturn:
        raise _FirstRoll

    def follow(self, name: str, process: object) -> NoReturn:
        raise _FirstRoll

    def note(self, rule: str, key: str, /, **facts: object) -> None: ...

    def option(self, at: str, field: str) -> None: ...

    def explain(self, notes: Callable[[], object]) -> None: ...

    def offer(self, choices: Callable[[], object]) -> None: ...

    def declare_branches(self, bound: Callable[[], int]) -> None: ...

    def contribution(self, on: str, kind: str, value: T, without: T, name: str = "") -> T:
        return value

    def cached(self, name: str, make: Callable[[], T]) -> T:
        return make()

    def compare(self, left: Any, right: Any, *, tie: int = 0) -> int:
        return (left > right) - (left < right) or tie

    def value(self, number: Any, cap: int | None = None) -> Any:
        return number


NO_DICE: Any = _NoDice()
"""Stops a rule at its first roll and records nothing."""


def refusal_before_dice(rule: Callable[[Dice], object]) -> Forbidden | None:
    """What the rule book forbids about an action; ``None`` if it may be rolled.

    A rule refuses before its first roll, so it is run up to there.
    """
    try:
        rule(NO_DICE)
    except _FirstRoll:
        return None
    except Forbidden as refusal:
        return refusal
    return None


def with_pointers(refusal: Refusal, pointers: Mapping[str, str], elsewhere: str) -> Refusal:
    """The refusal of an inner action with pointers into the outer request (`moved_pointer`)."""
    findings = [replace(finding, pointer=moved_pointer(finding.pointer, pointers, elsewhere)) for finding in refusal.findings]
    return type(refusal)(*findings, detail=refusal.detail)
