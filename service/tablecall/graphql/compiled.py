"""Plans for documents that come again: a selection is compiled once into functions that pick from the plain ruling.

A plan covers one query or mutation that asks `resolve` once, with the whole request in one variable and without directives.
graphql-core answers everything else, and every request that would have to be converted. A plan is only made of a document that
graphql-core has parsed, validated and answered without errors here before, so both give the same response.
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
    OperationDefinitionNode,
    OperationType,
    VariableNode,
    located_error,
    parse,
)
from strawberry.types.unset import UNSET

from tablecall.contract.action_models import PUBLISHED, PublishedAction
from tablecall.engine.requests import body_of
from tablecall.graphql.errors import wrap
from tablecall.graphql.limits import charge, value_count
from tablecall.graphql.selection import Fragment, Parent, by_response_name, selected
from tablecall.graphql.types import DECLARING, TYPE_OF_TAG, key_of
from tablecall.model.text import LANGUAGES
from tablecall.runtime import dispatch
from tablecall.runtime.request_context import RequestContext, speaking

Complete = Callable[[Any], Any]
"""Completes a value: from the plain ruling to the response, or from a variable to the request."""

FEW_ITEMS = 40
"""At or below this many list items a response cannot exceed `MAX_ANSWERED`, so its values are not counted: aliases are bounded."""
_MIN_INT, _MAX_INT = -(2**31), 2**31 - 1


class Uncovered(Exception):
    """graphql-core must answer this."""


def items(ruling: Mapping[str, Any]) -> int:
    """The number of items in the lists of a ruling, including its dice."""
    return sum([len(part) for part in ruling.values() if type(part) is list]) + sum([len(roll["dice"]) for roll in ruling["rolls"]])


class Plans:
    """The plans of the ``size`` documents used last. A document has a plan from its second request on."""

    def __init__(self, schema: GraphQLSchema, extras: frozenset[str], size: int) -> None:
        """``extras`` are the fields of a ruling that are only made if they are selected."""
        self.schema = schema
        self.extras = extras
        self.size = size
        self._inputs = Inputs(schema)
        self._known: OrderedDict[tuple[str, str | None], Plan | None] = OrderedDict()
        self._seen: OrderedDict[tuple[str, str | None], None] = OrderedDict()

    def answered(self, query: str, operation: str | None) -> None:
        """Note that graphql-core has answered this document without errors."""
        self._seen[query, operation] = None
        if len(self._seen) > self.size:
            self._seen.popitem(last=False)

    def find(self, query: str, operation: str | None) -> Plan | None:
        """The plan of a document, or ``None`` if it has none."""
        key = query, operation
        if key in self._known:
            self._known.move_to_end(key)
            return self._known[key]
        if key not in self._seen:
            return None
        del self._seen[key]
        self._known[key] = plan = self._compile(query, operation)
        if len(self._known) > self.size:
            self._known.popitem(last=False)
        return plan

    def _compile(self, query: str, operation: str | None) -> Plan | None:
        if "@" in query:  # perhaps a directive
            return None
        try:
            return Compiler(self.schema, self._inputs, parse(query), self.extras).plan(operation)
        except Uncovered:
            return None


@dataclass(slots=True)
class Plan:
    """How to answer one document.

    ``name`` is the response name of `resolve`, ``variable`` holds the request, and ``include`` are the extras that are selected.
    ``pickers`` has a function for each type of ruling. ``nodes`` and ``fragments`` are the selection, to count a long ruling's values.
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
            spoken = document.get("language") or context.language or LANGUAGES[0]
            with wrap(spoken):
                body = speaking(body_of(published.action, document), spoken)
                if body.large_ruling:
                    raise Uncovered  # a long ruling is not picked from in one step
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


# ── Outputs ───────────────────────────────────────────────────────────────────────────────────────────────────────────


class Compiler:
    """Compiles one valid document."""

    def __init__(self, schema: GraphQLSchema, inputs: Inputs, document: DocumentNode, extras: frozenset[str]) -> None:
        self.schema = schema
        self.inputs = inputs
        self.extras = extras
        self.operations = [node for node in document.definitions if isinstance(node, OperationDefinitionNode)]
        self.fragments = {node.name.value: node for node in document.definitions if isinstance(node, FragmentDefinitionNode)}

    def plan(self, name: str | None) -> Plan:
        """The plan of the operation with this name; without a name, of the only operation."""
        operation = next(node for node in self.operations if name is None or (node.name is not None and node.name.value == name))
        mutates = operation.operation is OperationType.MUTATION
        root_type = self.schema.mutation_type if mutates else self.schema.query_type
        assert root_type is not None
        (response_name, nodes), *others = self.collect([operation], root_type).items()
        if others or nodes[0].name.value != "resolve":
            raise Uncovered
        variable = self._variable(operation, nodes)
        include = self.extras.intersection(node.name.value for node in selected(nodes, self.fragments))
        return Plan(response_name, variable, include, nodes, self.fragments, self.inputs, lambda type_name: self._of_type(type_name, nodes))

    def _variable(self, operation: OperationDefinitionNode, nodes: list[FieldNode]) -> str:
        """The name of the only variable, which holds the whole request."""
        definitions = operation.variable_definitions or ()
        values = [argument.value for node in nodes for argument in node.arguments or ()]
        # The document is valid, so the variable has the argument's type. A default would have to be converted.
        if (
            len(definitions) != 1
            or definitions[0].default_value is not None
            or not all(isinstance(value, VariableNode) for value in values)
        ):
            raise Uncovered
        return definitions[0].variable.name.value

    def collect(self, parents: Iterable[Parent], object_type: GraphQLObjectType) -> dict[str, list[FieldNode]]:
        """The fields selected of an object type, by response name, in the order in which they first appear."""
        names = {object_type.name, *(interface.name for interface in object_type.interfaces)}

        def applies(fragment: Fragment) -> bool:
            return fragment.type_condition is None or fragment.type_condition.name.value in names

        return by_response_name(selected(parents, self.fragments, applies))

    def _of_type(self, name: str, nodes: list[FieldNode]) -> Complete:
        object_type = self.schema.type_map[name]
        assert isinstance(object_type, GraphQLObjectType)
        return self._object(object_type, nodes)

    def _object(self, object_type: GraphQLObjectType, parents: list[FieldNode]) -> Complete:
        """A function that picks the selected fields of an object."""
        rows: list[tuple[str, str, Complete]] = []
        for response_name, nodes in self.collect(parents, object_type).items():
            name = nodes[0].name.value
            if name == "__typename":
                rows.append((response_name, "", _constant(object_type.name)))
                continue
            rows.append((response_name, _key(object_type.fields[name]), self._complete(object_type.fields[name].type, nodes)))

        def pick(value: Any) -> Any:
            if type(value) is dict:
                return {response_name: complete(value.get(name)) for response_name, name, complete in rows}
            if value is None:
                return None
            raise Uncovered

        return pick

    def _complete(self, graphql_type: Any, nodes: list[FieldNode]) -> Complete:
        """A function that completes a value of any type."""

        def object_of(named_type: Any) -> Complete:
            if isinstance(named_type, GraphQLObjectType):
                return self._object(named_type, nodes)
            raise Uncovered

        return _complete(graphql_type, object_of, lambda enum: {value.value: name for name, value in enum.values.items()})


def _complete(graphql_type: Any, object_of: Callable[[Any], Complete], words: Callable[[GraphQLEnumType], dict[Any, Any]]) -> Complete:
    """A function that completes a value, given functions for object types and for the words of an enum."""
    if isinstance(graphql_type, GraphQLNonNull):
        return _non_null(_complete(graphql_type.of_type, object_of, words))
    if isinstance(graphql_type, GraphQLList):
        return _list_of(_complete(graphql_type.of_type, object_of, words))
    if isinstance(graphql_type, GraphQLEnumType):
        return _enum(words(graphql_type))
    return _scalar(graphql_type) if isinstance(graphql_type, GraphQLScalarType) else object_of(graphql_type)


def _key(selected: GraphQLField) -> str:
    """The key in the plain ruling of a field without a resolver of its own."""
    definition = (selected.extensions or {}).get("strawberry-definition")
    if definition is None or definition.base_resolver is not None:
        raise Uncovered
    return key_of(str(definition.python_name))


def _constant(text: str) -> Complete:
    return lambda value: text


def _non_null(complete: Complete) -> Complete:
    def non_null(value: Any) -> Any:
        completed = complete(value)
        if completed is None:
            raise Uncovered
        return completed

    return non_null


def _list_of(complete: Complete) -> Complete:
    def items_of(value: Any) -> Any:
        if type(value) is list:
            return [complete(item) for item in value]
        if value is None:
            return None
        raise Uncovered

    return items_of


def _enum(names: dict[Any, str]) -> Complete:
    def enum(value: Any) -> Any:
        if value is None:
            return None
        name = names.get(value) if type(value) is str else None
        if name is None:
            raise Uncovered
        return name

    return enum


def _unchanged(value: Any) -> Any:
    return value


def _uncovered(value: Any) -> Any:
    raise Uncovered


def _of(python_type: type) -> Complete:
    def of_type(value: Any) -> Any:
        if value is None or type(value) is python_type:
            return value
        raise Uncovered

    return of_type


def _int(value: Any) -> Any:
    if value is None or (type(value) is int and _MIN_INT <= value <= _MAX_INT):
        return value
    raise Uncovered


_SCALARS: dict[str, Complete] = {
    GraphQLString.name: _of(str),
    GraphQLID.name: _of(str),
    GraphQLInt.name: _int,
    GraphQLBoolean.name: _of(bool),
    "JSON": _unchanged,
    "Seed": _unchanged,
    "Id": _unchanged,
}


def _scalar(graphql_type: GraphQLScalarType) -> Complete:
    """A scalar that is the same in Python and in the response."""
    complete = _SCALARS.get(graphql_type.name)
    if complete is None:
        raise Uncovered
    return complete


# ── Inputs ────────────────────────────────────────────────────────────────────────────────────────────────────────────


class Inputs:
    """Takes a request from a variable without converting it, as the document that `tablecall.graphql.types.to_wire` would give."""

    def __init__(self, schema: GraphQLSchema) -> None:
        graphql_type = schema.type_map["ResolveRequest"]
        assert isinstance(graphql_type, GraphQLInputObjectType)
        self._coercers: dict[str, Complete] = {}
        named = {published.field: published for published in PUBLISHED.values()}
        self._actions = {name: (named[name], self._coerce(input_field.type)) for name, input_field in graphql_type.fields.items()}

    def request(self, value: Any) -> tuple[PublishedAction, dict[str, Any]]:
        """The action of a request, and its document. Raises `Uncovered` for a request that must be converted."""
        if type(value) is not dict or len(value) != 1:
            raise Uncovered
        ((name, sent),) = value.items()
        action = self._actions.get(name)
        if action is None or sent is None:
            raise Uncovered
        published, coerce = action
        return published, coerce(sent)

    def _coerce(self, graphql_type: Any) -> Complete:
        return _complete(
            graphql_type,
            self._object,
            lambda enum: {name: getattr(value.value, "value", value.value) for name, value in enum.values.items()},
        )

    def _object(self, graphql_type: GraphQLInputObjectType) -> Complete:
        """Takes an input object. Null means left out. The actions that a request declares within itself must be converted."""
        if graphql_type.name in DECLARING:
            return _uncovered
        if graphql_type.name in self._coercers:
            return lambda value: self._coercers[graphql_type.name](value)
        self._coercers[graphql_type.name] = _unchanged
        rows = []
        for name, input_field in graphql_type.fields.items():
            rows.append((name, self._coerce(input_field.type), isinstance(input_field.type, GraphQLNonNull)))

        def coerce(value: Any) -> Any:
            if value is None:
                return None
            if type(value) is not dict:
                raise Uncovered
            document, known = {}, 0
            for name, coerce_field, required in rows:
                sent = value.get(name, UNSET)
                if sent is not UNSET:
                    known += 1
                    part = coerce_field(sent)
                    if part is not None:
                        document[name] = part
                elif required:
                    raise Uncovered
            if known != len(value):
                raise Uncovered
            return document

        self._coercers[graphql_type.name] = coerce
        return coerce
