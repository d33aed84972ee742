"""The cost of one request, with everything on, against a bare Starlette, FastAPI, fastify and Strawberry."""

from __future__ import annotations

from statistics import median

from tests.benchmarks.measuring import Figure, Question, Stage, Subject, in_turns, ratio
from tests.benchmarks.questions import AS_REST, POOLS, POOLS_ROLLED, QUERY, SMALL, UNSEEN, WHOLE

ROUNDS = 7
SECONDS = 1
DICE = {"expression": "2d6+3"}


def subjects(stage: Stage) -> dict[str, Subject]:
    """Every server with its request, by name."""
    port_of = {
        "ours": stage.ours(),
        "bare": stage.rival("bare:app"),
        "without layers": stage.rival("without_layers:app"),
        "same rules": stage.rival("same_rules:app"),
        "d20": stage.rival("d20_dice:app"),
        "hello": stage.rival("hello:app"),
        "stock": stage.rival("stock:app"),
        "fastify": stage.node("fastify.mjs"),
    }
    requests: dict[str, tuple[str, Question]] = {
        "bare": ("bare", Question("/")),
        "ours, a sheet": ("ours", Question("/resolve", WHOLE)),
        "ours, a sheet, by its path": ("ours", Question("/resolve/jazz/check", WHOLE)),
        "without layers, a sheet": ("without layers", Question("/resolve", WHOLE)),
        "FastAPI, the same rules": ("same rules", Question("/resolve", WHOLE)),
        "ours, small": ("ours", Question("/resolve", SMALL)),
        "FastAPI and d20": ("d20", Question("/roll", DICE)),
        "fastify and rpg-dice-roller": ("fastify", Question("/roll", DICE)),
        "ours, a contest": ("ours", Question("/resolve", AS_REST)),
        "GraphQL": ("ours", Question("/graphql", QUERY)),
        "GraphQL, unseen": ("ours", Question("/graphql", QUERY, UNSEEN)),
        "GraphQL, Strawberry's view": ("stock", Question("/graphql", QUERY)),
        "Strawberry, hello": ("hello", Question("/graphql", {"query": "{ hello }"})),
        "pools, rolled": ("ours", Question("/resolve", POOLS_ROLLED)),
        "pools, odds": ("ours", Question("/odds", POOLS)),
        "small, odds": ("ours", Question("/odds", SMALL)),
        "tables": ("ours", Question("/systems/jazz/tables")),
        "tables, without layers": ("without layers", Question("/systems/jazz/tables")),
    }
    return {name: Subject(name, *port_of[server], question) for name, (server, question) in requests.items()}


def figures(rounds: int = ROUNDS, seconds: int = SECONDS) -> tuple[list[Figure], list[Subject]]:
    """Measure all, in turns."""
    with Stage() as stage:
        measured = subjects(stage)
        in_turns(list(measured.values()), rounds, seconds)

    def figure(id: str, name: str, one: str, other: str, goal: float, *, more: bool = True) -> Figure:
        value = ratio(measured[one], measured[other])
        return Figure(id, name, value if more else 1 / value, goal, more)

    return [
        figure("bare", "a check with a 1 KB sheet, everything on, against a bare Starlette's constant", "ours, a sheet", "bare", 0.5),
        figure("fastapi", "the same against the same rules in FastAPI", "ours, a sheet", "FastAPI, the same rules", 2.5),
        figure("fastify", "a small check against fastify and rpg-dice-roller 2d6+3", "ours, small", "fastify and rpg-dice-roller", 1.5),
        figure("d20", "a small check against FastAPI and d20 2d6+3", "ours, small", "FastAPI and d20", 3.0),
        figure("graphql", "GraphQL, 45 leaves, a repeated document, against our own REST", "GraphQL", "ours, a contest", 0.65),
        figure("graphql-stock", "the same against Strawberry's own view of our schema", "GraphQL", "GraphQL, Strawberry's view", 4.0),
        figure(
            "odds", "odds asked again, against a roll of the same pools: times its cost", "pools, odds", "pools, rolled", 1.2, more=False
        ),
        figure("layers", "everything on, a check: times the cost without", "ours, a sheet", "without layers, a sheet", 1.1, more=False),
        figure("layers-elsewhere", "everything on, tables: times the cost without", "tables", "tables, without layers", 1.25, more=False),
        Figure(
            "graphql-unseen", "an unseen GraphQL document", median(measured["GraphQL, unseen"].costs) / 1000, 4.0, more=False, unit="ms"
        ),
    ], list(measured.values())
