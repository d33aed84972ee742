"""A generated asynchronous GraphQL client of pydantic models."""

import asyncio
import sys
from typing import Any

from generated import Client, ResolveRequest
from generated.exceptions import GraphQLClientGraphQLMultiError
from generated.resolve import ResolveResolveJazzAttackRuling
from sheets import ATTACK, CHECK, REFUSED, say


async def main() -> None:
    async with Client(url=f"{sys.argv[1]}/graphql") as client:
        check = (await client.resolve(ResolveRequest.model_validate({"jazzCheck": CHECK}))).resolve
        attack = (await client.resolve(ResolveRequest.model_validate({"jazzAttack": ATTACK}))).resolve
        assert isinstance(attack, ResolveResolveJazzAttackRuling)
        assert attack.after.defender is not None
        sheet = attack.after.defender.character
        assert sheet is not None
        odds = (await client.odds(ResolveRequest.model_validate({"jazzCheck": CHECK}))).odds
        try:
            await client.resolve(ResolveRequest.model_validate({"jazzCheck": REFUSED}))
        except GraphQLClientGraphQLMultiError as refused:
            extensions = refused.errors[0].extensions
            assert extensions is not None
            problem: Any = extensions["problem"]
    say(
        (check.outcome, check.total),
        (attack.outcome, sheet.ref, sheet.out),
        (problem["status"], problem["errors"][0]["pointer"], problem["errors"][0]["rule"]),
        [f"{row.outcome} {row.fraction}" for row in odds.outcomes],
    )


asyncio.run(main())
