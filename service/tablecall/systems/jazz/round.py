"""The rest of a round of a conflict: the declared actions, in the order of initiative."""

from __future__ import annotations

from functools import partial
from typing import Annotated, Any, NamedTuple, Self

from pydantic import Field, model_validator

from tablecall.dice.roll import RolledDice
from tablecall.dice.source import Dice
from tablecall.model.base import not_allowed
from tablecall.model.refusals import Forbidden
from tablecall.model.text import Sentence, say
from tablecall.systems.jazz.conflict import (
    COMMON_FIELDS,
    STATE_AFTER,
    Conflict,
    JazzConflict,
    JazzDeclared,
    JazzTurnResult,
    begun,
    check_declared,
    is_over,
    possible_rolls,
    stands,
    taking_rescue,
)
from tablecall.systems.jazz.initiative import id_key
from tablecall.systems.jazz.turn import ending
from tablecall.systems.verdict import Part, Verdict


class JazzRound(JazzConflict):
    """The rest of a round of a conflict: each declared action is resolved on its turn (jazz.conflict.order)."""

    orders: Annotated[list[JazzDeclared], Field(max_length=64)] = []
    """The declared actions, one for each combatant or team. Who has none passes."""

    @model_validator(mode="after")
    def _orders(self) -> Self:
        index = self.index
        ordered: dict[str, JazzDeclared] = {}
        for number, declared in enumerate(self.orders):
            at = f"/orders/{number}"
            check_declared(self, declared, at)
            if declared.wait:
                raise not_allowed("jazz.refused.wait_in_round", rule="jazz.conflict.order", at=f"{at}/wait")
            for place, id_ in enumerate(declared.by):
                before = ordered.get(id_key(id_))
                if before is not None:
                    both = before.attacks and declared.attacks
                    key, rule = ("attacks_twice", "jazz.conflict.once") if both else ("acts_twice", "jazz.conflict.action")
                    raise not_allowed(f"jazz.refused.{key}", rule=rule, at=f"{at}/by/{place}", code="rule-forbids")
                ordered[id_key(id_)] = declared
            _check_targets(self, declared, index, at)
        return self

    def possible_rolls(self) -> set[str]:
        """The names of all rolls that this request may lead to."""
        return possible_rolls(self, self.orders)


def _check_targets(request: JazzRound, declared: JazzDeclared, index: dict[str, int], at: str) -> None:
    """Refuse an action aimed only at those who are out, if no action of this round may bring one of them back."""
    aimed = {id_key(id_) for id_ in declared.preferred}
    if not aimed or any(stands(request.combatants[index[key]].actor) for key in aimed):
        return
    healed = {id_key(other.check.subject) for other in request.orders if other.check is not None and other.check.subject is not None}
    if not aimed & healed:
        field = "check/against" if declared.check is not None else declared.kind
        raise not_allowed("jazz.refused.nobody_stands", rule="jazz.conflict.out", at=f"{at}/{field}", code="rule-forbids")


AFTER: dict[str, Any] = STATE_AFTER
FIELDS: dict[str, Any] = {
    "turns": Annotated[list[JazzTurnResult], Field(description="The declared actions, in turn order.")],
    **COMMON_FIELDS,
}


def resolve_round(request: JazzRound, dice: Dice) -> Verdict:
    """Resolve the rest of a round.

    A team acts on the turn of its slowest member, without members who are out by then. Outcomes: ``finished`` (at most one side still
    stands), ``ongoing``; ``after``, with new orders, is the next round. Refuses what the request as sent forbids; what only an earlier
    turn forbids is lost.
    """
    declared = request.orders
    if declared:
        # every attack hits or misses, and each of these costs about as much as a branch elsewhere
        dice.declare_branches(lambda: len(declared) * 2 ** min(len(declared), 40))
    _check_under_way(request)
    acting = sorted({request.index[id_key(id_)] for order in declared for id_ in order.by})
    conflict = begun(request, dice, among=acting)
    dice.cached("allowed", lambda: _check_allowed(conflict, declared))
    conflict.verdict.parts = _turns(request, conflict)
    if not conflict.is_over():
        conflict.new_round()
    verdict = conflict.conclude()
    verdict.fields["turns"] = []
    return verdict


def _check_under_way(request: JazzRound) -> None:
    """Refuse any action once the conflict is over, and those of combatants who have had theirs."""
    if request.orders and is_over(request):
        raise Forbidden.by("jazz.conflict.out", "/orders", "jazz.refused.conflict_over")
    acted = {id_key(id_) for id_ in request.acted}
    for number, declared in enumerate(request.orders):
        for place, id_ in enumerate(declared.by):
            if id_key(id_) in acted:
                who = request.combatants[request.index[id_key(id_)]].name
                raise Forbidden.by("jazz.conflict.action", f"/orders/{number}/by/{place}", "jazz.refused.acted_already", who=who)


def _check_allowed(conflict: Conflict, declared: list[JazzDeclared]) -> None:
    """Refuse the actions that the request as sent forbids. Those who are out may be healed before their turn, so they are left aside."""
    conflict.to_come = {who for order in declared for who in conflict.members(order)}
    for number, order in enumerate(declared):
        acting = conflict.participants(order)
        if acting and (not order.preferred or conflict.standing_targets(order)):
            refusal = conflict.refusal(order, acting, f"/orders/{number}")
            if refusal is not None:
                raise refusal


def _slot(conflict: Conflict, order: JazzDeclared) -> int:
    """The place on which an action is taken: that of its slowest member who stands now (jazz.team.attack)."""
    members = conflict.participants(order) or conflict.members(order)
    return max(conflict.place_of[who] for who in members)


class _Waiting(NamedTuple):
    """A turn that is still to come, in a place of the order. Without an ``order`` it is that of somebody who passes."""

    number: int
    order: JazzDeclared | None
    who: list[int]
    slot: int


def _waiting(conflict: Conflict, declared: list[JazzDeclared]) -> list[_Waiting]:
    """All turns to come, in the order of their places; in a place those who pass come last."""
    waiting = [_Waiting(number, order, conflict.members(order), _slot(conflict, order)) for number, order in enumerate(declared)]
    ordered = {who for turn in waiting for who in turn.who}
    passing = [who for who in range(len(conflict.actors)) if who not in ordered]
    waiting += [_Waiting(len(declared), None, [who], conflict.place_of[who]) for who in passing]
    return sorted(waiting, key=lambda turn: (turn.slot, turn.number))


def _turns(request: JazzRound, conflict: Conflict) -> list[Part]:
    """Take all turns of the round."""
    pending = _waiting(conflict, request.orders)
    conflict.to_come = {who for turn in pending if turn.order is not None and turn.order.kind != "pass" for who in turn.who}
    # members of a team whose own place comes earlier wait for the slowest
    conflict.held_back = {who for turn in pending for who in turn.who if conflict.place_of[who] < turn.slot}
    taken: list[Part] = []
    passed_over: dict[int, int] = {}
    """Orders whose turn came while everybody in them was out: how many turns were taken before."""

    def lose(order: JazzDeclared, position: int, key: str) -> None:
        taken.insert(position, conflict.lose(order, "turns", key))
        for number, before in passed_over.items():
            passed_over[number] = before + (before >= position)

    while not conflict.is_over():
        turn = next((turn for turn in pending if any(map(conflict.may_act, turn.who))), None)
        if turn is None:
            break
        for earlier in pending[: pending.index(turn)]:
            passed_over.setdefault(earlier.number, len(taken))
        pending.remove(turn)
        passed_over.pop(turn.number, None)
        acting = [who for who in turn.who if conflict.may_act(who)]
        order = turn.order
        if order is None:
            conflict.has_acted(acting)
        elif order.preferred and not conflict.standing_targets(order):
            lose(order, len(taken), "turn.lost_target")
            conflict.has_acted(acting)
        elif conflict.refusal(order, acting, "") is not None:
            lose(order, len(taken), "turn.lost_forbidden")
            conflict.has_acted(acting)
        else:
            taking = taking_rescue(request, order, partial(_patch, request, turn.number))
            taken.append(conflict.act(order, acting, "turns", taking, turn.slot))
    for turn in pending:
        if turn.order is not None:
            able = any(map(conflict.may_act, turn.who))
            lose(turn.order, passed_over.pop(turn.number, len(taken)), "turn.lost_over" if able else "turn.lost_out")
    return taken


def _patch(request: JazzRound, number: int, order: dict[str, Any]) -> dict[str, Any]:
    """The merge patch that replaces one of the orders: a list is replaced whole."""
    orders = [other.model_dump(by_alias=True, exclude_unset=True) for other in request.orders]
    orders[number] = order
    return {"orders": orders}


def summary(request: JazzRound, verdict: Verdict, record: RolledDice) -> list[Sentence]:
    """The round, what happened in each turn, and whether it is over."""
    told = [part.told for part in verdict.parts if part.told is not None]
    sentence = say("round.summary", round=request.round, turns=told) if told else say("round.nobody", round=request.round)
    return [sentence, *ending(verdict)]
