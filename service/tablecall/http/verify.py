"""`POST /verify` and the public keys."""

from __future__ import annotations

from typing import Any

import orjson
from starlette.requests import Request
from starlette.responses import Response

from tablecall.contract.action_models import PUBLISHED
from tablecall.contract.operations import RULED, SENT, Operation
from tablecall.engine import resolve
from tablecall.engine.receipts import NO_RECEIPTS
from tablecall.engine.requests import tagged
from tablecall.engine.verify import parsed, verify
from tablecall.http.request_body import read_json
from tablecall.runtime import dispatch
from tablecall.runtime.request_context import context_of

JSON, JWKS = "application/json", "application/jwk-set+json"


def operations(most: int) -> list[Operation]:
    """``POST /verify``, and the public keys; ``most`` is the largest body in bytes."""

    async def endpoint(request: Request) -> Response:
        context = context_of(request.scope)
        document = await read_json(request, most, "http.verify_object")
        return Response(orjson.dumps(await dispatch.verification(context, *parsed(document))), media_type=f"{JSON}; charset=utf-8")

    return [
        Operation(
            "POST",
            "/verify",
            endpoint,
            "verify",
            "Check a ruling",
            "resolve",
            {JSON: "Verification"},
            "Resolves the request again with the ruling's seed, compares, and checks the receipt, if there is one.",
            "Verify",
            (*SENT, *RULED),
            (),
            _examples(),
            lambda: {name: verify(example, NO_RECEIPTS) for name, example in _examples().items()},
        ),
        Operation("GET", "/.well-known/jwks.json", _get_keys, "keys", "The public keys of receipts", "operations", {JWKS: "JwkSet"}),
    ]


def _examples() -> dict[str, Any]:
    first = next(iter(PUBLISHED.values()))
    request = {"action": first.tag, **next(iter(first.action.examples.values()))}
    return {"A ruling as it was answered": {"request": request, "ruling": resolve(*tagged(request))}}


async def _get_keys(request: Request) -> Response:
    return Response(orjson.dumps(context_of(request.scope).services.receipts.jwks()), media_type=JWKS)
