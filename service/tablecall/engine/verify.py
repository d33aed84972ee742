"""Checks whether a ruling follows from its request and its dice, and whether its receipt is genuine."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from itertools import islice
from typing import Annotated, Any, Literal

import orjson
from pydantic import ValidationError, WithJsonSchema

from tablecall.dice.rng import RNG
from tablecall.engine import VERSION, resolve
from tablecall.engine.canonical import PROSE, digest, question, with_text_ids
from tablecall.engine.receipts import BadReceipt, Receipts, is_former, signed_part
from tablecall.engine.requests import as_object, body_of, tagged
from tablecall.model.annotations import refers
from tablecall.model.base import Body, Model
from tablecall.model.findings import unprocessable
from tablecall.model.refusals import Finding, Refusal, Unprocessable, pointer_of
from tablecall.model.ruling import OutputModel
from tablecall.systems.system import Action, System

MAX_DIFFERENCES, MAX_NAME = 100, 80
_UNCOMPARED = frozenset({"receipt", "version", "seedFrom", "odds", "__typename"})
_EXTRAS = frozenset({"factors", "options"})


class Made(OutputModel):
    """What made a ruling. Two services that agree in all three give the same rulings."""

    rng: str
    """The dice algorithm."""
    rulebook: str
    """The rule book and the edition of the reading."""
    version: str
    """The service's version."""


class Verification(OutputModel):
    """The result of checking a ruling."""

    verdict: Literal["match", "differs", "otherVersion", "badSignature"]
    """`match`: the request and the seed give this ruling. `differs`: they do not. `otherVersion`: made by other rules or dice than this
    service has. `badSignature`: no key known here has signed the receipt."""
    differences: list[str]
    """Pointers to the members that differ, 100 at most. Members left out, and who chose the seed, are not compared."""
    receipt: Literal["none", "valid", "elsewhere", "unknownKey", "bad"]
    """`none`: there is no receipt. `valid`: it is for this request and ruling. `elsewhere`: it is for another request or ruling.
    `unknownKey`: it names a key that is not known here. `bad`: it is not a valid signature."""
    signed_at: int | None
    """When the receipt was signed, in seconds since 1970; null without a genuine receipt."""
    made_by: Made
    """What made the ruling, according to the ruling."""
    checked_by: Made
    """What checked it."""


_PART: dict[str, Any] = {
    "type": "object",
    "required": ["outcome"],
    "properties": {"outcome": {"type": "string", "description": "The outcome."}},
    "additionalProperties": True,
}


class Verify(Model):
    """A ruling and its request."""

    request: Annotated[Any, WithJsonSchema(refers("ResolveRequest"))]
    """The request. If it has no seed, the ruling's seed is used."""
    ruling: Annotated[Any, WithJsonSchema(_PART)]
    """The ruling as it was answered, or parts of it: members left out are not compared."""


def verify(document: Mapping[str, Any], receipts: Receipts) -> dict[str, Any]:
    """Check a ruling (`Verify`); the result is a `Verification` as JSON.

    Refuses documents that do not match `Verify`, and requests that cannot be resolved.
    """
    system, action, body, sent = parsed(document)
    ruling, repeat = to_repeat(system, action, body, sent)
    again = None
    if repeat is not None:
        with within("/request"):
            again = resolve(system, action, repeat, include=extras_of(ruling))
    return judged(system, action, body, ruling, again, receipts)


def parsed(document: Mapping[str, Any]) -> tuple[System, Action, Body, Any]:
    """The request of a document (`Verify`), read, and its ruling as it was sent."""
    try:
        sent = Verify.model_validate(document)
    except ValidationError as error:
        raise unprocessable(error, Verify) from None
    with within("/request"):
        system, action, body = tagged(as_object(sent.request))
    return system, action, body, sent.ruling


def to_repeat(system: System, action: Action, body: Body, ruling: Any) -> tuple[dict[str, Any], Body | None]:
    """The ruling as an object, and the request to resolve again, with the ruling's seed. None if other rules or dice made the ruling."""
    with within("/ruling"):
        ruling = as_object(ruling, "refused.ruling_object")
        if not isinstance(ruling.get("outcome"), str):
            raise Unprocessable(Finding("/outcome", "missing-field", "refused.missing_field", None, (("field", "outcome"),)))
        if _by_other_rules(_made_by(ruling, system), system):
            return ruling, None
        if body.seed is None:
            if "seed" not in ruling:
                raise Unprocessable(Finding("/seed", "missing-field", "refused.ruling_seed"))
            body = body_of(action, {**body.sent, "seed": ruling["seed"]})
        if not body.dice:
            body = _with_table_dice(action, body, ruling)
    return ruling, body


def _with_table_dice(action: Action, body: Body, ruling: Mapping[str, Any]) -> Body:
    """The request with the dice that were rolled at the table, as the ruling says: the faces drawn, then those of the re-rolls.

    A ruling with rolls of another shape differs from every other, so the request stays as it is.
    """
    dice = []
    try:
        for roll in ruling.get("rolls") or ():
            if roll.get("from") == "table":
                drawn = [[*die["replaced"], die["face"]] for die in roll["dice"]]
                faces = [faces[0] for faces in drawn] + [face for faces in drawn for face in faces[1:]]
                dice.append({"roll": roll["roll"], "faces": faces})
        return body_of(action, {**body.sent, "dice": dice}) if dice else body
    except (AttributeError, KeyError, TypeError, Unprocessable):
        return body


def extras_of(ruling: Mapping[str, Any]) -> frozenset[str]:
    """Which of the factors and options a ruling shows."""
    return _EXTRAS.intersection(ruling)


def judged(
    system: System, action: Action, body: Body, ruling: Mapping[str, Any], again: dict[str, Any] | None, receipts: Receipts
) -> dict[str, Any]:
    """What a ruling is worth, compared with the one made ``again`` (None: by other rules or dice); in the published shape's words."""
    made = _made_by(ruling, system)
    other = _by_other_rules(made, system)
    if again is not None and body.seed is None:
        parts = [again, again.get("turn"), *(again.get("turns") or ()), *(again.get("results") or ())]
        for option in (option for part in parts if part for option in part.get("options") or ()):
            if option["request"] is not None:  # it contains the seed if the request has none
                option["request"] = {**option["request"], "seed": again["seed"]}
    right, differences = _compared(ruling, again)
    if differences and made["version"] != VERSION:
        # Another version may use other sentences, so a difference proves nothing.
        other, differences = True, []
    state, claims = _opened(receipts, ruling, right, question(f"{system.name}.{action.name}", body), type(body))
    if state == "former":
        state, other, differences = "valid", True, []
    if state == "elsewhere":
        differences.append("/receipt")
    return {
        "verdict": _verdict(state, other=other, differs=bool(differences)),
        "differences": differences,
        "receipt": state,
        "signedAt": claims.get("iat"),
        "madeBy": made,
        "checkedBy": _here(system),
    }


def _here(system: System) -> dict[str, str]:
    return {"rng": RNG, "rulebook": system.version, "version": VERSION}


def _made_by(ruling: Mapping[str, Any], system: System) -> dict[str, str]:
    """What made a ruling, as it says itself."""
    return {name: ruling[name][:MAX_NAME] if isinstance(ruling.get(name), str) else value for name, value in _here(system).items()}


def _by_other_rules(made: Mapping[str, str], system: System) -> bool:
    return made["rng"] != RNG or made["rulebook"] != system.version


def _compared(ruling: Mapping[str, Any], again: dict[str, Any] | None) -> tuple[Mapping[str, Any], list[str]]:
    """The correct ruling and the pointers where the given one differs. For another version only the given ruling is known."""
    if again is None:
        return ruling, []
    right = of_version(orjson.loads(orjson.dumps(again)), ruling.get("version", VERSION))
    return right, list(_differences(ruling, right))


def of_version(ruling: Mapping[str, Any], version: Any) -> dict[str, Any]:
    """The ruling, and the rulings inside it, with their ``version`` replaced: the version is not part of the comparison."""
    inner = {
        name: [of_version(item, version) if isinstance(item, dict) and "rulebook" in item else item for item in items]
        for name, items in ruling.items()
        if isinstance(items, list)
    }
    return {**ruling, **inner, "version": version}


def _verdict(state: str, *, other: bool, differs: bool) -> str:
    if state in ("unknownKey", "bad"):
        return "badSignature"
    if other:
        return "otherVersion"
    return "differs" if differs else "match"


def _opened(
    receipts: Receipts, ruling: Mapping[str, Any], right: Mapping[str, Any], asked: Mapping[str, Any], model: type[Body]
) -> tuple[str, dict[str, Any]]:
    """The state of the receipt and its claims."""
    if ruling.get("receipt") is None:
        return "none", {}
    try:
        claims = receipts.open(ruling["receipt"])
    except BadReceipt as error:
        return "unknownKey" if error.unknown else "bad", {}
    if is_former(ruling["receipt"]):
        return "former", claims
    stated = {name: ruling.get(name, claims[name]) for name in ("seedFrom", "version")}
    try:
        over = (digest(asked), digest(signed_part({**right, **stated}, model)))
    except ValueError:  # a foreign ruling may hold a number without a canonical form
        return "elsewhere", claims
    return "valid" if over == (claims["request"], claims["ruling"]) else "elsewhere", claims


def _differences(ruling: Mapping[str, Any], right: Mapping[str, Any]) -> Iterator[str]:
    places = (place for place in _places(with_text_ids(ruling), with_text_ids(right), ()) if place[0] not in _UNCOMPARED)
    return map(pointer_of, islice(places, MAX_DIFFERENCES))


def _places(given: Any, right: Any, at: tuple[str | int, ...]) -> Iterator[tuple[str | int, ...]]:
    """The paths where two values differ. Members left out are not compared; ``__typename`` is GraphQL's."""
    if isinstance(given, dict) and isinstance(right, dict):
        for name, value in given.items():
            if name in PROSE and not (at and at[0] == "after"):
                continue  # another version or language says it in other words
            if name in right:
                yield from _places(value, right[name], (*at, name))
            elif name != "__typename":
                yield (*at, name)
    elif isinstance(given, list) and isinstance(right, list) and len(given) == len(right):
        for index, (value, other) in enumerate(zip(given, right, strict=True)):
            yield from _places(value, other, (*at, index))
    elif given != right or isinstance(given, bool) != isinstance(right, bool):
        yield at


@contextmanager
def within(place: str) -> Iterator[None]:
    """Prefix the pointers of refusals, so that they point into the whole document."""
    try:
        yield
    except Refusal as refusal:
        findings = (replace(finding, pointer=place + finding.pointer) for finding in refusal.findings)
        raise type(refusal)(*findings, detail=refusal.detail) from None
