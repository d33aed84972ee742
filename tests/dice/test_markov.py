"""Markov processes, with a gambler as example: walked once, counted by states, and sampled."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from hashlib import shake_256
from itertools import islice, pairwise, repeat
from struct import pack
from typing import ClassVar, NamedTuple, cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tablecall.dice import enumeration
from tablecall.dice.distribution import Distribution
from tablecall.dice.enumeration import explore
from tablecall.dice.faces import FaceSource, RollResult
from tablecall.dice.markov import TransitionTable
from tablecall.dice.pools import SumPool
from tablecall.dice.roll import RolledDice, SuppliedFaces, seeded
from tablecall.dice.sample import SampledDice, random_numbers
from tablecall.dice.source import Dice
from tablecall.model.refusals import TooLargeToCount
from tablecall.model.text import Sentence

Supplied = Callable[[str], FaceSource | None]


class Bet(NamedTuple):
    """The number one die must reach."""

    least: int


@dataclass(slots=True)
class Gamble:
    """A purse: each bet of a round wins or loses 1, until there is nothing or ``enough``. At 2 nobody bets."""

    moves: tuple[Bet, ...]
    start: int = 3
    enough: int = 5
    max_rounds: int = 3
    special_rounds: frozenset[int] = frozenset()
    state_bound: int = 6

    def is_over(self, state: int) -> bool:
        return state in (0, self.enough)

    def question(self, state: int, move: Bet) -> Bet | None:
        return None if state == 2 else move

    def possible_questions(self, move: Bet) -> list[Bet]:
        return [move]

    def decide(self, question: Bet, time: int, dice: Dice) -> bool:
        return dice.compare(dice.roll(f"round{time}.{question.least}", SumPool(1), "gambler").total, question.least, tie=1) > 0

    def next_state(self, state: int, move: Bet, question: Bet | None, decided: bool, time: int, dice: Dice) -> int:
        dice.note("gamble", "wins" if decided else "loses", least=move.least)
        return state + (0 if question is None else 1 if decided else -1)


@dataclass(frozen=True)
class Coin:
    """Worth nothing or ``worth``. Its distribution is built on every call, so it has no stable identity."""

    worth: int
    sides: int = 2
    needs: ClassVar[Sentence] = Sentence("dice.plain", {})

    def read(self, faces: FaceSource) -> RollResult:
        return RollResult([], 0, self.worth * (faces.draw(2) - 1))

    def distribution(self) -> Distribution:
        return Distribution(0, (1, *(0 for _ in range(self.worth - 1)), 1), 2)


LOWEST, HIGHEST = 0, 2**64 - 1
"""The bounds of random numbers; low ones win a bet."""


def naive(process: Gamble) -> dict[int, Fraction]:
    """The final states, one bet after the other."""
    live = {process.start: Fraction(1)}
    for _ in range(process.max_rounds):
        for move in process.moves:
            after: dict[int, Fraction] = {}
            win = Fraction(max(min(7 - move.least, 6), 0), 6)
            for state, chance in live.items():
                weights = {state: Fraction(1)} if state in (0, 2, process.enough) else {state + 1: win, state - 1: 1 - win}
                for there, part in weights.items():
                    after[there] = after.get(there, Fraction()) + chance * part
            live = after
    return {state: chance for state, chance in live.items() if chance}


def rounds(process: Gamble) -> dict[int, Fraction]:
    """The distribution of the last round."""
    over = [Fraction(process.is_over(process.start))]
    for times in range(1, process.max_rounds):
        ends = naive(replace(process, max_rounds=times))
        over.append(sum((chance for state, chance in ends.items() if process.is_over(state)), Fraction()))
    over.append(Fraction(1))
    distribution = [over[0], *(after - before for before, after in pairwise(over))]
    return {number: chance for number, chance in enumerate(distribution) if chance}


def no_supplied_dice(name: str) -> None:
    """No dice are supplied."""


def counted(process: Gamble, supplied: Supplied = no_supplied_dice) -> dict[int, Fraction]:
    states: dict[int, Fraction] = {}
    for branch in explore(lambda dice: dice.follow("gamble", process), supplied):
        states[branch.verdict] = states.get(branch.verdict, Fraction()) + branch.probability
    return states


@given(st.lists(st.integers(0, 8).map(Bet), min_size=1, max_size=3), st.integers(0, 5), st.integers(1, 5))
def test_end_states_equal_an_enumeration(moves: list[Bet], start: int, times: int) -> None:
    process = Gamble(tuple(moves), start, max_rounds=times)
    assert counted(process) == naive(process)


@given(st.lists(st.integers(0, 8).map(Bet), min_size=1, max_size=3), st.integers(0, 5), st.integers(1, 5))
def test_rounds_equal_an_enumeration(moves: list[Bet], start: int, times: int) -> None:
    process = Gamble(tuple(moves), start, max_rounds=times)
    for branch in explore(lambda dice: dice.follow("gamble", process), no_supplied_dice):
        assert branch.rounds is not None
        last_round = {
            number: Fraction(weights, branch.rounds.denominator)
            for number, weights in enumerate(branch.rounds.weights, branch.rounds.low)
            if weights
        }
        assert last_round == rounds(process)


@pytest.mark.parametrize("bound", [100, 0], ids=["with table", "without table"])
@pytest.mark.parametrize(("start", "bet", "last_round"), [(4, 1, 1), (3, 1, 2), (1, 7, 1), (3, 7, 3), (0, 1, 0)])
def test_sample_knows_its_last_round(monkeypatch: pytest.MonkeyPatch, bound: int, start: int, bet: int, last_round: int) -> None:
    monkeypatch.setattr("tablecall.dice.sample.MAX_TRANSITIONS", bound)
    dice = SampledDice(no_supplied_dice, iter(()), {}, set())
    assert dice.last_round is None
    dice.follow("gamble", Gamble((Bet(bet),), start))
    assert dice.last_round == last_round


def test_certain_transition_uses_no_random_number() -> None:
    assert counted(Gamble((Bet(1),), max_rounds=9)) == {5: 1}
    assert counted(Gamble((Bet(7),), max_rounds=1)) == {2: 1}
    for bet, end in ((1, 5), (7, 2)):
        dice = SampledDice(no_supplied_dice, iter(()), {}, set())
        assert dice.follow("gamble", Gamble((Bet(bet),), max_rounds=2)) == end


def test_process_that_is_over_does_not_start() -> None:
    process = Gamble((Bet(4),), start=0)
    assert counted(process) == {0: 1}
    assert SampledDice(no_supplied_dice, iter(()), {}, set()).follow("gamble", process) == 0
    assert RolledDice(seeded("1")).follow("gamble", process) == 0


def test_final_state_is_not_left() -> None:
    process = Gamble((Bet(4), Bet(3)), start=1, max_rounds=3)
    assert counted(process) == naive(process) == {0: Fraction(1, 2), 2: Fraction(1, 2)}
    cache: dict[object, object] = {}
    assert {SampledDice(no_supplied_dice, random_numbers("s", part), cache, set()).follow("gamble", process) for part in range(50)} == {
        0,
        2,
    }


def test_ruling_walks_it_with_the_dice_of_each_round() -> None:
    faces = {"round1.4": [6], "round2.4": [1], "round3.4": [5]}
    record = RolledDice(lambda name: SuppliedFaces(faces[name], ""))
    assert record.follow("gamble", Gamble((Bet(4),), start=3)) == 4
    assert [named.roll for named in record.rolls] == list(faces)
    assert [step["key"] for step in record.steps] == ["wins", "loses", "wins"]


def test_supplied_dice_hold_in_their_round_only() -> None:
    process = Gamble((Bet(4),), max_rounds=2, special_rounds=frozenset({1}))

    def supplied(name: str) -> FaceSource | None:
        return SuppliedFaces([6], "") if name == "round1.4" else None

    (first, *others) = list(explore(lambda dice: dice.follow("gamble", process), supplied))
    assert counted(process, supplied) == {5: Fraction(1, 2), 3: Fraction(1, 2)}
    assert [list(branch.rolls) for branch in (first, *others)] == [["round1.4"]] * 2
    names: set[str] = set()
    ends = Counter(SampledDice(supplied, random_numbers("s", part), {}, names).follow("gamble", process) for part in range(50))
    assert set(ends) == {3, 5}
    assert "round1.4" in names


@pytest.mark.parametrize(
    ("dice", "ends"),
    [
        ({"round1.4": [6]}, {6: Fraction(1, 4), 4: Fraction(1, 2), 2: Fraction(1, 4)}),
        ({"round1.4": [6], "round3.4": [1]}, {4: Fraction(1, 2), 2: Fraction(1, 2)}),
    ],
)
@pytest.mark.parametrize("bound", [100, 0])
def test_other_rounds_do_not_use_supplied_dice(
    dice: dict[str, list[int]], ends: dict[int, Fraction], bound: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The purse holds 3 before the first bet, and perhaps again before the third."""
    monkeypatch.setattr("tablecall.dice.sample.MAX_TRANSITIONS", bound)
    process = Gamble((Bet(4),), enough=9, state_bound=10, special_rounds=frozenset(int(name[5]) for name in dice))

    def supplied(name: str) -> FaceSource | None:
        return SuppliedFaces(dice[name], "") if name in dice else None

    assert counted(process, supplied) == ends
    cache: dict[object, object] = {}
    assert {SampledDice(supplied, random_numbers("s", part), cache, set()).follow("gamble", process) for part in range(50)} == set(ends)


@pytest.mark.parametrize("bound", [100, 0])
def test_supplied_dice_use_no_random_number(bound: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tablecall.dice.sample.MAX_TRANSITIONS", bound)
    process = Gamble((Bet(4),), enough=9, state_bound=10, special_rounds=frozenset({1}))
    numbers = iter([HIGHEST, HIGHEST, LOWEST, LOWEST])
    cache: dict[object, object] = {}
    dice = SampledDice(lambda name: SuppliedFaces([6], "") if name == "round1.4" else None, numbers, cache, set())
    assert [dice.follow("gamble", process) for _ in range(2)] == [2, 6]
    assert list(numbers) == []


@pytest.mark.parametrize("least", range(2, 7))
@pytest.mark.parametrize("bound", [100, 0])
def test_random_numbers_are_split_by_probability(least: int, bound: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Numbers below the winning share of 2⁶⁴, rounded up, win."""
    monkeypatch.setattr("tablecall.dice.sample.MAX_TRANSITIONS", bound)
    first_to_lose = -(-((7 - least) << 64) // 6)
    dice = SampledDice(no_supplied_dice, iter([LOWEST, first_to_lose - 1, first_to_lose, HIGHEST]), {}, set())
    assert [dice.follow("gamble", Gamble((Bet(least),), max_rounds=1)) for _ in range(4)] == [4, 4, 2, 2]


def test_too_many_states_are_refused_before_counting() -> None:
    process = Gamble((Bet(4),), max_rounds=1000, state_bound=enumeration.MAX_BRANCHES)
    with pytest.raises(TooLargeToCount, match="50000 branches"):
        counted(process)
    with pytest.raises(TooLargeToCount, match="fractions would be too long"):
        counted(Gamble((Bet(4),), max_rounds=enumeration.MAX_BITS, state_bound=1))


def test_table_is_trimmed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tablecall.dice.markov.MAX_TRANSITIONS", 3)
    process = Gamble((Bet(4), Bet(3)), start=50, max_rounds=6, enough=100, state_bound=51)
    cache: dict[object, object] = {}
    for part in range(50):
        SampledDice(no_supplied_dice, random_numbers("s", part), cache, set()).follow("gamble", process)
        table = cast("TransitionTable", cache["gamble"])
        assert sum(len(transitions) for transitions in table.transitions.values()) <= 3 + 12
        assert len(table.states) == len(table.numbers) <= 2 * (3 + 12)


def test_sample_without_table_is_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    process = Gamble((Bet(4), Bet(1), Bet(7)), max_rounds=4, enough=9, state_bound=10)
    stored: list[int] = []
    computed: list[int] = []
    for ends, bound in ((stored, 100), (computed, 0)):
        monkeypatch.setattr("tablecall.dice.sample.MAX_TRANSITIONS", bound)
        numbers = random_numbers("s", 0)
        cache: dict[object, object] = {}
        ends += [SampledDice(no_supplied_dice, numbers, cache, set()).follow("gamble", process) for _ in range(200)]
    assert stored == computed


def test_checkpoint_is_called_while_counting() -> None:
    """Once for the question, once for each final state, and at each bet once per 64 states; each round adds one state."""
    calls: list[None] = []
    process = Gamble((Bet(4),), start=300, enough=600, max_rounds=100, state_bound=101)
    ends = list(explore(lambda dice: dice.follow("gamble", process), no_supplied_dice, lambda: calls.append(None)))
    assert len(ends) == 101
    assert len(calls) == 1 + 101 + 64 + 2 * 36


class TestSampledDice:
    def test_random_numbers_never_change(self) -> None:
        assert [number >> 32 for number in islice(random_numbers("42", 0), 3)] == [4233090042, 1899415044, 1297627442]
        several = [list(islice(random_numbers(seed, part), 1600)) for seed, part in (("a", 0), ("b", 0), ("a", 1))]
        assert len({number for numbers in several for number in numbers}) == 3 * 1600

    def test_random_numbers_are_hashed_in_blocks_of_512(self) -> None:
        numbers = list(islice(random_numbers("a", 1), 1600))
        for block in range(4):
            named = b"tablecall-1/simulation\0a\0" + pack(">QQ", 1, block)
            assert numbers[512 * block] == int.from_bytes(shake_256(named).digest(8), "big")

    def test_totals_follow_their_distribution(self) -> None:
        dice = SampledDice(no_supplied_dice, random_numbers("s", 0), {}, set())
        seen = Counter(cast("int", dice.roll("r", SumPool(2, 3), "somebody").total) for _ in range(3600))
        assert set(seen) == set(range(5, 16))
        assert abs(seen[10] - 600) < 120
        assert abs(seen[5] - 100) < 50

    def test_cache_is_by_distribution(self) -> None:
        dice = SampledDice(no_supplied_dice, repeat(HIGHEST), {}, set())
        assert [dice.roll("r", pool, "somebody").total for pool in (SumPool(1), SumPool(2, 3), SumPool(1))] == [6, 15, 6]
        assert [dice.roll("r", Coin(number), "somebody").total for number in range(1, 50)] == list(range(1, 50))

    def test_supplied_roll_is_read(self) -> None:
        names: set[str] = set()
        dice = SampledDice(lambda name: SuppliedFaces([6, 5], "") if name == "r" else None, random_numbers("s", 0), {}, names)
        assert dice.roll("r", SumPool(2, 1), "somebody").total == 12
        assert names == {"r"}

    def test_nothing_is_recorded(self) -> None:
        cache: Iterator[int] = iter(range(9))
        dice = SampledDice(no_supplied_dice, random_numbers("s", 0), {}, set())
        dice.note("rule", "key")
        dice.option("", "ties")
        dice.explain(lambda: 1 / 0)
        dice.offer(lambda: 1 / 0)  # type: ignore[arg-type,return-value]
        assert dice.contribution("on", "kind", 3, 0) == 3
        assert [dice.cached("it", lambda: next(cache)) for _ in range(2)] == [0, 0]
        assert (dice.steps, dice.options, dice.contributions, dice.rolls) == ([], [], [], [])
        with pytest.raises(LookupError):
            dice.faces_of("r")
