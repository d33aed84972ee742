"""Jazz, a check: an attempt against a difficulty, a row of the weird table, or somebody who opposes it."""

from __future__ import annotations

from typing import Annotated, ClassVar, Literal, Self

from pydantic import Field, model_validator

from tablecall.dice.roll import RolledDice
from tablecall.dice.source import Dice, Total
from tablecall.model.base import Body, WholeNumber, not_allowed
from tablecall.model.refusals import Forbidden
from tablecall.model.suggestions import suggestion
from tablecall.systems.jazz.opposition import Difficulty, Level, SpendOn, Ties, charge, decide, difficulty, one_target, pay, unspent, untied
from tablecall.systems.jazz.roller import KARMA, Roller, could_spend, derived, ready, unused
from tablecall.systems.jazz.sheet import JazzActor, JazzCharacter
from tablecall.systems.jazz.tables import EFFECT_BY_ID
from tablecall.systems.jazz.wording import line
from tablecall.systems.verdict import Verdict

_RESTORES = "restoreHealth."
EffectId = Annotated[str, Field(json_schema_extra={"enum": sorted(EFFECT_BY_ID)})]


class JazzCheck(Body):
    """Somebody attempts something: 2d6 plus a bonus against a number or against somebody else's roll (jazz.check.success)."""

    may_be_same_character: ClassVar[frozenset[str]] = frozenset({"actor", "subject"})

    actor: JazzActor
    """Who attempts it; rolls as `actor`."""
    difficulty: Difficulty | None = None
    """The number to reach."""
    level: Level | None = None
    """The number by its name in the table (jazz.difficulty.table)."""
    effect: EffectId | None = None
    """The number by a row of the table of weird effects, by its id (jazz.difficulty.weird)."""
    opponent: JazzActor | None = None
    """Who opposes it; rolls as `opponent` (jazz.check.contest)."""
    ties: Ties = "actor"
    """Who has an equal total in a contest. The rule favours the player: say who that is."""
    stakes: Literal["something", "routine", "none"] = "something"
    """`routine` (jazz.check.routine) or `none` to lose and no hurry (jazz.check.stakes): it succeeds without a roll,
    and needs nothing to be measured against."""
    specialist_only: bool = False
    """Without an aspect of one's own it cannot even be tried (jazz.aspects.untrained)."""
    difficulty_increase: Annotated[int, Field(ge=0, le=1000), WholeNumber] = 0
    """How much harder it is where no aspect applies (jazz.aspects.missing)."""
    rescue: bool = False
    """If the roll fails, the game master grants one more die; success then costs karma (jazz.karma.rescue)."""
    rescue_by: Literal["addDie", "rollAgain"] = "addDie"
    """`addDie` adds a die to those on the table; `rollAgain` makes the whole roll anew, with the advantage."""
    spend_on: SpendOn = "attempt"
    """Whether an extraordinary use costs its weird when tried or only when it succeeds (jazz.weird.spend)."""
    subject: JazzCharacter | None = None
    """Whom a row that restores health heals (jazz.weird.restore). Whoever heals themselves is sent here too, with the same `id`, and
    comes back from both places healed and with what it cost."""

    @model_validator(mode="after")
    def _one_target(self) -> Self:
        rolled = self.stakes == "something"
        one_target(rolled, difficulty=self.difficulty, level=self.level, effect=self.effect, opponent=self.opponent)
        if self.effect is not None and self.effect not in EFFECT_BY_ID:
            where = "weirdEffects under /systems/jazz/tables lists the ids"
            detail = f"no such row in the table of weird effects: {where}{suggestion(self.effect, EFFECT_BY_ID)}"
            raise not_allowed(detail, rule="jazz.difficulty.weird", at="/effect")
        if self.subject is not None and not str(self.effect).startswith(_RESTORES):
            raise not_allowed("only a row that restores health has a subject", rule="jazz.weird.restore", at="/subject")
        return self


def check(request: JazzCheck, dice: Dice) -> Verdict:
    """Resolve a check.

    Outcomes: ``success``, ``failure``, ``stalemate`` (a tie, where so chosen), ``automatic`` (no roll needed),
    ``impossible`` (specialists only). Refuses whoever is out, dice that are not held or would be wasted, and an
    extraordinary use with no weird left.
    """
    derived(dice, request.actor.character, request.opponent.character if request.opponent else None, request.subject)
    actor = ready(request.actor, "actor", dice)
    opponent = ready(request.opponent, "opponent", dice) if request.opponent else None
    _allowed(request, actor)
    if request.specialist_only and not _trained(actor, dice):
        return _impossible(request, actor, opponent, dice)
    if request.stakes != "something":
        return _automatic(request, actor, opponent, dice)
    total, target = actor.roll(dice).total, _target(request, actor, opponent, dice)
    verdict = decide(total, target, request.ties if opponent else None, dice)
    if opponent is None:
        untied(request.ties, "nobody opposes", dice)
    if request.rescue and verdict.outcome == "failure" and dice.contribution("actor", "rescue", value=True, without=False):
        verdict = _rescue(request, actor, total, target, dice)
    else:
        _no_rescue(request, actor, "no rescue was needed", dice)
    unspent([actor, opponent] if opponent else [actor], request.spend_on, dice)
    pay(actor, verdict.succeeded is True, request.spend_on, dice, verdict)
    if opponent is not None:
        pay(opponent, verdict.succeeded is False, request.spend_on, dice, verdict)
    _heal(request, dice, verdict)
    if dice.wants_options and verdict.outcome == "failure":
        _offer(actor, dice)
    return verdict


def _offer(actor: Roller, dice: Dice) -> None:
    """What might still be granted, or might have been declared; what would be refused or change nothing, no ruling lists."""
    dice.option("rescue", "the game master grants one more die; success then costs karma", {"rescue": True})
    for choice, die, text in could_spend(actor):
        dice.option(choice, text, {"actor": {"spend": die}})


def _trained(actor: Roller, dice: Dice) -> bool:
    """jazz.aspects.untrained: without training some things cannot even be tried."""
    if actor.untrained:
        dice.step("jazz.aspects.untrained", "{}: only a specialist can try this", actor.name)
    else:
        dice.step("jazz.aspects.untrained", "{}: this takes a specialist, and here is one", actor.name)
    return not actor.untrained


def _target(request: JazzCheck, actor: Roller, opponent: Roller | None, dice: Dice) -> Total:
    if opponent is None:
        return _difficulty(request, actor, dice)
    faced = opponent.roll(dice).total
    # the same opposing total stands against a second try, so it is settled before the first
    return (dice.value(faced) if request.rescue else faced) + _increase(request, actor, dice)


def _difficulty(request: JazzCheck, actor: Roller, dice: Dice) -> int:
    number = request.difficulty
    if request.effect is not None:
        row = EFFECT_BY_ID[request.effect]
        number = row.difficulty
        dice.step("jazz.difficulty.weird", "{} is difficulty {}", row.id, number, value=number)
    return difficulty(number, request.level, dice) + _increase(request, actor, dice)


def _increase(request: JazzCheck, actor: Roller, dice: Dice) -> int:
    """jazz.aspects.missing: without an aspect it may be harder."""
    increase = request.difficulty_increase
    if not increase:
        return 0
    if not actor.missing:
        enough = "everyone here can do this" if actor.untrained else "one applies"
        dice.step("jazz.aspects.missing", "{}: the increase is for want of an aspect, and {}", actor.name, enough, value=0)
        return 0
    dice.step("jazz.aspects.missing", "{}: without an aspect it is harder by {}", actor.name, increase, value=increase)
    return dice.contribution("actor", "difficultyIncrease", increase, 0)


def _impossible(request: JazzCheck, actor: Roller, opponent: Roller | None, dice: Dice) -> Verdict:
    verdict = Verdict("impossible", False)
    _no_roll(request, actor, opponent, dice)
    if actor.spends_weird:
        dice.step("jazz.weird.spend", "{}: nothing is tried, so no weird is spent", actor.name)
    verdict.target = _told(request, actor, dice)
    _heal(request, dice, verdict)
    return verdict


def _automatic(request: JazzCheck, actor: Roller, opponent: Roller | None, dice: Dice) -> Verdict:
    if request.stakes == "routine":
        dice.step("jazz.check.routine", "{}: a routine task succeeds without a roll", actor.name)
    else:
        dice.step("jazz.check.stakes", "{}: nothing to lose and no hurry, so no roll", actor.name)
    verdict = Verdict("automatic", True)
    _no_roll(request, actor, opponent, dice)
    verdict.target = _told(request, actor, dice)
    charge(actor, True, request.spend_on, dice, verdict)
    _heal(request, dice, verdict)
    return verdict


def _no_roll(request: JazzCheck, actor: Roller, opponent: Roller | None, dice: Dice) -> None:
    """What was asked for a roll that is not made: all of it is kept."""
    rollers = [actor, opponent] if opponent else [actor]
    for roller in rollers:
        unused(roller.actor, roller.name, dice, "no roll")
        roller.unrolled(dice, "no roll")
    if opponent is not None and opponent.spends_weird:
        dice.step("jazz.weird.spend", "{}: no roll, so no weird is spent", opponent.name)
    _no_rescue(request, actor, "no roll, so nothing to rescue", dice)
    untied(request.ties, "no roll", dice)
    unspent(rollers, request.spend_on, dice)


def _told(request: JazzCheck, actor: Roller, dice: Dice) -> int | None:
    """The number it would have been measured against, where a number was told."""
    if request.difficulty is not None or request.level is not None or request.effect is not None:
        return _difficulty(request, actor, dice)
    if request.difficulty_increase:
        dice.step("jazz.aspects.missing", "{}: no roll, and no number to be harder by {}", actor.name, request.difficulty_increase)
    return None


def _why_not_rescued(actor: Roller) -> str | None:
    if actor.advantages:
        return "the roll already had an advantage"
    if KARMA[actor.karma] == "negative":
        return "karma is already negative"
    return None


def _allowed(request: JazzCheck, actor: Roller) -> None:
    """Refuse, before any dice, a rescue that could not be granted and a healing without a pool to heal."""
    reason = _why_not_rescued(actor) if request.rescue else None
    if reason is not None:
        raise Forbidden.by("jazz.karma.rescue", "/rescue", f"no rescue: {reason}")
    if request.subject is not None and request.subject.health is None:
        raise Forbidden.by("jazz.weird.restore", "/subject/health", "without a health pool nothing can be restored")


def _rescue(request: JazzCheck, actor: Roller, total: Total, target: Total, dice: Dice) -> Verdict:
    """jazz.karma.rescue: one more die on a failure; if it then succeeds, karma turns."""
    if request.rescue_by == "addDie":
        die = dice.roll("actor.rescue", actor.quantity(dice, 1, 0), actor.name)
        total = _plus(dice, total, die.total)
        dice.step("jazz.karma.rescue", "{}: the game master grants one more die, {}", actor.name, die.total)
        if actor.disadvantages:
            dice.step("jazz.dice.cancel", "{}: with it the disadvantage is cancelled, 2d6", actor.name, value=2)
    else:
        dice.step(
            "jazz.karma.rescue", "{}: the game master grants a new roll with the advantage (option rescueBy)", actor.name, value="rollAgain"
        )
        total = actor.roll(dice, ".rescue", count=actor.count(dice, granted=True)).total
    verdict = decide(total, target, request.ties if request.opponent else None, dice)
    if verdict.succeeded:
        _turn_karma(actor, dice, verdict)
    return verdict


def _turn_karma(actor: Roller, dice: Dice, verdict: Verdict) -> None:
    """jazz.karma.rescue: the price of it. From positive it only cancels (jazz.karma.neutral); without a sheet nobody knows from where."""
    actor.move_karma(verdict, -1)
    if actor.actor.character is None:
        dice.step("jazz.karma.rescue", "{}: rescued, so karma moves one place towards negative", actor.name)
        return
    now = KARMA[actor.karma]
    dice.step(
        "jazz.karma.neutral" if now == "neutral" else "jazz.karma.rescue", "{}: rescued, so karma turns {}", actor.name, now, value=now
    )


def _no_rescue(request: JazzCheck, actor: Roller, why: str, dice: Dice) -> None:
    """A rescue that was granted in vain, or a choice of how where none was."""
    aside = " (option rescueBy)" if request.rescue_by == "rollAgain" else ""
    if request.rescue:
        dice.step("jazz.karma.rescue", "{}: {}{}", actor.name, why, aside)
    elif aside:
        dice.step("jazz.karma.rescue", "{}: no rescue is granted, so there is no choice of how{}", actor.name, aside)


def _plus(dice: Dice, total: Total, die: Total) -> Total:
    """The die is followed face by face: six branches at most."""
    return total + dice.value(die)


_MEANT = {"one": "unconscious", "dying": "dying", "dead": "dead"}


def _heal(request: JazzCheck, dice: Dice, verdict: Verdict) -> None:
    """jazz.weird.restore: what the row gives back to the subject, never past the maximum."""
    subject = request.subject
    if subject is None or subject.health is None:
        return
    if not verdict.succeeded:
        dice.step("jazz.weird.restore", "{}: {}, so nothing is restored", subject.name, verdict.outcome, value=0)
        return
    row = str(request.effect).removeprefix(_RESTORES)
    if row in _MEANT and not subject.is_out():
        dice.step("jazz.weird.restore", "{}: not out, where the row is for somebody {}; it counts all the same", subject.name, _MEANT[row])
    current, most = subject.health.current, subject.health.max
    gain = {"half": (most + 1) // 2, "full": most}.get(row, 1)
    healed = min(current + gain, most)
    dice.step("jazz.weird.restore", "{}: health {} becomes {}", subject.name, current, healed, value=healed - current)
    verdict.change("subject", "health", current, healed)
    if subject.out and healed:
        verdict.set_flag("subject", "out", to=False)


def summary(request: JazzCheck, verdict: Verdict, record: RolledDice) -> str:
    """One line: who, the dice, against what, what came of it."""
    who = request.actor.character.name if request.actor.character else "actor"
    again = any(named.roll == "actor.rescue" for named in record.rolls) and request.rescue_by == "rollAgain"
    return line(who, record, verdict, ["actor.rescue"] if again else ["actor", "actor.rescue"])
