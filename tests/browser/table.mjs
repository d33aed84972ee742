// One visit to the table: what a player does, and what must then be there. Exits with an error where it is not.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";

const [modules, executablePath, base, name, screenshots] = process.argv.slice(2);
const require = createRequire(`${modules}/`);
const { chromium } = require("playwright-core");
const axe = readFileSync(require.resolve("axe-core/axe.min.js"), "utf8");
const quiet = ["disable-background-networking", "disable-component-update", "disable-sync", "disable-quic", "no-first-run"];
const browser = await chromium.launch({ executablePath, args: ["no-sandbox", "disable-gpu", ...quiet].map((one) => `--${one}`) });
const wrong = [];
let expected = [];

async function visit({ width = 1440, height = 900, path = "/", workers = "block", ...more } = {}) {
  const permissions = ["clipboard-read", "clipboard-write"];
  const context = await browser.newContext({ viewport: { width, height }, locale: "en-GB", permissions, serviceWorkers: workers, bypassCSP: false, ...more });
  const tab = await context.newPage();
  tab.setDefaultTimeout(60_000);
  tab.on("request", (request) => [base, `blob:${base}`, "data:"].some((start) => request.url().startsWith(start)) || wrong.push(`asked ${request.url()}`));
  tab.on("response", async (response) => response.status() === 422 && !expected.includes("422") && wrong.push(`${response.url()} ${response.request().postData()} ${await response.text()}`));
  tab.on("pageerror", (error) => wrong.push(error.stack));
  tab.on("console", (message) => ["error", "warning"].includes(message.type()) && !message.text().includes("blocked by Playwright") && !expected.some((one) => message.text().includes(one)) && wrong.push(message.text()));
  await tab.goto(base + path);
  return tab;
}

const headline = (tab) => tab.locator(".headline strong");
const text = async (locator) => (await locator.innerText()).replace(/[\u2066-\u2069]/g, "").replace(/\s+/g, " ");
const button = (tab, label, exact = true) => tab.getByRole("button", { name: label, exact });
const rolled = (tab) => tab.locator(".ruling .seed code");
const settled = (tab) => tab.locator('.chances[aria-busy="false"]:not(.stale)').waitFor();
const copied = async (tab, press) => {
  await tab.evaluate(() => navigator.clipboard.writeText(""));
  await press.click();
  await tab.waitForFunction(async () => (await navigator.clipboard.readText()) !== "");
  return tab.evaluate(() => navigator.clipboard.readText());
};
const stored = (tab, key) => tab.evaluate((name) => JSON.parse(localStorage.getItem(`tablecall.${name}`)), key);

/** Wait until the chance reads so. */
async function reads(tab, share) {
  await tab.waitForFunction((wanted) => document.querySelector(".headline")?.textContent.replace(/\s+/g, " ").includes(wanted), share);
  await settled(tab);
}

async function choose(tab, title) {
  await tab.getByRole("group", { name: "What is attempted" }).getByRole("button", { name: title, exact: true }).click();
}

async function rolls(tab) {
  const before = (await rolled(tab).count()) ? await rolled(tab).innerText() : "";
  await tab.locator(".roll-it").click();
  await tab.waitForFunction((old) => (document.querySelector(".ruling .seed code")?.textContent ?? old) !== old, before);
  return rolled(tab).innerText();
}

/** axe finds nothing, nothing is wider than the screen, and no percentage is broken or cut. */
async function sound(tab, state) {
  // What moves when it appears is looked at when it stands still.
  await tab.evaluate(() => Promise.all(document.getAnimations().map((one) => one.finished)));
  const found = await tab.evaluate(`(() => { ${axe}; return axe.run(document, { resultTypes: ["violations"] }); })()`);
  assert.deepEqual(found.violations.map((one) => `${one.id}: ${one.nodes.map((node) => node.html.slice(0, 160)).join("\n")}`), [], state);
  const { width } = tab.viewportSize();
  assert.ok((await tab.evaluate(() => document.documentElement.scrollWidth)) <= width, `${state}: wider than ${width}`);
  const spilt = await tab.evaluate(() => {
    const hidden = (one) => one.closest("[hidden], .unseen, .scroll, pre, svg, dialog") || [...document.querySelectorAll("details:not([open])")].some((box) => box.contains(one) && one.closest("summary")?.parentElement !== box);
    const cards = [...document.querySelectorAll(".card")];
    return cards.flatMap((card) => [...card.querySelectorAll("*")].filter((one) => one.getBoundingClientRect().right > card.getBoundingClientRect().right + 1 && !hidden(one)).map((one) => one.outerHTML.slice(0, 120)));
  });
  assert.deepEqual(spilt, [], state);
  const cut = await tab.evaluate(() => {
    const found = [];
    for (const element of document.querySelectorAll("b, strong, dd, td, small, span")) {
      if (element.children.length || !/^[<>\u202f]*[\d.,]+\s?%$/.test(element.textContent.trim()) || element.closest("[hidden], details:not([open]), .scroll")) continue;
      const range = document.createRange();
      range.selectNodeContents(element);
      const boxes = [...range.getClientRects()].filter((box) => box.width > 0);
      if (new Set(boxes.map((box) => Math.round(box.top / 4))).size > 1 || boxes.some((box) => box.right > innerWidth)) found.push(element.outerHTML);
    }
    return found;
  });
  assert.deepEqual(cut, [], state);
}

const scenarios = {
  /** The first screen is small and still, and "+5 against 12?" needs three presses. */
  async start() {
    const tab = await visit({ path: "/static/requests.json" });
    const session = await tab.context().newCDPSession(tab);
    await session.send("Network.enable");
    let bytes = 0;
    const files = [];
    session.on("Network.loadingFinished", ({ encodedDataLength }) => (bytes += encodedDataLength));
    session.on("Network.responseReceived", ({ response }) => files.push(response.url));
    await tab.addInitScript(() => {
      window.shift = 0;
      new PerformanceObserver((list) => list.getEntries().forEach((one) => (window.shift += one.hadRecentInput ? 0 : one.value))).observe({ type: "layout-shift", buffered: true });
      new PerformanceObserver((list) => (window.painted = list.getEntries().at(-1).startTime)).observe({ type: "largest-contentful-paint", buffered: true });
    });
    await tab.goto(`${base}/`);
    await reads(tab, "58.3%");
    await tab.waitForLoadState("networkidle");
    const loaded = bytes;
    // What a first visit shows at once is what the service says.
    const asked = { action: "jazz.check", actor: { bonus: 3 }, difficulty: 10 };
    const said = await tab.evaluate((request) => fetch("odds", { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(request) }).then((answer) => answer.json()), asked);
    assert.deepEqual(JSON.parse(readFileSync(new URL("../../service/web/first.json", import.meta.url), "utf8")), said);
    assert.ok(loaded <= 45_000, `${loaded} bytes: ${files.join(" ")}`);
    assert.ok((await tab.evaluate(() => window.shift)) <= 0.02, `shift ${await tab.evaluate(() => window.shift)}`);
    console.log(JSON.stringify({ loaded, painted: await tab.evaluate(() => window.painted), shift: await tab.evaluate(() => window.shift) }));
    await button(tab, "More Bonus").click();
    await button(tab, "More Bonus").click();
    await button(tab, "demanding 12").click();
    await tab.waitForFunction(() => JSON.parse(localStorage.getItem("tablecall.drafts"))["jazz.check"].difficulty === 12);
    await reads(tab, "7/12");
    assert.deepEqual(await stored(tab, "drafts"), { "jazz.check": { action: "jazz.check", actor: { bonus: 5 }, difficulty: 12 } });
    await tab.reload();
    await reads(tab, "7/12");
    assert.equal(await tab.getByLabel("Bonus", { exact: true }).inputValue(), "5");
  },

  /** On a slow line and a slow machine the chance is there within a second or so; nothing jumps. */
  async slow() {
    const tab = await visit({ path: "/static/requests.json" });
    const session = await tab.context().newCDPSession(tab);
    await session.send("Network.enable");
    await session.send("Network.emulateNetworkConditions", { offline: false, latency: 150, downloadThroughput: 200_000, uploadThroughput: 100_000 });
    await session.send("Emulation.setCPUThrottlingRate", { rate: 4 });
    await tab.addInitScript(() => {
      window.shift = 0;
      new PerformanceObserver((list) => list.getEntries().forEach((one) => (window.shift += one.hadRecentInput ? 0 : one.value))).observe({ type: "layout-shift", buffered: true });
      new PerformanceObserver((list) => (window.painted = list.getEntries().at(-1).startTime)).observe({ type: "largest-contentful-paint", buffered: true });
    });
    await tab.goto(`${base}/`);
    await reads(tab, "58.3%");
    await tab.waitForLoadState("networkidle");
    const seen = await tab.evaluate(() => ({ painted: window.painted, shift: window.shift }));
    console.log(JSON.stringify(seen));
    assert.ok(seen.shift <= 0.02, JSON.stringify(seen));
  },

  /** By keyboard alone: the bonus, the number to reach, a roll, its reasons, and back. */
  async keyboard() {
    const tab = await visit();
    await reads(tab, "58.3%");
    const until = async (test, key = "Tab") => {
      for (let presses = 1; presses < 60; presses += 1) {
        await tab.keyboard.press(key);
        if (await tab.evaluate(test)) return presses;
      }
      throw new Error(`never reached ${test}`);
    };
    const ring = () => tab.evaluate(() => {
      const style = getComputedStyle(document.activeElement.closest(".stepper, .chip.toggle") ?? document.activeElement);
      return style.outlineStyle !== "none" && parseFloat(style.outlineWidth) >= 2;
    });
    await tab.keyboard.press("Tab");
    assert.match(await tab.evaluate(() => document.activeElement.textContent), /Skip/);
    await tab.keyboard.press("Enter");
    assert.equal(await tab.evaluate(() => document.activeElement.id), "main");
    await until(() => document.activeElement.id === "f-actor-bonus");
    assert.ok(await ring());
    await tab.keyboard.press("ArrowUp");
    await tab.keyboard.press("ArrowUp");
    await until(() => document.activeElement.id === "f-difficulty");
    await tab.keyboard.press("ArrowUp");
    await tab.keyboard.press("ArrowUp");
    await reads(tab, "7/12");
    await until(() => document.activeElement.textContent.trim().startsWith("Roll"));
    assert.ok(await ring());
    await tab.keyboard.press("Enter");
    await tab.waitForFunction(() => document.activeElement?.id === "ruling-title");
    assert.ok((await until(() => document.activeElement.matches(".ruling button, .ruling summary"))) < 3);
    await tab.keyboard.press("?");
    await tab.locator("#help[open]").waitFor();
    assert.ok(await tab.evaluate(() => document.activeElement.closest("dialog") !== null));
    await tab.keyboard.press("Escape");
    await tab.keyboard.press("u");
    assert.equal((await stored(tab, "drafts"))["jazz.check"].difficulty, 11);
  },

  /** A roll is always new, unless its seed is locked; options show a chance, and an answer to an earlier request says so. */
  async roll() {
    const tab = await visit();
    await reads(tab, "58.3%");
    const seeds = [await rolls(tab), await rolls(tab), await rolls(tab)];
    assert.equal(new Set(seeds).size, 3);
    await tab.locator(".asked label.toggle", { hasText: "same dice again" }).click();
    const total = await text(tab.locator(".ruling .sum"));
    await tab.locator(".roll-it").click();
    await tab.waitForFunction((count) => document.querySelectorAll(".log li").length === count, 4);
    assert.equal(await rolled(tab).innerText(), seeds[2]);
    assert.equal(await text(tab.locator(".ruling .sum")), total);
    await tab.locator(".asked label.toggle", { hasText: "same dice again" }).click();
    while (!(await tab.locator(".options button").count())) await rolls(tab);
    assert.match(await text(tab.locator(".options button").first()), /\d% to succeed$/);
    await button(tab, "More Bonus").click();
    await tab.locator(".ruling .badge").waitFor();
    await tab.locator(".options button").first().click();
    await tab.waitForFunction(() => JSON.parse(localStorage.getItem("tablecall.drafts"))["jazz.check"].rescue === true);
    await tab.keyboard.press("u");
    await tab.keyboard.press("u");
    assert.equal((await stored(tab, "drafts"))["jazz.check"].actor.bonus, 3);
    await tab.locator("main").focus();
    await tab.keyboard.press("r");
    await tab.waitForFunction(() => document.activeElement?.id === "ruling-title");
    await tab.locator(".ruling .rule").first().click();
    await tab.locator("#rule[open]").waitFor();
    assert.match(await text(tab.locator("#rule")), /^jazz\./);
    await tab.keyboard.press("Escape");
    await tab.keyboard.press("o");
    assert.equal(await tab.evaluate(() => document.activeElement.id), "chances-title");
    assert.match(await copied(tab, tab.locator(".log .chip", { hasText: "Copy for chat" }).first()), /\*\*/);
    await button(tab, "−1 bonus", false).click();
    await tab.waitForFunction(() => JSON.parse(localStorage.getItem("tablecall.drafts"))["jazz.check"].actor.bonus === 2);
  },

  /** A character goes along from action to action; an attack of two of one's own takes five presses. */
  async attack() {
    const tab = await visit();
    await reads(tab, "58.3%");
    await tab.evaluate(() => {
      window.presses = 0;
      addEventListener("click", (event) => (window.presses += event.isTrusted ? 1 : 0), true);
    });
    await choose(tab, "An attack");
    const who = (label, name) => tab.getByRole("group", { name: label, exact: true }).getByRole("button", { name, exact: false });
    await tab.getByRole("group", { name: "Attackers 1", exact: false }).or(tab.getByRole("group", { name: "Who attacks", exact: false })).first().waitFor();
    await tab.locator(".asked .person").first().getByRole("button", { name: "Rook", exact: false }).click();
    await who("Who is attacked", "Ada Okafor").click();
    await reads(tab, "hit");
    assert.match(await text(headline(tab)), /^\d+\.\d%$/);
    await tab.locator(".legend").waitFor();
    assert.ok((await tab.evaluate(() => window.presses)) <= 5);
    await sound(tab, "an attack");
    await tab.locator(".roll-it").click();
    await tab.locator(".ruling").waitFor();
    while (!(await tab.locator(".ruling .effects").count())) await rolls(tab);
    const health = 3;
    await button(tab, "Apply the changes").click();
    assert.equal((await stored(tab, "characters"))[1].sheet.health.current, health - 1);
    await button(tab, "Undo the changes", false).click();
    assert.equal((await stored(tab, "characters"))[1].sheet.health.current, health);
    await choose(tab, "A check");
    await reads(tab, "success");
    assert.equal((await stored(tab, "drafts"))["jazz.check"].actor.character.name, "Rook");
  },

  /** Refusals stand at their field, and the summary leads there. JSON goes both ways. */
  async refused() {
    expected = ["422"];
    const tab = await visit();
    await reads(tab, "58.3%");
    const bonus = tab.getByLabel("Bonus", { exact: true });
    await bonus.fill("many");
    await tab.locator('input[aria-invalid="true"]').waitFor();
    assert.match(await text(tab.locator(".person .complaint").first()), /whole number/);
    await tab.locator(".refused .link").click();
    await tab.waitForFunction(() => document.activeElement.getAttribute("aria-invalid") === "true");
    assert.ok(await tab.evaluate(() => document.getElementById(document.activeElement.getAttribute("aria-describedby")) !== null));
    await sound(tab, "refused");
    await button(tab, "Undo", false).first().click();
    await reads(tab, "58.3%");
    await tab.locator("summary", { hasText: "As JSON" }).click();
    const json = tab.locator("#json");
    await json.fill('{"action": "jazz.check",\n "actor": {"bonus": 5}, "difficulty" 12}');
    assert.match(await text(tab.locator("#json-error")), /line 2/);
    await json.fill('{"action": "jazz.check", "actor": {"bonus": 6}, "difficulty": 12}');
    await reads(tab, "72.2%");
    assert.equal(await bonus.inputValue(), "6");
    for (const language of ["fetch", "Python", "GraphQL", "curl"]) {
      await button(tab, language).click();
      assert.match(await tab.locator("pre").innerText(), /"bonus": ?6|bonus/);
    }
    await sound(tab, "as JSON");
    // The way to the field opened everything that hid it.
    await tab.getByLabel("Specialist only").waitFor();
    await sound(tab, "more");
  },

  /** What cannot be counted is simulated at once, and says so. */
  async fight() {
    const tab = await visit();
    await choose(tab, "A fight");
    await settled(tab);
    await tab.evaluate(() => {
      const drafts = JSON.parse(localStorage.getItem("tablecall.drafts"));
      const one = (side, index) => ({ id: `${side}${index}`, side, actor: { character: { name: `${side} ${index}`, aspects: [{ name: "fighter", bonus: 2 }], survivalAspect: "fighter", health: { current: 4, max: 4 } }, using: ["fighter"] } });
      drafts["jazz.fight"] = { action: "jazz.fight", combatants: [0, 1, 2].flatMap((index) => [one("us", index), one("them", index)]) };
      localStorage.setItem("tablecall.drafts", JSON.stringify(drafts));
    });
    await tab.reload();
    await tab.waitForFunction(() => /simulated: [\d,]+ trials/.test(document.querySelector(".chances")?.textContent ?? ""));
    assert.match(await text(headline(tab)), /^\d+\.\d%$/);
    await settled(tab);
    // What never came up may still happen.
    assert.deepEqual(await tab.locator(".outcomes b").evaluateAll((all) => all.map((one) => one.textContent).filter((one) => /^(0|100)%$/.test(one))), []);
    await tab.locator(".roll-it").click();
    await tab.locator(".ruling .round").nth(1).waitFor();
    // Each round tells who attacked whom, and how everybody stood at its end, in agreement with what changed.
    const rounds = await tab.locator(".ruling .round").count();
    const last = tab.locator(".ruling .round").nth(rounds - 1);
    if (!(await last.getAttribute("open"))) await last.locator("summary").click();
    assert.match(await text(last.locator(".blows li").first()), /(us|them) \d against (us|them) \d: \d+ against \d+, (hit|miss)/);
    const after = (await stored(tab, "log"))[0].summary;
    const standing = await last.locator(".stand").evaluate((box) => [...box.children].flatMap((one, index, all) => (index % 2 ? [] : [[one.textContent, all[index + 1].textContent.trim()]])));
    assert.equal(standing.length, 6);
    for (const [name, health] of standing) {
      const told = after.replace(/[\u2066-\u2069]/g, "").match(new RegExp(`${name}: health 4 → (\\d)`))?.[1] ?? "4";
      assert.equal(health, `${told}/4`, after);
    }
    await sound(tab, "a fight");
  },

  /** Links are short, show the same roll, and those of older versions still work. */
  async links() {
    const tab = await visit();
    const rook = (await tab.evaluate(() => fetch("static/requests.json").then((answer) => answer.json()))).find((one) => one.action === "jazz.check" && one.request.actor.character).request;
    const fight = (await tab.evaluate(() => fetch("static/requests.json").then((answer) => answer.json()))).find((one) => one.action === "jazz.fight").request;
    for (const [request, most] of [[rook, 700], [fight, 1000]]) {
      await tab.goto("about:blank");
      await tab.goto(`${base}/#odds:${encodeURIComponent(JSON.stringify(request))}`);
      await settled(tab);
      const link = await copied(tab, button(tab, "Copy link").first());
      assert.ok(link.length <= most, `${link.length} characters`);
    }
    await tab.goto("about:blank");
    await tab.goto(`${base}/play#resolve:${encodeURIComponent(JSON.stringify({ action: "jazz.check", actor: { bonus: 3 }, difficulty: 10, seed: "43" }))}`);
    await tab.locator(".ruling").waitFor();
    const summary = await text(tab.locator(".ruling .summary"));
    assert.equal(await rolled(tab).innerText(), "43");
    const link = await copied(tab, tab.locator(".ruling").getByRole("button", { name: "Copy link" }));
    await tab.goto("about:blank");
    await tab.goto(link);
    await tab.locator(".ruling").waitFor();
    assert.equal(await text(tab.locator(".ruling .summary")), summary);
    assert.notEqual(await rolls(tab), "43");
    await tab.goto("about:blank");
    await tab.goto(`${base}/#r=nonsense`);
    assert.match(await text(tab.locator(".refused")), /This link cannot be read/);
  },

  /** Dice from the table are asked for by name, and used. */
  async dice() {
    const tab = await visit();
    await reads(tab, "58.3%");
    // The form stays where it is when the shape of the request arrives, or a press would miss its button.
    const place = () => tab.locator(".roll-it").evaluate((one) => one.getBoundingClientRect().top + scrollY);
    const before = await place();
    const shape = tab.waitForResponse(/schemas\/JazzCheckRequest/);
    await tab.mouse.move(300, 300);
    await shape;
    await tab.waitForTimeout(300);
    assert.equal(await place(), before);
    await button(tab, "real dice").click();
    const dice = tab.locator(".physical select");
    await dice.nth(1).waitFor();
    for (const [index, face] of [[0, "2"], [1, "6"]]) await dice.nth(index).selectOption(face);
    await tab.locator(".roll-it").click();
    await tab.locator(".ruling").waitFor();
    assert.match(await text(tab.locator(".ruling .sum")), /= 11/);
    assert.match(await text(tab.locator(".ruling .seed")), /dice from the table/);
  },

  /** Curves are pinned and compared; the histogram is read by keys; a table, a cheat sheet and files come of it. */
  async chart() {
    const tab = await visit();
    await reads(tab, "58.3%");
    await button(tab, "Pin").click();
    await button(tab, "+1 bonus", false).click();
    await reads(tab, "72.2%");
    await tab.locator(".histogram path.pin").waitFor();
    await tab.locator(".histogram").focus();
    await tab.keyboard.press("Home");
    assert.equal(await tab.locator(".histogram").getAttribute("aria-valuetext"), "5: 0%");
    await tab.keyboard.press("ArrowRight");
    assert.match(await tab.locator(".histogram").getAttribute("aria-valuetext"), /^6: 2\.8%$/);
    await button(tab, "at least").click();
    assert.match(await tab.locator(".histogram").getAttribute("aria-valuetext"), /^6 or more: 100%$/);
    await tab.locator("summary", { hasText: "As a table" }).click();
    await tab.locator("summary", { hasText: "Cheat sheet" }).click();
    assert.equal(await text(tab.locator(".grid tr.on td").nth(2)), "72.2%");
    await sound(tab, "tables");
    await tab.emulateMedia({ forcedColors: "active" });
    await sound(tab, "forced colours");
    await tab.emulateMedia({ forcedColors: "none" });
    for (const [label, start] of [["SVG", "<svg"], ["PNG", "\x89PNG"], ["CSV", "roll,total"]]) {
      const waiting = tab.waitForEvent("download");
      await button(tab, label).click();
      const bytes = readFileSync(await (await waiting).path());
      assert.ok(bytes.toString("latin1").startsWith(start), label);
      assert.ok(bytes.length > 200, label);
    }
    await tab.emulateMedia({ forcedColors: "active" });
    const colours = await tab.evaluate(() => [getComputedStyle(document.querySelector(".histogram .bar")).fill, getComputedStyle(document.querySelector(".chances")).backgroundColor]);
    assert.notEqual(colours[0], colours[1]);
    await tab.emulateMedia({ forcedColors: "none", media: "print" });
    assert.ok(await tab.locator(".histogram").isVisible());
    // The bars are drawn, not backgrounds that print leaves out.
    assert.ok(await tab.evaluate(() => [...document.querySelectorAll(".histogram .bar")].every((bar) => bar.tagName === "rect" && getComputedStyle(bar).fill !== "none")));
    assert.equal(await tab.locator(".asked").isVisible(), false);
  },

  /** A conflict goes on turn by turn to its end, with the chance to win after each, and back. */
  async conflict() {
    const tab = await visit();
    await choose(tab, "Turn by turn");
    for (const one of ["Rook", "Night guard"]) await button(tab, `+ ${one}`).click();
    await button(tab, "+ extra").click();
    await button(tab, "Roll initiative").click();
    await tab.locator(".order .next").waitFor();
    await tab.locator(".outcomes dt", { hasText: "party" }).waitFor();
    await sound(tab, "a conflict");
    await tab.locator(".turn summary", { hasText: "Something else" }).first().click();
    await sound(tab, "a turn");
    await tab.locator(".turn").first().getByRole("button", { name: "A check" }).click();
    await tab.locator("#last-title + p", { hasText: /against 10/ }).waitFor();
    await button(tab, "Take back", false).click();
    await tab.locator(".turn").first().waitFor();
    let turns = 0;
    while (!(await tab.locator("p.outcome").count())) {
      const before = await tab.evaluate(() => document.querySelectorAll(".log li").length + JSON.parse(localStorage.getItem("tablecall.log")).length);
      await tab.locator(".turn .primary").first().click();
      await tab.waitForFunction((old) => document.querySelectorAll(".log li").length + JSON.parse(localStorage.getItem("tablecall.log")).length > old, before);
      turns += 1;
      assert.ok(turns < 60);
    }
    assert.match(await text(tab.locator("p.outcome")), /(party|foes) stands/);
    await button(tab, "Take back", false).click();
    await tab.locator(".turn").first().waitFor();
    await button(tab, "darkpages").click();
    await tab.locator(".roll-it").waitFor();
    await choose(tab, "Turn by turn");
    for (const one of ["Nyx", "The Ogre"]) await button(tab, `+ ${one}`).click();
    await button(tab, "Begin").click();
    await tab.getByRole("group", { name: "Who acts" }).getByRole("button", { name: "The Ogre" }).click();
    await tab.getByRole("group", { name: "On whom" }).getByRole("button", { name: "Nyx" }).click();
    const attack = tab.locator("main .right .primary");
    await attack.filter({ hasText: "%" }).waitFor();
    await sound(tab, "a darkpages conflict");
    await attack.click();
    await tab.locator("#last-title").waitFor();
    assert.match(await text(tab.locator("#last-title + p")), /The Ogre.* attacks .*Nyx/);
  },

  /** Characters are made, checked while typing, exported, imported, deleted, and brought back. */
  async characters() {
    const tab = await visit({ path: "/characters" });
    await tab.locator(".sheet").nth(5).waitFor();
    assert.equal(await tab.locator(".sheet").count(), 6);
    await button(tab, "Edit Ada Okafor").click();
    await tab.getByLabel("Name", { exact: true }).first().waitFor();
    await tab.locator(".verdict li").first().waitFor();
    await sound(tab, "the editor");
    await button(tab, "More Bonus").first().click();
    await tab.waitForFunction(() => JSON.parse(localStorage.getItem("tablecall.characters"))[1].sheet.aspects[0].bonus === 5);
    const waiting = tab.waitForEvent("download");
    await button(tab, "JSON Ada Okafor").click();
    const sheet = JSON.parse(readFileSync(await (await waiting).path(), "utf8"));
    assert.equal(sheet.aspects[0].bonus, 5);
    await button(tab, "Delete Ada Okafor").click();
    assert.equal(await tab.locator(".sheet").count(), 5);
    await button(tab, "Undo", false).click();
    assert.equal(await tab.locator(".sheet").count(), 6);
    const file = (data) => ({ name: "one.json", mimeType: "application/json", buffer: Buffer.from(data) });
    await tab.locator('input[type="file"]').setInputFiles(file(JSON.stringify({ ...sheet, id: "x", name: "Cy" })));
    await tab.locator(".sheet").nth(6).waitFor();
    await tab.locator('input[type="file"]').setInputFiles(file("{}"));
    await tab.locator(".toast", { hasText: "no character" }).waitFor();
    await tab.locator(".chip", { hasText: "+ darkpages" }).click();
    await tab.locator(".verdict li").first().waitFor();
    await sound(tab, "a new character");
    await button(tab, "Roll Cy").click();
    await settled(tab);
    assert.equal((await stored(tab, "drafts"))["jazz.check"].actor.character.name, "Cy");
  },

  /** Without the service the page opens with characters, rules and log, and says what is missing. */
  async offline() {
    expected = ["ERR_INTERNET_DISCONNECTED", "Failed to fetch", "net::"];
    const tab = await visit({ workers: "allow" });
    await reads(tab, "58.3%");
    await rolls(tab);
    await tab.evaluate(() => navigator.serviceWorker.ready);
    await tab.reload();
    await settled(tab);
    await tab.goto(`${base}/characters`);
    await tab.locator(".sheet").first().waitFor();
    await tab.context().setOffline(true);
    await tab.goto(`${base}/`);
    await tab.locator(".refused", { hasText: "The service is away" }).waitFor();
    assert.equal(await tab.locator(".log li").count(), 1);
    await tab.goto(`${base}/characters`);
    await tab.locator(".sheet").nth(5).waitFor();
    await tab.goto(`${base}/systems/jazz/rules`);
    await tab.locator("section", { hasText: "jazz.check.success" }).first().waitFor();
    await tab.context().setOffline(false);
  },

  /** Every action can be asked for and rolled, and every state is sound, in both schemes, narrow and wide. */
  async actions() {
    const tab = await visit({ width: 320, height: 800 });
    await reads(tab, "58.3%");
    const { systems } = await tab.evaluate(() => fetch("systems").then((answer) => answer.json()));
    const titles = new Map(systems.flatMap((one) => one.actions).map((one) => [one.action, one.title]));
    const tags = [...titles.keys()];
    for (const tag of tags.filter((one) => !["jazz.turn", "darkpages.conflict"].includes(one))) {
      await button(tab, tag.startsWith("jazz") ? "Jazz" : "darkpages").click();
      const menu = tab.locator(".asked .menu select");
      if (await menu.locator(`option[value="${tag}"]`).count()) await menu.selectOption(tag);
      else await choose(tab, titles.get(tag));
      await tab.waitForFunction((one) => JSON.parse(localStorage.getItem("tablecall.action")) === one || one === "jazz.check", tag);
      await settled(tab);
      assert.equal(await tab.locator(".refused").count(), 0, tag);
      await tab.locator(".roll-it").click();
      await tab.waitForFunction((one) => JSON.parse(localStorage.getItem("tablecall.log") ?? "[]")[0]?.request.action === one, tag);
      await tab.locator(".ruling").waitFor();
      await sound(tab, tag);
    }
  },

  /** The look in both schemes and at three widths; dialogs; 200 % zoom; the rules, problems and 404. */
  async look() {
    expected = ["404"];
    for (const [width, colorScheme] of [[320, "light"], [390, "dark"], [720, "dark"], [1440, "light"], [1440, "dark"]]) {
      const tab = await visit({ width, colorScheme, ...(width === 720 ? { deviceScaleFactor: 2 } : {}) });
      await reads(tab, "58.3%");
      await sound(tab, `start ${width} ${colorScheme}`);
      await rolls(tab);
      await sound(tab, `roll ${width} ${colorScheme}`);
      await tab.screenshot({ path: `${screenshots}/table-${width}-${colorScheme}.png`, fullPage: true });
      await button(tab, "Help and keys").click();
      await sound(tab, `help ${width} ${colorScheme}`);
      for (const path of ["/characters", "/systems", "/systems/jazz", "/systems/darkpages/rules", "/systems/jazz/tables", "/problems", "/nowhere"]) {
        await tab.goto(base + path);
        await tab.locator("h1").first().waitFor();
        await sound(tab, `${path} ${width} ${colorScheme}`);
      }
      await tab.goto(`${base}/systems/jazz/rules`);
      await tab.keyboard.press("/");
      await tab.keyboard.type("karma rescue");
      await tab.locator("#search").waitFor();
      assert.ok((await tab.locator(".book section:visible").count()) < 6);
      await sound(tab, `search ${width} ${colorScheme}`);
      await tab.context().close();
    }
  },

  /** In German, with German numbers. */
  async german() {
    const tab = await visit({ locale: "de-DE" });
    await reads(tab, "58,3");
    assert.equal(await tab.evaluate(() => document.documentElement.lang), "de");
    assert.match(await text(tab.locator("header nav")), /Tisch Figuren Regeln/);
    await rolls(tab);
    assert.match(await text(tab.locator(".ruling .outcome")), /Erfolg|Fehlschlag|misslungen|gelungen/i);
    await sound(tab, "German");
    // The whole form of the check is in German.
    await tab.locator("summary", { hasText: "Mehr: alles" }).click();
    await tab.getByLabel("Nur für Fachleute").waitFor();
    assert.deepEqual((await tab.locator(".asked .fields .label, .asked .fields .chip").allInnerTexts()).filter((one) => /^(ties|stakes|amount|rescue by|subject|actor|opponent)$/i.test(one)), []);
    await sound(tab, "German form");
    await button(tab, "English").click();
    await reads(tab, "58.3%");
  },

  /** With keys on, every page opens, asks for the key once, and says when it is refused. */
  async keys() {
    expected = ["401"];
    const tab = await visit();
    await tab.locator("#key[open]").waitFor();
    await sound(tab, "the key");
    await tab.locator("#key-field").fill("wrong");
    await button(tab, "Use this key").click();
    await tab.locator("#key[open]", { hasText: "refused" }).waitFor();
    await tab.locator("#key-field").fill("a key");
    await button(tab, "Use this key").click();
    await reads(tab, "58.3%");
    await rolls(tab);
    await tab.goto(`${base}/systems/jazz/rules`);
    await tab.locator("#search").waitFor();
    await tab.goto(`${base}/docs`);
    await tab.locator(".authorize").waitFor();
    await tab.goto(`${base}/graphql`);
    // The query can be run once the editor shows it.
    await tab.locator(".graphiql-query-editor .view-lines", { hasText: "query" }).waitFor();
    await tab.waitForTimeout(1_000);
    await tab.locator(".graphiql-execute-button").click();
    await tab.waitForFunction(() => document.querySelector(".graphiql-response")?.textContent.includes('"summary"'));
    assert.equal(await tab.locator("dialog[open]").count(), 0);
  },
};

try {
  await scenarios[name]();
  assert.deepEqual(wrong, []);
} catch (error) {
  for (const context of browser.contexts()) for (const tab of context.pages()) await tab.screenshot({ path: `${screenshots}/failed-${name}.png` }).catch(() => undefined);
  throw error;
} finally {
  await browser.close();
}
