"""Jazz, a fight as a course of events: who stands, whose turn it is, whom they attack, what becomes of it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from math import prod
from typing import Any, Literal, NamedTuple

from tablecall.dice.source import Dice, Total
from tablecall.systems.jazz.attack import ATTACKING, DEFENDING
from tablecall.systems.jazz.roller import ready
from tablecall.systems.jazz.round import JazzCombatant, stands
from tablecall.systems.jazz.sheet import JazzActor
from tablecall.systems.verdict import Verdict

Tactic = Literal["first", "weakest", "strongest"]


def hits_left(actor: JazzActor) -> int:
    """How many hits take somebody out (jazz.conflict.out, jazz.conflict.unnamed); none, who is out already."""
    sheet = actor.character
    assert sheet is not None
    if not stands(actor):
        return 0
    return max(sheet.health.current, 1) if sheet.named and sheet.health is not None else 1


class Standing(NamedTuple):
    """How a fight stands: what is left of everyone in hits, whose dice are still to be spent, who acts in the place under way."""

    left: tuple[int, ...]
    dice: int
    acting: int


class Turn(NamedTuple):
    """Somebody's turn. Of a place that is shared, the first and the last are marked."""

    who: int
    place: tuple[int, ...]
    first: bool
    last: bool


class Blow(NamedTuple):
    """One attack: by whom, on whom, and whether the attacker's die to spend or impose goes into it."""

    by: int
    on: int
    spending: bool


@dataclass(frozen=True, slots=True)
class Fighter:
    """Somebody in a fight: as they attack first, as they fight from then on, how many hits they take.

    ``label`` is what tells them apart from others of the same name.
    """

    where: str
    label: str
    combatant: JazzCombatant
    actor: JazzActor
    spent: JazzActor
    left: int

    @property
    def spends(self) -> bool:
        """Whether the first attack uses something up."""
        return self.left > 0 and self.spent is not self.actor

    def health(self, hits: int) -> int | None:
        """The health left after so many hits."""
        sheet = self.actor.character
        return max(sheet.health.current - hits, 0) if sheet is not None and sheet.health is not None else None

    def suffer(self, hits: int, verdict: Verdict) -> None:
        """What the hits did: as many health lost; out at the last (jazz.conflict.out)."""
        if not hits:
            return
        before, to = self.health(0), self.health(hits)
        if before is None or to is None:
            verdict.change_unseen(self.where, "health", -hits)
        else:
            verdict.change(self.where, "health", before, to)
        if hits == self.left:
            verdict.set_flag(self.where, "out", to=True)


@dataclass(slots=True)
class Fight:
    """A fight as a course of events (`tablecall.dice.markov.MarkovProcess`); ``attacks`` and ``rounds`` tell of it where somebody reads.

    ``side_of`` says on which side each is, ``foes`` whom each may attack.
    """

    fighters: Sequence[Fighter]
    side_of: Sequence[str]
    foes: Sequence[Sequence[int]]
    tactics: Sequence[Tactic]
    start: Standing
    max_rounds: int
    special_rounds: frozenset[int]
    moves: Sequence[Turn] = ()
    attacks: list[dict[str, Any]] = field(default_factory=list)
    rounds: int = 0
    spent: set[str] = field(default_factory=set)
    totals: tuple[Total, Total] = (0, 0)

    @property
    def state_bound(self) -> int:
        """Where two sides fight, all that matters is how many hits each has taken: everyone's target follows from that."""
        hits = [min(left, len(foes) * self.max_rounds) for left, foes in zip(self.start.left, self.foes, strict=True)]
        sides = Counter(self.side_of)
        if len(sides) == 2:
            taken = Counter[str]()
            for side, number in zip(self.side_of, hits, strict=True):
                taken[side] += number
            hits = [min(taken[side], (sides.total() - number) * self.max_rounds) for side, number in sides.items()]
        return prod(number + 1 for number in hits) << self.start.dice.bit_count()

    def standing(self, state: Standing) -> list[str]:
        """The sides that still have somebody standing, as they are listed."""
        return list(dict.fromkeys(side for side, left in zip(self.side_of, state.left, strict=True) if left))

    def is_over(self, state: Standing) -> bool:
        """Whether one side at most stands; a place that is under way comes to its end."""
        if state.acting:
            return False
        return len({side for side, left in zip(self.side_of, state.left, strict=True) if left}) < 2

    def question(self, state: Standing, move: Turn) -> Blow | None:
        """The attack somebody makes: they stand, or stood before their place began, and somebody is left to attack."""
        if not self._acting(state, move) >> move.who & 1:
            return None
        target = self._target(state.left, move.who)
        return None if target is None else Blow(move.who, target, bool(state.dice >> move.who & 1))

    def possible_questions(self, move: Turn) -> list[Blow]:
        """On anybody, with the die or without."""
        fighter = self.fighters[move.who]
        ways = {False, fighter.spends}
        return [Blow(move.who, foe, spending) for foe in self.foes[move.who] if self.start.left[foe] for spending in ways]

    def decide(self, question: Blow, time: int, dice: Dice) -> bool:
        """The attack: ties hit, and the margin never matters (jazz.conflict.attack)."""
        by, on = self.fighters[question.by], self.fighters[question.on]
        total = self._rolled(by, f"round{time}.attack", ATTACKING, dice, spending=question.spending)
        target = self._rolled(on, f"round{time}.against{question.by}", DEFENDING, dice)
        hit = dice.reaches(total, target)
        who = by.label, on.label, total, target, "a hit" if hit else "a miss"
        dice.step("jazz.conflict.attack", "round {}: {} on {}: {} against {}: {}", time, *who)
        self.totals = total, target
        return hit

    def _rolled(self, fighter: Fighter, purpose: str, free: str, dice: Dice, *, spending: bool = False) -> Total:
        """One roll. How somebody rolls is told once, and once more when a die to spend or impose is gone; not each time what came of it."""
        told = dice.dedupe_steps(f"{fighter.where} {fighter.where in self.spent}")
        roller = ready(fighter.actor if spending else fighter.spent, fighter.where, told, free=free)
        roller.name = fighter.label
        quantity = roller.counted(told)
        told.step("jazz.dice.roll", "{}: {}d6 + {}", fighter.label, quantity.count, quantity.modifier)
        if spending:
            self.spent.add(fighter.where)
        return dice.roll(f"{fighter.where}.{purpose}", quantity, fighter.combatant.name).total

    def next_state(self, state: Standing, move: Turn, question: Blow | None, decided: bool, time: int, dice: Dice) -> Standing:
        """The attacker's die is spent; whoever is hit takes one hit less."""
        acting = 0 if move.last else self._acting(state, move)
        if question is None:
            return Standing(state.left, state.dice, acting)
        left = list(state.left)
        left[question.on] -= decided
        if dice.wants_steps:
            self._tell(question, time, left[question.on], dice, hit=decided)
        return Standing(tuple(left), state.dice & ~(1 << question.by), acting)

    def _tell(self, blow: Blow, time: int, left: int, dice: Dice, *, hit: bool) -> None:
        on, (total, target) = self.fighters[blow.on], self.totals
        out = left == 0
        if out:
            unnamed = on.actor.character is not None and not on.actor.character.named
            rule, why = ("jazz.conflict.unnamed", "is unnamed, and") if unnamed else ("jazz.conflict.out", "has no health left and")
            dice.step(rule, "round {}: {} {} is out of the fight", time, on.label, why)
        self.rounds = time
        self.attacks.append(
            {
                "round": time,
                "by": self.fighters[blow.by].combatant.id,
                "on": on.combatant.id,
                "outcome": "hit" if hit else "miss",
                "total": total,
                "target": target,
                "health": on.health(on.left - left),
                "out": out,
            }
        )

    def _acting(self, state: Standing, move: Turn) -> int:
        """Who acts in this place: those who stood when it began."""
        if not move.first:
            return state.acting
        return sum(1 << index for index in move.place if state.left[index] > 0)

    def _target(self, left: Sequence[int], who: int) -> int | None:
        """Whom the tactic of the side says, of those who stand."""
        foes = [index for index in self.foes[who] if left[index] > 0]
        tactic = self.tactics[who]
        if tactic == "first" or not foes:
            return min(foes, default=None)
        sign = 1 if tactic == "weakest" else -1
        return min(foes, key=lambda index: (sign * left[index], index))


def turns_of(place: Sequence[int]) -> list[Turn]:
    """The turns of those who share a place in the order."""
    last = len(place) - 1
    return [Turn(who, tuple(place), number == 0, number == last) for number, who in enumerate(place)]
