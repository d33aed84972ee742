"""The REST doors: resolve and odds for every action, the systems as data, the schemas, and how the service is."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any

import orjson
from starlette.requests import Request
from starlette.responses import Response

from service.doors import accepting, asking, batch, chart, events, schemas, systems, verifying
from service.doors.events import EVENTS
from service.doors.keeping import for_ever, for_now, kept
from service.doors.observing.visit import current
from service.doors.observing.vitals import Vitals
from service.doors.openapi import flat_parameters
from service.doors.operations import RULED, SENT, Endpoint, Operation, path_parameter
from service.doors.problems import KINDS, Refused
from service.doors.reading import flat, header, read_json, read_query, tagged, untagged
from service.doors.shapes import PUBLISHED, Published
from service.model import Body
from service.readings import is_simulated, odds, resolve
from service.settings import Settings
from service.systems import SYSTEMS
from service.systems.system import Action, System

JSON, TEXT, SVG = "application/json", "text/plain", "image/svg+xml"
RULING_FORMS, ODDS_FORMS = (JSON, TEXT), (JSON, TEXT, SVG, EVENTS)


class Json(Response):
    """A JSON answer, its headers written down rather than worked out."""

    def __init__(self, body: bytes) -> None:
        self.status_code = 200
        self.background = None
        self.body = body
        self.raw_headers = [(b"content-length", b"%d" % len(body)), (b"content-type", b"application/json")]


def as_json(document: Any) -> Response:
    """A JSON answer."""
    return Json(orjson.dumps(document))


@dataclass(frozen=True, slots=True)
class Verb:
    """What can be asked of an action: how it is answered, in which forms, the words for it, how many answers are shown.

    ``answer`` is the reading itself, ``asked`` the same for a caller at the door. ``keep`` marks an answer to a GET: a ruling
    is the same for ever where the request has a seed, odds are for as long as the rule book is.
    """

    name: str
    title: str
    forms: tuple[str, ...]
    answer: Callable[[System, Action, Body], dict[str, Any]]
    asked: Callable[[System, Action, Body], Awaitable[dict[str, Any]]]
    text: Callable[[dict[str, Any]], str]
    schema: Callable[[Published], str]
    union: str
    problems: tuple[str, ...]
    keep: Callable[[Response, Body], Response]
    shown: int = 1

    def sample(self, published: Published, number: int = 1) -> dict[str, Any]:
        """The answers to the first examples of an action, by tag and name. What draws its own seed has a fixed one."""
        found = {}
        for name, example in list(published.action.examples.items())[:number]:
            body = untagged(published.system, published.action, {"seed": _DRAWN, **example})
            answer = self.answer(published.system, published.action, body)
            drawn = {"seedFrom": "service"} if "seedFrom" in answer and "seed" not in example else {}
            found[f"{published.tag}: {name}"] = answer | drawn
        return found

    async def respond(self, request: Request, system: System, action: Action, body: Body, form: str) -> Response:
        """The answer in the form chosen."""
        if form == EVENTS:
            return await events.told(request, asking.found_so_far(system, action, body))
        found = await self.asked(system, action, body)
        if form == TEXT:
            return Response(self.text(found), media_type="text/plain; charset=utf-8")
        return Response(chart.svg(found), media_type=SVG) if form == SVG else as_json(found)


_DRAWN = "7d1f0c52a98e4b6390c4e1d87a25b3f6"
"""A seed such as the service draws."""


def _ruling(system: System, action: Action, body: Body) -> dict[str, Any]:
    return resolve(system, action, body)


async def _asked_ruling(system: System, action: Action, body: Body) -> dict[str, Any]:
    return await asking.ruling(system, action, body)


def _odds(system: System, action: Action, body: Body) -> dict[str, Any]:
    return odds(system, action, body)


def _keep_ruling(answer: Response, body: Body) -> Response:
    return answer if body.seed is None else for_ever(answer)


def _keep_odds(answer: Response, body: Body) -> Response:
    passing = answer.media_type == EVENTS or (is_simulated(body) and body.seed is None)
    return answer if passing else for_now(answer)


def _odds_line(found: dict[str, Any]) -> str:
    how = f" (of {found['simulated']['trials']} trials)" if "simulated" in found else ""
    return chart.in_words(found) + how


VERBS = (
    Verb(
        "resolve",
        "Resolve",
        RULING_FORMS,
        _ruling,
        _asked_ruling,
        lambda found: found["summary"],
        lambda one: f"{one.name}Ruling",
        "Ruling",
        RULED,
        _keep_ruling,
        2,
    ),
    Verb(
        "odds",
        "Exact odds of",
        ODDS_FORMS,
        _odds,
        asking.odds,
        _odds_line,
        lambda one: "Odds",
        "Odds",
        (*RULED, "too-large-to-count"),
        _keep_odds,
    ),
)


def operations(most: int, settings: Settings = Settings.model_construct()) -> list[Operation]:  # noqa: B008 — only bounds are read
    """Every operation; ``most`` is the largest body in bytes, ``settings`` hold the bounds of batches. The busiest come first."""
    found = [_any_action(verb, most) for verb in VERBS]
    for verb in VERBS:
        for published in PUBLISHED.values():
            found += [_posted(verb, published, most), _got(verb, published)]
    return [*found, batch.operation(settings), *verifying.operations(most), *_data(), *_schemas(), *_state()]


def _also(verb: Verb) -> str:
    """The other forms of a POST's answer, told in words: a client generated from several forms would have to ask which it got."""
    streamed = " As text/event-stream a simulation is told of while it is played: events `progress`, the last `done`."
    others = " and ".join(", ".join(verb.forms[1:]).rsplit(", ", 1))
    return f"Answers as {others} too where Accept asks for it.{streamed if EVENTS in verb.forms else ''}"


def _answers(verb: Verb, schema: str) -> dict[str, str | None]:
    return {form: schema if form == JSON else None for form in verb.forms}


def _any_action(verb: Verb, most: int) -> Operation:
    async def endpoint(request: Request) -> Response:
        form = accepting.choose(header(request, b"accept"), verb.forms)
        return await verb.respond(request, *tagged(await read_json(request, most)), form)

    examples = {
        f"{tag}: {name}": {"action": tag, **body} for tag, one in PUBLISHED.items() for name, body in list(one.action.examples.items())[:1]
    }
    return Operation(
        "POST",
        f"/{verb.name}",
        endpoint,
        verb.name,
        f"{verb.title} any action",
        verb.name,
        {JSON: verb.union},
        f"The request names its action by its tag. {_also(verb)}",
        "ResolveRequest",
        (*SENT, "not-acceptable", *verb.problems),
        (),
        examples,
        lambda: {name: answer for published in PUBLISHED.values() for name, answer in verb.sample(published).items()},
    )


def _posted(verb: Verb, published: Published, most: int) -> Operation:
    async def endpoint(request: Request) -> Response:
        form = accepting.choose(header(request, b"accept"), verb.forms)
        body = untagged(published.system, published.action, await read_json(request, most))
        return await verb.respond(request, published.system, published.action, body, form)

    return Operation(
        "POST",
        f"/{verb.name}/{published.path}",
        endpoint,
        f"{verb.name}{published.name}",
        f"{verb.title} {published.tag}",
        verb.name,
        {JSON: verb.schema(published)},
        f"{published.action.text} {_also(verb)}",
        published.name,
        (*SENT, "not-acceptable", *verb.problems),
        (),
        published.action.examples,
        lambda: verb.sample(published, verb.shown),
    )


def _got(verb: Verb, published: Published) -> Operation:
    async def endpoint(request: Request) -> Response:
        form = accepting.choose(header(request, b"accept"), verb.forms)
        body = untagged(published.system, published.action, flat(published.body, read_query(request)))
        found = await verb.respond(request, published.system, published.action, body, form)
        return verb.keep(found, body)

    return Operation(
        "GET",
        f"/{verb.name}/{published.path}",
        endpoint,
        f"{verb.name}{published.name}ByQuery",
        f"{verb.title} {published.tag}, by query",
        verb.name,
        _answers(verb, verb.schema(published)),
        f"{published.action.text} For callers that can only GET: every scalar by its dotted name. As text/plain, the one line alone.",
        None,
        ("bad-request", "invalid-request", "not-acceptable", *verb.problems),
        query=lambda: flat_parameters(published.body),
        samples=lambda: verb.sample(published, verb.shown),
    )


# ── What is here, as data ────────────────────────────────────────────────────────────────────────────────────────────

_SYSTEM = path_parameter("system", "The system's name.", next(iter(SYSTEMS)))


def _system(request: Request) -> System:
    found = SYSTEMS.get(request.path_params["system"])
    if found is None:
        raise Refused("not-found", "no such system: there are " + ", ".join(SYSTEMS))
    return found


def _kept(request: Request, document: Any) -> Response:
    """JSON that is the same for as long as the service runs."""
    return kept(orjson.dumps(document), JSON).answer(request)


async def _get_systems(request: Request) -> Response:
    return _kept(request, {"systems": [systems.system_data(system) for system in SYSTEMS.values()]})


async def _get_system(request: Request) -> Response:
    return _kept(request, systems.system_data(_system(request)))


async def _get_rules(request: Request) -> Response:
    return _kept(request, systems.rules_data(_system(request)))


async def _get_rule(request: Request) -> Response:
    rule = next((rule for rule in _system(request).rules if rule.id == request.path_params["id"]), None)
    if rule is None:
        raise Refused("not-found", "no such rule: /systems/{system}/rules lists them")
    return _kept(request, systems.rule_data(rule))


async def _get_tables(request: Request) -> Response:
    return _kept(request, systems.tables_data(_system(request)))


def _all_systems() -> dict[str, Any]:
    return {"Every system": {"systems": [systems.system_data(system) for system in SYSTEMS.values()]}}


_FEW = 3
"""How many rules, and rows of a table, an example shows."""


def _few_rules(system: System) -> dict[str, Any]:
    found = systems.rules_data(system)
    return found | {"rules": found["rules"][:_FEW]}


def _few_rows(system: System) -> dict[str, Any]:
    found = systems.tables_data(system)
    return found | {"tables": {name: rows[:_FEW] for name, rows in found["tables"].items()}}


def _data() -> list[Operation]:
    rule = path_parameter("id", "The rule's id.", next(iter(SYSTEMS.values())).rules[0].id)
    return [
        Operation("GET", "/systems", _get_systems, "systems", "The rule systems", "systems", {JSON: "SystemList"}, samples=_all_systems),
        Operation(
            "GET",
            "/systems/{system}",
            _get_system,
            "system",
            "One rule system",
            "systems",
            {JSON: "RuleSystem"},
            problems=("not-found",),
            parameters=(_SYSTEM,),
            samples=lambda: {name: systems.system_data(system) for name, system in SYSTEMS.items()},
        ),
        Operation(
            "GET",
            "/systems/{system}/rules",
            _get_rules,
            "rules",
            "The numbered rules of a system",
            "systems",
            {JSON: "RuleList"},
            problems=("not-found",),
            parameters=(_SYSTEM,),
            samples=lambda: {name: _few_rules(system) for name, system in SYSTEMS.items()},
        ),
        Operation(
            "GET",
            "/systems/{system}/rules/{id}",
            _get_rule,
            "rule",
            "One numbered rule",
            "systems",
            {JSON: "NumberedRule"},
            problems=("not-found",),
            parameters=(_SYSTEM, rule),
            samples=lambda: {system.rules[0].id: systems.rule_data(system.rules[0]) for system in SYSTEMS.values()},
        ),
        Operation(
            "GET",
            "/systems/{system}/tables",
            _get_tables,
            "tables",
            "The tables of a system",
            "systems",
            {JSON: "SystemTables"},
            problems=("not-found",),
            parameters=(_SYSTEM,),
            samples=lambda: {name: _few_rows(system) for name, system in SYSTEMS.items()},
        ),
    ]


# ── The schemas ──────────────────────────────────────────────────────────────────────────────────────────────────────


async def _get_schema(request: Request) -> Response:
    name = request.path_params["name"].removesuffix(".json")
    if name not in schemas.components():
        raise Refused("not-found", "no such schema: /openapi.json lists them under components")
    return kept(schemas.text(name), "application/schema+json").answer(request)


def _schemas() -> list[Operation]:
    name = path_parameter("name", "The schema's name, and `.json`.", "ResolveRequest.json")
    return [
        Operation(
            "GET",
            "/schemas/{name}",
            _get_schema,
            "schema",
            "The JSON Schema of one shape",
            "schemas",
            {"application/schema+json": None},
            problems=("not-found",),
            parameters=(name,),
        )
    ]


# ── How the service is ───────────────────────────────────────────────────────────────────────────────────────────────


def _vitals() -> Vitals:
    found = current().vitals
    assert found is not None, "the outermost layer sees to it"
    return found


async def _get_livez(request: Request) -> Response:
    return Response("ok\n", media_type="text/plain")


async def _get_readyz(request: Request) -> Response:
    vitals = _vitals()
    if not vitals.ready:
        raise Refused("busy", "it is stopping" if vitals.draining else "as much as there is room for is being done")
    return Response("ok\n", media_type="text/plain")


async def _get_metrics(request: Request) -> Response:
    vitals = _vitals()
    vitals.tell()
    body, media = await asyncio.to_thread(vitals.metrics.text, header(request, b"accept"))
    return Response(body, headers={"content-type": media})


async def _get_version(request: Request) -> Response:
    return as_json(systems.version_data())


async def _get_problem(request: Request) -> Response:
    kind = KINDS.get(request.path_params["code"])
    if kind is None:
        raise Refused("not-found", "no such problem: there are " + ", ".join(KINDS))
    return Response(f"{kind.title} ({kind.status})\n\n{kind.mend}\n", media_type="text/plain; charset=utf-8")


def _running() -> dict[str, Any]:
    return {"This version": systems.version_data()}


def _state() -> list[Operation]:
    code = path_parameter("code", "The problem's code.", "rule-forbids")
    return [
        Operation(
            "GET",
            "/problems/{code}",
            _get_problem,
            "problem",
            "What a refusal means and how to mend it",
            "operations",
            {TEXT: None},
            problems=("not-found",),
            parameters=(code,),
        ),
        Operation("GET", "/livez", _get_livez, "livez", "Whether the process lives", "operations", {TEXT: None}),
        Operation("GET", "/readyz", _get_readyz, "readyz", "Whether it takes requests", "operations", {TEXT: None}),
        Operation(
            "GET", "/metrics", _get_metrics, "metrics", "What was asked, how long it took, how busy it is", "operations", {TEXT: None}
        ),
        Operation("GET", "/version", _get_version, "version", "What is running", "operations", {JSON: "Version"}, samples=_running),
    ]


def constant(make: Callable[[], bytes], media: str) -> Endpoint:
    """An endpoint that always answers the same, made when it is first asked for: others are answered meanwhile."""
    body: bytes | None = None

    async def endpoint(request: Request) -> Response:
        nonlocal body
        body = body or await asyncio.to_thread(make)
        return kept(body, media).answer(request)

    return endpoint
