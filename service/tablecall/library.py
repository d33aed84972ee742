"""Tablecall as a Python library: rulings, odds and checks without a server. ``tablecall`` offers what is here under its own name.

A request is what REST takes: a mapping with an ``action``, keyword arguments, or a typed model of `tablecall.requests`. An answer is a
pydantic model; its ``model_dump(mode="json", by_alias=True)`` is what REST answers.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

import orjson

from tablecall import engine
from tablecall.contract import system_models
from tablecall.contract.action_models import PUBLISHED
from tablecall.contract.system_models import RuleSystem
from tablecall.engine.requests import as_object, tagged
from tablecall.engine.verify import Verification
from tablecall.model.base import Body
from tablecall.model.problems import Problem, ProblemFinding, problem_body
from tablecall.model.refusals import Refusal
from tablecall.model.ruling import NeededRolls, Odds, Ruling
from tablecall.model.text import LANGUAGES
from tablecall.systems import ACTIONS, SYSTEMS

Request = Mapping[str, Any] | Body
"""A request as a mapping with its ``action``, or as a typed model, whose class names the action."""

_TAGS = {action.body: tag for tag, (_, action) in ACTIONS.items()}


class Refused(Exception):
    """The request is refused; nothing was rolled. ``problem`` is what REST answers, in the language of the request."""

    def __init__(self, problem: Problem) -> None:
        self.problem = problem
        super().__init__(problem.detail)

    @property
    def code(self) -> str:
        """The code of the problem: ``invalid-request``, ``rule-forbids`` …"""
        return self.problem.type.rpartition("/")[2]

    @property
    def errors(self) -> list[ProblemFinding]:
        """Each thing that is wrong, with a JSON pointer into the request."""
        return self.problem.errors


def resolve(request: Request | None = None, /, **fields: Any) -> Ruling:
    """The ruling of a request. Raises `Refused`."""
    document = _document(request, fields)
    ruling = _answered(document, lambda: engine.resolve(*tagged(as_object(document))))
    return PUBLISHED[ruling["action"]].ruling.model_validate(ruling)


def odds(request: Request | None = None, /, **fields: Any) -> Odds:
    """The odds of a request: exact where they can be counted, else simulated, as its ``method`` says. Raises `Refused`."""
    document = _document(request, fields)
    return Odds.model_validate(_answered(document, lambda: engine.odds(*tagged(document))))


def rolls(request: Request | None = None, /, **fields: Any) -> NeededRolls:
    """The dice that a table needs to roll next for a request. Raises `Refused`."""
    document = _document(request, fields)
    return NeededRolls.model_validate(_answered(document, lambda: engine.rolls(*tagged(document))))


def verify(request: Request, ruling: Ruling | Mapping[str, Any], *, keys: Iterable[Mapping[str, Any]] = ()) -> Verification:
    """Whether a ruling follows from its request, and whether one of the ``keys`` (JWKs of Ed25519) signed its receipt. Raises `Refused`."""
    from joserfc.jwk import OKPKey

    from tablecall.engine.receipts import Receipts
    from tablecall.engine.verify import verify as check

    receipts = Receipts(None, [OKPKey.import_key(dict(key)) for key in keys])
    made = ruling.model_dump(mode="json", by_alias=True) if isinstance(ruling, Ruling) else ruling
    document = _document(request, {})
    return Verification.model_validate(_answered(document, lambda: check({"request": document, "ruling": made}, receipts)))


def systems() -> list[RuleSystem]:
    """The rule systems with their actions."""
    return [RuleSystem.model_validate(system_models.system_data(system)) for system in SYSTEMS.values()]


def _document(request: Request | None, fields: Mapping[str, Any]) -> Any:
    """The request as a JSON document."""
    if isinstance(request, Body):
        sent = request.model_dump(mode="json", by_alias=True, exclude_unset=True)
        return {"action": _TAGS[type(request)], **sent, **fields}
    return {**request, **fields} if request is not None else dict(fields)


def _answered(document: Any, answer: Callable[[], dict[str, Any]]) -> dict[str, Any]:
    """The answer as plain JSON. A refusal is told in the language of the request."""
    try:
        result: dict[str, Any] = orjson.loads(orjson.dumps(answer()))
        return result
    except Refusal as refusal:
        language = document.get("language")
        problem = problem_body(refusal, language) if language in LANGUAGES else problem_body(refusal)
        raise Refused(Problem.model_validate(problem)) from None
