"""The published shapes of every answer: rulings and odds.

These models are never filled: a ruling is a plain dictionary in the words of its shape. The JSON Schemas, the OpenAPI document and
the GraphQL types are derived from them, and the tests check each ruling against its model.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field
from pydantic.alias_generators import to_camel

Plain = str | int | bool | None
"""A plain value as JSON has it."""
Probability = Annotated[float, Field(ge=0, le=1)]
Fractional = Annotated[str, Field(pattern=r"^[0-9]+(/[0-9]+)?$")]


class OutputModel(BaseModel):
    """A published answer."""

    # Answers are no instances, so most of these are never built: only their schemas are asked for.
    model_config = ConfigDict(alias_generator=to_camel, use_attribute_docstrings=True, extra="forbid", defer_build=True)


class Die(OutputModel):
    """One die as it stands."""

    sides: Literal[6, 10]
    """6 or 10."""
    face: Annotated[int, Field(ge=0, le=9)]
    """The face that counts: 1 to 6 on a d6, 0 to 9 on a d10."""
    kept: bool
    """Whether it is part of the total."""
    replaced: list[int]
    """The faces it showed before it was rolled again, earliest first."""


class Roll(OutputModel):
    """One roll, its dice in the order drawn."""

    roll: str
    """Where the roller stands in the request: `actor`, `attackers.0`, `defender.damage`."""
    name: str
    """Who rolled: the character's name, or the roller's part."""
    dice: list[Die]
    """Base dice first, in the order drawn; a die rolled again stands in its place."""
    modifier: int
    """What is added to the kept faces."""
    total: int
    """Kept faces plus modifier."""


class Step(OutputModel):
    """One rule that decided something, or that was asked for and did not apply."""

    rule: str
    """The rule's id: `GET /systems/{system}/rules/{id}` serves it."""
    text: str
    """What it decided here, and why."""
    value: Annotated[Plain, Field(json_schema_extra={"title": "Value"})]
    """The number or word it decided on, if there is one."""


class Without(OutputModel):
    """What would have come of the same dice without one contribution."""

    outcome: str
    """The outcome it would have been."""
    total: int | None
    """The total it would have been."""
    margin: int | None
    """The margin it would have been."""


class Factor(OutputModel):
    """What one bonus, die or modifier mattered, on these very dice."""

    on: str
    """Whose it is: the roll it went into."""
    kind: str
    """What it is: `bonus`, `advantage`, `karma`, `modifier`, …"""
    name: str
    """Its own name where it has one: the aspect's, the modifier's."""
    value: Annotated[Plain, Field(json_schema_extra={"title": "Value"})]
    """What it was worth."""
    verdict: Literal["necessary", "helpful", "irrelevant"]
    """`necessary`: the outcome hung on it. `helpful`: it moved a number, the outcome stands without it. `irrelevant`: neither."""
    without: Without
    """The same rule on the same dice with this one thing taken away."""


class Effect(OutputModel):
    """One thing that changes. Setting `stat` back to `from` undoes it; several are undone from the last to the first. An item of a
    list whose `from` is null was added, at the end: to undo it, it is taken out."""

    on: str
    """Whom it concerns: a participant's place in the request, or a group (`archetype:Warrior`)."""
    id: str | None
    """The caller's own identifier of that participant."""
    stat: str
    """What changes: a place in the sheet in dots. `health` and `weird` mean what is current of the pool."""
    from_: Annotated[Any, Field(alias="from", title="From")]
    """What it was; null where no sheet was sent, where the sheet has no such pool, and of what is added."""
    to: Annotated[Any, Field(title="To")]
    """What it becomes; null where no sheet was sent, where the sheet has no such pool, and of what is taken out."""
    change: int | None
    """The difference where it is a number; for what is so or is not so, 1 for becoming and −1 for ceasing."""


class Option(OutputModel):
    """A choice the rules still leave open."""

    choice: str
    """The choice's name."""
    text: str
    """What it means here."""
    request: Annotated[dict[str, Any], Field(title="Patch")]
    """A JSON merge patch (RFC 7396) of this request that takes it, on the same dice."""
    then: str
    """The outcome it gives."""


class Ruling(OutputModel):
    """What was attempted, what the dice said, what came of it, why, and what changes."""

    action: str
    """The action resolved."""
    system: str
    """The rule system it belongs to."""
    outcome: str
    """The action's own word for what came of it."""
    succeeded: bool | None
    """Whether what was attempted succeeded; null where the question has no answer."""
    summary: str
    """One readable line."""
    markdown: str
    """The same for a chat, as Markdown: the outcome in bold, the margin, the dice. What callers named is escaped."""
    target: int | None
    """The number to reach, where there is one."""
    total: int | None
    """The number reached, where there is one."""
    margin: int | None
    """Total minus target, where both are."""
    rolls: list[Roll]
    """The rolls, in the order they were drawn."""
    steps: list[Step]
    """The rules that decided something, in order."""
    effects: list[Effect]
    """What changes, for whom, in order."""
    after: Annotated[dict[str, Any], Field(title="After")]
    """The participants under the names they had in the request, changed."""
    seed: str
    """The seed's text. The same request with it gives the same ruling."""
    seed_from: Literal["request", "service"]
    """Who chose the seed: the `request` or the `service`."""
    rng: str
    """The dice algorithm."""
    rulebook: str
    """The rule book and the edition of our reading."""
    version: str
    """The service's own version."""
    factors: list[Factor] | None = None
    """What mattered. Left out unless asked for."""
    options: list[Option] | None = None
    """What is still open. Left out unless asked for."""
    receipt: str | None = None
    """A signature over the request, the dice and the outcome, as a compact JWS. Left out where the service has no key."""


class Interval(OutputModel):
    """Where the true probability lies, in as many simulations as the confidence says."""

    low: Probability
    """Its lower end."""
    high: Probability
    """Its upper end."""


class OutcomeOdds(OutputModel):
    """How likely one outcome is."""

    outcome: str
    """The outcome."""
    probability: Probability
    """The nearest floating-point number."""
    fraction: Fractional
    """The exact fraction in lowest terms; of a simulation, how many of the trials."""
    percent: str
    """For reading; never rounds to 0 or 100 what is not."""
    interval: Interval | None = None
    """The confidence interval (Wilson's) of a simulation. Left out where the odds are exact."""


class TotalOdds(OutputModel):
    """How likely one total of a roll is."""

    total: int
    """The total, modifier included."""
    probability: Probability
    """The nearest floating-point number."""
    fraction: Fractional
    """The exact fraction in lowest terms."""


class RollOdds(OutputModel):
    """The distribution of one roll, given that it is made."""

    roll: str
    """The roll's name, as in a ruling."""
    distribution: list[TotalOdds]
    """Every total that can come up, lowest first."""
    mean: float
    """The mean total."""
    standard_deviation: Annotated[float, Field(ge=0)]
    """The standard deviation of the total."""


class RoundOdds(OutputModel):
    """How likely it takes so many rounds."""

    rounds: int
    """The last round, counted from 1; 0 where nothing is left to do."""
    probability: Probability
    """The nearest floating-point number."""


class LengthOdds(OutputModel):
    """How many rounds something takes that goes by rounds; what is broken off after its last round has taken all of them."""

    distribution: list[RoundOdds]
    """Every number of rounds it can take, lowest first."""
    mean: float
    """The mean number of rounds."""
    standard_deviation: Annotated[float, Field(ge=0)]
    """The standard deviation of the number of rounds."""


class Simulated(OutputModel):
    """A simulation: how often it was played, with which seed, how sure its intervals are."""

    trials: int
    """How often it was played: fewer times than were asked for where there was no time for more."""
    seed: str
    """The seed's text. The same simulation with it gives the same odds."""
    seed_from: Literal["request", "service"]
    """Who chose the seed: the `request` or the `service`."""
    confidence: Probability
    """In what share of simulations the intervals hold the true probability: 0.95."""


class Odds(OutputModel):
    """The odds of a request: the same rule over every fall there is; or, where so asked, played so many times."""

    action: str
    """The action asked about."""
    system: str
    """The rule system it belongs to."""
    method: Literal["exact", "simulation"]
    """How the numbers were found."""
    outcomes: list[OutcomeOdds]
    """Every outcome that can happen, in the action's own order; the fractions add up to 1."""
    rolls: list[RollOdds]
    """Every roll that can be made, save the attacks of a fight; none in a simulation."""
    expected: dict[str, float]
    """The mean change of each stat, under `on.stat` (`defender.health`, `archetype:Warrior.trainingPoints`)."""
    rulebook: str
    """The rule book and the edition of our reading."""
    version: str
    """The service's own version."""
    rounds: LengthOdds | None = None
    """How long it goes on. Left out of what does not go by rounds until it is over."""
    simulated: Simulated | None = None
    """How the simulation was made. Left out where the odds are exact."""
