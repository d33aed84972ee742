"""The published shapes of every action, made from its body model: the tagged request, its ``after``, its ruling.

These models are never filled. The OpenAPI document, the JSON Schemas and the GraphQL types are all derived from them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any, Literal

from pydantic import BaseModel, Field, create_model

from tablecall.engine import participant_fields
from tablecall.model.ruling import OutputModel, Ruling
from tablecall.systems import ACTIONS
from tablecall.systems.system import Action, System

_UNFILLED = {"defer_build": True, "use_attribute_docstrings": False}
"""Class arguments of a model that only needs a schema: no validator is built, and no source is searched for docstrings."""


@dataclass(frozen=True, slots=True)
class PublishedAction:
    """One action as callers see it. ``body`` may omit the tag, ``request`` may not."""

    system: System
    action: Action
    tag: str
    name: str
    body: type[BaseModel]
    request: type[BaseModel]
    after: type[OutputModel]
    ruling: type[Ruling]

    @property
    def path(self) -> str:
        """``jazz/check``: its path under ``/resolve`` and ``/odds``."""
        return self.tag.replace(".", "/", 1)

    @property
    def field(self) -> str:
        """``jazzCheck``: its name in GraphQL's ``ResolveRequest``, where names have no dots."""
        system, action = self.tag.split(".", 1)
        return system + action[0].upper() + action[1:]


def publish(system: System, action: Action) -> PublishedAction:
    """The shapes of one action, named after its body model: ``JazzCheck``, ``JazzCheckRequest``, ``JazzCheckRuling`` …"""
    name, tag = action.body.__name__, f"{system.name}.{action.name}"
    body = _tagged(action, name, tag, "The action. It may be left out, because the path names it.", tag)
    request = _tagged(action, f"{name}Request", tag, "The action's tag.", ...)
    after = _after(action, name)
    return PublishedAction(system, action, tag, name, body, request, after, _ruling(system, action, name, tag, after))


def _tagged(action: Action, name: str, tag: str, text: str, default: Any) -> type[BaseModel]:
    tag_type: Any = Literal[tag]
    model: type[BaseModel] = create_model(
        name,
        __base__=action.body,
        __cls_kwargs__=_UNFILLED,
        __doc__=action.body.__doc__,
        action=(Annotated[tag_type, Field(description=text)], default),
    )
    return model


def _after(action: Action, name: str) -> type[OutputModel]:
    """The shape of the participants with all changes applied. Those that were not sent are left out."""
    fields: dict[str, Any] = {}
    for field, _, _ in participant_fields(action.body):
        info = action.body.model_fields[field]
        annotation: Any = info.annotation
        text = Field(description=info.description)
        fields[field] = (Annotated[annotation, text], ...) if info.is_required() else (Annotated[annotation | None, text], None)
    fields |= {key: (annotation, ...) for key, annotation in action.after.items()}
    text = "The participants with all changes applied, by their names in the request."
    model: type[OutputModel] = create_model(f"{name}After", __base__=OutputModel, __cls_kwargs__=_UNFILLED, __doc__=text, **fields)
    return model


def _ruling(system: System, action: Action, name: str, tag: str, after: type[OutputModel]) -> type[Ruling]:
    outcome: Any = Literal[action.outcomes] if action.outcomes else str
    overridden: dict[str, tuple[Any, str]] = {
        "action": (Literal[tag], "The action resolved."),
        "system": (Literal[system.name], "The rule system it belongs to."),
        "outcome": (outcome, "The outcome."),
        "after": (after, "The participants with all changes applied. The next request can carry them as they are."),
    }
    fields: dict[str, Any] = {key: (Annotated[type_, Field(description=text)], ...) for key, (type_, text) in overridden.items()}
    fields |= {key: (annotation, ...) for key, annotation in action.fields.items()}
    text = f"The ruling of {tag}. {action.text}"
    model: type[Ruling] = create_model(f"{name}Ruling", __base__=Ruling, __cls_kwargs__=_UNFILLED, __doc__=text, **fields)
    return model


PUBLISHED: dict[str, PublishedAction] = {tag: publish(system, action) for tag, (system, action) in ACTIONS.items()}
"""Every action's shapes, by its tag."""
