"""A whole fight as a Markov process: its states, turns and attacks, and how an attack changes the state.

`tablecall.dice.markov` follows the process, once for a ruling and by counting states for the odds.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from math import prod
from typing import Any, Literal, NamedTuple, TypeVar

from tablecall.dice.extreme import extreme_roll
from tablecall.dice.source import Dice, Record, Roll, Total
from tablecall.systems.jazz.conflict import JazzCombatant, stands
from tablecall.systems.jazz.roller import ready_roller
from tablecall.systems.jazz.sheet import JazzActor
from tablecall.systems.verdict import Verdict

T = TypeVar("T")
Tactic = Literal["first", "weakest", "strongest"]
MAX_TEAM_LISTED = 5
"""Up to this many members, the odds look at every part of a team that may still stand."""


def hits_to_go(actor: JazzActor) -> int:
    """How many hits take a combatant out (jazz.conflict.out, jazz.conflict.unnamed); 0 for one who is out already."""
    sheet = actor.character
    assert sheet is not None
    if not stands(actor):
        return 0
    return max(sheet.health.current, 1) if sheet.named and sheet.health is not None else 1


class FightState(NamedTuple):
    """The state of a fight between two turns.

    ``hits`` is how many more hits each fighter can take. The numbers are bit sets of fighters: those whose die to spend or impose is unused
    (``dice``), those who act in the current place of the order (``acting``; between places those who fell before the request and still
    act), and those who acted before the request, until its first round ends (``acted``). ``slots`` is the place in which each team acts in
    this round: that of its slowest member who stood when the round began; −1 for a team that is out.
    """

    hits: tuple[int, ...]
    dice: int
    acting: int
    acted: int = 0
    slots: tuple[int, ...] = ()


class Turn(NamedTuple):
    """The turn of one fighter, or of a ``team``, in a place of the order.

    ``place`` are the fighters who share it. ``first`` and ``last`` mark the ends of a place, ``ends_round`` that of the round.
    """

    fighter: int
    team: int | None
    number: int
    place: tuple[int, ...]
    first: bool
    last: bool
    ends_round: bool = False


class Attack(NamedTuple):
    """One attack, by indices. ``dice`` is the bit set of those whose die to spend or impose goes into it."""

    by: tuple[int, ...]
    on: int
    dice: int


@dataclass(frozen=True, slots=True)
class Fighter:
    """A combatant in a fight.

    ``actor`` makes the first attack and ``spent`` everything later, with nothing to use once. ``hits`` is how many take the fighter out.
    """

    where: str
    combatant: JazzCombatant
    actor: JazzActor
    spent: JazzActor
    hits: int

    @property
    def has_die(self) -> bool:
        """Whether the first attack uses something up."""
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

    def note(self, rule: str, key: str, /, *, value: Any = None, **facts: object) -> None:
        """Record the step if it is new."""
        known = (rule, key, repr(facts), value)
        if known not in self.said:
            self.said.add(known)
            self.record.note(rule, key, value=value, **facts)

    def option(self, at: str, field: str) -> None:
        """Record that an option had an effect."""
        self.record.option(at, field)

    def contribution(self, on: str, kind: str, value: T, without: T, name: str = "") -> T:
        """Record the contribution."""
        return self.record.contribution(on, kind, value, without, name)


@dataclass(slots=True)
class CombatProcess:
    """A fight as a `tablecall.dice.source.MarkovProcess`.

    ``side_of`` is each fighter's side, ``foes`` whom each may attack, ``teams`` the members of each side that attacks together,
    ``max_rounds`` the most rounds, ``first_round`` the number of the first. ``attacks`` and ``rounds`` record the fight if its steps are
    recorded. ``said`` holds the steps already recorded of each fighter, before and after their die is used up.
    """

    fighters: Sequence[Fighter]
    side_of: Sequence[str]
    foes: Sequence[Sequence[int]]
    tactics: Sequence[Tactic]
    teams: Sequence[Sequence[int]]
    start: FightState
    max_rounds: int
    special_rounds: frozenset[int]
    first_round: int = 1
    place_of: dict[int, int] = field(default_factory=dict)
    moves: Sequence[Turn] = ()
    attacks: list[dict[str, Any]] = field(default_factory=list)
    rounds: int = 0
    dice_used: set[str] = field(default_factory=set)
    said: dict[tuple[str, bool], set[object]] = field(default_factory=dict)
    totals: tuple[Total, Total] = (0, 0)

    def set_order(self, places: Sequence[Sequence[int]]) -> None:
        """Set the order of those who stand or are falling: who acts when."""
        self.place_of = {fighter: number for number, place in enumerate(places) for fighter in place}
        self.moves = [turn for number, place in enumerate(places) for turn in self._turns_of(number, place)]
        self.moves = [*self.moves[:-1], self.moves[-1]._replace(ends_round=True)]
        self.start = self.start._replace(slots=self._slots(self.start.hits, self.start.acting, self.start.acted))

    def _turns_of(self, number: int, place: Sequence[int]) -> list[Turn]:
        """The turns in one place: one for each fighter, or for each team with somebody in it."""
        turns: list[Turn] = []
        for fighter in place:
            team = next((index for index, members in enumerate(self.teams) if fighter in members), None)
            if team is None or all(turn.team != team for turn in turns):
                turns.append(Turn(fighter, team, number, tuple(place), first=False, last=False))
        turns[0] = turns[0]._replace(first=True)
        turns[-1] = turns[-1]._replace(last=True)
        return turns

    def _slots(self, hits: Sequence[int], falling: int, acted: int) -> tuple[int, ...]:
        """jazz.team.attack: the place of the slowest member of each team who stands as the round begins."""
        slots = []
        for members in self.teams:
            able = [member for member in members if (hits[member] or falling >> member & 1) and not acted >> member & 1]
            slots.append(max((self.place_of[member] for member in able), default=-1))
        return tuple(slots)

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
        slots = prod(len(members) for members in self.teams)
        return prod(number + 1 for number in hits) * slots << self.start.dice.bit_count() + (self.start.acted > 0)

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
        by = self._attackers(state, move)
        target = self._target(state.hits, by[0]) if by else None
        if target is None:
            return None
        # a die goes into an own attack; into a defence only after the own action of this round
        using = sum(1 << member for member in by) | (1 << target & state.acted)
        return Attack(tuple(by), target, state.dice & using)

    def _attackers(self, state: FightState, move: Turn) -> list[int]:
        """Those who attack in this turn."""
        acting = self._acting(state, move) & ~state.acted
        if move.team is None:
            return [move.fighter] if acting >> move.fighter & 1 else []
        if state.slots[move.team] != move.number:
            return []
        standing = [member for member in self.teams[move.team] if not state.acted >> member & 1]
        return [member for member in standing if state.hits[member] or acting >> member & 1]

    def possible_questions(self, move: Turn) -> list[Attack]:
        """Every attack this turn may bring: on any foe, with the dice or without. Of a large team only the whole and each alone."""
        foes = [foe for foe in self.foes[move.fighter] if self.start.hits[foe]]
        questions: dict[Attack, None] = {}
        for by in self._parties(move):
            dice = sum(1 << member for member in by if self.fighters[member].has_die)
            for foe in foes:
                defending = 1 << foe & self.start.acted & self.start.dice
                for used in {0, dice, defending, dice | defending}:
                    questions[Attack(by, foe, used)] = None
        return list(questions)

    def _parties(self, move: Turn) -> Iterator[tuple[int, ...]]:
        """The fighters who may attack together in a turn."""
        if move.team is None:
            yield (move.fighter,)
            return
        members = [member for member in self.teams[move.team] if self.fighters[member].hits]
        sizes = range(1, len(members) + 1) if len(members) <= MAX_TEAM_LISTED else sorted({1, len(members)})
        for size in sizes:
            yield from combinations(members, size)

    def decide(self, question: Attack, time: int, dice: Dice) -> bool:
        """Whether the attack hits: ties hit, and the margin never matters (jazz.conflict.attack)."""
        number, on = self.first_round + time - 1, self.fighters[question.on]
        side = self.side_of[question.by[0]]
        team = next((members for members in self.teams if question.by[0] in members), None)
        first = question.by[0] if team is None else next(index for index, other in enumerate(self.side_of) if other == side)
        rolls = [self._roll(member, f"round{number}.attack", dice, question.dice) for member in question.by]
        total = rolls[0].total
        if len(rolls) > 1:
            # jazz.team.highest: the highest total, plus the number of members
            best, _ = extreme_roll(rolls, highest=True)
            total = best.total + dice.contribution(f"{self.fighters[first].where}.round{number}.attack", "team", len(rolls), 0)
        target = self._roll(question.on, f"round{number}.against.{first}", dice, question.dice).total
        hit = dice.compare(total, target, tie=1) > 0
        facts = {"total": total, "target": target, "outcome": "hit" if hit else "miss"}
        who = [self.fighters[member].where for member in question.by]
        dice.note("jazz.conflict.attack", "fight.attack", round=number, who=who, on=on.where, **facts)
        self.totals = total, target
        return hit

    def _roll(self, index: int, purpose: str, dice: Dice, using: int) -> Roll:
        """Make one roll. Its steps are written once per fighter, and once more after their die is used up."""
        fighter, uses_die = self.fighters[index], bool(using >> index & 1)
        name = f"{fighter.where}.{purpose}"
        terse = OnceRecord(dice, self.said.setdefault((fighter.where, fighter.where in self.dice_used), set()))
        roller = ready_roller(fighter.actor if uses_die else fighter.spent, fighter.where, terse)
        pool = roller.pool(terse)
        if uses_die:
            self.dice_used.add(fighter.where)
        return dice.roll(name, pool, fighter.combatant.name)

    def next_state(self, state: FightState, move: Turn, question: Attack | None, decided: bool, time: int, dice: Dice) -> FightState:
        """The state after a turn: dice are used up, a hit counts against the target, and the last turn ends the round."""
        place = sum(1 << fighter for fighter in move.place)
        acting = (state.acting & ~place) | (0 if move.last else self._acting(state, move))
        hits, dice_left = state.hits, state.dice
        if question is not None:
            left = list(hits)
            left[question.on] -= decided
            hits, dice_left = tuple(left), dice_left & ~question.dice
            dice.explain(lambda: self._record(question, time, left[question.on], dice, hit=decided))
        acted, slots = state.acted, state.slots
        if move.ends_round:
            acted, slots = 0, self._slots(hits, 0, 0) if self.teams else slots
        return FightState(hits, dice_left, acting, acted, slots)

    def _record(self, attack: Attack, time: int, hits_left: int, dice: Dice, *, hit: bool) -> None:
        on, (total, target) = self.fighters[attack.on], self.totals
        out = hits_left == 0
        number = self.first_round + time - 1
        if out:
            unnamed = on.actor.character is not None and not on.actor.character.named
            rule, key = ("jazz.conflict.unnamed", "fight.unnamed") if unnamed else ("jazz.conflict.out", "fight.out")
            dice.note(rule, key, round=number, who=on.where)
        self.rounds = time
        ids = [self.fighters[member].combatant.id for member in attack.by]
        self.attacks.append(
            {
                "round": number,
                "by": ids[0],
                "team": ids,
                "on": on.combatant.id,
                "outcome": "hit" if hit else "miss",
                "total": total,
                "target": target,
                "health": on.health(on.hits - hits_left),
                "out": out,
            }
        )

    def _acting(self, state: FightState, move: Turn) -> int:
        """The fighters who act in this place: those who stood when it began, and those who fell in it before the request."""
        place = sum(1 << fighter for fighter in move.place)
        if not move.first:
            return state.acting & place
        return sum(1 << index for index in move.place if state.hits[index] > 0 and not state.acted >> index & 1) | (state.acting & place)

    def _target(self, hits: Sequence[int], fighter: int) -> int | None:
        """The standing foe whom the side's tactic chooses; the first listed of equals."""
        foes = [index for index in self.foes[fighter] if hits[index] > 0]
        tactic = self.tactics[fighter]
        if tactic == "first" or not foes:
            return min(foes, default=None)
        sign = 1 if tactic == "weakest" else -1
        return min(foes, key=lambda index: (sign * hits[index], index))
