import { configure, oddsJazzCheck, resolve, resolveJazzCheck } from "./generated/client.ts";
import type { Ruling } from "./generated/client.ts";
import { ATTACK, base, CHECK, REFUSED, say } from "./sheets.ts";

configure({ serverUrl: base });

const check = await resolveJazzCheck({ body: CHECK });
if (!check.data) throw new Error(check.error?.detail);

const attack = await resolve({ body: { action: "jazz.attack", ...ATTACK } });
if (!attack.data) throw new Error(attack.error?.detail);

function narrowed(ruling: Ruling) {
  if (ruling.action !== "jazz.attack") throw new Error(ruling.outcome);
  // @ts-expect-error: an attack is never a stalemate
  if (ruling.outcome === "stalemate") throw new Error();
  const { outcome, after } = ruling;
  return { outcome, defender: after.defender?.character?.id, out: after.defender?.character?.out };
}

const refusal = await resolveJazzCheck({ body: REFUSED });
if (!refusal.error) throw new Error("it should have been refused");
const [first] = refusal.error.errors;

const odds = await oddsJazzCheck({ body: CHECK });
if (!odds.data) throw new Error(odds.error?.detail);

say({
  check: { outcome: check.data.outcome, total: check.data.total },
  attack: narrowed(attack.data),
  refusal: { status: refusal.error.status, pointer: first?.pointer, rule: first?.rule },
  odds: odds.data.outcomes.map((row) => `${row.outcome} ${row.fraction}`),
});
