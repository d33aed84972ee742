"""The least Starlette can do: the same bytes for everybody, as long as our answer."""

import orjson
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from tablecall.engine import resolve
from tablecall.engine.requests import tagged
from tests.benchmarks.questions import WHOLE

SAID = orjson.dumps(resolve(*tagged(WHOLE)))


async def constant(request: Request) -> Response:
    return Response(SAID, media_type="application/json")


app = Starlette(routes=[Route("/", constant)])
