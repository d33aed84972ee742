"""One turn of a conflict: a state, one declared action, and the state after it."""

from __future__ import annotations

from typing import Annotated, Any, Self

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
    possible_rolls,
    taking_rescue,
)
from tablecall.systems.jazz.initiative import id_key, told_places
from tablecall.systems.verdict import Verdict


class JazzTurn(JazzConflict):
    """One turn of a conflict (jazz.conflict.action). Without an `order`, everybody rolls initiative and nothing else happens."""

    turn: JazzDeclared | None = None
    """The declared action. Required with an `order`; without one it must be left out."""

    @model_validator(mode="after")
    def _turn_or_initiative(self) -> Self:
        if self.order and self.turn is None:
            raise not_allowed("jazz.refused.turn_missing", rule="jazz.conflict.order", at="/turn", code="missing-field")
        if self.turn is None:
            return self
        if not self.order:
            raise not_allowed("jazz.refused.turn_before_order", rule="jazz.conflict.initiative", at="/turn", code="conflicting-fields")
        check_declared(self, self.turn, "/turn")
        return self

    def possible_rolls(self) -> set[str]:
        """The names of all rolls that this request may lead to."""
        return possible_rolls(self, [] if self.turn is None else [self.turn])


AFTER: dict[str, Any] = STATE_AFTER
FIELDS: dict[str, Any] = {
    "turn": Annotated[JazzTurnResult | None, Field(description="The turn; null where only initiative was rolled.")],
    **COMMON_FIELDS,
}


def turn(request: JazzTurn, dice: Dice) -> Verdict:
    """Resolve one turn.

    Outcomes: ``ongoing``, ``finished`` (at most one side still stands). ``turn`` shows the action and its own outcome, ``next`` whose turn
    is next, and ``after`` is the next request with a new ``turn``. Refuses who acts out of turn, again or while out, and what the action
    itself refuses.
    """
    # nothing here depends on the order that is rolled, so the odds need not tell orders apart
    conflict = begun(request, dice, among=())
    if request.turn is None:
        verdict = conflict.conclude()
        verdict.fields["turn"] = None
        return verdict
    acting = _acting(conflict, request.turn)
    if request.turn.kind in ("attack", "targets", "check"):
        refusal = conflict.refusal(request.turn, acting, "/turn")
        if refusal is not None:
            raise refusal
    part = conflict.act(request.turn, acting, "turn", taking_rescue(request, request.turn, lambda turn: {"turn": turn}), slot=-1)
    conflict.end_turn()
    verdict = conflict.conclude()
    verdict.parts.append(part)
    inner = part.verdict
    verdict.succeeded, verdict.total, verdict.target = inner.succeeded, inner.total, inner.target
    return verdict


def _acting(conflict: Conflict, declared: JazzDeclared) -> list[int]:
    """Those who act; refuses who may not act now, and an action aimed at nobody who stands."""
    if conflict.is_over():
        raise Forbidden.by("jazz.conflict.out", "/turn", "jazz.refused.conflict_over")
    members = conflict.members(declared)
    acting = []
    for number, who in enumerate(members):
        if who in conflict.acted and conflict.stands(who):
            raise Forbidden.by("jazz.conflict.action", f"/turn/by/{number}", "jazz.refused.acted_already", who=conflict.name(who))
        if conflict.may_act(who):
            acting.append(who)
    if not acting:
        raise Forbidden.by("jazz.conflict.out", "/turn/by/0", "jazz.refused.out_cannot_act", who=conflict.name(members[0]))
    allowed = {*conflict.next_up(), *conflict.waiting}
    for who in acting:
        if who not in allowed:
            named = [conflict.name(other) for other in conflict.next_up()]
            at = f"/turn/by/{members.index(who)}"
            raise Forbidden.by("jazz.conflict.order", at, "jazz.refused.out_of_turn", who=conflict.name(who), next=named)
    if declared.wait:
        for who in acting:
            if who in conflict.falling:
                raise Forbidden.by("jazz.conflict.out", "/turn/wait", "jazz.refused.falling_waits", who=conflict.name(who))
            if who in conflict.waiting:
                raise Forbidden.by("jazz.conflict.order", "/turn/wait", "jazz.refused.waits_already", who=conflict.name(who))
    if declared.preferred and not conflict.standing_targets(declared):
        at = "/turn/check/against" if declared.check is not None else f"/turn/{declared.kind}"
        raise Forbidden.by("jazz.conflict.out", at, "jazz.refused.nobody_stands")
    return acting


def summary(request: JazzTurn, verdict: Verdict, record: RolledDice) -> list[Sentence]:
    """The round, what happened, and whether it is over."""
    if not verdict.parts:
        index = {id_key(combatant.id): number for number, combatant in enumerate(request.combatants)}
        return [say("initiative.summary", places=list(told_places(verdict.after["order"], index)))]
    told = [part.told for part in verdict.parts if part.told is not None]
    return [say("round.summary", round=request.round, turns=told), *ending(verdict)]


def ending(verdict: Verdict) -> list[Sentence]:
    """Whether the conflict is over."""
    if verdict.outcome != "finished":
        return []
    over = verdict.fields["over"]
    return [say("turn.over", side=over)] if over is not None else [say("turn.nobody_stands")]
