"""What one GraphQL document may ask for: a bound on tokens, depth, aliases and cost, found before anything else is done.

Every operation is walked as the executor would walk it: fields of one response name together, a fragment once in each
selection set. The walk ends where a bound is reached, so it takes as many steps as the bounds allow and no more, however
fragments multiply. What is refused here is refused before the other rules run: some of them are quadratic.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

from graphql import (
    ASTValidationRule,
    DocumentNode,
    FieldNode,
    FragmentDefinitionNode,
    FragmentSpreadNode,
    GraphQLError,
    GraphQLSchema,
    ListValueNode,
    Node,
    ObjectValueNode,
    OperationDefinitionNode,
    SelectionNode,
    SelectionSetNode,
    specified_rules,
    validate,
)
from graphql.language.ast import QUERY_DOCUMENT_KEYS
from graphql.validation.validate import ValidationAbortedError
from strawberry.extensions import SchemaExtension
from strawberry.schema.validation_rules.maybe_null import MaybeNullValidationRule
from strawberry.schema.validation_rules.one_of import OneOfInputValidationRule

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
"""How much the variables may hold: 1 a value, and `OBJECT` more an object, for graphql-core makes 20,000 of those a second."""
OBJECT = 9
FEW = 18_000
"""In so many bytes they cannot hold more: an object takes three."""
MAX_CACHED = 64
"""How many documents are kept parsed and validated: each may take a megabyte."""
MAX_DEPTH = 16
"""How deep fields may stand in fields."""
MAX_ALIASES = 100
"""The most aliases, counted as often as their fragment is used."""
MAX_COST = 2_500
"""The most that a document may cost: 1 a field, and what `WEIGHTS` adds."""
MAX_REPEATS = 500
"""How many pairs of fields may share one response name in one place: each pair is compared."""
MAX_INTROSPECTION = 400
"""The most that questions about the schema itself may cost; a full introspection costs less than half of it."""
MAX_INTROSPECTION_DEPTH = 20
"""How deep they may go: code generators ask for nine wrapped types."""
MAX_INTROSPECTION_LISTS = 2
"""How many lists of types or fields may stand in each other: each multiplies the answer by the size of the schema."""

WEIGHTS = {"resolve": 10, "odds": 100, "verify": 20, "batch": 100}
"""What each root field costs beside its leaves, however often it stands under an alias."""
CODE = "GRAPHQL_VALIDATION_FAILED"

_INTROSPECTION = frozenset({"__schema", "__type"})
_LISTS = frozenset({"types", "fields", "inputFields", "interfaces", "possibleTypes", "enumValues", "directives"})
_WEIGHT_OF_TYPES = 100


def bound_variables(variables: Any) -> None:
    """Refuse variables that hold too much. The walk ends where the bound is passed."""
    left, ahead = MAX_VALUES, [variables]
    while ahead:
        value = ahead.pop()
        parts = value.values() if isinstance(value, dict) else value
        left -= len(parts) + OBJECT * sum(isinstance(part, dict) for part in parts)
        if left < 0:
            raise HttpProblem("too-costly", f"the variables hold at most {MAX_VALUES} values, an object counting as {OBJECT + 1}")
        ahead += [part for part in parts if isinstance(part, dict | list)]


MAX_ANSWERED = 100_000
"""How many values the rulings of one request may have in its answer: graphql-core makes as many in a second."""


def charge(context: RequestContext, values: int) -> None:
    """Count the values that a request's answer holds. Refuses (`HttpProblem`) more than `MAX_ANSWERED`."""
    context.values += values
    if context.values > MAX_ANSWERED:
        raise HttpProblem("too-costly", f"an answer holds at most {MAX_ANSWERED} values of rulings; select less, or ask for fewer")


def weight(nodes: Iterable[FieldNode], value: Any, fragments: Mapping[str, FragmentDefinitionNode]) -> int:
    """About how many values of a plain answer are selected: of a list, as many of each item as of its first."""
    if isinstance(value, list):
        return len(value) * weight(nodes, value[0], fragments) if value else 0
    if not isinstance(value, dict):
        return 1
    by_name: dict[str, list[FieldNode]] = {}
    for node in fields(nodes, fragments):
        by_name.setdefault((node.alias or node.name).value, []).append(node)
    return sum(weight(same, value.get(same[0].name.value), fragments) for same in by_name.values()) or 1


def fields(nodes: Iterable[FieldNode], fragments: Mapping[str, FragmentDefinitionNode]) -> Iterator[FieldNode]:
    """Every field selected in these, directly or through fragments, each fragment once."""
    open_sets = [node.selection_set for node in nodes if node.selection_set]
    seen: set[str] = set()
    while open_sets:
        for node in open_sets.pop().selections:
            if isinstance(node, FieldNode):
                yield node
            elif isinstance(node, FragmentSpreadNode):
                if node.name.value not in seen:
                    seen.add(node.name.value)
                    open_sets.append(fragments[node.name.value].selection_set)
            else:
                open_sets.append(node.selection_set)  # type: ignore[attr-defined]


class Exceeded(Exception):
    """A bound is passed; the text says which."""


@dataclass(frozen=True, slots=True)
class Place:
    """Where fields stand: how deep, and within how many lists of the introspection (``None``: not in it)."""

    depth: int = 0
    lists: int | None = None

    def below(self, name: str) -> Place:
        """The place inside a field, which must itself be within the bounds."""
        inside = 0 if self.lists is None and not self.depth and name in _INTROSPECTION else self.lists
        lists = inside if inside is None else inside + (name in _LISTS)
        if self.depth >= (MAX_DEPTH if lists is None else MAX_INTROSPECTION_DEPTH):
            raise Exceeded(f"fields are nested at most {MAX_DEPTH} deep, {MAX_INTROSPECTION_DEPTH} in an introspection")
        if lists is not None and lists > MAX_INTROSPECTION_LISTS:
            raise Exceeded(f"at most {MAX_INTROSPECTION_LISTS} lists stand in each other in an introspection")
        return Place(self.depth + 1, lists)


@dataclass(slots=True)
class Budget:
    """What a document has used up so far."""

    cost: int = 0
    aliases: int = 0
    repeats: int = 0
    introspection: int = 0
    fragments: dict[str, FragmentDefinitionNode] = field(default_factory=dict)
    unused: set[str] = field(default_factory=set)

    def document(self, document: DocumentNode) -> None:
        """Walk every operation, and every fragment that none of them reaches; refuses (`Exceeded`) what is too much."""
        bound_literals(document)
        self.fragments = {one.name.value: one for one in document.definitions if isinstance(one, FragmentDefinitionNode)}
        self.unused = set(self.fragments)
        for one in document.definitions:
            if isinstance(one, OperationDefinitionNode):
                self.walk(one.selection_set)
        while self.unused:
            self.walk(self.fragments[self.unused.pop()].selection_set)

    def walk(self, root: SelectionSetNode) -> None:
        """Everything below one selection set."""
        still = [([root], Place())]
        while still:
            sets, place = still.pop()
            for nodes in self._by_name(sets, place).values():
                self.repeats += len(nodes) * (len(nodes) - 1) // 2
                if self.repeats > MAX_REPEATS:
                    raise Exceeded(f"at most {MAX_REPEATS} pairs of fields share a response name in one place")
                below = place.below(nodes[0].name.value)
                inner = [node.selection_set for node in nodes if node.selection_set]
                if inner:
                    still.append((inner, below))

    def _by_name(self, sets: list[SelectionSetNode], place: Place) -> dict[str, list[FieldNode]]:
        """The fields of one place by response name, each paid for."""
        found: dict[str, list[FieldNode]] = {}
        for node in self._fields(sets):
            self._pay(node, place)
            found.setdefault((node.alias or node.name).value, []).append(node)
        return found

    def _fields(self, sets: Iterable[SelectionSetNode]) -> Iterator[FieldNode]:
        """The fields of selection sets, fragments opened, each fragment once."""
        seen: set[str] = set()
        still: list[SelectionNode] = [node for one in sets for node in one.selections]
        while still:
            node = still.pop()
            if isinstance(node, FieldNode):
                yield node
            elif not isinstance(node, FragmentSpreadNode):
                self._spend(1)
                still += node.selection_set.selections  # type: ignore[attr-defined]
            elif (name := node.name.value) not in seen and name in self.fragments:
                seen.add(name)
                self.unused.discard(name)
                self._spend(1)
                still += self.fragments[name].selection_set.selections

    def _pay(self, node: FieldNode, place: Place) -> None:
        name = node.name.value
        if node.alias is not None:
            self.aliases += 1
            if self.aliases > MAX_ALIASES:
                raise Exceeded(f"a document has at most {MAX_ALIASES} aliases")
        if place.lists is None:
            self._spend(1 + (WEIGHTS.get(name, 0) if not place.depth else 0))
            return
        self.introspection += 1 + (_WEIGHT_OF_TYPES if name == "types" else 0)
        if self.introspection > MAX_INTROSPECTION:
            raise Exceeded(f"an introspection costs at most {MAX_INTROSPECTION}: 1 a field, {_WEIGHT_OF_TYPES} for all types")

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


RULES = (*specified_rules, Limits, MaybeNullValidationRule, OneOfInputValidationRule)
"""GraphQL's own validation rules, the bounds, and Strawberry's."""


@lru_cache(MAX_CACHED)
def errors_of(schema: GraphQLSchema, document: DocumentNode) -> list[GraphQLError]:
    """What is wrong with a document: at most `MAX_ERRORS` errors, and one more that says that there are others."""
    return validate(schema, document, RULES, max_errors=MAX_ERRORS)


class Validation(SchemaExtension):
    """Validates each document once, with a bound on the errors. Strawberry's own `ValidationCache` has no such bound."""

    def on_validate(self) -> Iterator[None]:
        """Validate before Strawberry would."""
        document = self.execution_context.graphql_document
        assert document is not None
        self.execution_context.pre_execution_errors = errors_of(self.execution_context.schema._schema, document)
        yield
