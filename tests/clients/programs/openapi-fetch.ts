import createClient from "openapi-fetch";
import type { components, paths } from "./generated/api.d.ts";
import { ATTACK, base, CHECK, REFUSED, say } from "./sheets.ts";

type Ruling = components["schemas"]["Ruling"];
const { POST } = createClient<paths>({ baseUrl: base });

const check = await POST("/resolve/jazz/check", { body: CHECK });
if (!check.data) throw new Error(check.error.detail);

const attack = await POST("/resolve", { body: { action: "jazz.attack", ...ATTACK } });
if (!attack.data) throw new Error(attack.error.detail);

function narrowed(ruling: Ruling) {
  if (ruling.action !== "jazz.attack") throw new Error(ruling.outcome);
  // @ts-expect-error: an attack is never a stalemate
  if (ruling.outcome === "stalemate") throw new Error();
  const { outcome, after } = ruling;
  return { outcome, defender: after.defender?.character?.id, out: after.defender?.character?.out };
}

const refusal = await POST("/resolve/jazz/check", { body: REFUSED });
if (!refusal.error) throw new Error("it should have been refused");
const [first] = refusal.error.errors;

const odds = await POST("/odds/jazz/check", { body: CHECK });
if (!odds.data) throw new Error(odds.error.detail);

// @ts-expect-error: a difficulty is a number
void (() => POST("/resolve/jazz/check", { body: { ...CHECK, difficulty: "10" } }));
// @ts-expect-error: there is no such action
void (() => POST("/resolve", { body: { action: "jazz.sing" } }));

say({
  check: { outcome: check.data.outcome, total: check.data.total },
  attack: narrowed(attack.data),
  refusal: { status: refusal.error.status, pointer: first?.pointer, rule: first?.rule },
  odds: odds.data.outcomes.map((row) => `${row.outcome} ${row.fraction}`),
});
