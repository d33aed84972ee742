"""A generated client of attrs classes."""

import sys

from generated import Client
from generated.api.odds import odds_jazz_check
from generated.api.resolve import resolve, resolve_jazz_check
from generated.models import JazzActor, JazzAttackRequest, JazzAttackRuling, JazzCharacter, JazzCheck, JazzCheckRuling, Odds, Problem
from sheets import ATTACK, CHECK, REFUSED, say

client = Client(base_url=sys.argv[1])

check = resolve_jazz_check.sync(client=client, body=JazzCheck.from_dict(CHECK))
assert isinstance(check, JazzCheckRuling)

attack = resolve.sync(client=client, body=JazzAttackRequest.from_dict({"action": "jazz.attack", **ATTACK}))
assert isinstance(attack, JazzAttackRuling)
assert isinstance(attack.after.defender, JazzActor)
sheet = attack.after.defender.character
assert isinstance(sheet, JazzCharacter)

refusal = resolve_jazz_check.sync(client=client, body=JazzCheck.from_dict(REFUSED))
assert isinstance(refusal, Problem)

odds = odds_jazz_check.sync(client=client, body=JazzCheck.from_dict(CHECK))
assert isinstance(odds, Odds)

say(
    (check.outcome.value, check.total),
    (attack.outcome.value, sheet.id, sheet.out),
    (refusal.status, refusal.errors[0].pointer, refusal.errors[0].rule),
    [f"{row.outcome} {row.fraction}" for row in odds.outcomes],
)
