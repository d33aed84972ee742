import { oddsJazzCheck, resolve, resolveJazzCheck } from "./generated/api.ts";
import type { Ruling } from "./generated/api.ts";
import { ATTACK, base, CHECK, REFUSED, say } from "./sheets.ts";

// orval writes the paths into its functions; where they lead is the caller's.
const { fetch } = globalThis;
globalThis.fetch = (path, options) => fetch(`${base}${path}`, options);

const check = await resolveJazzCheck(CHECK);
if (check.status !== 200) throw new Error(check.data.detail);

const attack = await resolve({ action: "jazz.attack", ...ATTACK });
if (attack.status !== 200) throw new Error(attack.data.detail);

function narrowed(ruling: Ruling) {
  if (ruling.action !== "jazz.attack") throw new Error(ruling.outcome);
  // @ts-expect-error: an attack is never a stalemate
  if (ruling.outcome === "stalemate") throw new Error();
  const { outcome, after } = ruling;
  return { outcome, defender: after.defender?.character?.id, out: after.defender?.character?.out };
}

const refusal = await resolveJazzCheck(REFUSED);
if (refusal.status !== 422) throw new Error("it should have been refused");
const [first] = refusal.data.errors;

const odds = await oddsJazzCheck(CHECK);
if (odds.status !== 200) throw new Error(odds.data.detail);

say({
  check: { outcome: check.data.outcome, total: check.data.total },
  attack: narrowed(attack.data),
  refusal: { status: refusal.data.status, pointer: first?.pointer, rule: first?.rule },
  odds: odds.data.outcomes.map((row) => `${row.outcome} ${row.fraction}`),
});
