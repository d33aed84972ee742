"""A roller with a finished pool: rolls it, keeps dice, earns Training Points. `prepare` builds rollers from requests."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction

from tablecall.dice.keep import KeepPool, choices
from tablecall.dice.source import Dice, Offer, Roll
from tablecall.model.names import name_key
from tablecall.model.text import say
from tablecall.systems.darkpages.sheet import Attribute, Choice, DarkpagesActor
from tablecall.systems.verdict import Verdict


@dataclass(slots=True)
class DiceChoice:
    """Which dice of a roll are kept: by the ``policy``, or exactly the dice at ``positions``.

    ``pointer`` is the place of the positions in the request. ``patch`` makes the merge patch that keeps other dice.
    """

    policy: Choice
    positions: list[int] | None
    pointer: str
    patch: Callable[[list[int]], dict[str, object]]


@dataclass(slots=True)
class PointRecipients:
    """The Archetypes that earn a Training Point for each kept zero, and the rule that says so. None stands for no Archetype.

    The first zeros go to ``chosen``, one each; the others go to ``in_turn``, over and over.
    """

    rule: str
    in_turn: tuple[str | None, ...]
    chosen: tuple[str | None, ...] = ()

    @property
    def exist(self) -> bool:
        """Whether any Archetype can earn a point."""
        return any(self.in_turn) or any(self.chosen)

    @property
    def all_same(self) -> bool:
        """Whether every zero goes to the same Archetype: then a mean number of zeros is enough for the odds."""
        return len({*self.chosen, *self.in_turn}) <= 1

    def split(self, zeros: int | Fraction) -> Mapping[str | None, int | Fraction]:
        """The points of each Archetype for this many kept zeros. ``zeros`` is a whole number unless `all_same`."""
        if not zeros:
            return {}
        if self.all_same:
            return {next(iter(self.in_turn), None): zeros}
        count = int(zeros)
        others = max(count - len(self.chosen), 0)
        return Counter([*self.chosen[:count], *(self.in_turn[turn % len(self.in_turn)] for turn in range(others))])


@dataclass(slots=True)
class Roller:
    """A participant with a pool: ``size`` dice rolled, ``keep`` of them kept, all modifiers included.

    ``where`` is the participant's place in the request (``members.0``), ``purpose`` the suffix of a further roll
    (``.damage``), ``name`` what to print, ``attribute`` the Attribute rolled (None for a bare pool).
    """

    actor: DarkpagesActor
    where: str
    purpose: str
    name: str
    attribute: Attribute | None
    size: int
    keep: int
    choice: DiceChoice
    recipients: PointRecipients

    @property
    def kept(self) -> int:
        """The number of dice kept: never more than are rolled (darkpages.dice.keep)."""
        return min(self.keep, self.size)

    @property
    def highest_total(self) -> int:
        """The highest total possible."""
        return 9 * self.kept

    @property
    def needs_target(self) -> bool:
        """Whether the choice of dice depends on the total to beat. It does not where all dice are kept, or none."""
        return self.choice.policy == "mostZerosThatSucceed" and self.choice.positions is None and 0 < self.kept < self.size

    def roll(self, dice: Dice, *, beat: int | None = None, ahead: bool = False, why_highest: str = "") -> Roll:
        """Roll the pool and keep dice.

        ``beat`` is the lowest total that succeeds, for a choice that `needs_target`. Without it such a roller keeps the
        highest dice, and a step says so: ``why_highest`` is the end of its key. ``ahead`` lists the roll first.
        """
        policy: Choice = "highest" if self.needs_target and beat is None else self.choice.policy
        positions = None if self.choice.positions is None else tuple(self.choice.positions)
        count_zeros = self.recipients.exist and not self.actor.is_npc
        quantity = KeepPool(self.size, self.keep, policy, beat if self.needs_target else None, positions, count_zeros)
        roll = dice.roll(self.where + self.purpose, quantity, self.name, list_first=ahead)
        dice.note("darkpages.dice.keep", "roll.kept", who=self.where, size=self.size, kept=self.kept, total=roll.total)
        if positions is not None:
            dice.option(self.where, "keepDice")
            dice.note("darkpages.dice.choice", "roll.positions", value=policy, who=self.where)
        elif policy != "highest":
            dice.option(self.where, "keep")
            dice.note("darkpages.dice.choice", f"roll.keeps_{policy}", value=policy, who=self.where)
        elif self.needs_target:
            dice.note("darkpages.dice.choice", f"roll.highest_{why_highest}", value=policy, who=self.where)
        return roll

    def note_no_dice(self, dice: Dice) -> None:
        """darkpages.modifiers.floor: without a kept die the total is 0 and fails, but is neither Dismal nor Dramatic."""
        dice.note("darkpages.modifiers.floor", "roll.no_dice", value=0, who=self.where)

    def earn_points(self, dice: Dice, roll: Roll, verdict: Verdict) -> None:
        """darkpages.zero.points: each zero a player keeps is a Training Point for every member of an Archetype.

        Call it before the roll is compared: zeros that teach different Archetypes are counted one by one.
        """
        if self.recipients.exist:
            self._award_points(dice, roll, verdict)
        else:
            dice.explain(lambda: self._award_points(dice, roll, verdict))

    def _award_points(self, dice: Dice, roll: Roll, verdict: Verdict) -> None:
        recipients, is_npc = self.recipients, self.actor.is_npc
        zeros = roll.mean_zeros if is_npc or recipients.all_same else dice.value(roll.zeros)
        if recipients.chosen and zeros:
            dice.option("", "awards")
        if is_npc and zeros:
            dice.note("darkpages.zero.points", "points.npc", value=0, who=self.where)
            return
        for archetype, points in recipients.split(zeros).items():
            if archetype is None:
                dice.note(recipients.rule, "points.no_archetype", value=0, who=self.where, points=points)
            else:
                dice.note(recipients.rule, "points.earned", value=points, who=self.where, points=points, archetype=archetype)
                _add_points(verdict, archetype, points)

    def offer_zeros(self, dice: Dice, roll: Roll, *, wins: bool | None = True) -> None:
        """Offer the player's other useful choices of dice, each as a merge patch (darkpages.dice.choice). ``wins``: see `Offer`."""
        dice.offer(lambda: self._other_choices(roll, wins))

    def _other_choices(self, roll: Roll, wins: bool | None) -> Iterator[Offer]:
        if self.actor.is_npc or not self.kept:
            return
        faces = roll.faces
        for positions in choices(faces, self.keep):
            kept = [faces[position] for position in positions]
            zeros = kept.count(0)
            split = self.recipients.split(zeros)
            points = [say("option.points", points=int(share), archetype=archetype) for archetype, share in split.items() if archetype]
            facts = {"who": self.where, "zeros": zeros, "total": sum(kept), "points": points}
            key = "option.keep_zeros_points" if points else "option.keep_zeros"
            yield Offer("keepZeros", key, facts, self.choice.patch(list(positions)), wins=wins)


def _add_points(verdict: Verdict, archetype: str, points: int | Fraction) -> None:
    """Add Training Points to the effect of an Archetype. Case and Unicode form do not count; the first spelling is shown."""
    on = f"archetype:{archetype}"
    for change in verdict.changes:
        if change.stat == "trainingPoints" and name_key(change.on) == name_key(on):
            assert change.change is not None
            change.change += points
            return
    verdict.change_unseen(on, "trainingPoints", points)
