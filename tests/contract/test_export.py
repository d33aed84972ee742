"""What is generated, committed and served are one."""

from __future__ import annotations

from pathlib import Path

import orjson
import pytest
from graphql import build_schema, print_schema
from starlette.testclient import TestClient

from tablecall.contract.export import texts
from tablecall.contract.json_schema import components

ROOT = Path(__file__).parents[2]


def test_what_is_committed_is_what_export_makes() -> None:
    stale = [path for path, text in texts().items() if not (ROOT / path).exists() or (ROOT / path).read_bytes() != text]
    assert not stale, "run `tablecall export`"


def test_no_file_is_left_behind() -> None:
    committed = {f"schema/json/{path.name}" for path in (ROOT / "schema/json").iterdir()}
    assert (
        committed == {f"schema/json/{name}.json" for name in components()} == {path for path in texts() if path.startswith("schema/json")}
    )


@pytest.mark.parametrize(
    ("path", "file", "media"),
    [
        ("/openapi.json", "openapi/openapi.json", "application/json"),
        ("/openapi.yaml", "openapi/openapi.yaml", "application/yaml"),
        ("/schema.graphql", "schema/schema.graphql", "text/plain; charset=utf-8"),
    ],
)
def test_a_contract_is_served_as_committed(client: TestClient, path: str, file: str, media: str) -> None:
    answer = client.get(path)
    assert answer.headers["content-type"] == media
    assert answer.content == texts()[file]


def test_each_is_readable_by_others() -> None:
    assert orjson.loads(texts()["openapi/openapi.json"])["openapi"] == "3.1.1"
    text = texts()["schema/schema.graphql"].decode()
    assert "interface Ruling" in print_schema(build_schema(text))
