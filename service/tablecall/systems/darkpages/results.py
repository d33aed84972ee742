"""The published shape of one action inside a darkpages conflict."""

from __future__ import annotations

from tablecall.model.ruling import Factor, Option, OutputModel


class DarkpagesActionResult(OutputModel):
    """One action of a conflict."""

    action: str
    """The action."""
    outcome: str
    """Its outcome, or `skipped`."""
    succeeded: bool | None
    """Whether it succeeded; null where there is no answer."""
    total: int | None
    """The number reached, if any."""
    target: int | None
    """The number to reach, if any."""
    margin: int | None
    """Total minus target, if there are both."""
    summary: str
    """What happened, in one line."""
    rolls: list[str]
    """The names of the rolls made; they are in the ruling's `rolls`."""
    factors: list[Factor] | None = None
    """What mattered in this action; only if included."""
    options: list[Option] | None = None
    """What the rules leave open in this action; only if included."""
