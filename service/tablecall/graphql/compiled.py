"""Documents that come again: what one selects is turned once into a picker over the plain ruling.

Only what needs nothing else of GraphQL is covered: one query that asks `resolve` once, its request in one variable, without
directives. Everything else, every input that is not taken exactly as it stands, and every refusal is left to graphql-core,
whose answer is the same: a plan is made only of a document it has parsed, validated and answered here before.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from graphql import (
    DocumentNode,
    ExecutionResult,
    FieldNode,
    FragmentDefinitionNode,
    FragmentSpreadNode,
    GraphQLBoolean,
    GraphQLEnumType,
    GraphQLField,
    GraphQLID,
    GraphQLInputObjectType,
    GraphQLInt,
    GraphQLList,
    GraphQLNonNull,
    GraphQLObjectType,
    GraphQLScalarType,
    GraphQLSchema,
    GraphQLString,
    InlineFragmentNode,
    OperationDefinitionNode,
    SelectionSetNode,
    VariableNode,
    located_error,
    parse,
)

from tablecall.contract.action_models import PUBLISHED, PublishedAction
from tablecall.engine.requests import body_of
from tablecall.graphql.errors import wrap
from tablecall.graphql.limits import charge, value_count
from tablecall.graphql.types import TYPE_OF_TAG
from tablecall.runtime import dispatch
from tablecall.runtime.request_context import RequestContext

Complete = Callable[[Any], Any]
"""Makes of a value what GraphQL answers for it."""

FEW_ITEMS = 40
"""Of so many items in its lists, however often they are selected, a ruling holds but some thousands of values: aliases are bounded."""
_LEAST, _MOST = -(2**31), 2**31 - 1
_ABSENT = object()


class Uncovered(Exception):
    """Graphql-core must answer this."""


def items(ruling: Mapping[str, Any]) -> int:
    """How many items the lists of a ruling have, those of its dice too."""
    return sum([len(part) for part in ruling.values() if type(part) is list]) + sum([len(roll["dice"]) for roll in ruling["rolls"]])


class Plans:
    """The plans of the documents seen last, at most ``most``; a document has one from the second time on."""

    def __init__(self, schema: GraphQLSchema, extras: frozenset[str], most: int) -> None:
        """``extras`` are the fields of a ruling that are made only where they are selected."""
        self.schema = schema
        self.extras = extras
        self.most = most
        self._inputs = Inputs(schema)
        self._known: OrderedDict[tuple[str, str | None], Plan | None] = OrderedDict()
        self._seen: OrderedDict[tuple[str, str | None], None] = OrderedDict()

    def answered(self, query: str, operation: str | None) -> None:
        """Graphql-core has answered this document, and found nothing wrong with it."""
        self._seen[query, operation] = None
        if len(self._seen) > self.most:
            self._seen.popitem(last=False)

    def find(self, query: str, operation: str | None) -> Plan | None:
        """The plan of a document; none where there is none or it was not seen before."""
        key = query, operation
        if key in self._known:
            self._known.move_to_end(key)
            return self._known[key]
        if key not in self._seen:
            return None
        del self._seen[key]
        self._known[key] = plan = self._made(query, operation)
        if len(self._known) > self.most:
            self._known.popitem(last=False)
        return plan

    def _made(self, query: str, operation: str | None) -> Plan | None:
        try:
            return Compiler(self.schema, self._inputs, parse(query), self.extras).plan(operation)
        except Uncovered:
            return None


@dataclass(slots=True)
class Plan:
    """What is asked of one document: under which name, of which variable, with which extras; a picker for each type of ruling.

    ``nodes`` and ``fragments`` are what it selects, to weigh a ruling that has many items.
    """

    name: str
    variable: str
    include: frozenset[str]
    nodes: list[FieldNode]
    fragments: Mapping[str, FragmentDefinitionNode]
    inputs: Inputs
    compile: Callable[[str], Complete]
    pickers: dict[str, Complete] = field(default_factory=dict)

    async def answer(self, context: RequestContext, variables: Mapping[str, Any]) -> ExecutionResult:
        """The result; of a request that is refused or fails, the error that graphql-core would give.

        Raises `Uncovered` before any rule has run, if the request must be converted.
        """
        published, document = self.inputs.request(variables.get(self.variable))
        try:
            with wrap():
                body = body_of(published.action, document)
                if body.large_ruling:
                    raise Uncovered  # its ruling may be long: it is not picked from in one step
                picker = self._picker(published.tag)
                ruling = await dispatch.ruling(context, published.system, published.action, body, include=self.include)
                if items(ruling) > FEW_ITEMS:
                    charge(context, value_count(self.nodes, ruling, self.fragments))
        except Uncovered:
            raise
        except Exception as error:
            return ExecutionResult(None, [located_error(error, self.nodes, [self.name])])
        return ExecutionResult({self.name: picker(ruling)}, None)

    def _picker(self, tag: str) -> Complete:
        picker = self.pickers.get(tag)
        if picker is None:
            picker = self.pickers[tag] = self.compile(TYPE_OF_TAG[tag])
        return picker


# ── What is selected ─────────────────────────────────────────────────────────────────────────────────────────────────


class Compiler:
    """Compiles one document, which graphql-core has found valid."""

    def __init__(self, schema: GraphQLSchema, inputs: Inputs, document: DocumentNode, extras: frozenset[str]) -> None:
        self.schema = schema
        self.inputs = inputs
        self.extras = extras
        self.operations = [one for one in document.definitions if isinstance(one, OperationDefinitionNode)]
        self.fragments = {one.name.value: one for one in document.definitions if isinstance(one, FragmentDefinitionNode)}

    def plan(self, name: str | None) -> Plan:
        """The plan of an operation; of the only one, where none is named."""
        operation = next(one for one in self.operations if name is None or (one.name is not None and one.name.value == name))
        query = self.schema.query_type
        assert query is not None, "there is nothing else to ask by"
        (answered, nodes), *others = self.collect([operation.selection_set], query).items()
        if others or nodes[0].name.value != "resolve":
            raise Uncovered
        variable = self._variable(operation, nodes)
        inner = [node.selection_set for node in nodes if node.selection_set is not None]
        include = self.extras & self._names(inner)
        return Plan(answered, variable, include, nodes, self.fragments, self.inputs, lambda kind: self._of_type(kind, inner))

    def _variable(self, operation: OperationDefinitionNode, nodes: list[FieldNode]) -> str:
        """The one variable, which holds the whole request."""
        definitions = operation.variable_definitions or ()
        values = [argument.value for node in nodes for argument in node.arguments or ()]
        if len(definitions) != 1 or not all(isinstance(value, VariableNode) for value in values):
            raise Uncovered
        # It is valid, so the variable is of the argument's type; a default would have to be read as a value.
        if definitions[0].directives or definitions[0].default_value is not None:
            raise Uncovered
        return definitions[0].variable.name.value

    def collect(self, sets: Iterable[SelectionSetNode], kind: GraphQLObjectType) -> dict[str, list[FieldNode]]:
        """The fields selected of an object type, by response name, in the order in which they first stand."""
        found: dict[str, list[FieldNode]] = {}
        seen: set[str] = set()
        for one in sets:
            self._collect(one, kind, found, seen)
        return found

    def _collect(self, one: SelectionSetNode, kind: GraphQLObjectType, found: dict[str, list[FieldNode]], seen: set[str]) -> None:
        for node in one.selections:
            if node.directives:
                raise Uncovered
            if isinstance(node, FieldNode):
                found.setdefault((node.alias or node.name).value, []).append(node)
                continue
            part: InlineFragmentNode | FragmentDefinitionNode
            if isinstance(node, FragmentSpreadNode):
                if node.name.value in seen:
                    continue
                seen.add(node.name.value)
                part = self.fragments[node.name.value]
            else:
                assert isinstance(node, InlineFragmentNode)
                part = node
            if part.type_condition is None or self._is(kind, part.type_condition.name.value):
                self._collect(part.selection_set, kind, found, seen)

    def _is(self, kind: GraphQLObjectType, name: str) -> bool:
        return kind.name == name or any(parent.name == name for parent in kind.interfaces)

    def _names(self, sets: list[SelectionSetNode]) -> frozenset[str]:
        """The names of the fields selected, whatever type they are of."""
        found: set[str] = set()
        seen: set[str] = set()
        still = [node for one in sets for node in one.selections]
        while still:
            node = still.pop()
            if isinstance(node, FieldNode):
                found.add(node.name.value)
            elif isinstance(node, InlineFragmentNode):
                still += node.selection_set.selections
            elif isinstance(node, FragmentSpreadNode) and node.name.value not in seen:
                seen.add(node.name.value)
                still += self.fragments[node.name.value].selection_set.selections
        return frozenset(found)

    def _of_type(self, name: str, sets: list[SelectionSetNode]) -> Complete:
        kind = self.schema.type_map[name]
        assert isinstance(kind, GraphQLObjectType)
        return self._object(kind, sets)

    def _object(self, kind: GraphQLObjectType, sets: list[SelectionSetNode]) -> Complete:
        """A picker of what is selected of an object."""
        rows: list[tuple[str, str, Complete]] = []
        for answered, nodes in self.collect(sets, kind).items():
            name = nodes[0].name.value
            if name == "__typename":
                rows.append((answered, "", _always(kind.name)))
                continue
            selected = kind.fields[name]
            inner = [node.selection_set for node in nodes if node.selection_set is not None]
            rows.append((answered, _key(selected), self._complete(selected.type, inner)))

        def pick(value: Any) -> Any:
            if type(value) is dict:
                return {answered: complete(value.get(name)) for answered, name, complete in rows}
            if value is None:
                return None
            raise Uncovered

        return pick

    def _complete(self, kind: Any, inner: list[SelectionSetNode]) -> Complete:
        if isinstance(kind, GraphQLNonNull):
            return _there(self._complete(kind.of_type, inner))
        if isinstance(kind, GraphQLList):
            return _each(self._complete(kind.of_type, inner))
        if isinstance(kind, GraphQLObjectType):
            return self._object(kind, inner)
        if isinstance(kind, GraphQLEnumType):
            return _word({value.value: name for name, value in kind.values.items()})
        if isinstance(kind, GraphQLScalarType):
            return _scalar(kind)
        raise Uncovered


def _key(selected: GraphQLField) -> str:
    """The name in a plain answer of a field that is merely looked up there."""
    definition = (selected.extensions or {}).get("strawberry-definition")
    if definition is None or definition.base_resolver is not None:
        raise Uncovered
    return str(definition.python_name).rstrip("_")


def _always(text: str) -> Complete:
    return lambda value: text


def _there(complete: Complete) -> Complete:
    def there(value: Any) -> Any:
        found = complete(value)
        if found is None:
            raise Uncovered
        return found

    return there


def _each(complete: Complete) -> Complete:
    def each(value: Any) -> Any:
        if type(value) is list:
            return [complete(one) for one in value]
        if value is None:
            return None
        raise Uncovered

    return each


def _word(names: dict[Any, str]) -> Complete:
    def word(value: Any) -> Any:
        if value is None:
            return None
        found = names.get(value) if type(value) is str else None
        if found is None:
            raise Uncovered
        return found

    return word


def _as_it_is(value: Any) -> Any:
    return value


def _text(value: Any) -> Any:
    if value is None or type(value) is str:
        return value
    raise Uncovered


def _number(value: Any) -> Any:
    if value is None or (type(value) is int and _LEAST <= value <= _MOST):
        return value
    raise Uncovered


def _truth(value: Any) -> Any:
    if value is None or type(value) is bool:
        return value
    raise Uncovered


_SCALARS: dict[str, Complete] = {
    GraphQLString.name: _text,
    GraphQLID.name: _text,
    GraphQLInt.name: _number,
    GraphQLBoolean.name: _truth,
    "JSON": _as_it_is,
    "Seed": _as_it_is,
}


def _scalar(kind: GraphQLScalarType) -> Complete:
    """A scalar where neither reading nor writing changes it."""
    found = _SCALARS.get(kind.name)
    if found is None:
        raise Uncovered
    return found


# ── What is sent ─────────────────────────────────────────────────────────────────────────────────────────────────────


class Inputs:
    """Takes a request in a variable as it stands, as the document that `tablecall.graphql.types.to_wire` would make of it."""

    def __init__(self, schema: GraphQLSchema) -> None:
        kind = schema.type_map["ResolveRequest"]
        assert isinstance(kind, GraphQLInputObjectType)
        self._takers: dict[str, Complete] = {}
        named = {published.field: published for published in PUBLISHED.values()}
        self._actions = {name: (named[name], self._take(one.type)) for name, one in kind.fields.items()}

    def request(self, value: Any) -> tuple[PublishedAction, dict[str, Any]]:
        """The one action of a request, and its document; raises `Uncovered` for what is not taken as it stands."""
        if type(value) is not dict or len(value) != 1:
            raise Uncovered
        ((name, sent),) = value.items()
        found = self._actions.get(name)
        if found is None or sent is None:
            raise Uncovered
        return found[0], found[1](sent)

    def _take(self, kind: Any) -> Complete:
        if isinstance(kind, GraphQLNonNull):
            return _there(self._take(kind.of_type))
        if isinstance(kind, GraphQLList):
            return _each(self._take(kind.of_type))
        if isinstance(kind, GraphQLEnumType):
            return _word({name: getattr(value.value, "value", value.value) for name, value in kind.values.items()})
        if isinstance(kind, GraphQLInputObjectType):
            return self._object(kind)
        assert isinstance(kind, GraphQLScalarType)
        return _scalar(kind)

    def _object(self, kind: GraphQLInputObjectType) -> Complete:
        """Takes an input object; a field that says its default is as if it were not there."""
        if kind.name in self._takers:
            return lambda value: self._takers[kind.name](value)
        self._takers[kind.name] = _as_it_is
        rows = []
        for name, one in kind.fields.items():
            default = _unsaid(one)
            required = isinstance(one.type, GraphQLNonNull) and default is _ABSENT
            rows.append((name, self._take(one.type), default, required))

        def take(value: Any) -> Any:
            if value is None:
                return None
            if type(value) is not dict:
                raise Uncovered
            found, said = {}, 0
            for name, taken, default, required in rows:
                sent = value.get(name, _ABSENT)
                if sent is not _ABSENT:
                    said += 1
                    part = taken(sent)
                    if part != default:
                        found[name] = part
                elif required:
                    raise Uncovered
            if said != len(value):
                raise Uncovered
            return found

        self._takers[kind.name] = take
        return take


def _unsaid(one: Any) -> Any:
    """What a field is when nobody says it; `_ABSENT` where it is nothing."""
    definition = (one.extensions or {})["strawberry-definition"]
    if definition.default_factory is list:
        return []
    return definition.default if isinstance(definition.default, bool | int | str) else _ABSENT
