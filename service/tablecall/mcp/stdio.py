"""``tablecall mcp``: the MCP server over standard input and output, for an assistant on the same machine."""

from __future__ import annotations

import asyncio

from mcp.server.stdio import stdio_server

from tablecall.mcp.server import make_server
from tablecall.runtime.request_context import RequestContext, request_id
from tablecall.runtime.services import Services


def serve(services: Services) -> None:
    """Answer until standard input ends."""
    asyncio.run(_serve(services))


async def _serve(services: Services) -> None:
    server = make_server(lambda _: RequestContext(request_id(()), services=services))
    async with services.lifespan(None), stdio_server() as (reader, writer):
        await server.run(reader, writer, server.create_initialization_options())
