"""The MCP server, asked by the SDK's own client in both protocol eras: over HTTP, over standard input, and in memory."""

from __future__ import annotations

import asyncio
import hashlib
import json
import subprocess
import sys
from collections.abc import Awaitable, Callable, Iterator
from typing import Any

import httpx2
import orjson
import pytest
from mcp import Client, MCPError, StdioServerParameters
from mcp.client.streamable_http import streamable_http_client
from mcp_types import CONNECTION_CLOSED, INVALID_PARAMS
from starlette.requests import ClientDisconnect
from starlette.testclient import TestClient
from typer.testing import CliRunner

from tablecall import mcp
from tablecall.app import create_app
from tablecall.cli import main
from tablecall.contract import json_schema, system_models
from tablecall.engine import odds, resolve, rolls
from tablecall.engine.requests import tagged
from tablecall.http.odds_forms import in_words
from tablecall.mcp import tools
from tablecall.mcp.server import make_server
from tablecall.mcp.tools import TOOLS, Tool
from tablecall.runtime.request_context import RequestContext
from tablecall.runtime.services import Services
from tablecall.settings import Settings
from tablecall.systems import ACTIONS, SYSTEMS
from tests.support.server import Running, running

CHECK: dict[str, Any] = {"actor": {"bonus": 3}, "difficulty": 10, "seed": 42}
ASKED = {"action": "jazz.check", "request": CHECK}
ERAS = ("auto", "legacy")
CALL = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "resolve", "arguments": ASKED}}
COMMAND = ("-c", "from tablecall.cli import main; main()", "mcp")


@pytest.fixture(scope="module")
def served() -> Iterator[Running]:
    with running(odds_workers=0) as server:
        yield server


@pytest.fixture(scope="module")
def address(served: Running) -> str:
    return f"http://127.0.0.1:{served.port}/mcp"


@pytest.fixture(params=ERAS)
def ask(request: pytest.FixtureRequest, address: str) -> Callable[[Callable[[Client], Awaitable[Any]]], Any]:
    """Runs a function of a client that is connected over HTTP."""

    async def connected(use: Callable[[Client], Awaitable[Any]]) -> Any:
        async with Client(address, mode=request.param) as client:
            return await use(client)

    return lambda use: asyncio.run(connected(use))


def call(ask: Any, name: str, **arguments: Any) -> tuple[str, dict[str, Any], bool]:
    """The text of a tool's answer, its structured content, and whether it is a refusal."""
    result = ask(lambda client: client.call_tool(name, arguments))
    (content,) = result.content
    return content.text, result.structured_content, result.is_error


class TestTools:
    def test_are_five_with_small_flat_schemas(self, ask: Any) -> None:
        listed = ask(lambda client: client.list_tools()).tools
        assert [tool.name for tool in listed] == ["systems", "describe", "resolve", "odds", "rolls"]
        for tool in listed:
            text = json.dumps(tool.input_schema)
            assert len(text) < 1_000
            assert not any(word in text for word in ("$ref", "anyOf", "oneOf", "allOf"))
            assert tool.input_schema["type"] == "object"
            assert tool.annotations.read_only_hint

    def test_resolve_answers_the_ruling(self, ask: Any) -> None:
        ruling = resolve(*tagged({"action": "jazz.check", **CHECK}))
        assert call(ask, "resolve", **ASKED) == (ruling["summary"], ruling, False)

    def test_odds_and_rolls(self, ask: Any) -> None:
        asked = tagged({"action": "jazz.check", **CHECK})
        text, structured, _ = call(ask, "odds", **ASKED)
        assert (text, structured["outcomes"]) == (in_words(odds(*asked)), odds(*asked)["outcomes"])
        assert call(ask, "rolls", **ASKED) == ("actor rolls 2d6: `actor`", rolls(*asked), False)
        handed = {**CHECK, "dice": [{"roll": "actor", "faces": [1, 2]}]}
        assert call(ask, "rolls", action="jazz.check", request=handed)[:2] == (
            "No more dice are needed: resolve it.",
            {"needed": [], "complete": True},
        )

    def test_systems_and_describe(self, ask: Any) -> None:
        text, structured, _ = call(ask, "systems")
        assert all(f"- {tag}: {action.text}" in text for tag, (_, action) in ACTIONS.items())
        assert structured == {"systems": [system_models.system_data(system) for system in SYSTEMS.values()]}
        text, structured, _ = call(ask, "describe", action="jazz.attack")
        assert structured["schema"] == json_schema.standalone("JazzAttack")
        assert structured["example"] in ACTIONS["jazz.attack"][1].examples.values()
        assert json.loads(text) == structured

    @pytest.mark.parametrize("tag", [*ACTIONS])
    def test_every_example_of_describe_can_be_resolved(self, address: str, tag: str) -> None:
        async def use() -> Any:
            async with Client(address) as client:
                described = await client.call_tool("describe", {"action": tag})
                assert described.structured_content
                return await client.call_tool("resolve", {"action": tag, "request": described.structured_content["example"]})

        result = asyncio.run(use())
        assert not result.is_error
        assert result.structured_content["action"] == tag

    @pytest.mark.parametrize(
        "arguments",
        [
            {"action": "jazz.check", "request": json.dumps(CHECK)},
            {"action": "jazz.check", **CHECK},
            {"request": {"action": "jazz.check", **CHECK}},
        ],
        ids=["as text", "beside the action", "with the action inside"],
    )
    def test_models_write_a_request_in_several_ways(self, ask: Any, arguments: dict[str, Any]) -> None:
        assert call(ask, "resolve", **arguments) == call(ask, "resolve", **ASKED)

    def test_language(self, ask: Any) -> None:
        text, structured, _ = call(ask, "resolve", action="jazz.check", request={**CHECK, "language": "de"})
        assert (text, structured["outcomeText"]) == ("Handelnder: 7 gegen 10, Fehlschlag", "Fehlschlag")
        assert "Erfolg" in call(ask, "odds", action="jazz.check", request={**CHECK, "language": "de"})[0]
        request = {**CHECK, "actor": {}, "opponent": {}}
        english, german = (call(ask, "resolve", action="jazz.check", request={**request, "language": name})[1] for name in ("en", "de"))
        assert english["errors"][0]["code"] == german["errors"][0]["code"]
        assert english["detail"] != german["detail"]


class TestRefusals:
    def test_are_tool_errors_in_the_usual_words(self, ask: Any) -> None:
        text, problem, is_error = call(ask, "resolve", action="jazz.check", request={"actor": {"bonus": 300}, "difficulty": 10})
        assert is_error
        assert (problem["status"], problem["errors"][0]["pointer"], problem["errors"][0]["code"]) == (422, "/actor/bonus", "out-of-range")
        assert text.splitlines()[0] == problem["detail"]
        assert text.splitlines()[1].startswith("/actor/bonus: ")

    @pytest.mark.parametrize(
        ("name", "arguments", "code"),
        [
            ("describe", {"action": "jazz.chek"}, "unknown-action"),
            ("describe", {"action": ["jazz.check"]}, "unknown-action"),
            ("describe", {}, "missing-field"),
            ("resolve", {"action": "jazz.chek", "request": {}}, "unknown-action"),
            ("odds", {}, "missing-field"),
            ("rolls", {"action": "jazz.check", "request": [1]}, "wrong-type"),
            ("resolve", {"action": "jazz.check", "request": "{"}, "not-json"),
        ],
    )
    def test_of_what_models_get_wrong(self, ask: Any, name: str, arguments: dict[str, Any], code: str) -> None:
        _, problem, is_error = call(ask, name, **arguments)
        assert is_error
        assert problem["errors"][0]["code"] == code

    def test_odds_have_the_usual_bounds(self, ask: Any) -> None:
        fighter = {"actor": {"character": {"name": "Pip", "aspects": [], "health": {"current": 60, "max": 60}}}}
        combatants = [{"id": name, "side": name, **fighter} for name in "abcdef"]
        _, problem, is_error = call(ask, "odds", action="jazz.fight", request={"combatants": combatants, "method": "exact"})
        assert is_error
        assert problem["type"].endswith("/too-large-to-count")

    def test_of_unknown_tools_resources_and_prompts(self, ask: Any) -> None:
        wrong: list[Callable[[Client], Awaitable[Any]]] = [
            lambda client: client.call_tool("verify", {}),
            lambda client: client.read_resource("tablecall://d20/rules"),
            lambda client: client.read_resource("tablecall://jazz/spells"),
            lambda client: client.read_resource("tablecall://jazz/rules/darkpages.damage.check"),
            lambda client: client.read_resource("tablecall://jazz/tables/jazz.karma.rescue"),
            lambda client: client.get_prompt("sing", {"system": "jazz"}),
            lambda client: client.get_prompt("run_scene", {"system": "d20"}),
        ]

        async def refused(client: Client) -> list[int]:
            codes = []
            for use in wrong:
                with pytest.raises(MCPError) as error:
                    await use(client)
                codes.append(error.value.code)
            return codes

        assert set(ask(refused)) == {INVALID_PARAMS}


class TestBooks:
    def test_rules_and_tables_are_resources(self, ask: Any) -> None:
        listed = [str(resource.uri) for resource in ask(lambda client: client.list_resources()).resources]
        assert listed == [f"tablecall://{name}/{part}" for name in SYSTEMS for part in ("rules", "tables")]
        for uri, data in zip(listed[:2], (system_models.rules_data, system_models.tables_data), strict=True):
            (content,) = ask(lambda client, uri=uri: client.read_resource(uri)).contents
            assert json.loads(content.text) == orjson.loads(orjson.dumps(data(SYSTEMS["jazz"])))

    def test_one_rule(self, ask: Any) -> None:
        (template,) = ask(lambda client: client.list_resource_templates()).resource_templates
        uri = template.uri_template.replace("{system}", "jazz").replace("{id}", "jazz.karma.rescue")
        (content,) = ask(lambda client: client.read_resource(uri)).contents
        assert json.loads(content.text)["id"] == "jazz.karma.rescue"

    def test_prompt_runs_a_scene(self, ask: Any) -> None:
        (prompt,) = ask(lambda client: client.list_prompts()).prompts
        assert [argument.name for argument in prompt.arguments] == ["system", "scene"]
        for scene in ({}, {"scene": "A vault at night."}):
            (message,) = ask(lambda client, more=scene: client.get_prompt("run_scene", {"system": "jazz", **more})).messages
            assert SYSTEMS["jazz"].title in message.content.text
            assert ("A vault at night." in message.content.text) == bool(scene)
            assert "tablecall://jazz/rules" in message.content.text


class TestHttp:
    """The same bounds and keys as every other endpoint."""

    def test_is_counted_like_every_endpoint(self, ask: Any, served: Running) -> None:
        call(ask, "resolve", **ASKED)
        call(ask, "resolve", action="jazz.check", request={})
        metrics = served.metrics()
        assert 'route="/mcp"' in metrics
        assert 'action="jazz.check"' in metrics
        assert 'code="invalid-request"' in metrics

    @pytest.fixture
    def post(self) -> Callable[..., Any]:
        def send(sent: Any = CALL, headers: dict[str, str] | None = None, method: str = "POST", **settings: Any) -> Any:
            client = TestClient(create_app(Settings(odds_workers=0, **settings)))
            usual = {"content-type": "application/json", "accept": "application/json", **(headers or {})}
            return client.request(method, "/mcp", content=sent if isinstance(sent, str) else json.dumps(sent), headers=usual)

        return send

    def test_answers_json_without_a_session(self, post: Any) -> None:
        answer = post()
        assert (answer.status_code, answer.headers["content-type"]) == (200, "application/json")
        assert "mcp-session-id" not in answer.headers
        assert answer.headers["x-request-id"]
        assert answer.json()["result"]["content"][0]["text"] == "actor: 7 against 10, failure"

    def test_accept_language(self, post: Any) -> None:
        answer = post(headers={"accept-language": "de"})
        assert answer.json()["result"]["structuredContent"]["outcomeText"] == "Fehlschlag"

    @pytest.mark.parametrize("method", ["GET", "DELETE", "PUT"])
    def test_only_post(self, post: Any, method: str) -> None:
        answer = post("", method=method)
        assert (answer.status_code, answer.headers["allow"]) == (405, "OPTIONS, POST")

    @pytest.mark.parametrize(
        ("sent", "headers", "status"),
        [
            ("{", {}, 400),
            ("[]", {}, 422),
            ("{}", {"content-type": "text/plain"}, 415),
            ("{}", {"content-encoding": "gzip"}, 415),
            (json.dumps({**CALL, "more": "x" * 2000}), {}, 413),
        ],
    )
    def test_bodies_are_bounded(self, post: Any, sent: str, headers: dict[str, str], status: int) -> None:
        answer = post(sent, headers, max_body_bytes=1024)
        assert (answer.status_code, answer.headers["content-type"]) == (status, "application/problem+json; charset=utf-8")

    def test_keys(self, post: Any) -> None:
        keys = [hashlib.sha256(b"secret").hexdigest()]
        assert post(api_keys=keys).status_code == 401
        assert post(headers={"authorization": "Bearer secret"}, api_keys=keys).status_code == 200

    def test_client_with_a_key(self) -> None:
        async def use(url: str) -> str:
            async with (
                httpx2.AsyncClient(headers={"authorization": "Bearer secret"}) as http,
                Client(streamable_http_client(url, http_client=http)) as client,
            ):
                result = await client.call_tool("resolve", ASKED)
                return str(result.content[0].text)  # type: ignore[union-attr]

        with running(api_keys=[hashlib.sha256(b"secret").hexdigest()], odds_workers=0) as served:
            assert asyncio.run(use(f"http://127.0.0.1:{served.port}/mcp")) == "actor: 7 against 10, failure"

    def test_origins_are_those_of_cors(self, post: Any) -> None:
        table, other = {"origin": "https://table.example.org"}, {"origin": "https://other.example.org"}
        assert post(headers=other).status_code == 200
        assert post(headers=table, cors_origins=[table["origin"]]).status_code == 200
        assert post(headers=other, cors_origins=[table["origin"]]).status_code == 403

    def test_time_limit(self, post: Any, monkeypatch: pytest.MonkeyPatch) -> None:
        async def wait(context: RequestContext, arguments: dict[str, Any]) -> Any:
            await asyncio.sleep(600)

        monkeypatch.setitem(tools.TOOLS, "resolve", Tool("", "", {}, wait))
        for headers in ({}, {"mcp-protocol-version": "2025-11-25"}):
            answer = post(headers=headers, request_seconds=0.2)
            assert (answer.status_code, answer.json()["type"]) == (503, "./problems/timed-out")

    def test_loads_the_sdk_at_the_first_request_only(self) -> None:
        code = "from tablecall.app import create_app; create_app(); import sys; print(sorted({'mcp', 'mcp_types'} & set(sys.modules)))"
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
        assert done.stdout.strip() == "[]"

    def test_without_the_extra_there_is_no_endpoint(self, post: Any, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(mcp, "installed", lambda: False)
        assert post().status_code == 404


class TestInMemory:
    """What no client can provoke."""

    def ask(self, monkeypatch: pytest.MonkeyPatch, error: Exception) -> Any:
        async def fail(context: RequestContext, arguments: dict[str, Any]) -> Any:
            raise error

        async def use() -> Any:
            monkeypatch.setitem(TOOLS, "systems", Tool("", "", {}, fail))
            services = Services(Settings(odds_workers=0))
            async with Client(make_server(lambda _: RequestContext(services=services))) as client:
                try:
                    return await client.call_tool("systems", {})
                except MCPError as refusal:
                    return refusal.code

        return asyncio.run(use())

    def test_unexpected_error(self, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture) -> None:
        result = self.ask(monkeypatch, ValueError("secret"))
        assert result.is_error
        assert result.structured_content["status"] == 500
        assert "secret" not in str(result)
        assert "secret" in caplog.text

    def test_client_disconnects(self, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture) -> None:
        assert self.ask(monkeypatch, ClientDisconnect()) == CONNECTION_CLOSED
        assert caplog.text == ""


class TestStandardInput:
    @pytest.mark.parametrize("era", ERAS)
    def test_command_answers(self, era: Any) -> None:
        async def use() -> Any:
            server = StdioServerParameters(command=sys.executable, args=list(COMMAND), env=environment())
            async with Client(server, mode=era) as client:
                tools = [tool.name for tool in (await client.list_tools()).tools]
                return tools, await client.call_tool("resolve", ASKED), await client.call_tool("odds", ASKED)

        names, result, chances = asyncio.run(use())
        assert names == list(TOOLS)
        assert result.structured_content == resolve(*tagged({"action": "jazz.check", **CHECK}))
        assert chances.content[0].text == "success 58.3 %, failure 41.7 %"

    def test_missing_extra_is_named(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(mcp, "installed", lambda: False)
        done = CliRunner().invoke(main, ["mcp"])
        assert (done.exit_code, done.stderr.strip()) == (2, "pip install 'tablecall[mcp]'")


def environment() -> dict[str, str]:
    """The variables with which a process finds this package. The client passes on only a few by itself."""
    import os

    return dict(os.environ)
