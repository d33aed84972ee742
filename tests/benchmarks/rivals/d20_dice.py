"""FastAPI and avrae's d20: one expression, rolled."""

import d20
from fastapi import FastAPI
from pydantic import BaseModel

app = FastAPI()


class Asked(BaseModel):
    expression: str


class Rolled(BaseModel):
    result: str
    total: int


@app.post("/roll")
async def roll(asked: Asked) -> Rolled:
    found = d20.roll(asked.expression)
    return Rolled(result=found.result, total=found.total)
