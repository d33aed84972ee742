"""The same rules behind FastAPI, as its own documentation would have one write it: models in, models out."""

from fastapi import FastAPI

from tablecall.contract.action_models import PUBLISHED
from tablecall.engine import resolve

CHECK = PUBLISHED["jazz.check"]
app = FastAPI()


@app.post("/resolve", response_model=CHECK.ruling)
async def check(body: CHECK.request):  # type: ignore[name-defined, no-untyped-def]
    return resolve(CHECK.system, CHECK.action, body)
