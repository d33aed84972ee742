"""Generated pydantic models around an HTTP client of one's own choosing."""

import sys

import httpx
from generated import JazzActor, JazzAttackRuling, JazzCheck, JazzCheckRuling, Odds, Problem, ResolveRequest, Ruling
from pydantic import TypeAdapter
from sheets import ATTACK, CHECK, REFUSED, say

client = httpx.Client(base_url=sys.argv[1])
rulings: TypeAdapter[Ruling] = TypeAdapter(Ruling)
requests: TypeAdapter[ResolveRequest] = TypeAdapter(ResolveRequest)


def post(path: str, body: bytes) -> httpx.Response:
    return client.post(path, content=body, headers={"content-type": "application/json"})


asked = JazzCheck.model_validate(CHECK)
check = JazzCheckRuling.model_validate_json(post("/resolve/jazz/check", asked.model_dump_json(exclude_unset=True).encode()).content)

carried = JazzCheck(actor=JazzActor.model_validate(check.after.actor.model_dump()), difficulty=CHECK["difficulty"], seed=CHECK["seed"])
assert JazzCheckRuling.model_validate_json(post("/resolve/jazz/check", carried.model_dump_json().encode()).content).outcome

attacking = requests.validate_python({"action": "jazz.attack", **ATTACK})
ruling = rulings.validate_json(post("/resolve", requests.dump_json(attacking)).content)  # with every null of it
if ruling.action != "jazz.attack":
    raise SystemExit(ruling.outcome)
assert isinstance(ruling, JazzAttackRuling)
assert ruling.after.defender is not None
sheet = ruling.after.defender.character
assert sheet is not None

refused = JazzCheck.model_validate(REFUSED)
problem = Problem.model_validate_json(post("/resolve/jazz/check", refused.model_dump_json(exclude_unset=True).encode()).content)

odds = Odds.model_validate_json(post("/odds/jazz/check", asked.model_dump_json(exclude_unset=True).encode()).content)

say(
    (check.outcome, check.total),
    (ruling.outcome, sheet.id, sheet.out),
    (problem.status, problem.errors[0].pointer, problem.errors[0].rule),
    [f"{row.outcome} {row.fraction}" for row in odds.outcomes],
)
