"""The MCP server: the tools, the rule books as resources, and a prompt for running a scene. One server speaks all protocol versions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import mcp_types as types
import orjson
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel import Server
from mcp.shared.exceptions import MCPError
from starlette.requests import ClientDisconnect

from tablecall.contract import system_models
from tablecall.engine.version import VERSION
from tablecall.http.problems import refusal_of
from tablecall.mcp.tools import TOOLS, refused
from tablecall.runtime.request_context import RequestContext
from tablecall.systems import SYSTEMS

JSON = "application/json"
INSTRUCTIONS = """\
Tablecall rules tabletop games. Whenever an action has an uncertain outcome, call `resolve`; never roll dice or decide the outcome
yourself. Call `describe` before the first request of an action. Keep the sheets in `after` and send them with the next request. Leave
`seed` out, so that nobody chooses the dice. A refusal says what to fix. Ask for `include: ["options"]` to see what the players may still
choose, and let them choose."""
SCENE = """\
You are the game master of a game of {title}. {scene}

Describe the situation, then ask the players what they do. For each action with an uncertain outcome:
1. Choose the action (`systems` lists them) and its difficulty before anybody rolls. Tell the players their chances with `odds` if they ask.
2. Call `resolve` with the sheets as they are now. If the players roll by hand, call `rolls` first and ask them for the faces.
3. Quote the summary as it is, narrate what it means, and offer the options that are still open.
4. Keep `after` as the new state. Never change a die, a total or a sheet on your own.
The rule book is the resource tablecall://{system}/rules; quote a rule by its id if somebody asks why."""

Context = ServerRequestContext[Any]
ContextOf = Callable[[Context], RequestContext]


def make_server(context_of: ContextOf) -> Server[Any]:
    """The server. ``context_of`` gives the service's own context of a call."""

    async def call_tool(context: Context, params: types.CallToolRequestParams) -> types.CallToolResult:
        tool, own = TOOLS.get(params.name), context_of(context)
        if tool is None:
            raise MCPError(types.INVALID_PARAMS, f"there is no such tool: {', '.join(TOOLS)}")
        try:
            text, document = await tool.answer(own, params.arguments or {})
        except ClientDisconnect:
            raise MCPError(types.CONNECTION_CLOSED, "the client disconnected") from None
        except Exception as error:
            text, document = refused(own, refusal_of(error))
            return _result(text, document, is_error=True)
        return _result(text, document)

    server: Server[Any] = Server(
        "tablecall",
        title="Tablecall",
        version=VERSION,
        instructions=INSTRUCTIONS,
        on_list_tools=_list_tools,
        on_call_tool=call_tool,
        on_list_resources=_list_resources,
        on_list_resource_templates=_list_templates,
        on_read_resource=_read_resource,
        on_list_prompts=_list_prompts,
        on_get_prompt=_get_prompt,
        get_tool_input_schema={name: tool.schema for name, tool in TOOLS.items()}.get,  # else every call lists all tools
    )
    server.middleware.clear()  # its own traces: the service has some
    return server


def _result(text: str, document: dict[str, Any], *, is_error: bool = False) -> types.CallToolResult:
    return types.CallToolResult(content=[types.TextContent(text=text)], structured_content=document, is_error=is_error)


async def _list_tools(context: Context, params: object) -> types.ListToolsResult:
    """No tool changes anything: the service keeps no state."""
    hints = types.ToolAnnotations(read_only_hint=True, open_world_hint=False)
    return types.ListToolsResult(
        tools=[
            types.Tool(name=name, title=tool.title, description=tool.text, input_schema=tool.schema, annotations=hints)
            for name, tool in TOOLS.items()
        ]
    )


# ── Resources ────────────────────────────────────────────────────────────────────────────────────────────────────────

DOCUMENTS = {"rules": system_models.rules_data, "tables": system_models.tables_data}
"""What every system has as a resource, by the last part of its address."""


async def _list_resources(context: Context, params: object) -> types.ListResourcesResult:
    return types.ListResourcesResult(
        resources=[
            types.Resource(uri=f"tablecall://{name}/{part}", name=f"{name}-{part}", title=f"{system.title}: {part}", mime_type=JSON)
            for name, system in SYSTEMS.items()
            for part in DOCUMENTS
        ]
    )


async def _list_templates(context: Context, params: object) -> types.ListResourceTemplatesResult:
    template = types.ResourceTemplate(uri_template="tablecall://{system}/rules/{id}", name="rule", title="One rule", mime_type=JSON)
    return types.ListResourceTemplatesResult(resource_templates=[template])


async def _read_resource(context: Context, params: types.ReadResourceRequestParams) -> types.ReadResourceResult:
    name, _, rest = params.uri.removeprefix("tablecall://").partition("/")
    part, _, rule_id = rest.partition("/")
    system, rule = SYSTEMS.get(name), system_models.find_rule(rule_id)
    if system and rule in system.rules and part == "rules":
        document = system_models.rule_data(rule)
    elif system and part in DOCUMENTS and not rule_id:
        document = DOCUMENTS[part](system)
    else:
        raise MCPError(types.INVALID_PARAMS, "there is no such resource")
    return types.ReadResourceResult(
        contents=[types.TextResourceContents(uri=params.uri, mime_type=JSON, text=orjson.dumps(document).decode())]
    )


# ── The prompt ───────────────────────────────────────────────────────────────────────────────────────────────────────


async def _list_prompts(context: Context, params: object) -> types.ListPromptsResult:
    arguments = [
        types.PromptArgument(name="system", description=f"The rule system: {' or '.join(SYSTEMS)}.", required=True),
        types.PromptArgument(name="scene", description="Where we are, and who is there.", required=False),
    ]
    return types.ListPromptsResult(
        prompts=[types.Prompt(name="run_scene", title="Run a scene", description="Be the game master of one scene.", arguments=arguments)]
    )


async def _get_prompt(context: Context, params: types.GetPromptRequestParams) -> types.GetPromptResult:
    given = params.arguments or {}
    system = SYSTEMS.get(given.get("system", ""))
    if params.name != "run_scene" or system is None:
        raise MCPError(types.INVALID_PARAMS, f"the prompt is run_scene, and its system {' or '.join(SYSTEMS)}")
    text = SCENE.format(title=system.title, system=system.name, scene=given.get("scene", "Invent a scene that fits the genre."))
    return types.GetPromptResult(messages=[types.PromptMessage(role="user", content=types.TextContent(text=text))])
