"""The caches of GraphQL clients, with their defaults, over every published example.

A cache takes a field `id` for the key of an entity. If a sheet or an effect had one, the client would merge its states of different
moments, and show something other than the response.
"""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

from graphql import GraphQLInterfaceType, GraphQLObjectType, get_named_type

from tablecall.contract.action_models import PUBLISHED
from tablecall.graphql.schema import SCHEMA
from tests.clients.conftest import Tools
from tests.clients.test_clients import PROGRAMS, printed
from tests.clients.test_clients import SCHEMA as SDL
from tests.support.client import EXAMPLES, request_of

MUTATION = "mutation cachesRollMutation($request: ResolveRequest!) { resolve(request: $request) { __typename seed outcome } }"


def selection(graphql_type: Any) -> str:
    """Every field of a type at any depth, with the name of each type: the caches ask for it."""
    named = get_named_type(graphql_type)
    if not isinstance(named, GraphQLObjectType | GraphQLInterfaceType):
        return ""
    return "{ __typename " + " ".join(f"{name} {selection(field.type)}" for name, field in named.fields.items()) + " }"


def queries() -> dict[str, str]:
    """A query for everything in each action's ruling, by the action's tag."""
    types = SCHEMA._schema.type_map
    return {
        tag: f"query caches{published.name}Query($request: ResolveRequest!) {{ resolve(request: $request) "
        f"{{ __typename ... on {published.name}Ruling {selection(types[f'{published.name}Ruling'])} }} }}"
        for tag, published in PUBLISHED.items()
    }


def test_caches_show_what_the_wire_has(tools: Tools, service: str, tmp_path: Path) -> None:
    texts = queries()
    questions = [
        {
            "example": f"{tag}: {name}",
            "name": f"caches{PUBLISHED[tag].name}Query",
            "text": texts[tag],
            "variables": {"request": request_of(tag, body)},
        }
        for tag, name, body in EXAMPLES
    ]
    (tmp_path / "questions.json").write_text(json.dumps(questions))
    (tmp_path / "mutation.graphql").write_text(MUTATION)
    (tmp_path / "node_modules").symlink_to(tools.modules)
    (tmp_path / "package.json").write_text('{"type": "module"}')
    shutil.copy(PROGRAMS / "caches.mjs", tmp_path)
    shutil.copy(SDL, tmp_path / "schema.graphql")
    _compile_for_relay([*texts.values(), MUTATION], tools, tmp_path)
    bundle = ("--bundle", "--platform=node", "--format=esm", "--outfile=bundle.mjs")
    tools.run("esbuild", "caches.mjs", *bundle, cwd=tmp_path)
    everything = {"shown": len(EXAMPLES), "wrong": [], "changed": [], "rolls": 3}
    found = printed(tools.run("node", "bundle.mjs", service, cwd=tmp_path))
    assert found.pop("persisted") == {"apollo": True, "urql": True}
    assert found == {"apollo": everything, "graphcache": everything, "relay": everything}


def _compile_for_relay(texts: list[str], tools: Tools, folder: Path) -> None:
    """Relay's compiled form of the operations, and a module that has them by name."""
    settings = {
        "src": "./src",
        "schema": "./schema.graphql",
        "language": "javascript",
        "artifactDirectory": "./generated",
        "eagerEsModules": True,
    }
    (folder / "relay.config.json").write_text(json.dumps(settings))
    (folder / "src").mkdir()
    (folder / "generated").mkdir()
    (folder / "src" / "caches.js").write_text("\n".join(f"graphql`{text}`;" for text in texts))
    tools.run("relay-compiler", "relay.config.json", cwd=folder)
    names = [text.split("(", 1)[0].split()[1] for text in texts]
    lines = [f'export {{ default as {name} }} from "./generated/{name}.graphql.js";' for name in names]
    (folder / "artifacts.js").write_text("\n".join(lines))
