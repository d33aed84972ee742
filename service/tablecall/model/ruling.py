"""The published shapes of every answer: rulings and odds.

The service never fills these models: a ruling is a plain dictionary in the words of its shape. The JSON Schemas, the OpenAPI document
and the GraphQL types are derived from them, the tests check each ruling against its model, and the Python library answers with them.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field
from pydantic.alias_generators import to_camel

from tablecall.model import documented

Plain = str | int | bool | None
"""A JSON value that is neither a list nor an object."""
Probability = Annotated[float, Field(ge=0, le=1)]
Fractional = Annotated[str, Field(pattern=r"^[0-9]+(/[0-9]+)?$")]


class OutputModel(BaseModel):
    """The base of every published answer."""

    # Answers are plain dictionaries: only the schemas of these models are used, so their validators are never built.
    model_config = ConfigDict(alias_generator=to_camel, use_attribute_docstrings=documented.WANTED, extra="forbid", defer_build=True)

    def model_dump(self, **options: Any) -> dict[str, Any]:
        """As pydantic's, without the members that the answer left out."""
        return super().model_dump(**{"exclude_unset": True, **options})


class Die(OutputModel):
    """One die."""

    sides: Annotated[int, Field(ge=2, le=100)]
    """The number of sides."""
    face: Annotated[int, Field(ge=0, le=100)]
    """The face that counts: 1 to 6 on a d6, 0 to 9 on a d10."""
    kept: bool
    """Whether it is part of the total."""
    replaced: list[int]
    """The faces it showed before it was re-rolled, earliest first."""
    lowest: Annotated[int, Field(ge=0, le=1)] | None = None
    """Its lowest face. Left out where it is the usual one: 0 on a d10, 1 on any other die."""


class Roll(OutputModel):
    """One roll."""

    roll: str
    """The roller's place in the request: `actor`, `attackers.0`, `defender.damage`."""
    name: str
    """Who rolled: the character's name, or else the roller's role."""
    dice: list[Die]
    """The base dice in the order drawn. A re-rolled die stays in its place."""
    modifier: int
    """The number added to the kept faces."""
    total: int
    """Kept faces plus modifier."""
    from_: Annotated[Literal["seed", "table", "mixed"], Field(alias="from")]
    """Where its dice come from: the `seed`, the `table`, or both."""
    special: Literal["dismal", "dramatic"] | None
    """`dismal`: every die shows zero. `dramatic`: only zeros are kept. Null otherwise, and in systems without such rolls."""


class Step(OutputModel):
    """One rule that decided something, or that the request asked for and that did not apply."""

    rule: str
    """The id of the rule, for `GET /systems/{system}/rules/{id}`."""
    text: str
    """What the rule decided, and why."""
    markdown: str
    """The same as safe Markdown."""
    key: str
    """The template of the text. Templates are part of the rule book."""
    args: dict[str, Any]
    """The facts in the template, by name."""
    value: Plain
    """The number or word it decided on, if any."""


class Note(OutputModel):
    """An option that the request set and that had no effect."""

    pointer: str
    """The option, as a JSON pointer into the request."""
    text: str
    """A sentence that says so."""
    markdown: str
    """The same as safe Markdown."""
    key: str
    """The template of the text."""
    args: dict[str, Any]
    """The facts in the template, by name."""


class UnusedDice(OutputModel):
    """Dice rolled at the table for a roll that did not happen."""

    roll: str
    """The roll they were for."""
    faces: list[int]
    """Their faces."""


class SheetFinding(OutputModel):
    """One way in which a sheet differs from the rules."""

    rule: str
    """The id of the rule concerned."""
    severity: Literal["error", "warning"]
    """An `error` makes the sheet illegal, a `warning` does not."""
    text: str
    """What is wrong."""
    pointer: str
    """Where in the request, as a JSON pointer."""


class NeededRoll(OutputModel):
    """Dice to roll at the table."""

    roll: str
    """The roll they are for, as `dice` of the request names it."""
    name: str
    """Who rolls: the character's name, or else the roller's role."""
    dice: str
    """What to roll: `2d6`."""
    sides: Annotated[int, Field(ge=2, le=100)]
    """The number of sides of each die."""
    count: Annotated[int, Field(ge=1)]
    """The number of dice. If some faces of the roll were sent already, only what is missing."""


class NeededRolls(OutputModel):
    """Which dice a request needs next. Roll them, put their faces into `dice`, and ask again until it is complete."""

    needed: list[NeededRoll]
    """Everything that is certain to be rolled next. Faces come after those already sent for the same roll."""
    complete: bool
    """Whether the request has all the dice it needs: now it can be resolved."""


class Without(OutputModel):
    """What the same dice would have given without one contribution."""

    outcome: str | None
    """The outcome without it; null if dice that nobody rolled would decide."""
    total: int | None
    """The total without it, if it is known."""
    margin: int | None
    """The margin without it, if it is known."""


class Factor(OutputModel):
    """How much one bonus, die or modifier mattered on these dice."""

    on: str
    """The roll it was part of."""
    kind: str
    """Its kind: `bonus`, `advantage`, `karma`, `modifier`, …"""
    name: str
    """Its own name if it has one: that of the aspect or the modifier."""
    value: Plain
    """Its value."""
    verdict: Literal["necessary", "helpful", "irrelevant", "uncertain"]
    """`necessary`: without it the outcome is another. `helpful`: without it only a number changes. `irrelevant`: nothing changes.
    `uncertain`: without it, dice that nobody rolled would decide."""
    favours: Literal["success", "failure"] | None
    """The side it pushed towards on these dice: a disadvantage favours failure. Null if it changed nothing."""
    without: Without
    """The result of the same rule on the same dice without it."""


class Effect(OutputModel):
    """One change. To undo a ruling, go from the last effect to the first and put `from` back at `pointer`. Where `from` is null because
    the member or the list entry did not exist, remove it."""

    on: str
    """Who changes: a participant's place in the request, or a group (`archetype:Warrior`)."""
    id: str | int | None
    """The caller's own identifier of the participant."""
    stat: str
    """What changes: a field of the sheet, as a dotted path. `health` and `weird` are the current values of the pools."""
    from_: Annotated[Any, Field(alias="from")]
    """The old value; null if no sheet was sent, if the sheet has no such pool, and for an item that is added."""
    to: Any
    """The new value; null if no sheet was sent, if the sheet has no such pool, and for an item that is removed."""
    change: int | None
    """The difference of numbers; for a flag, 1 if it is set and −1 if it is cleared."""
    pointer: str | None
    """Where it stands in `after`, as a JSON pointer; null for a group such as an Archetype, and without a sheet."""


class Option(OutputModel):
    """A choice that the rules still leave open, now that the dice have been rolled."""

    choice: str
    """The name of the choice."""
    text: str
    """What it means here."""
    markdown: str
    """The same as safe Markdown."""
    request: dict[str, Any] | None
    """A JSON merge patch (RFC 7396) that turns this request into the one that takes it, on the same dice. Null if another action
    carries it out."""
    chance: Probability | None
    """The probability of success for who takes it, given the dice on the table. Null if it is no attempt, or if another action carries
    it out."""
    costs: list[Effect]
    """What taking it changes in addition, as far as that is known now."""


class Interval(OutputModel):
    """The confidence interval of a probability."""

    low: Probability
    """The lower bound."""
    high: Probability
    """The upper bound."""


class OutcomeOdds(OutputModel):
    """How likely one outcome is."""

    outcome: str
    """The outcome."""
    outcome_text: str
    """The outcome in words."""
    probability: Probability
    """The nearest floating-point number."""
    fraction: Fractional | None
    """The exact fraction in lowest terms; for a simulation, the share of the trials. Null if it has more than 40 digits."""
    percent: str
    """For display. Only impossible and certain outcomes are shown as 0 % and 100 %."""
    interval: Interval | None = None
    """Wilson's confidence interval, for a simulation. Left out if the odds are exact."""


class TotalOdds(OutputModel):
    """How likely one total of a roll is."""

    total: int
    """The total, modifier included."""
    probability: Probability
    """The nearest floating-point number."""
    fraction: Fractional | None
    """The exact fraction in lowest terms. Null if it has more than 40 digits."""


class RollOdds(OutputModel):
    """The distribution of one roll, given that it is made."""

    roll: str
    """The roll's name, as in a ruling."""
    distribution: list[TotalOdds]
    """Every possible total, lowest first."""
    mean: float
    """The mean total."""
    standard_deviation: Annotated[float, Field(ge=0)]
    """The standard deviation of the total."""


class RoundOdds(OutputModel):
    """How likely one number of rounds is."""

    rounds: int
    """The last round, counted from 1; 0 if it is over before the first."""
    probability: Probability
    """The nearest floating-point number."""


class LengthOdds(OutputModel):
    """The number of rounds of an action that runs in rounds. If it is cut off after the last allowed round, it took all of them."""

    distribution: list[RoundOdds]
    """Every possible number of rounds, lowest first."""
    mean: float
    """The mean number of rounds."""
    standard_deviation: Annotated[float, Field(ge=0)]
    """The standard deviation of the number of rounds."""


class PartOdds(OutputModel):
    """The odds of one action of a conflict."""

    outcomes: list[OutcomeOdds]
    """Every possible outcome of the action itself."""


class KeepChoiceOdds(OutputModel):
    """The odds if somebody keeps other dice."""

    on: str
    """Who keeps them: a place in the request such as `actor`; `members` for all players among them; `damageKeep` for the damage check."""
    keep: Literal["highest", "mostZeros", "mostZerosThatSucceed"]
    """Which dice are kept."""
    outcomes: list[OutcomeOdds]
    """Every possible outcome."""
    expected: dict[str, float]
    """The mean change of each stat."""
    results: list[PartOdds] | None = None
    """Of a conflict: the odds of each action. Of several exchanges: the odds after each. Left out otherwise."""


class Simulated(OutputModel):
    """How a simulation was made."""

    trials: int
    """The number of trials; fewer than requested if the time ran out."""
    seed: str
    """The text of the seed. The same simulation with this seed gives the same odds."""
    seed_from: Literal["request", "service"]
    """Who chose the seed: the `request` or the `service`."""
    confidence: Probability
    """The share of simulations whose intervals contain the true probability: 0.95."""


class Odds(OutputModel):
    """The odds of a request: the same rule over all possible dice, or over many simulated trials if requested or if there is too much to
    count."""

    action: str
    """The action."""
    system: str
    """The rule system it belongs to."""
    method: Literal["exact", "simulation"]
    """How the odds were computed."""
    outcomes: list[OutcomeOdds]
    """Every possible outcome, in the action's own order. The fractions add up to 1. A simulation also lists outcomes that never came up."""
    rolls: list[RollOdds]
    """Every roll that can be made, except the attacks of a fight. Empty for a simulation."""
    expected: dict[str, float]
    """The mean change of each stat, under `on.stat` (`defender.health`, `archetype:Warrior.trainingPoints`)."""
    rulebook: str
    """The rule book, and the edition of its implementation here."""
    version: str
    """The version of the service."""
    turn: PartOdds | None = None
    """Of `jazz.turn`: the odds of the action itself."""
    results: list[PartOdds] | None = None
    """Of `darkpages.conflict`: the odds of each action itself. Of `darkpages.attack` with `exchanges`: the odds after each exchange."""
    keep_choices: list[KeepChoiceOdds] | None = None
    """With `keepChoices`: the odds of every choice of dice, for everybody who may choose. Left out otherwise."""
    rounds: LengthOdds | None = None
    """The number of rounds. Left out for actions that do not run in rounds until they are over."""
    bound: float | None = None
    """The largest error of a probability. Left out if every outcome has its exact fraction, and for a simulation."""
    trials: int | None = None
    """The number of trials of a simulation. Left out if the odds are exact."""
    simulated: Simulated | None = None
    """How the simulation was made. Left out if the odds are exact."""


class PartResult(OutputModel):
    """The result of one part of an action: of one target of an attack on several, or of one action of a conflict."""

    on: str | int | None = None
    """Of a target: its place in the request, or its id in a conflict. Left out for an action."""
    action: str | None = None
    """The action. Left out for a target."""
    outcome: str
    """Its outcome, or `skipped`."""
    succeeded: bool | None = None
    """Whether the action succeeded; null where there is no answer."""
    total: int | None
    """The number reached, if any."""
    target: int | None
    """The number to reach, if any."""
    margin: int | None
    """Total minus target, if there are both."""
    summary: str | None = None
    """What happened in the action, in one line."""
    rolls: list[str] | None = None
    """The names of the rolls that the action made; they are in the ruling's `rolls`."""
    factors: list[Factor] | None = None
    """What mattered in the action; only if included."""
    options: list[Option] | None = None
    """What the rules leave open in the action; only if included."""


class Ruling(OutputModel):
    """The dice, the outcome, the rules that decided it, and what changes."""

    action: str
    """The action resolved."""
    system: str
    """The rule system it belongs to."""
    outcome: str
    """The outcome, one of the action's own words."""
    outcome_text: str
    """The outcome in words."""
    succeeded: bool | None
    """Whether the attempt succeeded; null if the action is no attempt."""
    summary: str
    """One line that a table can play from: who did what, what decided, and what changed. Every name sent by the caller stands between
    U+2068 and U+2069."""
    markdown: str
    """The same for a chat, as safe Markdown, with the dice: at most 1,900 UTF-16 code units."""
    target: int | None
    """The number to reach in the comparison that decided the outcome, if any."""
    total: int | None
    """The number reached in that comparison, if any."""
    margin: int | None
    """Total minus target, if there are both."""
    rolls: list[Roll]
    """The rolls, in the order they were drawn."""
    steps: list[Step]
    """The rules that decided something, in order."""
    notes: list[Note]
    """The options that were set and had no effect."""
    unused_dice: list[UnusedDice] | None = None
    """Dice of the request for rolls that did not happen. Left out except in conflicts: any other action refuses such dice."""
    effects: list[Effect]
    """What changes, in order."""
    after: dict[str, Any]
    """The participants exactly as they were sent, with all changes applied, by their names in the request. Fields that apply to one roll
    are left out."""
    seed: str
    """The text of the seed. The same request with this seed gives the same ruling."""
    seed_from: Literal["request", "service", "table", "ticket"]
    """Who chose the seed: the `request` or the `service`. `table`: dice were rolled, and all of them at the table. `ticket` is reserved."""
    rng: str
    """The dice algorithm."""
    rulebook: str
    """The rule book, and the edition of its implementation here."""
    version: str
    """The version of the service."""
    factors: list[Factor] | None = None
    """How much each contribution mattered. Left out unless the request includes it."""
    options: list[Option] | None = None
    """The choices still open. Left out unless the request includes it."""
    odds: Odds | None = None
    """The odds of the same request. Left out unless the request includes it."""
    receipt: str | None = None
    """A signature over the request, the dice and the outcome, as a compact JWS. Left out if the service has no key."""
