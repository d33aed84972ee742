// Uses the npm package from a page on an origin of its own, without a bundler; prints what the page found.
import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import { createRequire } from "node:module";
import { join, normalize } from "node:path";

const [modules, executablePath, base, dist] = process.argv.slice(2);
const { chromium } = createRequire(`${modules}/`)("playwright-core");
const PAGE = `<!doctype html><title>A tabletop</title><link rel="icon" href="data:,">
<script type="importmap">{"imports": {"@tablecall/client": "/client/index.js"}}</script>`;

const server = createServer(async ({ url }, response) => {
  const script = url.startsWith("/client/");
  response.setHeader("content-type", script ? "text/javascript" : "text/html");
  response.end(script ? await readFile(join(dist, normalize(url.slice("/client".length)))) : PAGE);
});
await new Promise((done) => server.listen(0, "127.0.0.1", done));
const args = ["no-sandbox", "disable-gpu", "disable-background-networking", "no-first-run"].map((name) => `--${name}`);
const browser = await chromium.launch({ executablePath, args });
const problems = [];
try {
  const tab = await browser.newPage();
  tab.on("console", (message) => ["error", "warning"].includes(message.type()) && problems.push(message.text()));
  tab.on("pageerror", (error) => problems.push(error.message));
  await tab.goto(`http://127.0.0.1:${server.address().port}/`);
  const found = await tab.evaluate(inThePage, base);
  console.log(JSON.stringify({ ...found, problems }));
} finally {
  await browser.close();
  server.close();
}

async function inThePage(base) {
  const { applyEffects, Conflict, Tablecall, takeOption, undo, verifyDice, withDice } = await import("@tablecall/client");
  const table = new Tablecall(base);
  const rook = { name: "Rook", aspects: [{ name: "driver", bonus: 4 }], health: { current: 2, max: 4 } };
  const attack = { attackers: [{ bonus: 9 }], defender: { character: rook, using: ["driver"] }, seed: "duel/1" };
  const ruling = await table.retry("jazz.attack", attack);
  const hurt = applyEffects(rook, ruling, "/defender/character");
  const check = { actor: { character: rook, using: ["driver"] }, difficulty: 14, include: ["options"], seed: 2 };
  const rescued = await table.resolve("jazz.check", takeOption(check, await table.resolve("jazz.check", check), "rescue"));
  const handed = await table.resolve("jazz.check", withDice(check, { actor: [6, 6] }));
  const trials = [];
  for await (const odds of table.oddsStream("jazz.attack", { ...attack, method: "simulation", trials: 1000 })) trials.push(odds.simulated.trials);
  const combatants = ["Rook", "Chief"].map((id) => ({ id, side: id, actor: { character: { ...rook, name: id } } }));
  const fight = await Conflict.start(table, { combatants, seed: 1 });
  const [id] = fight.next;
  await fight.turn({ by: [id], attack: ["Rook", "Chief"].find((other) => other !== id) });
  const refused = await table.resolve("jazz.check", { actor: { bonus: 3 } }).catch((error) => error);
  const forged = structuredClone(ruling);
  forged.rolls[0].dice[0].face = (forged.rolls[0].dice[0].face % 6) + 1;
  return {
    health: [hurt.health.current, undo(hurt, ruling, "/defender/character").health.current],
    wrong: [verifyDice(ruling), verifyDice(forged)],
    rescued: rescued.outcome,
    handed: handed.seedFrom,
    trials: trials.at(-1),
    turns: fight.log.length,
    refused: [refused.name, refused.status],
  };
}
