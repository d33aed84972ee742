"""Requests written flat, in the grammar of GET queries and of the command line: ``actor.bonus=3``, ``difficulty=10``."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any, cast

from pydantic import BaseModel

from tablecall.model.annotations import fields_of, item_of, union_members
from tablecall.model.findings import Repeated
from tablecall.model.names import quotable
from tablecall.model.refusals import Finding, Unprocessable, pointer_of

_INTEGER = re.compile(r"[+ -]?[0-9]{1,18}(\.0{1,9})?")
_INDEX = re.compile(r"0|[1-9][0-9]?")
_SPACED = re.compile(r" ([0-9]{1,2}/[0-9]{1,2})")
"""A modifier such as ``+1/1`` whose plus was sent unescaped, so that it arrives as a space."""
_BOOLEANS = {"true": True, "1": True, "false": False, "0": False}
_MAX_DEPTH = 8


def document_of(model: type[BaseModel], parameters: Iterable[tuple[str, str]]) -> dict[str, Any]:
    """The JSON object that a flat query stands for: ``actor.bonus=3`` and ``attackers.0.bonus=3``; a repeated name makes a list.

    Each value is read as the model's field expects it: an integer, ``true``, ``false``, ``1`` or ``0`` for a boolean, or text. A value
    that cannot be read so stays text, and validation refuses it.
    """
    tree: dict[str, Any] = {}
    for name, text in parameters:
        if "[" in name:
            facts = ("field", quotable(name)), ("near", name.replace("][", ".").replace("[", ".").rstrip(".]"))
            raise Unprocessable(Finding(pointer_of([name]), "unknown-field", "refused.unknown_field", None, facts))
        keys = name.split(".")
        if len(keys) > _MAX_DEPTH:
            raise Unprocessable(Finding(pointer_of(keys[:_MAX_DEPTH]), "unknown-field", "refused.name_parts", None, (("max", _MAX_DEPTH),)))
        _insert(tree, keys, text)
    document = {name: _with_lists(part, (name,)) for name, part in tree.items()}  # the document itself is never a list
    return cast("dict[str, Any]", _typed(model, document))


def _insert(tree: dict[str, Any], keys: list[str], text: str) -> None:
    *parents, last = keys
    for depth, key in enumerate(parents, 1):
        tree = tree.setdefault(key, {})
        if not isinstance(tree, dict):
            raise _value_and_object(keys[:depth])
    texts = tree.setdefault(last, [])
    if not isinstance(texts, list):
        raise _value_and_object(keys)
    texts.append(text)


def _value_and_object(keys: list[str]) -> Unprocessable:
    return Unprocessable(Finding(pointer_of(keys), "wrong-type", "refused.value_and_object"))


def _with_lists(value: Any, path: tuple[str, ...] = ()) -> Any:
    """The tree with lists in place of objects whose keys are 0, 1, 2 …"""
    if not isinstance(value, dict):
        return value
    inner = {key: _with_lists(part, (*path, key)) for key, part in value.items()}
    if inner and all(_INDEX.fullmatch(key) for key in inner):
        if sorted(map(int, inner)) != list(range(len(inner))):
            raise Unprocessable(Finding(pointer_of(path), "invalid-value", "refused.list_numbers"))
        return [inner[key] for key in sorted(inner, key=int)]
    return inner


def _typed(annotation: Any, value: Any) -> Any:
    """The value with its texts read as the annotation expects them."""
    members = list(union_members(annotation))
    if isinstance(value, dict):
        fields = fields_of(members)
        return {key: _typed(fields.get(key), part) for key, part in value.items()}
    item = item_of(members)
    if item is not None:
        return [_typed(item, part if isinstance(part, dict | list) else [part]) for part in value]
    if any(not isinstance(part, str) for part in value):
        return [_typed(None, part) for part in value]
    scalars = [_scalar(members, text) for text in value]
    return scalars[0] if len(scalars) == 1 else Repeated(scalars)


def _scalar(members: list[Any], text: str) -> Any:
    if bool in members and text.lower() in _BOOLEANS:
        return _BOOLEANS[text.lower()]
    if int in members and str not in members and _INTEGER.fullmatch(text):
        return int(text.partition(".")[0])
    return _SPACED.sub(r"+\1", text) if _SPACED.fullmatch(text) else text
