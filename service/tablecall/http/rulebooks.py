"""The rule systems, their rules and tables, and the JSON Schemas, by REST."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import orjson
from starlette.requests import Request
from starlette.responses import Response

from tablecall.contract import json_schema, system_models
from tablecall.contract.operations import Operation, path_parameter
from tablecall.http import layout, rule_pages
from tablecall.http.addresses import root_of
from tablecall.http.http_cache import kept
from tablecall.http.negotiation import prefers
from tablecall.http.problems import unknown
from tablecall.http.request_body import header
from tablecall.model.problems import HttpProblem
from tablecall.systems import SYSTEMS
from tablecall.systems.system import System

JSON = "application/json"

Data = Callable[[System], dict[str, Any]]
Page = Callable[[System, str], bytes]

_SYSTEM = path_parameter("system", "The system's name.", next(iter(SYSTEMS)))


def _system(request: Request) -> System:
    system = SYSTEMS.get(request.path_params["system"])
    if system is None:
        raise unknown("system", request.path_params["system"], SYSTEMS)
    return system


_VARY = "Accept, Accept-Encoding"


def _cached(request: Request, document: Callable[[], Any], page: Callable[[str], bytes]) -> Response:
    """JSON, or a page if the client prefers that. Both stay the same as long as the service runs."""
    if prefers(header(request, b"accept"), layout.HTML, JSON):
        response = kept(page(root_of(request.scope)), layout.HTML).answer(request, _VARY)
        response.headers.update({**layout.HEADERS, "content-language": "en"})
        return response
    return kept(orjson.dumps(document()), JSON).answer(request, _VARY)


async def _get_systems(request: Request) -> Response:
    return _cached(request, lambda: {"systems": [system_models.system_data(system) for system in SYSTEMS.values()]}, rule_pages.systems)


async def _get_rule(request: Request) -> Response:
    system, sought = _system(request), request.path_params["id"]
    rules = {rule.id: rule for rule in system.rules}
    rule = rules.get(sought)
    if rule is None:
        raise unknown("rule", sought, rules, system=system.name)
    return _cached(request, lambda: system_models.rule_data(rule), partial(rule_pages.rule, system, rule))


async def _get_templates(request: Request) -> Response:
    return kept(orjson.dumps(system_models.templates_data(_system(request))), JSON).answer(request)


async def _get_schema(request: Request) -> Response:
    name = request.path_params["name"].removesuffix(".json")
    if name not in json_schema.components():
        raise HttpProblem("not-found", "http.unknown_schema")
    return kept(json_schema.text(name), "application/schema+json").answer(request)


def _all_systems() -> dict[str, Any]:
    return {"Every system": {"systems": [system_models.system_data(system) for system in SYSTEMS.values()]}}


_SHOWN = 3
"""Number of rules, and of table rows, in an example."""


def _few_rules(system: System) -> dict[str, Any]:
    data = system_models.rules_data(system)
    return data | {"rules": data["rules"][:_SHOWN], "groups": data["groups"][:1]}


def _few_rows(system: System) -> dict[str, Any]:
    data = system_models.tables_data(system)
    return data | {"tables": {name: rows[:_SHOWN] for name, rows in data["tables"].items()}}


def _few_templates(system: System) -> dict[str, Any]:
    data = system_models.templates_data(system)
    return data | {"templates": {language: dict(list(texts.items())[-_SHOWN:]) for language, texts in data["templates"].items()}}


def operations() -> list[Operation]:
    """The operations of this module."""
    name = path_parameter("name", "The schema's name, and `.json`.", "ResolveRequest.json")
    rule = path_parameter("id", "The rule's id.", next(iter(SYSTEMS.values())).rules[0].id)
    return [
        Operation("GET", "/systems", _get_systems, "systems", "The rule systems", "systems", {JSON: "SystemList"}, samples=_all_systems),
        _of_system("", "system", "One rule system", "RuleSystem", system_models.system_data, system_models.system_data, rule_pages.system),
        _of_system("/rules", "rules", "The numbered rules of a system", "RuleList", system_models.rules_data, _few_rules, rule_pages.rules),
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
            samples=lambda: {system.rules[0].id: system_models.rule_data(system.rules[0]) for system in SYSTEMS.values()},
        ),
        _of_system("/tables", "tables", "The tables of a system", "SystemTables", system_models.tables_data, _few_rows, rule_pages.tables),
        Operation(
            "GET",
            "/systems/{system}/templates",
            _get_templates,
            "templates",
            "The templates of a system's sentences",
            "systems",
            {JSON: "SystemTemplates"},
            problems=("not-found",),
            parameters=(_SYSTEM,),
            samples=lambda: {name: _few_templates(system) for name, system in SYSTEMS.items()},
        ),
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
        ),
    ]


def _of_system(path: str, id: str, summary: str, schema: str, data: Data, sample: Data, page: Page) -> Operation:
    """GET what ``data`` makes of a system, or its ``page``; ``sample`` makes less of it, for the contract."""

    async def endpoint(request: Request) -> Response:
        system = _system(request)
        return _cached(request, lambda: data(system), partial(page, system))

    return Operation(
        "GET",
        f"/systems/{{system}}{path}",
        endpoint,
        id,
        summary,
        "systems",
        {JSON: schema},
        problems=("not-found",),
        parameters=(_SYSTEM,),
        samples=lambda: {name: sample(system) for name, system in SYSTEMS.items()},
    )
