"""The roll reading, and what mattered: a ruling of one action."""

from __future__ import annotations

from typing import Any, cast

from tablecall.dice.rng import RNG
from tablecall.dice.roll import Contribution, NamedRoll, RolledDice, all_contributions, all_rolls, inner_seed, replayed, seeded
from tablecall.engine import markdown
from tablecall.engine.budget import BudgetExceeded, Cooperative, MoveBudget, Offload, at_once
from tablecall.engine.participants import after, effects_of
from tablecall.engine.supplied_dice import all_rolled, by_rule_of, given_dice, made_in, seed_of
from tablecall.engine.version import VERSION
from tablecall.model.base import Body
from tablecall.model.refusals import Refusal, WrongDice
from tablecall.systems.system import Action, System
from tablecall.systems.verdict import Verdict


def resolve(system: System, action: Action, body: Body, *, include: frozenset[str] = frozenset()) -> dict[str, Any]:
    """Resolve one action: the ruling, in the published shape's words.

    ``include`` adds to what the body itself asks for. Refuses what the rules forbid, dice that are not this action's, and
    a dice algorithm there is none of.
    """
    if include or body.include:
        return at_once(whole(system, action, body, include))
    seed = seed_of(body)
    record, verdict = _rolled(system, action, body, seed)
    ruling = _ruling(system, action, body, seed, record, verdict)
    return ruling if not verdict.scenes else at_once(_with_scenes(ruling, system, body, record, verdict))


def resolving(system: System, action: Action, body: Body, *, include: frozenset[str] = frozenset()) -> Cooperative[dict[str, Any]]:
    """The same, pausing before each ruling inside it, each factor and each option: of many who act together there may be hundreds,
    each as long as the ruling itself.

    One that goes on for longer than may be waited for here is asked for as a whole.
    """
    if not body.unbounded:
        return (yield from whole(system, action, body, include))
    try:
        return (yield from whole(system, action, body, include, MOVES_AT_ONCE))
    except BudgetExceeded:
        return cast("dict[str, Any]", (yield Offload(whole, system, action, body, include)))


MOVES_AT_ONCE = 120
"""How many moves of what goes on until it is over are made before it is given up and made elsewhere: some milliseconds."""


def whole(system: System, action: Action, body: Body, include: frozenset[str], most: int | None = None) -> Cooperative[dict[str, Any]]:
    """The same, made here; more than ``most`` moves are `BudgetExceeded`."""
    wanted = include.union(body.include)
    seed = seed_of(body)
    record, verdict = _rolled(system, action, body, seed, wants_options="options" in wanted, most=most)
    ruling = _ruling(system, action, body, seed, record, verdict)
    if verdict.scenes:
        yield from _with_scenes(ruling, system, body, record, verdict)
    if "factors" in wanted:
        ruling["factors"] = yield from _factors(action, body, seed, record, verdict, most)
    if "options" in wanted:
        ruling["options"] = yield from _options(system, action, body, seed, record, verdict)
    return ruling


def _ruling(system: System, action: Action, body: Body, seed: str, record: RolledDice, verdict: Verdict) -> dict[str, Any]:
    """The envelope around a verdict."""
    total: Any = verdict.total  # an integer, if anything: dice that fall leave no distribution
    target: Any = verdict.target
    effects = effects_of(body, verdict)
    ruling = {
        "action": f"{system.name}.{action.name}",
        "system": system.name,
        "outcome": verdict.outcome,
        "succeeded": verdict.succeeded,
        "summary": action.summary(body, verdict, record),
        "markdown": "",
        "target": target,
        "total": total,
        "margin": _margin(verdict),
        "rolls": [_roll(named) for named in record.rolls],
        "steps": record.steps,
        "effects": effects,
        "after": after(body, effects) | verdict.after,
        **verdict.fields,
        "seed": seed,
        "seedFrom": "service" if body.seed is None else "request",
        "rng": RNG,
        "rulebook": system.version,
        "version": VERSION,
    }
    ruling["markdown"] = markdown.line(ruling)
    return ruling


def _with_scenes(ruling: dict[str, Any], system: System, body: Body, record: RolledDice, verdict: Verdict) -> Cooperative[dict[str, Any]]:
    """The ruling with those of the actions inside it, in the lists they stand in, each with the request that gives it alone."""
    actions = {action.name: action for action in system.actions}
    found: dict[str, list[dict[str, Any]]] = {}
    for scene in verdict.scenes:
        yield None
        alone = scene.body().model_copy(update={"seed": inner_seed(ruling["seed"], scene.name)})
        dice = [
            given.model_copy(update={"roll": given.roll.removeprefix(f"{scene.name}.")})
            for given in body.dice
            if given.roll.startswith(f"{scene.name}.")
        ]
        if dice:
            alone = alone.model_copy(update={"dice": dice})
        inner = _ruling(system, actions[scene.action], alone, str(alone.seed), record.scenes[scene.name], scene.verdict)
        request = {"action": inner["action"], **alone.sent}
        found.setdefault(scene.name.partition(".")[0], []).append({**inner, "request": request})
    ruling.update(found)
    return ruling


def _rolled(
    system: System, action: Action, body: Body, seed: str, *, wants_options: bool = False, most: int | None = None
) -> tuple[RolledDice, Verdict]:
    """The roll reading: the record of the dice and what the rule says of them."""
    given = given_dice(system, body)
    record = RolledDice(seeded(seed, given), wants_options=wants_options)
    if most is not None:
        record.pace = MoveBudget(most)
    try:
        verdict = action.rule(body, record)
        if body.dice:
            all_rolled(body, made_in(record))
    except WrongDice as error:
        raise by_rule_of(system, error) from None
    return record, verdict


def _margin(verdict: Verdict) -> int | None:
    total, target = verdict.total, verdict.target
    return total - target if isinstance(total, int) and isinstance(target, int) else None


def _roll(named: NamedRoll) -> dict[str, Any]:
    fall = named.result
    return {
        "roll": named.roll,
        "name": named.who,
        "dice": [{"sides": die.sides, "face": die.face, "kept": die.kept, "replaced": die.replaced} for die in fall.dice],
        "modifier": fall.modifier,
        "total": fall.total,
    }


# ── What mattered, and what is still open ────────────────────────────────────────────────────────────────────────────


def _factors(
    action: Action, body: Body, seed: str, record: RolledDice, verdict: Verdict, most: int | None
) -> Cooperative[list[dict[str, Any]]]:
    """The same rule on the same dice, once for each contribution with that one taken away.

    What was weighed twice (a roll and its re-roll) is taken away from both. Where the request would not be allowed without
    it (as many dice kept by hand as it granted), there is nothing to compare with and it is left out.
    """
    found = []
    fallen = list(all_rolls(record))
    for key, one in _once(record).items():
        yield None
        again = RolledDice(replayed(fallen, seed), without=key)
        if most is not None:
            again.pace = MoveBudget(most)
        try:
            other = action.rule(body, again)
        except Refusal:
            continue
        if other.outcome != verdict.outcome:
            word = "necessary"
        elif _numbers(other) != _numbers(verdict):
            word = "helpful"
        else:
            word = "irrelevant"
        without = {"outcome": other.outcome, "total": other.total, "margin": _margin(other)}
        found.append({"on": one.on, "kind": one.kind, "name": one.name, "value": _worth(one.value), "verdict": word, "without": without})
    return found


def _worth(value: object) -> int | str:
    """What a contribution was worth: a number or a word as it is, faces one after the other, anything else as it puts itself."""
    if isinstance(value, int | str):
        return value
    return " ".join(map(str, value)) if type(value) is tuple else str(value)


def _numbers(verdict: Verdict) -> tuple[object, ...]:
    """Everything a contribution may move without changing the outcome."""
    return verdict.total, verdict.target, verdict.changes, verdict.after


def _once(record: RolledDice) -> dict[tuple[str, str, str], Contribution]:
    """Each contribution once, in the order first weighed."""
    found: dict[tuple[str, str, str], Contribution] = {}
    for one in all_contributions(record):
        found.setdefault((one.on, one.kind, one.name), one)
    return found


def _options(
    system: System, action: Action, body: Body, seed: str, record: RolledDice, verdict: Verdict
) -> Cooperative[list[dict[str, Any]]]:
    """What the rule offered, each with the outcome that taking it gives: the patched request is resolved to find out."""
    found = []
    for offer in record.offers:
        yield None
        patch = dict(offer.patch) if body.seed is not None else {**offer.patch, "seed": seed}
        then = _taken(system, action, body, seed, record, patch)
        if then is not None and (then.outcome, _numbers(then)) != (verdict.outcome, _numbers(verdict)):
            found.append({"choice": offer.choice, "text": offer.text, "request": patch, "then": then.outcome})
    return found


def _taken(system: System, action: Action, body: Body, seed: str, record: RolledDice, patch: dict[str, Any]) -> Verdict | None:
    """What the patched request gives; none where it would be refused. Dice made at the table for what then no longer happens go out."""
    taken = type(body).model_validate(merge(body.model_dump(by_alias=True, exclude_unset=True), patch))
    try:
        if taken.dice:
            again = RolledDice(replayed(list(all_rolls(record)), seed))
            action.rule(taken, again)
            made = made_in(again)
            dice = [one for one in taken.dice if one.roll in made]
            if len(dice) < len(taken.dice):
                patch["dice"] = [one.model_dump(by_alias=True) for one in dice]
                taken = taken.model_copy(update={"dice": dice})
        return _rolled(system, action, taken, seed)[1]
    except Refusal:
        return None


def merge(document: Any, patch: Any) -> Any:
    """A JSON merge patch (RFC 7396) applied to a document."""
    if not isinstance(patch, dict):
        return patch
    found = dict(document) if isinstance(document, dict) else {}
    for key, value in patch.items():
        if value is None:
            found.pop(key, None)
        else:
            found[key] = merge(found.get(key), value)
    return found
