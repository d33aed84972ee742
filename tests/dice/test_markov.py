"""A course of events: along it once, all of it counted by states, and drawn. The course here is a gambler's."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from hashlib import shake_256
from itertools import islice, pairwise, repeat
from struct import pack
from typing import NamedTuple, cast

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

Fixed = Callable[[str], FaceSource | None]


class Bet(NamedTuple):
    """What must be reached by one die."""

    least: int


@dataclass(slots=True)
class Gamble:
    """A purse: each round one is won or lost by each of the bets, until there is nothing, or enough. At 2 nobody bets."""

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
        return dice.reaches(dice.roll(f"round{time}.{question.least}", SumPool(1), "gambler").total, question.least)

    def next_state(self, state: int, move: Bet, question: Bet | None, decided: bool, time: int, dice: Dice) -> int:
        dice.step("gamble", "{} wins" if decided else "{} loses", move.least)
        return state + (0 if question is None else 1 if decided else -1)


@dataclass(frozen=True)
class Coin:
    """Nothing, or so much. Nobody keeps its chances: they are made whenever they are asked for."""

    worth: int
    sides: int = 2
    needs: str = "a coin"

    def read(self, faces: FaceSource) -> RollResult:
        return RollResult([], 0, self.worth * (faces.draw(2) - 1))

    def distribution(self) -> Distribution:
        return Distribution(0, (1, *(0 for _ in range(self.worth - 1)), 1), 2)


LOWEST, HIGHEST = 0, 2**64 - 1
"""The numbers that may be drawn; below are those that win a bet."""


def naive(process: Gamble) -> dict[int, Fraction]:
    """Every way, one bet after the other."""
    live = {process.start: Fraction(1)}
    for _ in range(process.max_rounds):
        for move in process.moves:
            found: dict[int, Fraction] = {}
            win = Fraction(max(min(7 - move.least, 6), 0), 6)
            for state, chance in live.items():
                ways = {state: Fraction(1)} if state in (0, 2, process.enough) else {state + 1: win, state - 1: 1 - win}
                for there, part in ways.items():
                    found[there] = found.get(there, Fraction()) + chance * part
            live = found
    return {state: chance for state, chance in live.items() if chance}


def rounds(process: Gamble) -> dict[int, Fraction]:
    """How likely it ends in which round: what was over after each, beyond what was over before."""
    over = [Fraction(process.is_over(process.start))]
    for times in range(1, process.max_rounds):
        ends = naive(replace(process, max_rounds=times))
        over.append(sum((chance for state, chance in ends.items() if process.is_over(state)), Fraction()))
    over.append(Fraction(1))
    distribution = [over[0], *(after - before for before, after in pairwise(over))]
    return {number: chance for number, chance in enumerate(distribution) if chance}


def no_supplied_dice(name: str) -> None:
    """No dice are on the table."""


def counted(process: Gamble, fixed: Fixed = no_supplied_dice) -> dict[int, Fraction]:
    found: dict[int, Fraction] = {}
    for way in explore(lambda dice: dice.follow("gamble", process), fixed):
        found[way.verdict] = found.get(way.verdict, Fraction()) + way.probability
    return found


@given(st.lists(st.integers(0, 8).map(Bet), min_size=1, max_size=3), st.integers(0, 5), st.integers(1, 5))
def test_it_is_counted_as_every_way_has_it(moves: list[Bet], start: int, times: int) -> None:
    process = Gamble(tuple(moves), start, max_rounds=times)
    assert counted(process) == naive(process)


@given(st.lists(st.integers(0, 8).map(Bet), min_size=1, max_size=3), st.integers(0, 5), st.integers(1, 5))
def test_every_way_says_how_many_rounds_the_whole_of_it_takes(moves: list[Bet], start: int, times: int) -> None:
    process = Gamble(tuple(moves), start, max_rounds=times)
    for way in explore(lambda dice: dice.follow("gamble", process), no_supplied_dice):
        assert way.rounds is not None
        lasted = {number: Fraction(ways, way.rounds.denominator) for number, ways in enumerate(way.rounds.weights, way.rounds.low) if ways}
        assert lasted == rounds(process)


@pytest.mark.parametrize("most", [100, 0], ids=["remembered", "anew"])
@pytest.mark.parametrize(("start", "bet", "lasted"), [(4, 1, 1), (3, 1, 2), (1, 7, 1), (3, 7, 3), (0, 1, 0)])
def test_a_drawing_knows_in_which_round_it_ended(monkeypatch: pytest.MonkeyPatch, most: int, start: int, bet: int, lasted: int) -> None:
    monkeypatch.setattr("tablecall.dice.sample.MAX_TRANSITIONS", most)
    dice = SampledDice(no_supplied_dice, iter(()), {}, set())
    assert dice.last_round is None
    dice.follow("gamble", Gamble((Bet(bet),), start))
    assert dice.last_round == lasted


def test_a_bet_that_is_certain_asks_no_draw() -> None:
    assert counted(Gamble((Bet(1),), max_rounds=9)) == {5: 1}
    assert counted(Gamble((Bet(7),), max_rounds=1)) == {2: 1}
    for bet, end in ((1, 5), (7, 2)):
        dice = SampledDice(no_supplied_dice, iter(()), {}, set())
        assert dice.follow("gamble", Gamble((Bet(bet),), max_rounds=2)) == end


def test_a_course_that_is_over_is_not_begun() -> None:
    process = Gamble((Bet(4),), start=0)
    assert counted(process) == {0: 1}
    assert SampledDice(no_supplied_dice, iter(()), {}, set()).follow("gamble", process) == 0
    assert RolledDice(seeded("1")).follow("gamble", process) == 0


def test_whoever_has_nothing_left_bets_no_more() -> None:
    process = Gamble((Bet(4), Bet(3)), start=1, max_rounds=3)
    assert counted(process) == naive(process) == {0: Fraction(1, 2), 2: Fraction(1, 2)}
    made: dict[object, object] = {}
    assert {SampledDice(no_supplied_dice, random_numbers("s", part), made, set()).follow("gamble", process) for part in range(50)} == {0, 2}


def test_along_it_once_by_the_dice_of_each_round() -> None:
    faces = {"round1.4": [6], "round2.4": [1], "round3.4": [5]}
    record = RolledDice(lambda name: SuppliedFaces(faces[name], ""))
    assert record.follow("gamble", Gamble((Bet(4),), start=3)) == 4
    assert [named.roll for named in record.rolls] == list(faces)
    assert [step["text"] for step in record.steps] == ["4 wins", "4 loses", "4 wins"]


def test_dice_made_at_the_table_are_held_in_their_round_alone() -> None:
    process = Gamble((Bet(4),), max_rounds=2, special_rounds=frozenset({1}))

    def fixed(name: str) -> FaceSource | None:
        return SuppliedFaces([6], "") if name == "round1.4" else None

    (first, *others) = list(explore(lambda dice: dice.follow("gamble", process), fixed))
    assert counted(process, fixed) == {5: Fraction(1, 2), 3: Fraction(1, 2)}
    assert [list(way.rolls) for way in (first, *others)] == [["round1.4"]] * 2
    rolled: set[str] = set()
    ends = Counter(SampledDice(fixed, random_numbers("s", part), {}, rolled).follow("gamble", process) for part in range(50))
    assert set(ends) == {3, 5}
    assert "round1.4" in rolled


@pytest.mark.parametrize(
    ("dice", "ends"),
    [
        ({"round1.4": [6]}, {6: Fraction(1, 4), 4: Fraction(1, 2), 2: Fraction(1, 4)}),
        ({"round1.4": [6], "round3.4": [1]}, {4: Fraction(1, 2), 2: Fraction(1, 2)}),
    ],
)
@pytest.mark.parametrize("most", [100, 0])
def test_no_other_round_has_the_dice_of_one(
    dice: dict[str, list[int]], ends: dict[int, Fraction], most: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Three in the purse before the first bet, and perhaps again before the third."""
    monkeypatch.setattr("tablecall.dice.sample.MAX_TRANSITIONS", most)
    process = Gamble((Bet(4),), enough=9, state_bound=10, special_rounds=frozenset(int(name[5]) for name in dice))

    def fixed(name: str) -> FaceSource | None:
        return SuppliedFaces(dice[name], "") if name in dice else None

    assert counted(process, fixed) == ends
    made: dict[object, object] = {}
    assert {SampledDice(fixed, random_numbers("s", part), made, set()).follow("gamble", process) for part in range(50)} == set(ends)


@pytest.mark.parametrize("most", [100, 0])
def test_dice_made_at_the_table_are_not_drawn(most: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tablecall.dice.sample.MAX_TRANSITIONS", most)
    process = Gamble((Bet(4),), enough=9, state_bound=10, special_rounds=frozenset({1}))
    draws = iter([HIGHEST, HIGHEST, LOWEST, LOWEST])
    made: dict[object, object] = {}
    dice = SampledDice(lambda name: SuppliedFaces([6], "") if name == "round1.4" else None, draws, made, set())
    assert [dice.follow("gamble", process) for _ in range(2)] == [2, 6]
    assert list(draws) == []


@pytest.mark.parametrize("least", range(2, 7))
@pytest.mark.parametrize("most", [100, 0])
def test_as_many_numbers_win_as_faces(least: int, most: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of the numbers drawn those below the sixths of 2⁶⁴ that win, rounded up."""
    monkeypatch.setattr("tablecall.dice.sample.MAX_TRANSITIONS", most)
    first_to_lose = -(-((7 - least) << 64) // 6)
    dice = SampledDice(no_supplied_dice, iter([LOWEST, first_to_lose - 1, first_to_lose, HIGHEST]), {}, set())
    assert [dice.follow("gamble", Gamble((Bet(least),), max_rounds=1)) for _ in range(4)] == [4, 4, 2, 2]


def test_too_many_states_on_the_way_are_refused_up_front() -> None:
    process = Gamble((Bet(4),), max_rounds=1000, state_bound=enumeration.MAX_BRANCHES)
    with pytest.raises(TooLargeToCount, match="50000 branches"):
        counted(process)
    with pytest.raises(TooLargeToCount, match="digits"):
        counted(Gamble((Bet(4),), max_rounds=enumeration.MAX_BITS, state_bound=1))


def test_no_more_is_remembered_than_there_is_room_for(monkeypatch: pytest.MonkeyPatch) -> None:
    process = Gamble((Bet(4), Bet(3)), max_rounds=6, enough=9, state_bound=10)
    whole = counted(process)
    monkeypatch.setattr("tablecall.dice.markov.MAX_TRANSITIONS", 3)
    assert counted(process) == whole
    made: dict[object, object] = {}
    ends = {SampledDice(no_supplied_dice, random_numbers("s", part), made, set()).follow("gamble", process) for part in range(50)}
    assert ends <= set(whole)


def test_what_is_remembered_of_a_long_course_is_given_up_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tablecall.dice.markov.MAX_TRANSITIONS", 3)
    process = Gamble((Bet(4), Bet(3)), start=50, max_rounds=6, enough=100, state_bound=51)
    made: dict[object, object] = {}
    for part in range(50):
        SampledDice(no_supplied_dice, random_numbers("s", part), made, set()).follow("gamble", process)
        table = cast("TransitionTable", made["gamble"])
        assert sum(len(transitions) for transitions in table.transitions.values()) <= 3 + 12
        assert len(table.states) == len(table.numbers) <= 2 * (3 + 12)


def test_what_hardly_ever_comes_up_again_is_drawn_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    process = Gamble((Bet(4), Bet(1), Bet(7)), max_rounds=4, enough=9, state_bound=10)
    remembered: list[int] = []
    anew: list[int] = []
    for ends, most in ((remembered, 100), (anew, 0)):
        monkeypatch.setattr("tablecall.dice.sample.MAX_TRANSITIONS", most)
        draws = random_numbers("s", 0)
        made: dict[object, object] = {}
        ends += [SampledDice(no_supplied_dice, draws, made, set()).follow("gamble", process) for _ in range(200)]
    assert remembered == anew


def test_whoever_sets_the_pace_is_asked_on_the_way() -> None:
    """Once for the one question, once for each end; at each bet once for every 64 states, of which there is one more each round."""
    asked: list[None] = []
    process = Gamble((Bet(4),), start=300, enough=600, max_rounds=100, state_bound=101)
    ends = list(explore(lambda dice: dice.follow("gamble", process), no_supplied_dice, lambda: asked.append(None)))
    assert len(ends) == 101
    assert len(asked) == 1 + 101 + 64 + 2 * 36


def test_in_a_scene_it_is_counted_as_well() -> None:
    def scene(dice: Dice) -> int:
        return dice.scene("inner").follow("gamble", Gamble((Bet(4),)))

    found: dict[int, Fraction] = {}
    for way in explore(scene, no_supplied_dice):
        found[way.verdict] = found.get(way.verdict, Fraction()) + way.probability
    assert found == counted(Gamble((Bet(4),)))


def test_scenes_that_are_drawn_share_no_course() -> None:
    dice = SampledDice(no_supplied_dice, iter(()), {}, set())
    ends = [dice.scene(name).follow("gamble", Gamble((Bet(bet),), max_rounds=2)) for name, bet in (("one", 1), ("other", 7), ("one", 7))]
    assert ends == [5, 2, 2]


class TestDrawing:
    def test_the_numbers_are_the_same_for_ever(self) -> None:
        assert [number >> 32 for number in islice(random_numbers("42", 0), 3)] == [4233090042, 1899415044, 1297627442]
        several = [list(islice(random_numbers(seed, part), 1600)) for seed, part in (("a", 0), ("b", 0), ("a", 1))]
        assert len({number for numbers in several for number in numbers}) == 3 * 1600

    def test_they_are_hashed_by_512(self) -> None:
        numbers = list(islice(random_numbers("a", 1), 1600))
        for block in range(4):
            named = b"tablecall-1/simulation\0a\0" + pack(">QQ", 1, block)
            assert numbers[512 * block] == int.from_bytes(shake_256(named).digest(8), "big")

    def test_totals_fall_as_they_are_likely(self) -> None:
        dice = SampledDice(no_supplied_dice, random_numbers("s", 0), {}, set())
        seen = Counter(cast("int", dice.roll("r", SumPool(2, 3), "somebody").total) for _ in range(3600))
        assert set(seen) == set(range(5, 16))
        assert abs(seen[10] - 600) < 120
        assert abs(seen[5] - 100) < 50

    def test_every_quantity_has_chances_of_its_own(self) -> None:
        dice = SampledDice(no_supplied_dice, repeat(HIGHEST), {}, set())
        assert [dice.roll("r", pool, "somebody").total for pool in (SumPool(1), SumPool(2, 3), SumPool(1))] == [6, 15, 6]
        assert [dice.roll("r", Coin(number), "somebody").total for number in range(1, 50)] == list(range(1, 50))

    def test_a_scene_draws_on(self) -> None:
        dice = SampledDice(no_supplied_dice, iter([LOWEST, HIGHEST, LOWEST]), {}, set())
        assert [one.roll("r", SumPool(1), "somebody").total for one in (dice, dice.scene("inner"), dice)] == [1, 6, 1]

    def test_a_roll_made_at_the_table_is_read(self) -> None:
        rolled: set[str] = set()
        dice = SampledDice(lambda name: SuppliedFaces([6, 5], "") if name == "inner.r" else None, random_numbers("s", 0), {}, rolled)
        assert dice.scene("inner").roll("r", SumPool(2, 1), "somebody").total == 12
        assert rolled == {"inner.r"}

    def test_everything_else_is_as_in_a_roll_but_nothing_is_written_down(self) -> None:
        made: Iterator[int] = iter(range(9))
        dice = SampledDice(no_supplied_dice, random_numbers("s", 0), {}, set())
        dice.step("rule", "text")
        dice.option("choice", "text", {})
        assert dice.contribution("on", "kind", 3, 0) == 3
        assert [dice.cached("it", lambda: next(made)) for _ in range(2)] == [0, 0]
        assert dice.dedupe_steps("somebody") is dice
        assert (dice.steps, dice.options, dice.contributions, dice.rolls, dice.wants_steps) == ([], [], [], [], False)
        with pytest.raises(LookupError):
            dice.faces_of("r")
