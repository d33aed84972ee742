// Opens a page in Chromium and does what a visitor would; prints what was seen, and all that was asked of other machines.
import { createServer, request as ask } from "node:http";
import { createRequire } from "node:module";

const [modules, executablePath, base, page, screenshot] = process.argv.slice(2);
const { chromium } = createRequire(`${modules}/`)("playwright-core");

const quiet = ["disable-background-networking", "disable-component-update", "disable-sync", "disable-quic", "no-first-run"];
const args = ["no-sandbox", "disable-gpu", ...quiet].map((name) => `--${name}`);
const browser = await chromium.launch({ executablePath, args });
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
  Object.assign(seen, await { graphql, narrow, subscription, docs, everything, prefixed }[page](tab));
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

// On a phone the answer stands below the query, and nothing is wider than the screen.
async function narrow(tab) {
  await tab.setViewportSize({ width: 390, height: 844 });
  await tab.goto(`${base}/graphql`);
  await tab.locator(".graphiql-tab").last().waitFor();
  await tab.locator(".graphiql-execute-button").click();
  await tab.waitForFunction(() => document.querySelector(".graphiql-response")?.textContent.includes('"summary"'));
  const [query, answer] = [await tab.locator(".graphiql-query-editor").boundingBox(), await tab.locator(".graphiql-response").boundingBox()];
  return { below: answer.y >= query.y + query.height, width: answer.width, sideways: await tab.evaluate(() => document.documentElement.scrollWidth) };
}

async function docs(tab) {
  await tab.emulateMedia({ colorScheme: "dark" });
  await tab.goto(`${base}/docs`);
  const shown = {};
  for (const id of ["resolveJazzCheck", "resolveDarkpagesCheckByQuery"]) {
    await unfold(tab, "resolve", id);
    const one = tab.locator(`#operations-resolve-${id}`);
    await one.locator(".execute").click();
    await one.locator(".live-responses-table .response-col_status").first().waitFor();
    shown[id] = await one.locator(".live-responses-table").innerText();
  }
  const operations = await tab.locator(".opblock").count();
  const dark = await tab.evaluate(() => getComputedStyle(document.querySelector(".opblock-tag")).color.match(/\d+/g).map(Number));
  return { operations, shown, locks: await tab.locator(".authorization__btn").count(), dark };
}

// Every GET of an action is executed as it stands: only the button is pressed. (The POSTs send their first example.)
async function everything(tab) {
  const answers = [];
  await tab.goto(`${base}/docs`);
  await tab.locator(".opblock-tag").first().waitFor();
  // Only the status is shown: to draw a hundred long answers takes minutes.
  await tab.route(`${base}/**`, async (route) => {
    const request = route.request();
    const answer = await fetch(request.url(), { method: request.method(), headers: await request.allHeaders(), body: request.postData() ?? undefined });
    answers.push([request.method(), request.url(), answer.status, answer.ok ? "" : await answer.text()]);
    await answer.body?.cancel().catch(() => undefined);
    await route.fulfill({ status: answer.status, contentType: "text/plain", body: "ok" });
  });
  const pressed = [];
  for (const tag of ["resolve", "odds"]) {
    await tab.evaluate((name) => document.getElementById(`operations-tag-${name}`).click(), tag);
    await tab.locator(`[id^="operations-${tag}-"]`).first().waitFor();
    for (const id of await tab.locator(`[id^="operations-${tag}-"][id$="ByQuery"]`).evaluateAll((all) => all.map((one) => one.id))) {
      await tab.evaluate((one) => document.querySelector(`#${one} .opblock-summary-control`).click(), id);
      await tab.locator(`#${id} .parameters tr[data-param-name]`).first().waitFor();
      await tab.locator(`#${id} .execute`).waitFor();
      const before = answers.length;
      await tab.evaluate((one) => document.querySelector(`#${one} .execute`).click(), id);
      for (let wait = 0; wait < 1000 && answers.length === before; wait += 1) await new Promise((resolve) => setTimeout(resolve, 10));
      pressed.push(answers.length > before ? id : `${id}: blocked`);
      await tab.evaluate((one) => document.querySelector(`#${one} .opblock-summary-control`).click(), id);
    }
    await tab.evaluate((name) => document.getElementById(`operations-tag-${name}`).click(), tag);
  }
  return { pressed, answers };
}

async function unfold(tab, tag, id) {
  await tab.locator(".opblock-tag").first().waitFor();
  const one = tab.locator(`#operations-${tag}-${id}`);
  if (!(await one.count())) await tab.locator(`#operations-tag-${tag}`).click();
  await one.locator(".opblock-summary-control").click();
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
  await unfold(tab, "operations", "version");
  await version.locator(".execute").click();
  await version.locator(".live-responses-table .response-col_status").first().waitFor();
  const shown = await version.locator(".live-responses-table").innerText();
  server.close();
  seen.external = seen.external.filter((url) => !url.startsWith(`${outside}/rules/`));
  return { shown, outside: asked.filter((path) => !path.startsWith("/rules/")) };
}
