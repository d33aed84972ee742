"""A whole conflict: round after round everyone attacks as their side's tactic says, until one side stands."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import replace
from typing import Annotated, Any, ClassVar, Literal, Self

from pydantic import Field, model_validator

from tablecall.dice.markov import branches
from tablecall.dice.roll import RolledDice
from tablecall.dice.source import Dice
from tablecall.model.base import MayBeNull, Simulable, WholeNumber, not_allowed
from tablecall.model.refusals import pointer_of
from tablecall.model.ruling import OutputModel
from tablecall.model.wording import plural
from tablecall.systems.jazz import unused
from tablecall.systems.jazz.attack import ConflictKind, report_kind
from tablecall.systems.jazz.combat_process import CombatProcess, Fighter, FightState, Tactic, hits_to_go, turns_of
from tablecall.systems.jazz.initiative import Order, Ties, roll_order
from tablecall.systems.jazz.roller import Roller, able_roller, report_summed_weird
from tablecall.systems.jazz.round import JazzCombatant, check_combatants, given_order, stands, with_explicit_pools, without_dice
from tablecall.systems.jazz.sheet import JazzActor
from tablecall.systems.verdict import Verdict

Side = Annotated[str, Field(min_length=1, max_length=120)]

UNDECIDED = "undecided"
MAX_TURNS = 2_000
"""The most turns a fight may have: combatants times rounds."""
DEFAULT_ROUNDS = 100
MAX_NAMED = 8
"""How many of those who went down the summary names."""


class JazzFight(Simulable):
    """A conflict from initiative to its end: in each round everyone who stands attacks, on their turn (jazz.conflict.order).

    Nobody teams up; resolve a conflict with teams round by round, with `jazz.round`. In round 1 the attack of `combatants.0` is rolled
    as `combatants.0.round1.attack`, and the defence of `combatants.3` against it as `combatants.3.round1.against0`.
    """

    unbounded: ClassVar[bool] = True
    large_ruling: ClassVar[bool] = True

    combatants: Annotated[list[JazzCombatant], Field(min_length=2, max_length=64)]
    """Everyone in the conflict, including those who are out. Each needs a sheet, which says how many hits they can take. A die to
    `spend` or impose goes into their first attack."""
    order: Annotated[Order, Field(max_length=64)] = []
    """The order of initiative, as an earlier `after` gave it. Empty: those who stand roll it now, as `combatants.0`, `combatants.1`, …
    Combatants who share a place act at the same time: all who stood when the place began attack, if a foe still stands."""
    ties: Ties = "rerollOff"
    """Who goes first after an equal initiative (jazz.conflict.order)."""
    kind: ConflictKind = "physical"
    """A label such as `physical`, `mental` or `social`. It changes nothing: every kind of conflict uses the same health pool
    (jazz.conflict.kind)."""
    tactics: Annotated[dict[Side, Tactic], Field(max_length=64), MayBeNull()] = Field(default_factory=dict)
    """Whom each side attacks, by the side's name: the `first` standing foe as listed, the `weakest` (fewest hits to go) or the
    `strongest` (most hits to go); of equals, the first as listed. A side without a tactic attacks the first."""
    max_rounds: Annotated[int, Field(ge=1, le=1_000), WholeNumber] | None = None
    """The fight is `undecided` after this many rounds; combatants times rounds can be at most 2,000. Default: 100, or fewer to stay
    within 2,000."""

    @model_validator(mode="after")
    def _check_combatants(self) -> Self:
        check_combatants(self.combatants, self.order)
        sides = {combatant.side for combatant in self.combatants}
        for side in self.tactics:
            if side not in sides:
                raise not_allowed("no combatant is on that side", rule="jazz.conflict.attack", at=pointer_of(["tactics", side]))
        for index, combatant in enumerate(self.combatants):
            if combatant.side == UNDECIDED:
                raise not_allowed("a side cannot be called undecided", rule="jazz.conflict.out", at=f"/combatants/{index}/side")
            _check_can_go_out(combatant.actor, f"/combatants/{index}/actor")
        if len(self.combatants) * self.rounds > MAX_TURNS:
            detail = f"combatants times rounds can be at most {MAX_TURNS}"
            raise not_allowed(detail, rule="jazz.conflict.order", at="/maxRounds")
        return self

    @property
    def rounds(self) -> int:
        """The most rounds fought."""
        return min(DEFAULT_ROUNDS, MAX_TURNS // len(self.combatants)) if self.max_rounds is None else self.max_rounds


def _check_can_go_out(actor: JazzActor, at: str) -> None:
    """Refuse a combatant whom no number of hits would take out (jazz.conflict.out)."""
    sheet = actor.character
    if sheet is None:
        raise not_allowed("every combatant in a fight needs a `character`", rule="jazz.conflict.out", at=at)
    if sheet.named and sheet.health is None and stands(actor):
        detail = "a combatant in a fight needs `health`, or a `survivalAspect` to derive it from"
        raise not_allowed(detail, rule="jazz.health.pool", at=f"{at}/character/health")


class JazzFightAttack(OutputModel):
    """One attack of a fight."""

    round: int
    """The round, counted from 1."""
    by: str
    """The attacker's id. In round 3, `combatants.0` rolls the attack as `combatants.0.round3.attack`."""
    on: str
    """The defender's id. In round 3, `combatants.1` rolls the defence against `combatants.0` as `combatants.1.round3.against0`."""
    outcome: Literal["hit", "miss"]
    """`hit` if the attacker's total is at least the defender's, otherwise `miss`."""
    total: int
    """The attacker's total."""
    target: int
    """The defender's total."""
    health: int | None
    """The health the defender has left; null without a health pool."""
    out: bool
    """Whether the defender is now out of the fight."""


FIELDS: dict[str, Any] = {
    "rounds": Annotated[int, Field(description="How many rounds were fought.")],
    "attacks": Annotated[list[JazzFightAttack], Field(description="The attacks that were made, in order. Their dice are in `rolls`.")],
}


def fight(request: JazzFight, dice: Dice) -> Verdict:
    """Resolve a fight: round after round everyone who stands attacks whom their side's tactic says (jazz.conflict.attack).

    Outcomes: the name of the only side that still stands, or ``undecided``: more than one stands after ``maxRounds``, or
    none, because those who act at the same time brought each other down. ``attacks`` lists every attack; ``effects`` and
    ``after`` show the total changes. Refuses combatants without a sheet or health, dice that are not held or would be wasted,
    tactics of an unknown side, and more than 2,000 turns.
    """
    process = replace(dice.cached("begun", lambda: _process(request)), attacks=[], dice_used=set(), said={})
    report_summed_weird(dice, *(combatant.actor.character for combatant in request.combatants))
    order: list[list[int]] = []
    if not process.is_over(process.start):
        _report_options(request, dice)
        standing = sum(map(bool, process.start.hits))
        dice.declare_branches(lambda: branches(process.state_bound, standing, process.max_rounds))
        order = _order(request, process, dice)
        process.moves = [turn for place in order for turn in turns_of(place)]
    end = dice.follow("fight", process)
    verdict = Verdict(UNDECIDED, None, fields={"rounds": process.rounds, "attacks": process.attacks})
    verdict.after = {"order": _order_after(request, order)}
    for index, fighter in enumerate(process.fighters):
        if end.dice >> index & 1 or not fighter.has_die:
            unused.kept_dice(fighter.combatant.actor, fighter.label, dice, "no attack in this fight")
        else:
            Roller(fighter.actor, fighter.where, spends_weird=False).use_dice(verdict)
        fighter.apply_hits(fighter.hits - end.hits[index], verdict)
    _conclude(request, process.sides_standing(end), verdict, dice)
    return verdict


def _process(request: JazzFight) -> CombatProcess:
    """The fight before the first turn; its order is not known yet."""
    fighters = _fighters(request)
    sides = [combatant.side for combatant in request.combatants]
    foes = [[index for index, other in enumerate(sides) if other != side] for side in sides]
    tactics = [request.tactics.get(side, "first") for side in sides]
    dice = sum(1 << index for index, fighter in enumerate(fighters) if fighter.has_die)
    start = FightState(tuple(fighter.hits for fighter in fighters), dice, 0)
    return CombatProcess(fighters, sides, foes, tactics, start, request.rounds, _rounds_with_dice(request))


def _fighters(request: JazzFight) -> list[Fighter]:
    """Every combatant as a fighter; refuses dice that are not held or would be wasted."""
    fighters, labels = [], _labels(request)
    for index, combatant in enumerate(request.combatants):
        actor, hits = with_explicit_pools(combatant.actor), hits_to_go(combatant.actor)
        if hits:
            able_roller(actor, f"combatants.{index}.actor", free=True)
        fighters.append(Fighter(f"combatants.{index}", labels[combatant.id], combatant, actor, without_dice(actor), hits))
    return fighters


def _labels(request: JazzFight) -> dict[str, str]:
    """What each combatant is called, by id: the name, with the id if others have the same name."""
    names = Counter(combatant.name for combatant in request.combatants)
    return {fighter.id: fighter.name if names[fighter.name] == 1 else f"{fighter.name} ({fighter.id})" for fighter in request.combatants}


_ROUND = re.compile(r"combatants\.[0-9]+\.round([0-9]{1,4})\.")


def _rounds_with_dice(request: JazzFight) -> frozenset[int]:
    """The rounds for which the request supplies dice."""
    matches = (_ROUND.match(given.roll) for given in request.dice)
    rounds = {int(match[1]) for match in matches if match}
    return frozenset(time for time in rounds if 1 <= time <= request.rounds)


def _order(request: JazzFight, process: CombatProcess, dice: Dice) -> list[list[int]]:
    """The places of those who stand, given or rolled now (jazz.conflict.order)."""
    standing = [index for index, hits in enumerate(process.start.hits) if hits]
    if request.order:
        places = given_order(request.combatants, request.order, request.ties, dice)
        order = [[index for index in place if index in standing] for place in places]
    else:
        order = roll_order({index: request.combatants[index] for index in standing}, request.ties, dice)
    for place in order:
        if len(place) > 1:
            names = " and ".join(process.fighters[index].label for index in place)
            dice.step("jazz.conflict.order", "{} act at the same time: each attacks, even if brought down just before", names)
    return [place for place in order if place]


def _order_after(request: JazzFight, order: list[list[int]]) -> list[list[str]]:
    """The order for the next request: combatants who were out at the start come last. As sent if there was no fight."""
    if not order:
        return request.order
    ids = [combatant.id for combatant in request.combatants]
    placed = {index for place in order for index in place}
    return [[ids[index] for index in place] for place in order] + [[id_] for index, id_ in enumerate(ids) if index not in placed]


def _report_options(request: JazzFight, dice: Dice) -> None:
    for side, tactic in request.tactics.items():
        dice.step("jazz.conflict.attack", "{}: on the {} who stands (option tactics)", side, tactic, value=tactic)
    report_kind(request.kind, dice)


def _conclude(request: JazzFight, sides: list[str], verdict: Verdict, dice: Dice) -> None:
    if len(sides) > 1:
        rounds = plural(request.rounds, "round")
        dice.step("jazz.conflict.order", "after {} more than one side still stands (option maxRounds)", rounds)
    elif sides:
        verdict.outcome = sides[0]
        dice.step("jazz.conflict.out", "{} is all that still stands, so the conflict is over", sides[0])
    else:
        dice.step("jazz.conflict.out", "nobody still stands, so the conflict is over, and nobody's")


def summary(request: JazzFight, verdict: Verdict, record: RolledDice) -> str:
    """One line: how long it took, who won, who went down."""
    attacks = verdict.fields["attacks"]
    labels = _labels(request)
    down = [labels[attack["on"]] for attack in attacks if attack["out"]]
    listed = ", ".join(down[:MAX_NAMED]) + (f" and {len(down) - MAX_NAMED} more" if len(down) > MAX_NAMED else "")
    length = f"{plural(verdict.fields['rounds'], 'round')}, {plural(len(attacks), 'attack')}"
    result = verdict.outcome if verdict.outcome == UNDECIDED else f"won by {verdict.outcome}"
    return f"A fight of {length}, {result}; {f'down: {listed}' if down else 'nobody went down'}"
