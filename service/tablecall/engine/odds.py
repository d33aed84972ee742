"""The odds reading: exact probabilities of everything that can come of one action."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any

from tablecall.dice.branch import Branch, RationalSum
from tablecall.dice.distribution import Distribution
from tablecall.dice.enumeration import explore
from tablecall.dice.markov import no_checkpoint
from tablecall.dice.memo import known, tidy
from tablecall.engine.outcomes import lengths, outcomes, spread
from tablecall.engine.simulate import is_simulated, parts, played, simulated
from tablecall.engine.supplied_dice import all_rolled, by_rule_of, held, once_made, seed_of
from tablecall.engine.version import VERSION
from tablecall.model.base import Body, Simulable
from tablecall.model.refusals import Finding, TooLargeToCount, WrongDice
from tablecall.systems.system import Action, System
from tablecall.systems.verdict import Verdict


def odds(system: System, action: Action, body: Body, pace: Callable[[], None] = no_checkpoint) -> dict[str, Any]:
    """The odds of one action, in the published shape's words: exact, or simulated where so asked; dice handed in are held fixed.

    ``pace`` is called at every branch, and may end the counting by what it raises. Refuses what `resolve` refuses, and
    (`TooLargeToCount`) what is too much to follow.
    """
    if is_simulated(body):
        seed = seed_of(body)
        return simulated(system, action, body, seed, played(system, action, body, seed, range(parts(body)), pace))
    try:
        return _exact(system, action, body, pace)
    finally:
        tidy()


def _exact(system: System, action: Action, body: Body, pace: Callable[[], None]) -> dict[str, Any]:
    fixed = held(system, body)
    ways = []
    try:
        for way in explore(lambda dice: action.rule(body, dice), fixed, pace):
            ways.append(way)
        all_rolled(body, {name for way in ways for name in way.asked}, lambda: once_made(action, body))
    except WrongDice as error:
        raise by_rule_of(system, error) from None
    except TooLargeToCount as error:
        raise _or_simulated(error) if isinstance(body, Simulable) else error from None
    return {
        "action": f"{system.name}.{action.name}",
        "system": system.name,
        "method": "exact",
        "outcomes": outcomes(action, _shares(ways)),
        "rolls": _rolls(ways),
        "expected": _expected(ways),
        "rulebook": system.version,
        "version": VERSION,
        **_rounds(ways),
    }


def _or_simulated(error: TooLargeToCount) -> TooLargeToCount:
    """The same refusal, naming the way out."""
    found = error.findings[0]
    detail = f"{found.detail}; it may be simulated (`method`)"
    return TooLargeToCount(Finding(found.pointer, found.code, detail))


def _shares(ways: list[Branch[Verdict]]) -> dict[str, Fraction]:
    """How likely each outcome is."""
    found: dict[str, RationalSum] = {}
    for way in ways:
        found.setdefault(way.verdict.odds_outcome or way.verdict.outcome, RationalSum()).add(way)
    return {word: share.whole for word, share in found.items()}


class _Mixture:
    """Distributions of one thing, each with the share of the ways in which it is that one."""

    __slots__ = ("_parts",)

    def __init__(self) -> None:
        # by identity: to tell long tables apart by what is in them would cost more than it saves
        self._parts: dict[int, tuple[Distribution, RationalSum]] = {}

    def add(self, chances: Distribution, way: Branch[Verdict]) -> None:
        """One way, and which it is there."""
        if id(chances) not in self._parts:
            self._parts[id(chances)] = chances, RationalSum()
        self._parts[id(chances)][1].add(way)

    @property
    def whole(self) -> Distribution:
        """One distribution of them all, over a common whole, given that it is any."""
        (first, _), *others = self._parts.values()
        if not others:
            return first
        scales = [(chances, share.whole / chances.whole) for chances, share in self._parts.values()]
        common = math.lcm(*(scale.denominator for _, scale in scales))
        totals: dict[int, int] = {}
        for chances, scale in scales:
            factor = scale.numerator * (common // scale.denominator)
            for total, ways in enumerate(chances.weights, chances.low):
                totals[total] = totals.get(total, 0) + ways * factor
        low, high = min(totals), max(totals)
        weights = tuple(totals.get(total, 0) for total in range(low, high + 1))
        return Distribution(low, weights, sum(weights))


def _rolls(ways: list[Branch[Verdict]]) -> list[dict[str, Any]]:
    """Each roll's distribution, given that it is made; where its dice hang on earlier ones, the mixture."""
    made: dict[str, _Mixture] = {}
    for way in ways:
        for name, chances in way.asked.items():
            made.setdefault(name, _Mixture()).add(chances, way)
    wholes = ((name, mixture.whole) for name, mixture in made.items())
    return [{"roll": name, **_described(whole.low, tuple(whole.weights), whole.whole)} for name, whole in wholes]


@known(lambda found: 10 * len(found["distribution"]))
def _described(low: int, weights: tuple[int, ...], whole: int) -> dict[str, Any]:
    """Every total with its probability, the mean and the standard deviation. Whoever gets it must not change it."""
    totals = [(total, ways) for total, ways in enumerate(weights, low) if ways]
    # As a `Fraction` in lowest terms is written, without making one; only what is certain has no denominator.
    common = [math.gcd(ways, whole) for _, ways in totals]
    texts = [f"{ways // part}/{whole // part}" for (_, ways), part in zip(totals, common, strict=True)] if len(totals) > 1 else ["1"]
    return {
        "distribution": [
            {"total": total, "probability": ways / whole, "fraction": text} for (total, ways), text in zip(totals, texts, strict=True)
        ],
        **spread(totals, whole),
    }


def _rounds(ways: list[Branch[Verdict]]) -> dict[str, Any]:
    """How long it goes on, where there is something that does."""
    lasting = [(way.lasted, way) for way in ways if way.lasted is not None]
    if not lasting:
        return {}
    mixture = _Mixture()
    for lasted, way in lasting:
        mixture.add(lasted, way)
    whole = mixture.whole
    return {"rounds": lengths(enumerate(whole.weights, whole.low), whole.whole)}


def _expected(ways: list[Branch[Verdict]]) -> dict[str, float]:
    found: dict[str, RationalSum] = {}
    for way in ways:
        for change in way.verdict.changes:
            if change.change is not None:
                found.setdefault(f"{change.on}.{change.stat}", RationalSum()).add(way, change.change)
    return {stat: float(mean.whole) for stat, mean in found.items()}
