"""From a JSON object to an action and its validated body."""

from __future__ import annotations

from typing import Any

from pydantic import ValidationError

from tablecall.engine.participants import place_of_same_id
from tablecall.model.base import Body
from tablecall.model.findings import unprocessable
from tablecall.model.refusals import Finding, Unprocessable
from tablecall.model.suggestions import nearest
from tablecall.systems import ACTIONS
from tablecall.systems.system import Action, System


def as_object(document: Any, expected: str = "refused.request_object") -> dict[str, Any]:
    """The document if it is a JSON object. Refuses (`Unprocessable`) anything else; ``expected`` is the detail."""
    if not isinstance(document, dict):
        raise Unprocessable(Finding("", "wrong-type", expected))
    return document


def tagged(document: dict[str, Any]) -> tuple[System, Action, Body]:
    """The action that a request names by its tag, and the validated body."""
    system, action = tagged_action(document)
    return system, action, body_of(action, _without_tag(document))


def tagged_action(document: dict[str, Any]) -> tuple[System, Action]:
    """The action that a request names by its tag."""
    tag = document.get("action")
    if tag is None:
        raise Unprocessable(Finding("/action", "missing-field", "refused.missing_field", None, (("field", "action"),)))
    if not isinstance(tag, str):
        raise Unprocessable(Finding("/action", "unknown-action", "refused.unknown_action", None, (("near", ""),)))
    if tag not in ACTIONS:
        facts = ("name", tag), ("near", nearest(tag, list(ACTIONS)) or "")
        raise Unprocessable(Finding("/action", "unknown-action", "refused.no_action", None, facts))
    return ACTIONS[tag]


def untagged(system: System, action: Action, document: dict[str, Any]) -> Body:
    """The validated body of an action that the path names. Refuses a tag that names another action."""
    tag = f"{system.name}.{action.name}"
    if document.get("action") not in (None, tag):
        raise Unprocessable(Finding("/action", "conflicting-fields", "refused.other_path", None, (("action", tag),)))
    return body_of(action, _without_tag(document))


def _without_tag(document: dict[str, Any]) -> dict[str, Any]:
    rest = document.copy()
    rest.pop("action", None)
    return rest


def body_of(action: Action, document: dict[str, Any]) -> Body:
    """The validated body. Refuses (`Unprocessable`) with one finding for each wrong place, and an id that stands twice."""
    try:
        body = action.body.read(document)
    except ValidationError as error:
        raise unprocessable(error, action.body) from None
    twice = place_of_same_id(body)
    if twice is not None:
        raise Unprocessable(Finding(twice, "not-allowed", "refused.id_twice"))
    return body
