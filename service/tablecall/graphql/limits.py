"""Bounds on what one GraphQL document may ask for: tokens, depth, aliases, literals and cost.

Every operation is walked as the executor would walk it: fields with one response name together, and a fragment once in each
selection set. The walk stops at the first bound it reaches, so it is short however fragments multiply. It runs before the other
validation rules, because some of them are quadratic.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from graphql import (
    ASTValidationRule,
    DocumentNode,
    FieldNode,
    FragmentDefinitionNode,
    GraphQLError,
    ListValueNode,
    Node,
    ObjectValueNode,
    OperationDefinitionNode,
    OperationType,
    get_operation_ast,
    parse,
)
from graphql.language.ast import QUERY_DOCUMENT_KEYS
from graphql.validation.validate import ValidationAbortedError

from tablecall.graphql.selection import Fragment, Parent, by_response_name, selected
from tablecall.model.problems import HttpProblem, problem_body
from tablecall.runtime.request_context import RequestContext

MAX_TOKENS = 2_000
"""The most tokens of a document."""
MAX_CHARACTERS = 40_000
"""The longest text of a document."""
MAX_LITERALS = 300
"""The most fields and list items of all literals in a document. The largest example of a request has 82.

An error about a literal prints all of it: with more of them, even `MAX_ERRORS` errors would block the event loop."""
MAX_ERRORS = 4
"""The most validation errors that are reported. Each may take graphql-core 3 ms."""
MAX_VALUES = 60_000
"""The most that the variables may hold: 1 for each value, and `OBJECT` more for an object. graphql-core coerces 20,000 objects a second."""
OBJECT = 9
MAX_NAME = 1_000
"""The longest name in the variables. graphql-core copies a name several times into its errors."""
SMALL_BODY = 18_000
"""A body of at most this many bytes cannot hold more: an object takes three."""
MAX_CACHED = 64
"""The most documents that are kept parsed and validated. Each may take a megabyte."""
MAX_DEPTH = 16
"""How deeply fields may be nested."""
MAX_ALIASES = 100
"""The most aliases. Those in a fragment count each time it is used."""
MAX_COST = 2_500
"""The most that a document may cost: 1 for each field, and what `WEIGHTS` adds."""
MAX_REPEATS = 500
"""The most pairs of fields with one response name in one selection set: graphql-core compares each pair."""
MAX_INTROSPECTION = 1_150
"""The most that an introspection may cost. The usual query of all types costs 978; with a second list of all types it is too much."""
MAX_INTROSPECTION_DEPTH = 20
"""How deeply its fields may be nested. Code generators ask for nine wrapped types."""
MAX_INTROSPECTION_LISTS = 2
"""How many lists may be nested. Each multiplies the response by the size of the schema."""

WEIGHTS = {"resolve": 10, "odds": 100, "verify": 20, "batch": 100}
"""What each use of a root field costs, besides its leaves."""
CODE = "GRAPHQL_VALIDATION_FAILED"

_INTROSPECTION = frozenset({"__schema", "__type"})
_LISTS = frozenset({"types", "fields", "inputFields", "interfaces", "possibleTypes", "enumValues", "directives"})
_WEIGHT_OF_TYPES, _WEIGHT_OF_INNER_LIST = 600, 30


def bound_variables(variables: Any) -> None:
    """Refuse (`HttpProblem`) variables that hold more than `MAX_VALUES`, or a name longer than `MAX_NAME`. The walk stops at the bound."""
    left, pending = MAX_VALUES, [variables]
    while pending:
        value = pending.pop()
        parts = value.values() if isinstance(value, dict) else value
        left -= len(parts) + OBJECT * sum(isinstance(part, dict) for part in parts)
        if isinstance(value, dict) and max(map(len, value), default=0) > MAX_NAME:
            raise HttpProblem("too-costly", f"a name in the variables has at most {MAX_NAME} characters")
        if left < 0:
            raise HttpProblem("too-costly", f"the variables hold at most {MAX_VALUES} values, an object counting as {OBJECT + 1}")
        pending += [part for part in parts if isinstance(part, dict | list)]


MAX_ANSWERED = 100_000
"""The most values of rulings in one response. graphql-core completes as many in a second."""


def charge(context: RequestContext, values: int) -> None:
    """Count the values that a request's answer holds. Refuses (`HttpProblem`) more than `MAX_ANSWERED`."""
    context.values += values
    if context.values > MAX_ANSWERED:
        raise HttpProblem("too-costly", f"an answer holds at most {MAX_ANSWERED} values of rulings; select less, or ask for fewer")


def value_count(nodes: Iterable[FieldNode], value: Any, fragments: Mapping[str, FragmentDefinitionNode]) -> int:
    """About how many values of a plain response are selected. The items of a list count like its first."""
    if isinstance(value, list):
        return len(value) * value_count(nodes, value[0], fragments) if value else 0
    if not isinstance(value, dict):
        return 1
    groups = by_response_name(selected(nodes, fragments)).values()
    return sum(value_count(same, value.get(same[0].name.value), fragments) for same in groups) or 1


def operation_of(query: str, name: str | None) -> OperationDefinitionNode | None:
    """The operation of a document with this name, or its only one; ``None`` without one, and for what is not a document."""
    try:
        return get_operation_ast(parse(query, no_location=True, max_tokens=MAX_TOKENS), name)
    except GraphQLError:
        return None


_ASKS_ABOUT_SCHEMA = re.compile(r"__(schema|type)\b")


def is_introspection(query: str, operation_name: str | None) -> bool:
    """Whether an operation asks about the schema only."""
    operation = operation_of(query, operation_name) if _ASKS_ABOUT_SCHEMA.search(query) else None
    if operation is None or operation.operation is not OperationType.QUERY:
        return False
    names = {node.name.value if isinstance(node, FieldNode) else "" for node in operation.selection_set.selections}
    return names <= _INTROSPECTION | {"__typename"}


class Exceeded(Exception):
    """The document is out of bounds; the message says which bound."""


@dataclass(frozen=True, slots=True)
class Place:
    """Where a selection set is: its depth, and in how many lists of an introspection (``None``: not in one)."""

    depth: int = 0
    lists: int | None = None

    def below(self, name: str) -> Place:
        """The place of a field's own selection set. Refuses (`Exceeded`) a field that is too deep."""
        inside = 0 if self.lists is None and not self.depth and name in _INTROSPECTION else self.lists
        lists = inside if inside is None else inside + (name in _LISTS)
        if self.depth >= (MAX_DEPTH if lists is None else MAX_INTROSPECTION_DEPTH):
            raise Exceeded(f"fields are nested at most {MAX_DEPTH} deep, {MAX_INTROSPECTION_DEPTH} in an introspection")
        if lists is not None and lists > MAX_INTROSPECTION_LISTS:
            raise Exceeded(f"an introspection has lists nested at most {MAX_INTROSPECTION_LISTS} deep")
        return Place(self.depth + 1, lists)


@dataclass(slots=True)
class Budget:
    """What a document has used so far."""

    cost: int = 0
    aliases: int = 0
    repeats: int = 0
    introspection: int = 0
    fragments: dict[str, FragmentDefinitionNode] = field(default_factory=dict)
    unused: set[str] = field(default_factory=set)

    def document(self, document: DocumentNode) -> None:
        """Walk every operation, and every fragment that no operation uses. Refuses (`Exceeded`) a document out of bounds."""
        bound_literals(document)
        self.fragments = {node.name.value: node for node in document.definitions if isinstance(node, FragmentDefinitionNode)}
        self.unused = set(self.fragments)
        for node in document.definitions:
            if isinstance(node, OperationDefinitionNode):
                self.walk(node)
        while self.unused:
            self.walk(self.fragments[self.unused.pop()])

    def walk(self, root: Parent) -> None:
        """Everything below an operation or a fragment."""
        pending: list[tuple[Iterable[Parent], Place]] = [([root], Place())]
        while pending:
            parents, place = pending.pop()
            for nodes in by_response_name(self._paid(parents, place)).values():
                self.repeats += len(nodes) * (len(nodes) - 1) // 2
                if self.repeats > MAX_REPEATS:
                    raise Exceeded(f"at most {MAX_REPEATS} pairs of fields share a response name in one place")
                below = place.below(nodes[0].name.value)
                if any(node.selection_set for node in nodes):
                    pending.append((nodes, below))

    def _paid(self, parents: Iterable[Parent], place: Place) -> Iterator[FieldNode]:
        """The fields of one place. Each is charged for, and each fragment."""
        for node in selected(parents, self.fragments, self._enter):
            self._pay(node, place)
            yield node

    def _enter(self, fragment: Fragment) -> bool:
        self._spend(1)
        if isinstance(fragment, FragmentDefinitionNode):
            self.unused.discard(fragment.name.value)
        return True

    def _pay(self, node: FieldNode, place: Place) -> None:
        name = node.name.value
        if node.alias is not None:
            self.aliases += 1
            if self.aliases > MAX_ALIASES:
                raise Exceeded(f"a document has at most {MAX_ALIASES} aliases")
        if place.lists is None:
            self._spend(1 + (WEIGHTS.get(name, 0) if not place.depth else 0))
            return
        self.introspection += 1
        if name == "types":
            self.introspection += _WEIGHT_OF_TYPES
        elif place.lists and name in _LISTS:
            self.introspection += _WEIGHT_OF_INNER_LIST
        if self.introspection > MAX_INTROSPECTION:
            weights = f"{_WEIGHT_OF_TYPES} more for all types, {_WEIGHT_OF_INNER_LIST} more for a list in them"
            raise Exceeded(f"an introspection costs at most {MAX_INTROSPECTION}: 1 a field, {weights}")

    def _spend(self, cost: int) -> None:
        self.cost += cost
        if self.cost > MAX_COST:
            weights = ", ".join(f"{weight} more for {name}" for name, weight in WEIGHTS.items())
            raise Exceeded(f"a document costs at most {MAX_COST}: 1 a field, {weights}")


def bound_literals(document: DocumentNode) -> None:
    """Refuse (`Exceeded`) a document whose literals have more than `MAX_LITERALS` fields and items. Takes a few ms at most."""
    parts, nodes = 0, list[Node]([document])
    while nodes:
        node = nodes.pop()
        if isinstance(node, ObjectValueNode):
            parts += len(node.fields)
        elif isinstance(node, ListValueNode):
            parts += len(node.values)
        if parts > MAX_LITERALS:
            raise Exceeded(f"the literals of a document have at most {MAX_LITERALS} fields and items: send more in a variable")
        for key in QUERY_DOCUMENT_KEYS.get(node.kind, ()):
            child = getattr(node, key)
            if isinstance(child, Node):
                nodes.append(child)
            elif child:
                nodes += child


class Limits(ASTValidationRule):
    """The bounds as a validation rule."""

    def enter_document(self, node: DocumentNode, *_: object) -> None:
        """Refuse the whole document before any other rule looks at its fields."""
        try:
            Budget().document(node)
        except Exceeded as error:
            problem = problem_body(HttpProblem("too-costly", str(error)))
            raise ValidationAbortedError(str(error), extensions={"code": CODE, "problem": problem}) from None
