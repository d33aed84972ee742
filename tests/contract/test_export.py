"""The service answers with the contracts that are committed. That they are current is checked by `tablecall export --check`."""

from __future__ import annotations

from pathlib import Path

import pytest
from graphql import build_schema, print_schema
from starlette.testclient import TestClient

from tablecall.app import CONTRACTS

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize("path", CONTRACTS)
def test_served_contract_is_the_committed_file(client: TestClient, path: str) -> None:
    file, media_type = CONTRACTS[path]
    response = client.get(path)
    assert response.headers["content-type"] == media_type
    assert response.content == (ROOT / file).read_bytes()


def test_committed_graphql_schema_is_valid() -> None:
    text = (ROOT / "schema/schema.graphql").read_text()
    assert "interface Ruling" in print_schema(build_schema(text))
