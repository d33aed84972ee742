"""Real HTTP clients that offer an upgrade to HTTP/2 with every request over plain HTTP."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.support.server import Running, over_http, running

POSTS = Path(__file__).with_name("clients") / "Posts.java"


@over_http
async def echo(scope: Any, receive: Any, send: Any) -> None:
    """The body of the request."""
    body, more = b"", True
    while more:
        message = await receive()
        body, more = body + message["body"], message["more_body"]
    await send({"type": "http.response.start", "status": 200, "headers": []})
    await send({"type": "http.response.body", "body": body})


@pytest.fixture(scope="module")
def server() -> Iterator[Running]:
    with running(echo) as served:
        yield served


def run(tool: str, *arguments: str | Path) -> str:
    """The output of the tool. It may be missing, except in CI."""
    path = shutil.which(tool)
    if path is None:
        (pytest.fail if os.environ.get("CI") == "true" else pytest.skip)(f"{tool} is not installed")
    return subprocess.run([path, *arguments], check=True, capture_output=True, text=True).stdout


def test_java(server: Running) -> None:
    assert run("java", POSTS, str(server.port)) == "12\n"


@pytest.mark.parametrize("length", [(), ("-H", "Transfer-Encoding: chunked")])
@pytest.mark.parametrize("size", [1, 300_000])
def test_curl(server: Running, size: int, length: tuple[str, ...], tmp_path: Path) -> None:
    body = tmp_path / "body"
    body.write_text("x" * size)
    address = f"http://127.0.0.1:{server.port}/"
    # Two addresses: the second request comes on the same connection.
    assert run("curl", "--silent", "--http2", *length, "--data-binary", f"@{body}", address, address) == "x" * (size * 2)
