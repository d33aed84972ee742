"""Rolled dice: supplied faces, replayed faces, and the record of a ruling."""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import sha256
from typing import ClassVar

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tablecall.dice.extreme import extreme_roll
from tablecall.dice.faces import Die, FaceSource, RollResult
from tablecall.dice.keep import KeepPool
from tablecall.dice.pools import SumPool
from tablecall.dice.rng import SeededFaces
from tablecall.dice.roll import (
    Contribution,
    NamedRoll,
    ReplayedFaces,
    RolledDice,
    SuppliedFaces,
    inner_seed,
    read,
    replayed,
    seeded,
)
from tablecall.dice.source import Offer, Pool, Roll
from tablecall.model.refusals import WrongDice
from tablecall.model.text import CATALOGUE, Scope

POINTER = "/dice/0/faces"


def rolling(**rolls: list[int]) -> RolledDice:
    """Dice with supplied faces for every roll."""
    return RolledDice(seeded("no seed", {name: SuppliedFaces(faces, f"/{name}") for name, faces in rolls.items()}))


def faces(roll: Roll) -> list[int]:
    assert isinstance(roll, RollResult)
    return [die.face for die in roll.dice]


class Never(FaceSource):
    """Fails on every draw."""

    def draw(self, sides: int, lowest: int = 1) -> int:
        raise AssertionError

    def redraw(self, index: int, sides: int, lowest: int = 1) -> int:
        raise AssertionError


class Counting(FaceSource):
    """Faces that count up."""

    def __init__(self, face: int) -> None:
        self.face = face - 1

    def draw(self, sides: int, lowest: int = 1) -> int:
        self.face += 1
        return self.face

    def redraw(self, index: int, sides: int, lowest: int = 1) -> int:
        return self.draw(sides, lowest)


class TestSuppliedFaces:
    def test_faces_are_used_in_the_order_drawn(self) -> None:
        result = read(SumPool(3, 1, (1,)), SuppliedFaces([1, 6, 1, 4, 1], POINTER))
        assert result == RollResult([Die(6, 4, replaced=[1]), Die(6, 6), Die(6, 1, replaced=[1])], 1, 12)

    def test_ten_sided_die_shows_0_to_9(self) -> None:
        assert read(KeepPool(10, 3), SuppliedFaces(list(range(10)), POINTER)).total == 24

    @pytest.mark.parametrize(
        ("pool", "given_faces", "place", "problem"),
        [
            (SumPool(2), [], "", "too few dice"),
            (SumPool(2), [6], "", "too few dice"),
            (SumPool(2), [6, 6, 6], "", "too many dice"),
            (SumPool(0), [6], "", "too many dice"),
            (SumPool(1, 0, (1,)), [1], "", "too few dice"),
            (SumPool(1, 0, (1, 2), "clear"), [1, 2, 1], "", "too few dice"),
            (SumPool(1, 0, (1,)), [1, 1, 1], "", "too many dice"),
            (KeepPool(3, 5), [1, 2], "", "too few dice"),
            (KeepPool(3, 1), [1, 2, 3, 4], "", "too many dice"),
            (SumPool(2), [0, 6], "/0", "no such face: a d6 shows 1 to 6, and"),
            (SumPool(2), [6, 7], "/1", "no such face: a d6 shows 1 to 6, and"),
            (SumPool(2), [6, -1], "/1", "no such face: a d6 shows 1 to 6, and"),
            (SumPool(1, 0, (1,)), [1, 9], "/1", "no such face: a d6 shows 1 to 6, and"),
            (KeepPool(2, 1), [10, 3], "/0", "no such face: a d10 shows 0 to 9, and"),
            (KeepPool(2, 1), [3, -1], "/1", "no such face: a d10 shows 0 to 9, and"),
        ],
    )
    def test_wrong_dice_are_refused(self, pool: Pool, given_faces: list[int], place: str, problem: str) -> None:
        with pytest.raises(WrongDice) as refused:
            read(pool, SuppliedFaces(given_faces, pointer=POINTER, roll="actor"))
        (finding,) = refused.value.findings
        needs = CATALOGUE.render(*pool.needs, Scope()).text
        detail = f"{problem}{'' if problem.endswith('and') else ':'} actor needs {needs}"
        assert (finding.pointer, finding.code, finding.words()) == (POINTER + place, "wrong-dice", detail)


class TestReplayedFaces:
    def test_same_faces_die_by_die(self) -> None:
        pool = SumPool(4, 2, (1, 2), "clear")
        result = pool.read(SeededFaces("replay", "actor"))
        assert any(die.replaced for die in result.dice)
        assert pool.read(ReplayedFaces(result.dice, Never())) == result

    def test_fewer_dice_omit_the_last_ones(self) -> None:
        dice = [Die(6, 4), Die(6, 3, replaced=[1]), Die(6, 6)]
        assert SumPool(2, 0, (1,)).read(ReplayedFaces(dice, Never())).dice == dice[:2]

    def test_more_dice_come_from_the_other_source(self) -> None:
        result = SumPool(4).read(ReplayedFaces([Die(6, 4), Die(6, 3)], Counting(5)))
        assert faces(result) == [4, 3, 5, 6]

    def test_each_die_keeps_its_rerolls(self) -> None:
        """Without the re-roll each die shows its first face; re-rolling another face changes only that die."""
        dice = [Die(6, 5, replaced=[1]), Die(6, 6, replaced=[2])]
        assert faces(SumPool(2).read(ReplayedFaces(dice, Never()))) == [1, 2]
        assert faces(SumPool(2, 0, (2,)).read(ReplayedFaces(dice, Never()))) == [1, 6]
        assert faces(SumPool(2, 0, (1,)).read(ReplayedFaces(dice, Never()))) == [5, 2]

    def test_new_reroll_comes_from_the_other_source(self) -> None:
        dice = [Die(6, 5, replaced=[1]), Die(6, 6)]
        assert faces(SumPool(2, 0, (6,)).read(ReplayedFaces(dice, Counting(3)))) == [1, 3]
        assert faces(SumPool(2, 0, (1, 5), "clear").read(ReplayedFaces(dice, Counting(3)))) == [3, 6]

    def test_reroll_of_a_new_die_comes_from_the_other_source(self) -> None:
        assert faces(SumPool(2, 0, (1,)).read(ReplayedFaces([Die(6, 4)], Counting(1)))) == [4, 2]

    def test_other_source_gets_the_index_of_the_die(self) -> None:
        class Indexed(Counting):
            def redraw(self, index: int, sides: int, lowest: int = 1) -> int:
                return 10 * index + sides

        assert ReplayedFaces([Die(6, 4), Die(6, 5)], Indexed(1)).redraw(1, 6) == 16


class TestRolledDice:
    def test_rolls_are_recorded_in_order_or_listed_first(self) -> None:
        dice = rolling(actor=[6, 6], opponent=[1, 2], third=[5])
        dice.roll("opponent", SumPool(2), "Them")
        dice.roll("third", SumPool(1), "It")
        first = dice.roll("actor", SumPool(2, 3), "Me", list_first=True)
        assert [(named.roll, named.who, named.result.total) for named in dice.rolls] == [
            ("actor", "Me", 15),
            ("opponent", "Them", 3),
            ("third", "It", 5),
        ]
        assert dice.rolls[0].result is first

    def test_compare_and_value(self) -> None:
        dice = rolling(actor=[3, 4])
        total = dice.roll("actor", SumPool(2), "actor").total
        assert [dice.compare(total, 6), dice.compare(total, 7), dice.compare(total, 8)] == [1, 0, -1]
        assert [dice.compare(6, total), dice.compare(total + 1, 8), dice.compare(total, total)] == [-1, 0, 0]
        assert [dice.compare(*sides, tie=1) for sides in ((total, 7), (total, 8), (6, total))] == [1, -1, -1]
        assert dice.value(total + 2) == 9

    @pytest.mark.parametrize(("shown", "special", "zeros"), [([0, 0, 0], "dismal", 2), ([0, 5, 0], None, 1), ([3, 0, 1], None, 0)])
    def test_special_zeros_and_faces(self, shown: list[int], special: str | None, zeros: int) -> None:
        dice = rolling(actor=shown)
        roll = dice.roll("actor", KeepPool(3, 2), "actor")
        assert (dice.special(roll), roll.mean_zeros, dice.value(roll.zeros), roll.faces) == (special, zeros, zeros, shown)

    def test_extreme_roll_is_the_first_of_equals(self) -> None:
        dice = rolling(a=[2], b=[5], c=[5], d=[2])
        rolls = [dice.roll(name, SumPool(1), name) for name in "abcd"]
        assert extreme_roll(rolls, highest=True) == (rolls[1], 1)
        assert extreme_roll(rolls, highest=False) == (rolls[0], 0)

    def test_extreme_roll_ranks_dismal_below_dramatic(self) -> None:
        dice = rolling(a=[4], b=[], c=[0, 7], d=[0], e=[0], f=[4])
        parts = {
            "a": KeepPool(1, 1),
            "b": KeepPool(0, 1),
            "c": KeepPool(2, 1, "mostZeros"),
            "d": KeepPool(1, 1),
            "e": KeepPool(1, 1),
            "f": KeepPool(1, 1),
        }
        rolls = {name: dice.roll(name, part, name) for name, part in parts.items()}
        for among, highest, lowest in (("abcdef", 0, 3), ("bcde", 0, 2), ("cde", 0, 1), ("fa", 0, 0), ("bc", 0, 1)):
            some = [rolls[name] for name in among]
            assert extreme_roll(some, highest=True) == (some[highest], highest)
            assert extreme_roll(some, highest=False) == (some[lowest], lowest)

    def test_steps_are_recorded(self) -> None:
        dice = rolling()
        dice.note("toy.one", "gamble.won", value=7, who="actor", total=2)
        dice.option("actor", "gear")
        assert dice.steps == [{"rule": "toy.one", "key": "gamble.won", "facts": {"who": "actor", "total": 2}, "value": 7}]
        assert dice.used == {("actor", "gear")}

    def test_options_are_recorded(self) -> None:
        option = Offer("keep", "keep.it", {}, {"actor": {"keep": True}})
        for wanted in (True, False):
            dice = RolledDice(seeded("1"), wants_options=wanted)
            dice.offer(lambda: [option])
            assert dice.options == ([option] if wanted else [])

    def test_explanations_are_recorded(self) -> None:
        dice = rolling()
        dice.explain(lambda: dice.note("toy.one", "explained"))
        assert [step["key"] for step in dice.steps] == ["explained"]

    def test_contributions_are_recorded(self) -> None:
        dice = rolling()
        assert dice.contribution("actor", "bonus", 4, 0, "driver") == 4
        assert dice.contribution("actor", "advantage", True, False) is True
        assert dice.contributions == [Contribution("actor", "bonus", "driver", 4), Contribution("actor", "advantage", "", True)]

    def test_contribution_is_taken_away(self) -> None:
        dice = RolledDice(seeded("x"), without=("actor", "bonus", "driver"))
        assert dice.contribution("actor", "bonus", 4, 1, "driver") == 1
        assert dice.contribution("actor", "bonus", 4, 1, "witch") == 4
        assert dice.contribution("opponent", "bonus", 4, 1, "driver") == 4
        assert dice.contribution("actor", "karma", 4, 1, "driver") == 4
        assert len(dice.contributions) == 3


class TestRank:
    @staticmethod
    def rolls(dice: RolledDice, **shown: int) -> list[Roll]:
        return [dice.roll(name, SumPool(1), name) for name in shown]

    def ordered(
        self, *, share_places: bool = False, reroll: bool = False, again: dict[str, int] | None = None, **shown: int
    ) -> list[list[int]]:
        dice = rolling(**{name: [face] for name, face in {**shown, **(again or {})}.items()})

        def once_more(tied: Sequence[int], throw: int) -> list[Roll]:
            return [dice.roll(f"{'abcd'[index]}{throw}", SumPool(1), "again") for index in tied]

        return dice.rank(self.rolls(dice, **shown), once_more if reroll else None, share_places=share_places)

    def test_highest_first(self) -> None:
        assert self.ordered(a=2, b=6, c=4) == [[1], [2], [0]]

    def test_equals_as_listed_or_sharing_a_place(self) -> None:
        assert self.ordered(a=2, b=6, c=2, d=6) == [[1], [3], [0], [2]]
        assert self.ordered(a=2, b=6, c=2, d=6, share_places=True) == [[1, 3], [0, 2]]

    def test_equals_are_rolled_off_until_they_differ(self) -> None:
        again = {"a1": 3, "b1": 5, "c1": 3, "a2": 4, "c2": 4, "a3": 1, "c3": 2}
        assert self.ordered(a=6, b=6, c=6, d=6 - 1, reroll=True, again=again) == [[1], [2], [0], [3]]


class TestInnerSeed:
    def test_long_seed_is_hashed(self) -> None:
        assert inner_seed("42", "turns.0") == "42/turns.0"
        assert inner_seed("x" * 248, "turns.0") == "x" * 248 + "/turns.0"
        assert inner_seed("x" * 249, "turns.0") == sha256(("x" * 249 + "/turns.0").encode()).hexdigest()


class TestSeeded:
    def test_supplied_faces_or_the_seed(self) -> None:
        dice = RolledDice(seeded("42", {"opponent": SuppliedFaces([6, 6], POINTER)}))
        assert faces(dice.roll("actor", SumPool(2), "actor")) == [2, 2]
        assert faces(dice.roll("opponent", SumPool(2), "opponent")) == [6, 6]
        assert faces(dice.roll("defender", SumPool(3), "defender")) == [5, 4, 6]

    def test_supplied_faces_are_used_once(self) -> None:
        dice = RolledDice(seeded("42", {"actor": SuppliedFaces([6, 6], POINTER)}))
        assert faces(dice.roll("actor", SumPool(2), "actor")) == [6, 6]
        assert faces(dice.roll("actor", SumPool(2), "actor")) == [2, 2]

    @given(roll=st.sampled_from(["actor", "defender"]), count=st.integers(0, 30), more=st.integers(0, 30))
    def test_more_dice_do_not_change_the_others(self, roll: str, count: int, more: int) -> None:
        few, many = (faces(RolledDice(seeded("42")).roll(roll, SumPool(number), roll)) for number in (count, count + more))
        assert many[:count] == few


class TestReplayedRolls:
    POOL: ClassVar[Pool] = SumPool(3, 1, (1, 2), "clear")

    def rolls(self, seed: str) -> list[NamedRoll]:
        dice = RolledDice(seeded(seed, {"actor": SuppliedFaces([1, 6, 2, 2, 5, 4], POINTER)}))
        for name in ("actor", "opponent"):
            dice.roll(name, self.POOL, name)
        return dice.rolls

    def test_recorded_rolls_are_replayed(self) -> None:
        made = self.rolls("once more")
        again = RolledDice(replayed(made, "another seed"))
        assert [again.roll(named.roll, self.POOL, named.who) for named in made] == [named.result for named in made]

    def test_new_rolls_come_from_the_seed(self) -> None:
        again = RolledDice(replayed(self.rolls("42"), "42"))
        assert faces(again.roll("defender", SumPool(8), "defender")) == [5, 4, 6, 5, 1, 5, 2, 5]

    @pytest.mark.parametrize("seed", [f"seed {number}" for number in range(20)])
    def test_more_dice_continue_the_sequence(self, seed: str) -> None:
        """More dice get the faces of the seed after those already drawn, re-rolls included."""
        made = self.rolls(seed)
        drawn = [face for die in made[1].result.dice for face in (*die.replaced, die.face)]
        stream = SeededFaces(seed, "opponent")
        outer = [stream.draw(6) for _ in range(len(drawn) + 2)]
        again = RolledDice(replayed(made, seed)).roll("opponent", SumPool(5), "opponent")
        first_shown = [(*die.replaced, die.face)[0] for die in made[1].result.dice]
        assert sorted(outer[: len(drawn)]) == sorted(drawn)
        assert faces(again) == [*first_shown, *outer[len(drawn) :]]
