"""Factors and options: the same rule on the same dice, with something taken away or chosen differently.

What nobody has rolled stays unknown. Where such dice would decide, a factor is uncertain, and an option has a chance.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, Literal

from tablecall.dice.branch import Branch
from tablecall.dice.conditional import LazyTotal
from tablecall.dice.enumeration import explore
from tablecall.dice.known import known_rolls
from tablecall.dice.roll import Contribution, NamedRoll, RolledDice, SuppliedFaces, replayed, seeded
from tablecall.dice.source import Offer
from tablecall.engine.budget import Budget, Cooperative
from tablecall.engine.participants import effects_of
from tablecall.engine.supplied_dice import allows_unused, rolls_made
from tablecall.model.base import Body
from tablecall.model.refusals import Refusal, TooLargeToCount
from tablecall.model.text import CATALOGUE, Scope
from tablecall.systems.system import Action
from tablecall.systems.verdict import Change, Verdict

MAX_BRANCHES = 1_000
"""The branches followed for one factor or option. Beyond them it stays uncertain, or without a chance."""


@dataclass(slots=True)
class Ruled:
    """A ruling to compare with: its request, its dice, and its verdict."""

    action: Action
    body: Body
    seed: str
    record: RolledDice
    verdict: Verdict
    budget: Budget | None = None
    rolls: list[NamedRoll] = field(init=False)

    def __post_init__(self) -> None:
        self.rolls = list(self.record.rolls)

    def again(self, body: Body, without: tuple[str, str, str] | None = None) -> tuple[Verdict, set[str], RolledDice]:
        """The verdict of a changed request on the same dice, the names of the rolls for which dice were drawn anew, and its record."""
        new: set[str] = set()
        record = RolledDice(replayed(self.rolls, self.seed, new), without=without)
        if self.budget is not None:
            self.budget.pause()
            record.checkpoint = self.budget.charge
        return self.action.rule(body, record), new, record

    def branches(self, body: Body, without: tuple[str, str, str] | None = None) -> Cooperative[list[Branch[Verdict]] | None]:
        """Every verdict of a changed request that the dice nobody rolled could lead to; ``None`` if there are too many."""
        if body.unbounded:
            return None
        branches = []
        try:
            for branch in explore(lambda dice: self.action.rule(body, dice), known_rolls(self.rolls), Budget().charge, without):
                yield None
                branches.append(branch)
                if len(branches) > MAX_BRANCHES:
                    return None
        except TooLargeToCount:
            return None
        return branches


# ── Factors ──────────────────────────────────────────────────────────────────────────────────────────────────────────


def factors(ruled: Ruled) -> Cooperative[list[dict[str, Any]]]:
    """How much each contribution mattered (`Factor`): the rule once for each, with that contribution taken away.

    A contribution recorded twice (for a roll and its re-roll) is taken away from both. If the rules would refuse the request without it
    (it granted dice that were kept by hand), there is nothing to compare with, and it is left out. The actions of a conflict have factors
    of their own, measured by the verdict of the action; those of the conflict are all of them.
    """
    contributions = _distinct(ruled.record)
    if not ruled.verdict.parts:
        return (yield from _factors_of(ruled, contributions, None))
    found: list[dict[str, Any]] = []
    for number, part in enumerate(ruled.verdict.parts):
        places = {roll.rpartition(".")[0] if roll.endswith(".rescue") else roll for roll in part.rolls}
        own = [contribution for contribution in contributions if contribution.on in places | set(part.rolls)]
        part.shown["factors"] = yield from _factors_of(ruled, own, number)
        found += part.shown["factors"]
    return found


def _factors_of(ruled: Ruled, contributions: Iterable[Contribution], number: int | None) -> Cooperative[list[dict[str, Any]]]:
    factors = []
    for contribution in contributions:
        yield None
        try:
            measured = yield from _factor(ruled, contribution, number)
        except Refusal:
            continue
        value = _published_value(contribution.value)
        factors.append({"on": contribution.on, "kind": contribution.kind, "name": contribution.name, "value": value, **measured})
    return factors


def _factor(ruled: Ruled, contribution: Contribution, number: int | None) -> Cooperative[dict[str, Any]]:
    """The verdict on one contribution to the whole ruling, or to the part with that number."""
    key = contribution.on, contribution.kind, contribution.name
    actual = _part(ruled.verdict, number)
    other, new, _ = ruled.again(ruled.body, key)
    without = _part(other, number)
    if not new.intersection(_rolls_of(other, number, new)):
        importance = "necessary" if without.outcome != actual.outcome else "helpful" if _differ(without, actual) else "irrelevant"
        favours = _favours(actual, _wins(without), _number(without.total), _number(without.target)) or _side(actual, without)
        shown = {"outcome": without.outcome, "total": _number(without.decisive[0]), "margin": margin(without)}
        return {"verdict": importance, "favours": favours, "without": shown}
    branches = yield from ruled.branches(ruled.body, key)
    if branches is None:
        return {"verdict": "uncertain", "favours": None, "without": {"outcome": None, "total": None, "margin": None}}
    verdicts = [_part(branch.verdict, number) for branch in branches]
    outcomes = {verdict.outcome for verdict in verdicts}
    wins = _mean((branch, _wins(verdict)) for branch, verdict in zip(branches, verdicts, strict=True))
    totals = _mean((branch, _mean_number(verdict.total)) for branch, verdict in zip(branches, verdicts, strict=True))
    targets = _mean((branch, _mean_number(verdict.target)) for branch, verdict in zip(branches, verdicts, strict=True))
    outcome = outcomes.pop() if len(outcomes) == 1 else None
    importance = "uncertain" if outcome is None else "necessary" if outcome != actual.outcome else "helpful"
    total, target = map(_only, zip(*(verdict.decisive for verdict in verdicts), strict=True))
    shown = {"outcome": outcome, "total": total, "margin": None if total is None or target is None else total - target}
    return {"verdict": importance, "favours": _favours(actual, wins, totals, targets), "without": shown}


def _favours(
    actual: Verdict, wins: Fraction | int | None, total: Fraction | int | None, target: Fraction | int | None
) -> Literal["success", "failure"] | None:
    """The side that a contribution pushed towards: by its effect on success, else on the margin; ``None`` if it had none.

    ``wins``, ``total`` and ``target`` are the probability of success and the mean numbers without it.
    """
    won = _wins(actual)
    if wins is not None and won != wins:
        return "success" if won > wins else "failure"
    mine, theirs = _number(actual.total), _number(actual.target)
    gain: Fraction | int = 0
    if mine is not None and total is not None:
        gain += mine - total
    if theirs is not None and target is not None:
        gain -= theirs - target
    return "success" if gain > 0 else "failure" if gain < 0 else None


def _side(actual: Verdict, without: Verdict) -> Literal["success", "failure"] | None:
    """The same by the margins of an action with several results."""
    mine, theirs = (sum(result.get("margin") or 0 for result in verdict.fields.get("results") or ()) for verdict in (actual, without))
    return "success" if mine > theirs else "failure" if mine < theirs else None


def _part(verdict: Verdict, number: int | None) -> Verdict:
    """The verdict itself, or that of one of its parts."""
    return verdict if number is None else verdict.parts[number].verdict


def _rolls_of(verdict: Verdict, number: int | None, every: set[str]) -> set[str]:
    return every if number is None else set(verdict.parts[number].rolls)


def _differ(one: Verdict, other: Verdict) -> bool:
    """Whether anything but the outcome differs."""
    return _numbers(one) != _numbers(other)


def _numbers(verdict: Verdict) -> tuple[object, ...]:
    return verdict.total, verdict.target, verdict.decided, verdict.changes, verdict.after


def _wins(verdict: Verdict, *, wins: bool | None = True) -> Fraction:
    """1 if the attempt succeeded, or failed where that is what somebody wants; 0 otherwise."""
    return Fraction(verdict.succeeded is wins)


def margin(verdict: Verdict) -> int | None:
    """Total minus target, of rolled dice."""
    total, target = map(_number, verdict.decisive)
    return None if total is None or target is None else total - target


def _number(total: object) -> int | None:
    """A total that is known."""
    if isinstance(total, LazyTotal):
        conditional = total.conditional
        return conditional.low + total.shift if len(conditional.weights) == 1 else None
    return total if isinstance(total, int) else None


def _mean_number(total: object) -> Fraction | int | None:
    """The mean of a total in a branch."""
    if isinstance(total, LazyTotal):
        conditional = total.conditional
        conditional.settle()
        weighted = sum(value * weight for value, weight in enumerate(conditional.weights, conditional.low + total.shift))
        return Fraction(weighted, conditional.denominator)
    return total if isinstance(total, int) else None


def _mean(numbers: Iterable[tuple[Branch[Verdict], Fraction | int | None]]) -> Fraction | None:
    """The mean over all branches; ``None`` if some branch has no number."""
    mean = Fraction()
    for branch, number in numbers:
        if number is None:
            return None
        mean += branch.probability * number
    return mean


def _only(totals: Iterable[object]) -> int | None:
    """The number that all of them are; ``None`` if they differ or are not known."""
    numbers = {_number(total) for total in totals}
    return numbers.pop() if len(numbers) == 1 else None


def _published_value(value: object) -> int | str:
    """The value of a contribution: a number or a text as it is, faces with spaces between them, anything else as text."""
    if isinstance(value, int | str):
        return value
    return " ".join(map(str, value)) if type(value) is tuple else str(value)


def _distinct(record: RolledDice) -> list[Contribution]:
    """Each contribution once, in the order in which they were first recorded."""
    contributions: dict[tuple[str, str, str], Contribution] = {}
    for contribution in record.contributions:
        contributions.setdefault((contribution.on, contribution.kind, contribution.name), contribution)
    return list(contributions.values())


# ── Options ──────────────────────────────────────────────────────────────────────────────────────────────────────────


def options(ruled: Ruled, scope: Scope) -> Cooperative[list[dict[str, Any]]]:
    """The choices that are still open (`Option`). Left out are those that the rules refuse and those that change nothing for sure."""
    open_options = yield from _options_of(ruled, ruled.record.options, scope, None)
    for number, part in enumerate(ruled.verdict.parts):
        part.shown["options"] = yield from _options_of(ruled, part.options, scope, number)
        open_options += part.shown["options"]
    return open_options


def _options_of(ruled: Ruled, offers: Sequence[Offer], scope: Scope, number: int | None) -> Cooperative[list[dict[str, Any]]]:
    options = []
    for offer in offers:
        yield None
        request, chance, changes = None, None, [_cost(*cost) for cost in offer.costs]
        if offer.request is not None:
            patch = dict(offer.request) if ruled.body.seed is not None else {**offer.request, "seed": ruled.seed}
            taken = yield from _taken(ruled, patch, number, wins=offer.wins)
            if taken is None:
                continue
            request, chance = patch, taken.chance
            changes = changes or taken.changes
        rendered = CATALOGUE.render(offer.key, offer.facts, scope)
        options.append(
            {
                "choice": offer.choice,
                "text": rendered.text,
                "markdown": rendered.markdown,
                "request": request,
                "chance": chance,
                "costs": effects_of(ruled.body, Verdict("", None, changes=changes)),
            }
        )
    return options


def _cost(place: str, stat: str, before: Any, to: Any) -> Change:
    if isinstance(before, bool) or isinstance(to, bool):
        return Change(place, stat, before, to, 1 if to else -1)
    return Change(place, stat, before, to, to - before if isinstance(before, int) and isinstance(to, int) else None)


@dataclass(slots=True)
class _Taken:
    """What is known of an option: the probability of success, if it can be counted, and the changes that it adds for sure."""

    chance: float | None = None
    changes: list[Change] = field(default_factory=list)


def _taken(ruled: Ruled, patch: dict[str, Any], number: int | None, *, wins: bool | None) -> Cooperative[_Taken | None]:
    """An option taken; ``None`` if it is refused or changes nothing. Supplied dice that it does not roll are removed, also by ``patch``."""
    body = type(ruled.body).model_validate(merge(ruled.body.sent, patch))
    try:
        verdict, new, again = ruled.again(body)
        if body.dice and not allows_unused(body):
            made = rolls_made(again)
            dice = [supplied for supplied in body.dice if supplied.roll in made]
            if len(dice) < len(body.dice):
                patch["dice"] = [supplied.model_dump(by_alias=True) for supplied in dice]
            # the supplied dice must be those that it rolls
            faces = {supplied.roll: SuppliedFaces(supplied.faces, "") for supplied in dice}
            ruled.action.rule(body, RolledDice(seeded(ruled.seed, faces)))
        branches = (yield from ruled.branches(body)) if new.intersection(_rolls_of(verdict, number, new)) else []
    except Refusal:
        return None
    if branches is None:
        return _Taken()
    changes: list[Change] = []
    if branches:
        verdicts = [_part(branch.verdict, number) for branch in branches]
        chance = _mean((branch, _wins(verdict, wins=wins)) for branch, verdict in zip(branches, verdicts, strict=True))
    else:
        verdicts, actual = [_part(verdict, number)], _part(ruled.verdict, number)
        if verdicts[0].outcome == actual.outcome and not _differ(verdicts[0], actual):
            return None
        chance = _wins(verdicts[0], wins=wins)
        changes = [change for change in verdict.changes if change not in ruled.verdict.changes]
    attempted = wins is not None and any(verdict.succeeded is not None for verdict in verdicts)
    return _Taken(float(chance) if attempted and chance is not None else None, changes)


def merge(document: Any, patch: Any) -> Any:
    """Apply a JSON merge patch (RFC 7396) to a document."""
    if not isinstance(patch, Mapping):
        return patch
    merged = dict(document) if isinstance(document, Mapping) else {}
    for key, value in patch.items():
        if value is None:
            merged.pop(key, None)
        else:
            merged[key] = merge(merged.get(key), value)
    return merged
