"""The three readings of one rule: a roll (`resolve`), every fall (`odds`), and what mattered (the factors of a ruling)."""

from __future__ import annotations

import math
from collections.abc import Callable, Generator, Iterator
from fractions import Fraction
from functools import cache, lru_cache
from importlib.metadata import version
from typing import Any, TypeVar, cast, get_args, get_origin

from pydantic.fields import FieldInfo

from service import markdown
from service.dice.chances import Chances
from service.dice.exploring import Way, explore
from service.dice.falls import Faces
from service.dice.rolling import Contribution, Given, Named, Rolling, all_contributions, all_rolls, inner_seed, replayed, seeded
from service.dice.stream import RNG, fresh_seed
from service.model import Body, Model, Participant
from service.refusal import Finding, Refusal, UnknownRng, WrongDice
from service.ruling import Change, Verdict
from service.systems.system import Action, System
from service.validation import validate

VERSION = version("tablecall")
"""The service's own version."""

T = TypeVar("T")
Steps = Generator[None, None, T]
"""Work that pauses now and then, for whoever has more to do than this, and what it gives in the end."""


def at_once(work: Steps[T]) -> T:
    """The work done without a pause."""
    while True:
        try:
            next(work)
        except StopIteration as end:
            return cast("T", end.value)


def resolve(system: System, action: Action, body: Body, *, include: frozenset[str] = frozenset()) -> dict[str, Any]:
    """Resolve one action: the ruling, in the published shape's words.

    ``include`` adds to what the body itself asks for. Refuses what the rules forbid, dice that are not this action's, and
    a dice algorithm there is none of.
    """
    if include or body.include:
        return at_once(resolving(system, action, body, include=include))
    seed = _seed(body)
    return _ruling(system, action, body, seed, *_rolled(system, action, body, seed))


def resolving(system: System, action: Action, body: Body, *, include: frozenset[str] = frozenset()) -> Steps[dict[str, Any]]:
    """The same, pausing before each factor: of many who act together there may be hundreds, each as long as the ruling itself."""
    wanted = include.union(body.include)
    seed = _seed(body)
    record, verdict = _rolled(system, action, body, seed, offering="options" in wanted)
    ruling = _ruling(system, action, body, seed, record, verdict)
    if "factors" in wanted:
        ruling["factors"] = yield from _factors(action, body, seed, record, verdict)
    if "options" in wanted:
        ruling["options"] = _options(system, action, body, seed, record, verdict)
    return ruling


def _seed(body: Body) -> str:
    return fresh_seed() if body.seed is None else str(body.seed)


def _ruling(system: System, action: Action, body: Body, seed: str, record: Rolling, verdict: Verdict) -> dict[str, Any]:
    """The envelope around a verdict, and around those of the actions inside it."""
    total: Any = verdict.total  # an integer, if anything: dice that fall leave no distribution
    target: Any = verdict.target
    effects = _effects(body, verdict)
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
        **(_scenes(system, body, seed, record, verdict) if verdict.scenes else {}),
        "seed": seed,
        "seedFrom": "service" if body.seed is None else "request",
        "rng": RNG,
        "rulebook": system.version,
        "version": VERSION,
    }
    ruling["markdown"] = markdown.line(ruling)
    return ruling


def _scenes(system: System, body: Body, seed: str, record: Rolling, verdict: Verdict) -> dict[str, list[dict[str, Any]]]:
    """The rulings of the actions inside an action, by the list they stand in, each with the request that gives it alone."""
    actions = {action.name: action for action in system.actions}
    found: dict[str, list[dict[str, Any]]] = {}
    for scene in verdict.scenes:
        alone = scene.body().model_copy(update={"seed": inner_seed(seed, scene.name)})
        dice = [
            given.model_copy(update={"roll": given.roll.removeprefix(f"{scene.name}.")})
            for given in body.dice
            if given.roll.startswith(f"{scene.name}.")
        ]
        if dice:
            alone = alone.model_copy(update={"dice": dice})
        ruling = _ruling(system, actions[scene.action], alone, str(alone.seed), record.scenes[scene.name], scene.verdict)
        request = {"action": ruling["action"], **alone.model_dump(by_alias=True, exclude_unset=True)}
        found.setdefault(scene.name.partition(".")[0], []).append({**ruling, "request": request})
    return found


def _rolled(system: System, action: Action, body: Body, seed: str, *, offering: bool = False) -> tuple[Rolling, Verdict]:
    """The roll reading: the record of the dice and what the rule says of them."""
    given = _given(system, body)
    record = Rolling(seeded(seed, given), offering=offering)
    try:
        verdict = action.rule(body, record)
        if body.dice:
            _all_rolled(body, _made(record))
    except WrongDice as error:
        raise _by_rule_of(system, error) from None
    return record, verdict


def _by_rule_of(system: System, error: WrongDice) -> WrongDice:
    """A refusal of dice, naming the rule of the system's dice."""
    return WrongDice(*(Finding(found.pointer, found.code, found.detail, system.dice_rule) for found in error.findings))


def _given(system: System, body: Body) -> dict[str, Given]:
    """The dice handed in, by roll; and the algorithm, which must be ours."""
    if body.rng is not None and body.rng != RNG:
        raise UnknownRng(Finding("/rng", UnknownRng.code, f"the dice algorithm here is {RNG}"))
    given: dict[str, Given] = {}
    for index, dice in enumerate(body.dice):
        if dice.roll in given:
            raise WrongDice(Finding(f"/dice/{index}/roll", WrongDice.code, "each roll is given once", system.dice_rule))
        given[dice.roll] = Given(dice.faces, f"/dice/{index}/faces")
    return given


def _made(record: Rolling) -> set[str]:
    """The rolls made, as dice handed in name them."""
    return {named.roll.replace("/", ".") for named in all_rolls(record)}


def _all_rolled(body: Body, made: set[str]) -> None:
    """Refuse dice for a roll that never happens."""
    for index, dice in enumerate(body.dice):
        if dice.roll not in made:
            rolls = f"the rolls made are {', '.join(sorted(made))}" if made else "nothing is rolled"
            raise WrongDice.at(f"/dice/{index}/roll", f"this roll does not happen: {rolls}")


def _margin(verdict: Verdict) -> int | None:
    total, target = verdict.total, verdict.target
    return total - target if isinstance(total, int) and isinstance(target, int) else None


def _roll(named: Named) -> dict[str, Any]:
    fall = named.fall
    return {
        "roll": named.roll,
        "name": named.who,
        "dice": [{"sides": die.sides, "face": die.face, "kept": die.kept, "replaced": die.replaced} for die in fall.dice],
        "modifier": fall.modifier,
        "total": fall.total,
    }


# ── Who takes part, and what becomes of them ─────────────────────────────────────────────────────────────────────────


@cache
def participant_fields(body: type[Model]) -> tuple[tuple[str, str, bool], ...]:
    """Where a body (or a participant) names participants: the field, its name on the wire, and whether it is a list of them."""
    found = []
    for name, field in body.model_fields.items():
        if _participant(field) is not None:
            found.append((name, field.alias or name, get_origin(field.annotation) is list))
    return tuple(found)


def _participant(field: FieldInfo) -> type[Participant] | None:
    """Which participant a field holds, or holds a list of."""
    kinds = (field.annotation, *get_args(field.annotation))
    return next((kind for kind in kinds if isinstance(kind, type) and issubclass(kind, Participant)), None)


def participants(body: Body) -> Iterator[tuple[str, Participant]]:
    """Everyone a request names, by their place in it: ``actor``, ``attackers.0``."""
    for name, alias, several in participant_fields(type(body)):
        value = getattr(body, name)
        if several:
            yield from ((f"{alias}.{index}", one) for index, one in enumerate(value))
        elif value is not None:
            yield alias, value


def after(body: Body, effects: list[dict[str, Any]]) -> dict[str, Any]:
    """The participants under the names they had in the request, with the effects applied to their sheets."""
    found: dict[str, Any] = {}
    for name, alias, several in participant_fields(type(body)):
        value = getattr(body, name)
        found[alias] = [_as_sent(one) for one in value] if several else None if value is None else _as_sent(value)
    for effect in effects:
        apply(found, effect["on"], effect["stat"], effect["to"])
    return found


def _as_sent(who: Participant) -> dict[str, Any]:
    """A participant in the wire's words, without what speaks of one roll alone, of itself and of those inside it."""
    dumped: dict[str, Any] = who.__pydantic_serializer__.to_python(who, by_alias=True)
    for way, spent in _spent(type(who)):
        place = dumped
        for key in way:
            place = place[key] or {}
        place.update(spent)
    return dumped


@cache
def _spent(model: type[Model]) -> tuple[tuple[tuple[str, ...], dict[str, Any]], ...]:
    """What speaks of one roll alone, as it comes back: where it stands, and by its name on the wire its default."""
    found: list[tuple[tuple[str, ...], dict[str, Any]]] = []
    if issubclass(model, Participant) and model.once:
        fields = model.model_fields.items()
        found.append(((), {field.alias or name: field.default for name, field in fields if field.alias in model.once}))
    for name, field in model.model_fields.items():
        inner = _participant(field)
        if inner is not None:
            found += [((field.alias or name, *way), spent) for way, spent in _spent(inner)]
    return tuple(found)


_SHEETS = ("actor", "character")
"""What leads from a participant to the sheet: one who rolls in a conflict is an ``actor``, who may have a ``character``."""


def apply(people: dict[str, Any], on: str, stat: str, to: Any) -> None:
    """Set ``stat`` of the sheet at ``on`` to ``to``. Whoever sent no sheet, and groups, are left as they are."""
    place: Any = people
    for key in on.split("."):
        place = place[int(key)] if isinstance(place, list) else place.get(key) if isinstance(place, dict) else None
    sheet = place
    for key in _SHEETS:
        sheet = sheet[key] if isinstance(sheet, dict) and key in sheet else sheet
    if sheet is None:
        return
    *way, last = stat.split(".")
    for key in way:
        sheet = sheet[int(key)] if isinstance(sheet, list) else sheet[key]
    if isinstance(sheet, list):
        sheet[int(last) : int(last) + 1] = [] if to is None else [to]
    elif isinstance(sheet[last], dict) and "current" in sheet[last] and isinstance(to, int):
        sheet[last]["current"] = to
    else:
        sheet[last] = to


def _effects(body: Body, verdict: Verdict) -> list[dict[str, Any]]:
    if not verdict.changes:
        return []
    people = dict(participants(body))
    return [_effect(change, people) for change in verdict.changes]


def _effect(change: Change, people: dict[str, Participant]) -> dict[str, Any]:
    who: Any = people.get(change.on)
    ids = [getattr(who, "id", None)]
    for key in _SHEETS:
        who = getattr(who, key, None) or who
        ids.append(getattr(who, "id", None))
    return {
        "on": change.on,
        "id": next((known for known in ids if known is not None), None),
        "stat": change.stat,
        "from": change.before,
        "to": change.to,
        "change": change.change,
    }


# ── What mattered, and what is still open ────────────────────────────────────────────────────────────────────────────


def _factors(action: Action, body: Body, seed: str, record: Rolling, verdict: Verdict) -> Steps[list[dict[str, Any]]]:
    """The same rule on the same dice, once for each contribution with that one taken away.

    What was weighed twice (a roll and its re-roll) is taken away from both. Where the request would not be allowed without
    it (as many dice kept by hand as it granted), there is nothing to compare with and it is left out.
    """
    found = []
    fallen = list(all_rolls(record))
    for key, one in _once(record).items():
        yield
        again = Rolling(replayed(fallen, seed), without=key)
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
        value = one.value if isinstance(one.value, int | str) else " ".join(str(part) for part in cast("tuple[int, ...]", one.value))
        found.append({"on": one.on, "kind": one.kind, "name": one.name, "value": value, "verdict": word, "without": without})
    return found


def _numbers(verdict: Verdict) -> tuple[object, ...]:
    """Everything a contribution may move without changing the outcome."""
    return verdict.total, verdict.target, verdict.changes, verdict.after


def _once(record: Rolling) -> dict[tuple[str, str, str], Contribution]:
    """Each contribution once, in the order first weighed."""
    found: dict[tuple[str, str, str], Contribution] = {}
    for one in all_contributions(record):
        found.setdefault((one.on, one.kind, one.name), one)
    return found


def _options(system: System, action: Action, body: Body, seed: str, record: Rolling, verdict: Verdict) -> list[dict[str, Any]]:
    """What the rule offered, each with the outcome that taking it gives: the patched request is resolved to find out."""
    found = []
    for offer in record.offers:
        patch = dict(offer.patch) if body.seed is not None else {**offer.patch, "seed": seed}
        then = _taken(system, action, body, seed, record, patch)
        if then is not None and (then.outcome, _numbers(then)) != (verdict.outcome, _numbers(verdict)):
            found.append({"choice": offer.choice, "text": offer.text, "request": patch, "then": then.outcome})
    return found


def _taken(system: System, action: Action, body: Body, seed: str, record: Rolling, patch: dict[str, Any]) -> Verdict | None:
    """What the patched request gives; none where it would be refused. Dice made at the table for what then no longer happens go out."""
    taken = validate(type(body), merge(body.model_dump(by_alias=True, exclude_unset=True), patch))
    try:
        if taken.dice:
            again = Rolling(replayed(list(all_rolls(record)), seed))
            action.rule(taken, again)
            made = _made(again)
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


# ── The odds ─────────────────────────────────────────────────────────────────────────────────────────────────────────


def odds(system: System, action: Action, body: Body, pace: Callable[[], None] | None = None) -> dict[str, Any]:
    """The exact odds of one action, in the published shape's words; dice handed in are held fixed.

    ``pace`` is called at every branch, and may end the counting by what it raises. Refuses what `resolve` refuses, and
    (`TooLargeToCount`) what is too much to follow.
    """
    given = _given(system, body)
    held = {dice.roll: dice.faces for dice in body.dice}

    def fixed(name: str) -> Faces | None:
        return Given(held[name], given[name].pointer) if name in held else None

    ways = []
    try:
        for way in explore(lambda dice: action.rule(body, dice), fixed):
            ways.append(way)
            if pace is not None:
                pace()
        _all_rolled(body, {name for way in ways for name in way.asked})
    except WrongDice as error:
        raise _by_rule_of(system, error) from None
    return {
        "action": f"{system.name}.{action.name}",
        "system": system.name,
        "method": "exact",
        "outcomes": _outcomes(action, ways),
        "rolls": _rolls(ways),
        "expected": _expected(ways),
        "rulebook": system.version,
        "version": VERSION,
    }


def _outcomes(action: Action, ways: list[Way[Verdict]]) -> list[dict[str, Any]]:
    found: dict[str, Fraction] = {}
    for way in ways:
        word = way.verdict.odds_outcome or way.verdict.outcome
        found[word] = found.get(word, Fraction()) + way.probability
    known = {word: place for place, word in enumerate(action.outcomes)}
    likely = sorted(found, key=lambda word: (known[word], 0) if word in known else (len(known), -found[word]))
    return [
        {"outcome": word, "probability": float(found[word]), "fraction": str(found[word]), "percent": percent(found[word])}
        for word in likely
    ]


def percent(chance: Fraction) -> str:
    """``41.7 %``: one place, and never 0 or 100 for what is not."""
    if chance.denominator == 1:
        return f"{chance.numerator * 100} %"
    tenths, rest = divmod(chance.numerator * 1000, chance.denominator)
    tenths += 2 * rest > chance.denominator or (2 * rest == chance.denominator and tenths % 2)
    if tenths == 0:
        return "<0.1 %"
    return ">99.9 %" if tenths == 1000 else f"{tenths // 10}.{tenths % 10} %"


def _rolls(ways: list[Way[Verdict]]) -> list[dict[str, Any]]:
    """Each roll's distribution, given that it is made; where its dice hang on earlier ones, the mixture."""
    made: dict[str, list[tuple[Chances, Fraction]]] = {}
    for way in ways:
        for name, chances in way.asked.items():
            made.setdefault(name, []).append((chances, way.probability))
    return [_distribution(name, shares) for name, shares in made.items()]


def _distribution(name: str, shares: list[tuple[Chances, Fraction]]) -> dict[str, Any]:
    chances = shares[0][0]
    # by identity: to tell long tables apart by what is in them would cost more than it saves
    if any(other is not chances for other, _ in shares):
        chances = _mixed(shares)
    return {"roll": name, **_described(chances.low, tuple(chances.weights), chances.whole)}


def _mixed(mixture: list[tuple[Chances, Fraction]]) -> Chances:
    """One distribution of several, each with its share, over a common whole."""
    found: dict[int, tuple[Chances, Fraction]] = {}
    for chances, share in mixture:
        _, before = found.get(id(chances), (chances, Fraction()))
        found[id(chances)] = chances, before + share
    scales = [(chances, share / chances.whole) for chances, share in found.values()]
    common = math.lcm(*(scale.denominator for _, scale in scales))
    totals: dict[int, int] = {}
    for chances, scale in scales:
        factor = scale.numerator * (common // scale.denominator)
        for total, ways in enumerate(chances.weights, chances.low):
            totals[total] = totals.get(total, 0) + ways * factor
    low, high = min(totals), max(totals)
    weights = tuple(totals.get(total, 0) for total in range(low, high + 1))
    return Chances(low, weights, sum(weights))


@lru_cache(maxsize=1024)
def _described(low: int, weights: tuple[int, ...], whole: int) -> dict[str, Any]:
    """Every total with its probability, the mean and the standard deviation. Whoever gets it must not change it."""
    totals = [(total, ways) for total, ways in enumerate(weights, low) if ways]
    # As a `Fraction` in lowest terms is written, without making one; only what is certain has no denominator.
    common = [math.gcd(ways, whole) for _, ways in totals]
    texts = [f"{ways // part}/{whole // part}" for (_, ways), part in zip(totals, common, strict=True)] if len(totals) > 1 else ["1"]
    once = sum(total * ways for total, ways in totals)
    twice = sum(total * total * ways for total, ways in totals)
    return {
        "distribution": [
            {"total": total, "probability": ways / whole, "fraction": text} for (total, ways), text in zip(totals, texts, strict=True)
        ],
        "mean": once / whole,
        "standardDeviation": math.sqrt((twice * whole - once * once) / (whole * whole)),
    }


def _expected(ways: list[Way[Verdict]]) -> dict[str, float]:
    found: dict[str, Fraction] = {}
    for way in ways:
        for change in way.verdict.changes:
            if change.change is not None:
                stat = f"{change.on}.{change.stat}"
                found[stat] = found.get(stat, Fraction()) + way.probability * change.change
    return {stat: float(mean) for stat, mean in found.items()}
