// Opens a page in Chromium and does what a visitor would; prints what was seen, and all that was asked of other machines.
import { createServer, request as ask } from "node:http";
import { createRequire } from "node:module";

const [modules, executablePath, base, page, screenshot] = process.argv.slice(2);
const { chromium } = createRequire(`${modules}/`)("playwright-core");

const quiet = ["disable-background-networking", "disable-component-update", "disable-sync", "disable-quic", "no-first-run"];
const args = ["no-sandbox", "disable-gpu", ...quiet].map((name) => `--${name}`);
const browser = await chromium.launch({ executablePath, args });
// A request of one's own.
const CHECK = { action: "jazz.check", actor: { bonus: 3 }, difficulty: 10 };
const seen = { external: [], console: [], failed: [] };

try {
  const context = await browser.newContext({ viewport: { width: 1400, height: 900 } });
  const tab = await context.newPage();
  tab.setDefaultTimeout(60_000);
  tab.on("request", (request) => {
    const ours = [base, `blob:${base}`, "data:"].some((start) => request.url().startsWith(start));
    if (!ours) seen.external.push(request.url());
  });
  tab.on("console", (message) => ["error", "warning"].includes(message.type()) && seen.console.push(message.text()));
  tab.on("pageerror", (error) => seen.console.push(error.message));
  tab.on("requestfailed", (request) => hangsUp(request) || seen.failed.push(request.url()));
  Object.assign(seen, await { graphql, subscription, docs, prefixed, play, refused, retraced, named }[page](tab));
  await tab.screenshot({ path: screenshot });
} finally {
  await browser.close();
}
console.log(JSON.stringify(seen));

// Who follows a subscription hangs up on hearing that it is complete, be it before the answer's end.
function hangsUp(request) {
  return request.headers().accept === "text/event-stream" && request.failure().errorText === "net::ERR_ABORTED";
}

async function graphql(tab) {
  await tab.goto(`${base}/graphql`);
  const tabs = tab.locator(".graphiql-tab");
  await tabs.last().waitFor();
  // The editor knows the schema once it offers to explore it.
  await tab.getByLabel("Show GraphiQL Explorer").click();
  await tab.locator(".graphiql-plugin").filter({ hasText: "resolve" }).waitFor();
  const explorer = await tab.locator(".graphiql-plugin").innerText();
  await tab.locator(".graphiql-execute-button").click();
  const answer = tab.locator(".graphiql-response");
  await tab.waitForFunction(() => document.querySelector(".graphiql-response")?.textContent.includes('"summary"'));
  const shown = await answer.innerText();
  await tab.getByLabel("Show History").click();
  await tab.locator(".graphiql-history-item").first().waitFor();
  const history = await tab.locator(".graphiql-history-item").count();
  // Another tab brings its own query and variables.
  await open(tab, "Odds");
  await tab.locator(".graphiql-execute-button").click();
  await tab.waitForFunction(() => document.querySelector(".graphiql-response")?.textContent.includes('"fraction"'));
  // The editor finds nothing wrong with an example's variables, and would say so of a field that is missing.
  const variables = ".graphiql-editor-tool .graphiql-editor:not(.hidden)";
  const underlined = tab.locator(["error", "warning"].map((how) => `${variables} .squiggly-${how}`).join());
  const wrong = [];
  for (const name of (await tabs.allInnerTexts()).map((one) => one.trim())) {
    await open(tab, name);
    if (await underlined.count()) wrong.push(name);
  }
  await tab.locator(variables).first().click();
  await tab.keyboard.press("Control+A");
  await tab.keyboard.insertText('{"request": {"jazzFight": {}}}');
  await underlined.first().waitFor();
  return { tabs: await tabs.allInnerTexts(), explorer, shown, history, wrong };
}

// A simulation is followed: each time it is told of, the answer shows more trials. A header that was typed is sent along.
async function subscription(tab) {
  await tab.goto(`${base}/graphql`);
  await open(tab, "Simulation");
  await tab.getByRole("button", { name: "Headers", exact: true }).click();
  await tab.locator(".graphiql-editor-tool .graphiql-editor:visible").click();
  await tab.keyboard.insertText('{"Authorization": "Bearer of arms"}');
  await tab.evaluate(() => {
    window.trials = new Set();
    const response = document.querySelector(".graphiql-response");
    const look = () => window.trials.add(Number(response.textContent.match(/"trials":\s*(\d+)/)?.[1] ?? 0));
    new MutationObserver(look).observe(response, { subtree: true, childList: true, characterData: true });
  });
  const asking = tab.waitForRequest((request) => request.postData()?.includes("subscription"));
  await tab.getByLabel("Execute query").click();
  const { authorization, accept } = await (await asking).allHeaders();
  // The button stops what runs, and runs again when all has been told.
  await tab.getByLabel("Stop query").waitFor();
  await tab.getByLabel("Execute query").waitFor();
  // The editor draws what it was told last in the next frame.
  await tab.evaluate(() => new Promise(requestAnimationFrame));
  const shown = await tab.locator(".graphiql-response").innerText();
  return { authorization, accept, shown, trials: await tab.evaluate(() => [...window.trials].filter(Boolean)) };
}

// Opens a tab, once there is an editor to show it in.
async function open(tab, name) {
  const query = tab.locator(".graphiql-query-editor .view-lines");
  await query.filter({ hasText: "query" }).waitFor();
  await tab.locator(".graphiql-tab", { hasText: name }).first().click();
  await query.filter({ hasText: name }).waitFor();
  // GraphiQL reads the operation's name a moment after the tab is shown; a visitor looks before running it.
  await tab.waitForTimeout(2_000);
}

async function docs(tab) {
  await tab.goto(`${base}/docs`);
  await tab.locator(".opblock").first().waitFor();
  const operations = await tab.locator(".opblock").count();
  const check = tab.locator("#operations-resolve-resolveJazzCheck");
  await check.locator(".opblock-summary-control").click();
  await check.locator(".execute").click();
  await check.locator(".live-responses-table .response-col_status").first().waitFor();
  const shown = await check.locator(".live-responses-table").innerText();
  return { operations, shown };
}

// Behind a proxy that strips a prefix, every request of the reference stays under the prefix.
async function prefixed(tab) {
  const asked = [];
  tab.on("request", (request) => asked.push(new URL(request.url()).pathname));
  const server = createServer((request, response) => {
    if (!request.url.startsWith("/rules/")) return response.writeHead(404).end();
    const options = { method: request.method, headers: request.headers };
    const through = ask(base + request.url.slice("/rules".length), options, (answer) => {
      response.writeHead(answer.statusCode, answer.headers);
      answer.pipe(response);
    });
    request.pipe(through);
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  const outside = `http://127.0.0.1:${server.address().port}`;
  await tab.goto(`${outside}/rules/docs`);
  const version = tab.locator("#operations-operations-version");
  await version.locator(".opblock-summary-control").click();
  await version.locator(".execute").click();
  await version.locator(".live-responses-table .response-col_status").first().waitFor();
  const shown = await version.locator(".live-responses-table").innerText();
  server.close();
  seen.external = seen.external.filter((url) => !url.startsWith(`${outside}/rules/`));
  return { shown, outside: asked.filter((path) => !path.startsWith("/rules/")) };
}

// An example is rolled, once more with what was still open, and weighed; the address hands it on, and what cannot be read is said.
async function play(tab) {
  await tab.goto(`${base}/play`);
  const [example, request, seed, answer] = ["#example", "#request", "#seed", "#answer"].map((one) => tab.locator(one));
  const press = (name) => tab.getByRole("button", { name, exact: true }).click();
  const said = async (words) => {
    await answer.locator("h2").filter({ hasText: words }).waitFor();
    return answer.innerText();
  };
  const examples = await example.locator("option").allInnerTexts();
  await request.fill('{"action": "jazz.check", "actor": {"bonus": 3}, "difficulty": 10, "seed": 43}');
  await press("Roll");
  const ruling = await said("failure");
  const focused = await tab.evaluate(() => document.activeElement.tagName);
  const address = tab.url();
  const curl = await tab.locator("#curl").textContent();
  await answer.getByRole("button", { name: /^rescue/ }).click();
  await said("success");
  const rescued = { request: JSON.parse(await request.inputValue()), summary: await answer.locator("#summary").innerText() };
  await press("Odds");
  const odds = await said("Odds");
  const bars = await answer.locator(".bar").count();
  // A seed that was drawn is in the address, and the same dice come of it.
  await seed.fill("");
  await press("Roll");
  await answer.locator("#summary").waitFor();
  const drawn = { summary: await answer.locator("#summary").innerText(), address: tab.url() };
  await tab.goto(drawn.address.replace(/#.*/, "#elsewhere"));
  const unread = await answer.innerText();
  await tab.goto(drawn.address);
  await answer.locator("#summary").waitFor();
  const again = await answer.locator("#summary").innerText();
  await tab.goto(address);
  const handed = await said("failure");
  // A round goes on in the order that was rolled.
  await example.selectOption({ label: examples.find((name) => name.startsWith("jazz.fight")) });
  await request.fill(JSON.stringify({ ...JSON.parse(await request.inputValue()), maxRounds: 1 }));
  await press("Roll");
  await said("undecided");
  await press("Go on from here");
  const next = JSON.parse(await request.inputValue());
  await request.fill(JSON.stringify({ ...next, maxRounds: 9, method: "simulation", trials: 300, order: [] }));
  await press("Odds");
  await answer.getByText("of 300 trials", { exact: false }).waitFor();
  const simulated = await said("Odds");
  // Whoever goes on writing while a simulation is told of is not led away.
  await request.fill(JSON.stringify({ ...JSON.parse(await request.inputValue()), trials: 3000 }));
  await press("Odds");
  await answer.getByText("so far").waitFor();
  await request.focus();
  await answer.getByText("of 3,000 trials", { exact: false }).and(answer.locator("p:not(:has-text('so far'))")).waitFor();
  const writing = await tab.evaluate(() => document.activeElement.id);
  return { examples, ruling, focused, curl, rescued, odds, bars, drawn, unread, again, handed, next, simulated, writing };
}

// What the visitor of a narrow window is led to, by the keyboard alone: the heading has the focus and can be seen.
async function led(tab, words) {
  await tab.locator("#answer h2").filter({ hasText: words }).waitFor();
  return tab.evaluate(() => {
    const head = document.querySelector("#answer h2");
    const { top, bottom } = head.getBoundingClientRect();
    const sideways = document.documentElement.scrollWidth > innerWidth;
    return { focused: document.activeElement === head, visible: top >= 0 && bottom <= innerHeight, sideways, said: head.parentElement.innerText };
  });
}

// Whatever is refused or fails is led to as an answer is, and the page goes on.
async function refused(tab) {
  await tab.setViewportSize({ width: 390, height: 844 });
  const [request, seed] = ["#request", "#seed"].map((one) => tab.locator(one));
  const roll = tab.locator("#roll");
  await tab.goto(`${base}/play#elsewhere`);
  const address = await led(tab, "holds no request");
  await request.fill("{nonsense");
  await roll.press("Enter");
  const unread = await led(tab, "cannot be read");
  await request.fill("[]");
  await roll.press("Enter");
  await tab.locator("#answer").getByText("no JSON object").waitFor();
  // A seed that is none is not made one by its field.
  await request.fill(JSON.stringify({ ...CHECK, seed: 1.5 }));
  await roll.press("Enter");
  const shape = await tab.locator("#answer h2.no").filter({ hasNotText: "read" }).waitFor().then(() => led(tab, ""));
  // The button that was pressed is gone while it is asked, and the answer does not come.
  await request.fill(JSON.stringify(CHECK));
  await roll.press("Enter");
  const once = tab.getByRole("button", { name: "Roll once more" });
  await once.waitFor();
  const stuck = new Promise((go) => tab.route("**/resolve", (route) => go(route)));
  await once.press("Enter");
  const asking = await led(tab, "Asking");
  await (await stuck).abort();
  const offline = await led(tab, "cannot be reached");
  // Whoever writes on meanwhile is told of what comes, and not led away.
  await tab.unroute("**/resolve");
  const late = new Promise((go) => tab.route("**/resolve", (route) => go(route)));
  await roll.press("Enter");
  await led(tab, "Asking");
  await request.focus();
  await (await late).continue();
  await tab.locator("#said").filter({ hasText: /success|failure/ }).waitFor({ state: "attached" });
  const writing = await tab.evaluate(() => document.activeElement.id);
  // Without the rules there are no texts to their links, and without the examples there is a page.
  await tab.unroute("**/resolve");
  await tab.route("**/static/requests.json", (route) => route.fulfill({ status: 503, json: { detail: "closed" } }));
  await tab.route("**/systems/*/rules", (route) => route.abort());
  await tab.goto(`${base}/play?`);
  const alert = await tab.getByRole("alert").innerText();
  await request.fill(JSON.stringify(CHECK));
  await seed.fill("43");
  await roll.press("Enter");
  const own = await led(tab, "failure");
  // What was made to fail is no fault of the page.
  const made = (one) => /ERR_FAILED|status of (422|503)/.test(one);
  seen.console.splice(0, Infinity, ...seen.console.filter((one) => !made(one)));
  seen.failed.length = 0;
  return { address, unread, shape, asking, offline, writing, alert, own };
}

// Back and forward go through what was asked for; a seed in the text is the one the field shows.
async function retraced(tab) {
  const [request, seed, answer] = ["#request", "#seed", "#answer"].map((one) => tab.locator(one));
  const entries = () => tab.evaluate(() => history.length);
  const written = async () => JSON.parse(await request.inputValue());
  await tab.goto(`${base}/play`);
  await tab.locator("#example option").first().waitFor({ state: "attached" });
  const before = await entries();
  await request.fill(JSON.stringify({ ...CHECK, seed: 43 }));
  const shown = { seed: await seed.inputValue(), locked: !(await seed.isEditable()), note: await tab.locator("#named").innerText() };
  await tab.locator("#roll").click();
  await led(tab, "failure");
  const moved = { request: await written(), seed: await seed.inputValue(), locked: !(await seed.isEditable()) };
  const summary = await tab.locator("#summary").innerText();
  await tab.locator("#roll").click();
  await led(tab, "failure");
  const twice = (await entries()) - before;
  await tab.locator("#odds").click();
  await led(tab, "Odds");
  await request.fill(JSON.stringify({ ...CHECK, difficulty: 2 }));
  await seed.fill("");
  await tab.locator("#roll").click();
  await led(tab, "success");
  const drawn = await tab.locator("#summary").innerText();
  const all = (await entries()) - before;
  await tab.goBack();
  const odds = await led(tab, "Odds");
  await tab.goBack();
  await led(tab, "failure");
  const back = { summary: await tab.locator("#summary").innerText(), request: await written(), seed: await seed.inputValue() };
  await tab.goBack();
  await answer.locator("h2").waitFor({ state: "detached" });
  const first = tab.url();
  for (const words of ["failure", "Odds", "success"]) {
    await tab.goForward();
    await led(tab, words);
  }
  const again = await tab.locator("#summary").innerText();
  return { shown, moved, summary, twice, drawn, all, odds, back, first, again, entries: (await entries()) - before };
}

// Who is meant is told by name, and of dice nothing that only a mouse could find.
async function named(tab) {
  await tab.emulateMedia({ colorScheme: "dark" });
  await tab.setViewportSize({ width: 390, height: 844 });
  const guard = (id) => ({ id, side: "museum", actor: { character: { name: "Guard", aspects: [{ name: "guard", bonus: 1 }], survivalAspect: "guard" } } });
  const rook = { character: { name: "Rook", aspects: [{ name: "thief", bonus: 3 }] }, using: ["thief"], gear: { reroll: [1, 2, 3, 4] } };
  const ask = async (words, verb, asked) => {
    await tab.goto(`${base}/play?${verb}=${asked.action}#${verb}:${encodeURIComponent(JSON.stringify(asked))}`);
    return led(tab, words);
  };
  const attack = { action: "jazz.attack", attackers: [{ bonus: 2 }, rook], defender: guard("x").actor, seed: 4 };
  const odds = await ask("Odds", "odds", attack);
  const ruling = await ask(/hit|miss/, "resolve", attack);
  const titles = await tab.locator(".dice[title], .die[title]").count();
  const chief = { id: "chief", side: "museum", actor: { bonus: 3 } };
  const combatants = [{ id: "rook", side: "crew", actor: rook }, guard("left"), guard("right"), chief];
  const orders = [{ by: ["rook"], attack: "chief" }];
  const round = await ask("Odds", "odds", { action: "jazz.round", combatants, orders, seed: 4 });
  return { odds, ruling, titles, round };
}
