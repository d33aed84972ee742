"""The committed contracts, checked by the linters and audits of others."""

from __future__ import annotations

import json

from openapi_spec_validator import OpenAPIV31SpecValidator

from tests.clients.conftest import HERE, Tools

OPENAPI = HERE.parent.parent / "openapi" / "openapi.json"


def test_openapi_document_is_valid() -> None:
    OpenAPIV31SpecValidator(json.loads(OPENAPI.read_text())).validate()


def test_redocly_reports_nothing(tools: Tools) -> None:
    output = tools.run("redocly", "lint", OPENAPI, "--config", HERE / "redocly.yaml", "--format", "json", cwd=HERE)
    report = json.loads(output[output.index("{") : output.rindex("}") + 1])
    assert report["totals"] == {"errors": 0, "warnings": 0, "ignored": 0}


def test_graphql_over_http(tools: Tools, service: str) -> None:
    report = json.loads(tools.run("node", HERE / "audit.mjs", f"{service}/graphql", cwd=HERE).strip().splitlines()[-1])
    assert report == {"audits": 61, "found": []}
