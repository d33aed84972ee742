"""Walks the fields of a GraphQL document in the order in which the executor would."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import TypeAlias

from graphql import (
    FieldNode,
    FragmentDefinitionNode,
    FragmentSpreadNode,
    InlineFragmentNode,
    OperationDefinitionNode,
    SelectionNode,
)

Fragments: TypeAlias = Mapping[str, FragmentDefinitionNode]
"""The fragments of a document by name."""
Fragment: TypeAlias = FragmentDefinitionNode | InlineFragmentNode
Parent: TypeAlias = OperationDefinitionNode | FragmentDefinitionNode | FieldNode


def always(fragment: Fragment) -> bool:
    """Enter every fragment."""
    return True


def selected(parents: Iterable[Parent], fragments: Fragments, enters: Callable[[Fragment], bool] = always) -> Iterator[FieldNode]:
    """The fields that are selected below the parents, together, directly or through fragments.

    A named fragment is entered once, if it exists. ``enters`` says whether a fragment's fields are selected at all.
    """
    seen: set[str] = set()
    pending: list[SelectionNode] = [node for parent in parents if parent.selection_set for node in parent.selection_set.selections]
    pending.reverse()
    while pending:
        node = pending.pop()
        if isinstance(node, FieldNode):
            yield node
            continue
        if isinstance(node, FragmentSpreadNode):
            name = node.name.value
            if name in seen or name not in fragments:
                continue
            seen.add(name)
            fragment: Fragment = fragments[name]
        else:
            assert isinstance(node, InlineFragmentNode)
            fragment = node
        if enters(fragment):
            pending += reversed(fragment.selection_set.selections)


def by_response_name(fields: Iterable[FieldNode]) -> dict[str, list[FieldNode]]:
    """The fields that are answered together, because they have one name in the response."""
    groups: dict[str, list[FieldNode]] = {}
    for node in fields:
        groups.setdefault((node.alias or node.name).value, []).append(node)
    return groups
