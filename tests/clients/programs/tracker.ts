// A combat tracker on the types of one system, as they are generated: no cast anywhere.
import createClient from "openapi-fetch";
import type { components, paths } from "./generated/api.d.ts";

type Combatant = components["schemas"]["JazzTurnRequest"]["combatants"][number];
const { POST } = createClient<paths>({ baseUrl: process.argv[2] ?? "" });
const seed = "session 12/fight 1";

const fighter = (id: string, side: string, bonus: number): Combatant => ({
  id,
  side,
  actor: { character: { name: id, aspects: [{ name: "fighter", bonus }], survivalAspect: "fighter" }, using: ["fighter"] },
});

type Turn = components["schemas"]["JazzTurnRuling"];

async function turn(body: paths["/resolve/jazz/turn"]["post"]["requestBody"]["content"]["application/json"]): Promise<Turn> {
  const { data, error } = await POST("/resolve/jazz/turn", { body });
  if (!data) throw new Error(error.detail);
  return data;
}

let ruling = await turn({ combatants: [fighter("Rook", "crew", 4), fighter("Ivo", "crew", 3), fighter("Chief", "museum", 5)], seed });
let turns = 0;
while (ruling.outcome === "ongoing") {
  const [id] = ruling.next;
  const mine = ruling.after.combatants.find((one) => one.id === id);
  const target = ruling.after.combatants.find((one) => one.side !== mine?.side && !one.actor.character?.out);
  if (id === undefined || !target) throw new Error("nobody is left to act");
  ruling = await turn({ ...ruling.after, turn: { by: [id], attack: target.id }, seed });
  turns += 1;
}
console.log(JSON.stringify({ over: ruling.over, turns, round: ruling.after.round }));
