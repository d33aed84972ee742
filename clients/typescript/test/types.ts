// What the compiler accepts and refuses, against the packed package. Never run.
import { applyEffects, Conflict, Tablecall, takeOption, undo, verifyDice, withDice } from "@tablecall/client";
import type { Action, RequestOf, ResolveRequest, Ruling, RulingOf } from "@tablecall/client";

const table = new Tablecall("http://127.0.0.1:8000", { key: "secret", language: "de" });
const request: RequestOf<"jazz.attack"> = { attackers: [{ bonus: 4 }], defender: { bonus: 1 }, include: ["options"] };

const ruling = await table.resolve("jazz.attack", request);
const outcome: "hit" | "miss" = ruling.outcome;
const out: boolean | null | undefined = ruling.after.defender?.character?.out;
const total: number | null = (await table.retry("darkpages.check", { actor: { pool: { roll: 4, keep: 3 } }, targetNumber: 15 })).total;
const before: RulingOf<"jazz.attack">["after"] = undo(ruling.after, ruling);
const again: RequestOf<"jazz.attack"> = takeOption(request, ruling, "rescue");
const handed: RequestOf<"jazz.attack"> = withDice(request, { defender: [1, 2] });
const applied: RequestOf<"jazz.attack"> = applyEffects(request, ruling);
const wrong: string[] = verifyDice(ruling, handed);
// What comes back is sent again as it is.
await table.resolve("jazz.attack", { ...request, attackers: ruling.after.attackers ?? [], seed: "duel/2" });

const fight = await Conflict.start(table, { combatants: [{ id: 1, side: "crew", actor: { bonus: 3 } }], include: ["factors", "options"] });
const next: (string | number)[] = fight.next;
await fight.turn({ by: next, attack: [1, "2"] }, { "combatants.0.round1.attack": [3, 3] });
await fight.turn({ by: next, pass: true });

const action: Action = "darkpages.conflict";
const many: ResolveRequest[] = [{ action: "jazz.check", actor: { bonus: 3 }, level: "easy" }];
for (const { ruling, problem } of await table.batch(many, 42)) {
  if (problem) console.log(problem.errors[0]?.code);
  else console.log(narrowed(ruling));
}
for await (const odds of table.oddsStream("jazz.fight", { combatants: [], method: "simulation" })) console.log(odds.outcomes[0]?.interval?.low);

function narrowed(ruling: Ruling): "hit" | "miss" | number | null {
  if (ruling.action === "jazz.attack") return ruling.outcome;
  // @ts-expect-error: this cannot be an attack any more
  if (ruling.action === "jazz.attack") throw new Error();
  return ruling.total;
}

// @ts-expect-error: there is no such action
await table.resolve("jazz.sing", {});
// @ts-expect-error: a difficulty is a number
await table.resolve("jazz.check", { actor: { bonus: 3 }, difficulty: "10" });
// @ts-expect-error: there is no such field
await table.odds("jazz.check", { actor: { bonus: 3 }, dificulty: 10 });
// @ts-expect-error: an attack has attackers
await table.retry("jazz.attack", { defender: { bonus: 1 } });
// @ts-expect-error: an attack is never a stalemate
if (ruling.outcome === "stalemate") throw new Error();
// @ts-expect-error: faces are numbers
withDice(request, { actor: ["6"] });
// @ts-expect-error: the conflict keeps the round
await Conflict.start(table, { combatants: [], round: 2 });
// @ts-expect-error: a turn has somebody whose turn it is
await fight.turn({ pass: true });
// @ts-expect-error: each request of a batch names its action
await table.batch([{ actor: { bonus: 3 }, level: "easy" }]);

console.log(outcome, out, total, before, again, applied, wrong, action);
