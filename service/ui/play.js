// A table to play at: an example of every action to start from, its ruling, what might still be done, and its odds.

const at = (id) => document.getElementById(id);
const [example, text, request, seed, answer] = ["example", "text", "request", "seed", "answer"].map(at);

// An element with attributes and children; texts never become markup.
function made(name, attributes = {}, ...children) {
  const element = Object.assign(document.createElement(name), attributes);
  element.append(...children.flat().filter((child) => child !== null));
  return element;
}

const listed = (title, name, items) => (items.length ? [made("h2", {}, title), made(name, {}, items)] : []);
const rowOf = (cells, cell = "td") => made("tr", {}, cells.map((one) => made(cell, {}, String(one ?? ""))));
const tabled = (title, heads, rows) => listed(title, "table", rows.length ? [rowOf(heads, "th"), ...rows.map((row) => rowOf(row))] : []);

// ── What is asked ───────────────────────────────────────────────────────────────────────────────────────────────────

const examples = await (await fetch("static/requests.json")).json();
const optionOf = ({ action, name }, index) => made("option", { value: index }, `${action}: ${name}`);
const systems = [...new Set(examples.map(({ action }) => action.split(".")[0]))];
example.append(
  ...systems.map((system) =>
    made("optgroup", { label: system }, examples.map(optionOf).filter((_, index) => examples[index].action.startsWith(`${system}.`))),
  ),
);

function write(asked) {
  const { seed: chosen, ...rest } = asked;
  seed.value = chosen ?? "";
  request.value = JSON.stringify(rest, null, 2);
  request.rows = Math.min(request.value.split("\n").length + 1, 40);
}

// What is in the form, or nothing, where that is no JSON object; then it is said so.
function asked() {
  try {
    const { ...found } = JSON.parse(request.value);
    return seed.value === "" ? found : { ...found, seed: seed.value };
  } catch (error) {
    answer.replaceChildren(made("p", { className: "problem" }, `The request is no JSON: ${error.message}`));
    return null;
  }
}

function choose() {
  const chosen = examples[example.value];
  text.textContent = chosen.text;
  write(chosen.request);
  answer.replaceChildren();
}

// The page's address holds the request, so that it can be handed on.
function remember(path, found) {
  const document = JSON.stringify(found);
  history.replaceState(null, "", `#${encodeURIComponent(document)}`);
  const said = ["-H 'content-type: application/json'", `-d '${document.replaceAll("'", "'\\''")}'`];
  at("curl").textContent = [`curl -s ${new URL(path, location.href)}`, ...said].join(" \\\n  ");
}

function sent(path, found, accept = "application/json") {
  return fetch(path, { method: "POST", headers: { "content-type": "application/json", accept }, body: JSON.stringify(found) });
}

// ── A ruling ────────────────────────────────────────────────────────────────────────────────────────────────────────

const rules = new Map();
// The rules of a system by id, asked for once.
function rulesOf(system) {
  if (!rules.has(system)) {
    const known = fetch(`systems/${system}/rules`).then((found) => found.json());
    rules.set(system, known.then((found) => new Map(found.rules.map((rule) => [rule.id, rule.text]))));
  }
  return rules.get(system);
}

async function roll() {
  const found = asked();
  if (found === null) return;
  remember("resolve", found);
  const response = await sent("resolve", { include: ["factors", "options"], ...found });
  const body = await response.json();
  answer.replaceChildren(...(response.ok ? ruled(found, body, await rulesOf(body.system)) : refused(body)));
}

function ruled(found, ruling, texts) {
  const verdict = { true: "yes", false: "no", null: "" }[ruling.succeeded];
  const against = [ruling.total === null ? null : `total ${ruling.total}`, ruling.target === null ? null : `against ${ruling.target}`];
  return [
    made("p", { className: `outcome ${verdict}` }, ruling.outcome),
    made("p", { id: "summary" }, ruling.summary),
    made("p", { className: "faint" }, [...against, `seed ${ruling.seed}`].filter(Boolean).join(" · ")),
    ...ruling.rolls.map(diceOf),
    ...optionsOf(found, ruling.options ?? []),
    ...listed("Why", "ol", ruling.steps.map((step) => stepOf(ruling.system, step, texts))),
    ...tabled("What changes", ["on", "what", "from", "to"], ruling.effects.map((one) => [one.on, one.stat, one.from, one.to])),
    ...tabled("What mattered", ["", "worth", ""], (ruling.factors ?? []).map((one) => [one.name || one.kind, one.value, one.verdict])),
    made("div", { className: "buttons" }, [
      button("Roll once more", () => (seed.value = ""), roll),
      button("Keep this seed", () => (seed.value = ruling.seed)),
      button("Go on from here", () => write(after(ruling, found))),
    ]),
  ];
}

// What is there after the ruling, of what the request had as well; dice from the table were for this one alone.
function after(ruling, { dice, ...found }) {
  const changed = Object.entries(ruling.after).filter(([name, value]) => name in found && value !== null);
  return { ...found, ...Object.fromEntries(changed), seed: undefined };
}

function button(name, ...does) {
  return made("button", { type: "button", onclick: () => does.forEach((one) => one()) }, name);
}

function diceOf({ roll: place, name, dice, modifier, total }) {
  const shown = dice.map((die) =>
    made("span", { className: die.kept ? "die" : "die aside", title: saidOf(die) }, String(die.face)),
  );
  const added = modifier ? [`${modifier < 0 ? "−" : "+"} ${Math.abs(modifier)}`] : [];
  const words = (said) => made("span", {}, said);
  return made("div", { className: "dice", title: place }, [words(`${name}:`), ...shown, ...[...added, `= ${total}`].map(words)]);
}

const saidOf = ({ sides, kept: counts, replaced }) =>
  [`d${sides}`, ...(replaced.length ? [`rolled again, was ${replaced.join(", ")}`] : []), ...(counts ? [] : ["not kept"])].join(", ");

function stepOf(system, { rule, text: words }, texts) {
  const link = made("a", { href: `systems/${system}/rules/${rule}`, title: texts.get(rule) ?? "" }, rule);
  return made("li", {}, `${words} `, link);
}

// A choice that is still open is a patch of the request, on the same dice.
function optionsOf(found, options) {
  const takes = options.map(({ choice, text: words, request: patch, then }) =>
    button(`${choice}: ${words} → ${then}`, () => write(merged(found, patch)), roll),
  );
  return options.length ? [made("h2", {}, "What might still be done"), made("div", { className: "options" }, takes)] : [];
}

// A JSON merge patch (RFC 7396).
function merged(document, patch) {
  if (patch === null || typeof patch !== "object" || Array.isArray(patch)) return patch;
  const found = document !== null && typeof document === "object" && !Array.isArray(document) ? { ...document } : {};
  for (const [name, value] of Object.entries(patch)) {
    if (value === null) delete found[name];
    else found[name] = merged(found[name], value);
  }
  return found;
}

function refused({ title, detail, errors = [] }) {
  const found = errors.map(({ pointer, detail: words, rule }) => made("li", {}, [pointer, words, rule].filter(Boolean).join(" — ")));
  return [made("p", { className: "outcome no" }, title), made("p", { className: "problem" }, detail), ...listed("Where", "ul", found)];
}

// ── Odds ────────────────────────────────────────────────────────────────────────────────────────────────────────────

async function odds() {
  const found = asked();
  if (found === null) return;
  remember("odds", found);
  const [numbers, drawn] = await Promise.all([sent("odds", found), sent("odds", found, "image/svg+xml")]);
  const body = await numbers.json();
  answer.replaceChildren(...(numbers.ok ? weighed(body, await drawn.text()) : refused(body)));
}

function weighed({ outcomes, rolls, expected }, svg) {
  const chart = `data:image/svg+xml,${encodeURIComponent(svg)}`;
  const fraction = (one) => (one.fraction.length > 60 ? "" : one.fraction);
  return [
    made("img", { src: chart, alt: outcomes.map((one) => `${one.outcome} ${one.percent}`).join(", ") }),
    ...tabled("Outcomes", ["", "", "exactly"], outcomes.map((one) => [one.outcome, one.percent, fraction(one)])),
    ...tabled("Rolls", ["", "mean", "±"], rolls.map((one) => [one.roll, one.mean.toFixed(2), one.standardDeviation.toFixed(2)])),
    ...tabled("Changes on average", ["", ""], Object.entries(expected).map(([stat, mean]) => [stat, mean.toFixed(3)])),
  ];
}

// ── The page ────────────────────────────────────────────────────────────────────────────────────────────────────────

example.addEventListener("change", choose);
at("odds").addEventListener("click", odds);
at("asked").addEventListener("submit", (event) => {
  event.preventDefault();
  roll();
});

choose();
if (location.hash.length > 1) {
  const handed = JSON.parse(decodeURIComponent(location.hash.slice(1)));
  const known = examples.findIndex(({ action }) => action === handed.action);
  if (known >= 0) {
    example.value = known;
    text.textContent = examples[known].text;
  }
  write(handed);
  roll();
}
