"""An MCP server (Model Context Protocol), over HTTP and over standard input: needs the extra ``tablecall[mcp]``."""

from __future__ import annotations

from importlib.util import find_spec


def installed() -> bool:
    """Whether the extra is installed. Nothing is imported yet: that takes half a second."""
    return find_spec("mcp") is not None
