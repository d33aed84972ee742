"""A whole fight as a Markov process: its states, turns and attacks, and how an attack changes the state.

`tablecall.dice.markov` follows the process, once for a ruling and by counting states for the odds.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from math import prod
from typing import Any, Literal, NamedTuple, TypeVar

from tablecall.dice.source import Dice, Record, Total
from tablecall.systems.jazz.attack import ATTACK_IS_FREE, DEFENCE_IS_FREE
from tablecall.systems.jazz.roller import ready_roller
from tablecall.systems.jazz.round import JazzCombatant, stands
from tablecall.systems.jazz.sheet import JazzActor
from tablecall.systems.verdict import Verdict

T = TypeVar("T")
Tactic = Literal["first", "weakest", "strongest"]


def hits_to_go(actor: JazzActor) -> int:
    """How many hits take a combatant out (jazz.conflict.out, jazz.conflict.unnamed); 0 for one who is out already."""
    sheet = actor.character
    assert sheet is not None
    if not stands(actor):
        return 0
    return max(sheet.health.current, 1) if sheet.named and sheet.health is not None else 1


class FightState(NamedTuple):
    """The state of a fight between two turns.

    ``hits`` is how many more hits each fighter can take. ``dice`` and ``acting`` are bit sets of fighters: those whose die to
    spend or impose is unused, and those who act in the current place of the order (0 between places).
    """

    hits: tuple[int, ...]
    dice: int
    acting: int


class Turn(NamedTuple):
    """One fighter's turn in a ``place`` of the order; ``first`` and ``last`` mark the ends of a shared place."""

    fighter: int
    place: tuple[int, ...]
    first: bool
    last: bool


class Attack(NamedTuple):
    """One attack, by indices; ``uses_die`` if the attacker's die to spend or impose goes into it."""

    by: int
    on: int
    uses_die: bool


@dataclass(frozen=True, slots=True)
class Fighter:
    """A combatant in a fight.

    ``actor`` makes the first attack and ``spent`` everything later, with no die to spend or impose. ``hits`` is how many take
    the fighter out. ``label`` is the name, with the id if others have the same name.
    """

    where: str
    label: str
    combatant: JazzCombatant
    actor: JazzActor
    spent: JazzActor
    hits: int

    @property
    def has_die(self) -> bool:
        """Whether the first attack uses up a die to spend or impose."""
        return self.hits > 0 and self.spent is not self.actor

    def health(self, hits: int) -> int | None:
        """The health left after that many hits; None without a pool."""
        sheet = self.actor.character
        return max(sheet.health.current - hits, 0) if sheet is not None and sheet.health is not None else None

    def apply_hits(self, hits: int, verdict: Verdict) -> None:
        """Record what that many hits changed: health lost, and out after the last one (jazz.conflict.out)."""
        if not hits:
            return
        before, after = self.health(0), self.health(hits)
        if before is None or after is None:
            verdict.change_unseen(self.where, "health", -hits)
        else:
            verdict.change(self.where, "health", before, after)
        if hits == self.hits:
            verdict.set_flag(self.where, "out", to=True)


@dataclass(slots=True)
class OnceRecord:
    """Records steps that are not in ``said`` yet, and adds them to it."""

    record: Record
    said: set[object]

    def step(self, rule: str, text: str, *facts: object, value: object = None) -> None:
        """Record the step if it is new."""
        key = (rule, text, facts, value)
        if key not in self.said:
            self.said.add(key)
            self.record.step(rule, text, *facts, value=value)

    def note(self, rule: str, key: str, /, *, value: object = None, **facts: object) -> None:
        """Record the step if it is new."""
        step = (rule, key, tuple(facts.items()), value)
        if step not in self.said:
            self.said.add(step)
            self.record.note(rule, key, value=value, **facts)

    def option(self, at: str, field: str) -> None:
        """Record that the option had an effect."""
        self.record.option(at, field)

    def contribution(self, on: str, kind: str, value: T, without: T, name: str = "") -> T:
        """Record the contribution."""
        return self.record.contribution(on, kind, value, without, name)


@dataclass(slots=True)
class CombatProcess:
    """A fight as a `tablecall.dice.source.MarkovProcess`.

    ``side_of`` is each fighter's side, ``foes`` whom each may attack, ``max_rounds`` the most rounds. ``attacks`` and ``rounds``
    record the fight if its steps are recorded. ``said`` holds the steps already recorded of each fighter, before and after their
    die is used up.
    """

    fighters: Sequence[Fighter]
    side_of: Sequence[str]
    foes: Sequence[Sequence[int]]
    tactics: Sequence[Tactic]
    start: FightState
    max_rounds: int
    special_rounds: frozenset[int]
    moves: Sequence[Turn] = ()
    attacks: list[dict[str, Any]] = field(default_factory=list)
    rounds: int = 0
    dice_used: set[str] = field(default_factory=set)
    said: dict[tuple[str, bool], set[object]] = field(default_factory=dict)
    totals: tuple[Total, Total] = (0, 0)

    @property
    def state_bound(self) -> int:
        """An upper bound on the number of states.

        Between two sides only the number of hits each side has taken matters: who took them follows from the tactics.
        """
        hits = [min(most, len(foes) * self.max_rounds) for most, foes in zip(self.start.hits, self.foes, strict=True)]
        sizes = Counter(self.side_of)
        if len(sizes) == 2:
            by_side = Counter[str]()
            for side, number in zip(self.side_of, hits, strict=True):
                by_side[side] += number
            hits = [min(by_side[side], (sizes.total() - size) * self.max_rounds) for side, size in sizes.items()]
        return prod(number + 1 for number in hits) << self.start.dice.bit_count()

    def sides_standing(self, state: FightState) -> list[str]:
        """The sides with somebody still standing, in the order listed."""
        return list(dict.fromkeys(side for side, hits in zip(self.side_of, state.hits, strict=True) if hits))

    def is_over(self, state: FightState) -> bool:
        """Whether at most one side stands. A shared place is always finished first."""
        if state.acting:
            return False
        return len({side for side, hits in zip(self.side_of, state.hits, strict=True) if hits}) < 2

    def question(self, state: FightState, move: Turn) -> Attack | None:
        """The attack of this turn; None if the fighter is out or nobody is left to attack."""
        if not self._acting(state, move) >> move.fighter & 1:
            return None
        target = self._target(state.hits, move.fighter)
        return None if target is None else Attack(move.fighter, target, bool(state.dice >> move.fighter & 1))

    def possible_questions(self, move: Turn) -> list[Attack]:
        """Every attack this turn may ever bring: on any foe, with the die or without."""
        die_uses = {False, self.fighters[move.fighter].has_die}
        foes = (foe for foe in self.foes[move.fighter] if self.start.hits[foe])
        return [Attack(move.fighter, foe, uses_die) for foe in foes for uses_die in die_uses]

    def decide(self, question: Attack, time: int, dice: Dice) -> bool:
        """Whether the attack hits: ties hit, and the margin never matters (jazz.conflict.attack)."""
        by, on = self.fighters[question.by], self.fighters[question.on]
        total = self._roll(by, f"round{time}.attack", ATTACK_IS_FREE, dice, uses_die=question.uses_die)
        target = self._roll(on, f"round{time}.against{question.by}", DEFENCE_IS_FREE, dice)
        hit = dice.compare(total, target, tie=1) > 0
        facts = by.label, on.label, total, target, "a hit" if hit else "a miss"
        dice.step("jazz.conflict.attack", "round {}: {} on {}: {} against {}: {}", time, *facts)
        self.totals = total, target
        return hit

    def _roll(self, fighter: Fighter, purpose: str, free: str, dice: Dice, *, uses_die: bool = False) -> Total:
        """Make one roll. Its steps are written once per fighter, and once more after their die is used up."""
        terse = OnceRecord(dice, self.said.setdefault((fighter.where, fighter.where in self.dice_used), set()))
        roller = ready_roller(fighter.actor if uses_die else fighter.spent, fighter.where, terse, free=free)
        roller.name = fighter.label
        pool = roller.pool(terse)
        terse.step("jazz.dice.roll", "{}: {}d6 + {}", fighter.label, pool.count, pool.modifier)
        if uses_die:
            self.dice_used.add(fighter.where)
        return dice.roll(f"{fighter.where}.{purpose}", pool, fighter.combatant.name).total

    def next_state(self, state: FightState, move: Turn, question: Attack | None, decided: bool, time: int, dice: Dice) -> FightState:
        """The state after a turn: the attacker's die is used up, and a hit counts against the target."""
        acting = 0 if move.last else self._acting(state, move)
        if question is None:
            return FightState(state.hits, state.dice, acting)
        hits = list(state.hits)
        hits[question.on] -= decided
        dice.explain(lambda: self._record(question, time, hits[question.on], dice, hit=decided))
        return FightState(tuple(hits), state.dice & ~(1 << question.by), acting)

    def _record(self, attack: Attack, time: int, hits_left: int, dice: Dice, *, hit: bool) -> None:
        on, (total, target) = self.fighters[attack.on], self.totals
        out = hits_left == 0
        if out:
            unnamed = on.actor.character is not None and not on.actor.character.named
            rule, reason = ("jazz.conflict.unnamed", "is unnamed, and") if unnamed else ("jazz.conflict.out", "has no health left and")
            dice.step(rule, "round {}: {} {} is out of the fight", time, on.label, reason)
        self.rounds = time
        self.attacks.append(
            {
                "round": time,
                "by": self.fighters[attack.by].combatant.id,
                "on": on.combatant.id,
                "outcome": "hit" if hit else "miss",
                "total": total,
                "target": target,
                "health": on.health(on.hits - hits_left),
                "out": out,
            }
        )

    def _acting(self, state: FightState, move: Turn) -> int:
        """The fighters who act in this place: those who stood when it began."""
        if not move.first:
            return state.acting
        return sum(1 << index for index in move.place if state.hits[index] > 0)

    def _target(self, hits: Sequence[int], fighter: int) -> int | None:
        """The standing foe whom the side's tactic chooses; the first listed of equals."""
        foes = [index for index in self.foes[fighter] if hits[index] > 0]
        tactic = self.tactics[fighter]
        if tactic == "first" or not foes:
            return min(foes, default=None)
        sign = 1 if tactic == "weakest" else -1
        return min(foes, key=lambda index: (sign * hits[index], index))


def turns_of(place: Sequence[int]) -> list[Turn]:
    """The turns of the fighters who share one place in the order."""
    last = len(place) - 1
    return [Turn(fighter, tuple(place), number == 0, number == last) for number, fighter in enumerate(place)]
