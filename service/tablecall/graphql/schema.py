"""The GraphQL schema: `resolve`, `odds`, `batch`, `verify` and the systems as data, with types derived from the published models."""

import asyncio
import logging
from collections.abc import AsyncIterator, Awaitable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, nullcontext
from functools import partial
from types import MappingProxyType
from typing import Any

import strawberry
from graphql import (
    FieldNode,
    FloatValueNode,
    GraphQLError,
    GraphQLResolveInfo,
    IntValueNode,
    StringValueNode,
    ValueNode,
)
from pydantic import BaseModel
from strawberry.extensions import MaxTokensLimiter, ParserCache
from strawberry.scalars import JSON
from strawberry.schema.config import StrawberryConfig
from strawberry.types import ExecutionContext, Info

from tablecall.contract import system_models
from tablecall.contract.action_models import PUBLISHED, PublishedAction
from tablecall.contract.batch_models import MAX_REQUESTS, Batch, BatchAnswer, BatchResult
from tablecall.engine import verify
from tablecall.engine.requests import body_of
from tablecall.graphql import types
from tablecall.graphql.errors import is_internal, streamed, wrap
from tablecall.graphql.extensions import OneOperation, Validation
from tablecall.graphql.limits import MAX_CACHED, MAX_TOKENS, charge, value_count
from tablecall.graphql.selection import selected
from tablecall.http import batch
from tablecall.model.base import Body
from tablecall.model.problems import Problem
from tablecall.model.ruling import NeededRolls, Odds, Ruling
from tablecall.model.text import LANGUAGES, Language
from tablecall.runtime import dispatch
from tablecall.runtime.cooperative import TimeSlices
from tablecall.runtime.request_context import RequestContext, context_of, speaking
from tablecall.systems import SYSTEMS
from tablecall.systems.system import Action, System

EXTRAS = frozenset({"factors", "options", "odds"})
_PLAIN = frozenset({"action", "system", "outcome"})

log = logging.getLogger("tablecall")


def _seed(value: Any) -> Any:
    """A seed as it was sent. The model validates it."""
    return value


def _literal_seed(node: ValueNode, variables: Any = None) -> Any:
    """A seed in the query, read like the same JSON. The model validates it."""
    if isinstance(node, StringValueNode):
        return node.value
    # A double is exact for every integer that a seed may be, and cheap to read however many digits there are.
    return float(node.value) if isinstance(node, IntValueNode | FloatValueNode) else False


SEED = strawberry.scalar(
    name="Seed",
    description="Text of 1 to 256 characters without control characters, or an integer within ±(2⁵³−1), which means its decimal text.",
    serialize=_seed,
    parse_value=_seed,
    parse_literal=_literal_seed,
)


ID = strawberry.scalar(
    name="Id",
    description='Text of 1 to 120 characters without control characters, or an integer within ±(2⁵³−1). 1 and "1" are the same id.',
    serialize=_seed,
    parse_value=_seed,
    parse_literal=_literal_seed,
)


class Schema(strawberry.Schema):
    """Strawberry's schema, except that refusals are not logged."""

    def process_errors(self, errors: list[GraphQLError], execution_context: ExecutionContext | None = None) -> None:
        """Log unexpected failures."""
        for error in errors:
            if is_internal(error):
                log.error("unexpected failure", exc_info=error.original_error)


def build() -> Schema:
    """Build the schema from the published actions and models."""
    ruling = types.interface(Ruling, frozenset({"after"}))
    rulings = [types.implementing(published.ruling, ruling, _PLAIN, tag) for tag, published in PUBLISHED.items()]
    request = _resolve_request()
    odds_type, verification_type, batch_type = types.output(Odds), types.output(verify.Verification), _batch_answer(ruling)
    system_type, rule_type = types.output(RuleSystem), types.output(system_models.NumberedRule)
    rolls_type, language_type = types.output(NeededRolls), types.enum_of(Body, "language")

    async def resolve_field(info: Info, request: request, language: language_type | None = None) -> ruling:  # type: ignore[valid-type]
        context = _context(info)
        async with dispatch.turn(context):
            with _asked(context, request, language) as asked:
                answer = await dispatch.ruling(context, *asked, include=_selected(info._raw_info))
                charge(context, value_count(info._raw_info.field_nodes, answer, info._raw_info.fragments))
                return answer

    async def odds_field(info: Info, request: request, language: language_type | None = None) -> odds_type:  # type: ignore[valid-type]
        context = _context(info)
        with _asked(context, request, language) as asked:
            return await dispatch.odds(context, *asked)

    def rolls_field(info: Info, request: request, language: language_type | None = None) -> rolls_type:  # type: ignore[valid-type]
        context = _context(info)
        with _asked(context, request, language) as asked:
            return dispatch.needed_rolls(context, *asked)

    async def odds_stream(
        info: Info,
        request: request,  # type: ignore[valid-type]
        language: language_type | None = None,  # type: ignore[valid-type]
    ) -> AsyncIterator[odds_type]:  # type: ignore[valid-type]
        context = _context(info)
        with _asked(context, request, language) as asked:
            spoken, answers = asked[2].language, dispatch.progressing_odds(context, *asked)
        async for odds in streamed(answers, spoken):
            yield odds

    async def batch_field(
        info: Info,
        requests: list[request],  # type: ignore[valid-type]
        seed: types.Seed | None = None,
        language: language_type | None = None,  # type: ignore[valid-type]
    ) -> batch_type:  # type: ignore[valid-type]
        spoken = _language(_context(info), language)
        with wrap(spoken):
            requested = batch.batch_of({"seed": seed, "requests": requests})
        return _batched(_context(info), requested, info._raw_info, spoken)

    async def verify_field(
        info: Info,
        request: request,  # type: ignore[valid-type]
        ruling: JSON,
        language: language_type | None = None,  # type: ignore[valid-type]
    ) -> verification_type:  # type: ignore[valid-type]
        context = _context(info)
        async with dispatch.turn(context):
            with _asked(context, request, language, verify.within("/request")) as asked:
                return await dispatch.verification(context, *asked, ruling)

    def systems_field() -> list[system_type]:  # type: ignore[valid-type]
        return [_system(system) for system in SYSTEMS.values()]

    def system_field(name: str) -> system_type | None:  # type: ignore[valid-type]
        return _system(SYSTEMS[name]) if name in SYSTEMS else None

    def rule_field(id: strawberry.ID) -> rule_type | None:  # type: ignore[valid-type]
        rule = system_models.find_rule(id)
        return None if rule is None else system_models.rule_data(rule)

    fields: dict[str, tuple[Any, str]] = {
        "resolve": (resolve_field, "Resolve one action. Selecting `factors`, `options` or `odds` asks for them."),
        "rolls": (rolls_field, "The dice that a table needs to roll next for the same request, until it is complete."),
        "odds": (odds_field, "The odds of the same request: exact, or simulated and marked as such."),
        "batch": (batch_field, f"Resolve up to {MAX_REQUESTS:,} requests, each by itself: a refused one does not affect the others."),
        "verify": (verify_field, "Check a ruling, or what was selected of it, against its request."),
        "systems": (systems_field, "The rule systems."),
        "system": (system_field, "One rule system by its name; null if it does not exist."),
        "rule": (rule_field, "One numbered rule by its id; null if it does not exist."),
    }
    namespace = {name: strawberry.field(function, name=name, description=text) for name, (function, text) in fields.items()}
    query = strawberry.type(type("Query", (), namespace), description="The queries.")
    rolling = {name: strawberry.field(fields[name][0], name=name, description=fields[name][1]) for name in ("resolve", "batch")}
    mutation = strawberry.type(
        type("Mutation", (), rolling),
        description="Rolling dice: the documented way, so that no cache shows the same roll twice. The queries of the same names are for "
        "reads with a seed.",
    )
    text = "The odds while they are computed: of a simulated fight repeatedly, each time over more trials; otherwise once."
    stream = {"odds": strawberry.subscription(odds_stream, name="odds", description=text)}
    subscription = strawberry.type(type("Subscription", (), stream), description="The subscriptions, as server-sent events.")
    for root_type in (query, mutation, subscription):
        _describe_arguments(root_type)
    return Schema(
        query,
        mutation=mutation,
        subscription=subscription,
        types=[*rulings],
        config=StrawberryConfig(sort_schema=True, default_resolver=types.look_up, scalar_map={types.Seed: SEED, types.Id: ID}),
        extensions=[lambda: MaxTokensLimiter(MAX_TOKENS), OneOperation, lambda: ParserCache(MAX_CACHED), Validation],
    )


class RuleSystem(system_models.RuleSystem):
    """A rule system."""

    rules: list[system_models.NumberedRule]
    """Its rules, in the book's order."""
    tables: dict[str, Any]
    """The rows of each table, by the name of the table."""
    templates: dict[str, Any]
    """The templates of its sentences, by language and key: what `steps.key` names."""


def _system(system: System) -> dict[str, Any]:
    """A system with its rules, tables and templates."""
    rules = [system_models.rule_data(rule) for rule in system.rules]
    return {**system_models.system_data(system), "rules": rules, "tables": system.tables, "templates": system_models.templates_of(system)}


def _context(info: Info) -> RequestContext:
    return context_of(info.context["request"].scope)


ARGUMENTS = {
    "request": "What is attempted: exactly one action.",
    "requests": "The requests, of any actions.",
    "seed": "Request number `i`, counted from 0, without a seed of its own uses `{seed}/{i}`. Left out, the service draws one.",
    "ruling": "The ruling as it was answered; what is left out is not compared.",
    "name": "The system's name, as `systems` lists it.",
    "id": "The rule's id, as steps and refusals cite it.",
    "language": "The language of all sentences. A request that names its own is answered in that; left out, `Accept-Language` decides.",
}
"""The description of each argument. Arguments of one name mean the same everywhere."""


def _describe_arguments(root_type: Any) -> None:
    for field in root_type.__strawberry_definition__.fields:
        for argument in field.arguments:
            argument.description = ARGUMENTS[argument.python_name]


def _resolve_request() -> Any:
    """The `oneOf` input of all actions' bodies, each under the action's name, for example ``jazzCheck``."""
    members = {tag: (published.action.body, f"{tag}: {published.action.text}") for tag, published in PUBLISHED.items()}
    return types.one_of("ResolveRequest", "A request: exactly one action.", members)


def _chosen(request: Any) -> tuple[Any, dict[str, Any]]:
    """The action of a request, and its document."""
    sent = ((published, getattr(request, published.field)) for published in PUBLISHED.values())
    return next((published, types.to_wire(body.value)) for published, body in sent if body is not None)


def _language(context: RequestContext, argument: Any, document: Mapping[str, Any] = MappingProxyType({})) -> Language:
    """The language of sentences and refusals: the request's own, else the argument, else that of the header."""
    spoken: Language = document.get("language") or types.to_wire(argument) or context.language or LANGUAGES[0]
    return spoken


@contextmanager
def _asked(
    context: RequestContext, request: Any, language: Any, reading: AbstractContextManager[Any] | None = None
) -> Iterator[tuple[System, Action, Body]]:
    """A request, read. Refusals, of the reading too, become GraphQL errors in its language."""
    published, document = _chosen(request)
    spoken = _language(context, language, document)
    with wrap(spoken):
        with reading or nullcontext():
            system, action, body = _read(published, document)
        yield system, action, speaking(body, spoken)


def _batch_answer(ruling: Any) -> Any:
    """The type `BatchAnswer`. Each result is a ruling or a problem."""
    members = {"ruling": ruling, "problem": types.output(Problem)}
    result = _described(BatchResult, {name: graphql_type | None for name, graphql_type in members.items()})

    def results(root: strawberry.Parent[Any]) -> list[result]:  # type: ignore[valid-type]
        return root["results"]()  # type: ignore[no-any-return]

    named = {"seed": str, "seedFrom": types.field_type(BatchAnswer, "seed_from")}
    return _described(BatchAnswer, named, results=results)


def _described(model: type[BaseModel], annotations: dict[str, Any], **resolvers: Any) -> Any:
    """An object type with a model's descriptions: fields with these types, and fields with resolvers."""
    texts = {field.alias or name: field.description for name, field in model.model_fields.items()}
    fields = {name: strawberry.field(name=name, description=texts[name]) for name in annotations}
    fields |= {name: strawberry.field(resolver, name=name, description=texts[name]) for name, resolver in resolvers.items()}
    made = type(model.__name__, (), {"__annotations__": annotations, **fields})
    return strawberry.type(made, description=model.__doc__)


def _batched(context: RequestContext, requested: Batch, info: GraphQLResolveInfo[Any], language: Language) -> dict[str, Any]:
    """A batch whose results are resolved later, one after the other. Other requests run between them."""
    include, nodes = _selected(info, "results", "ruling"), _nodes(info, "results")
    seeds, turn, slices = batch.Seeds.of(requested.seed), asyncio.Lock(), TimeSlices()

    async def result(index: int, request: Any) -> dict[str, Any]:
        async with turn:
            if slices.over:
                await slices.rest()
            published, document = _chosen(request)
            answer = await batch.answer(context, document, index, seeds, partial(_read, published), include, language)
            with wrap(language):
                charge(context, value_count(nodes, answer, info.fragments))
            return answer

    def results() -> list[Awaitable[dict[str, Any]]]:
        return [result(index, request) for index, request in enumerate(requested.requests)]

    return {"seed": seeds.text, "seedFrom": seeds.chosen_by, "results": results}


def _read(published: PublishedAction, document: dict[str, Any]) -> tuple[System, Action, Body]:
    return published.system, published.action, body_of(published.action, document)


def _selected(info: GraphQLResolveInfo[Any], *path: str) -> frozenset[str]:
    """The extras that are selected of the ruling, which is this field or the one at a path below it."""
    return EXTRAS.intersection(node.name.value for node in selected(_nodes(info, *path), info.fragments))


def _nodes(info: GraphQLResolveInfo[Any], *path: str) -> list[FieldNode]:
    """The selections of the field at a path below this one."""
    nodes = list(info.field_nodes)
    for name in path:
        nodes = [node for node in selected(nodes, info.fragments) if node.name.value == name]
    return nodes


SCHEMA = build()
