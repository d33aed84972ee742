// A table to play at: an example of every action to start from, its ruling, what might still be done, and its odds.

const at = (id) => document.getElementById(id);
const [example, text, request, seed, answer] = ["example", "text", "request", "seed", "answer"].map(at);

// An element with attributes and children; texts never become markup.
function made(name, attributes = {}, ...children) {
  const element = Object.assign(document.createElement(name), attributes);
  element.append(...children.flat().filter((child) => child !== null && child !== ""));
  return element;
}

const titled = (title, ...parts) => [made("h3", {}, title), ...parts];
const listed = (title, name, items) => (items.length ? titled(title, made(name, {}, items)) : []);
const saidOf = (value) => (typeof value === "object" && value !== null ? JSON.stringify(value) : String(value ?? ""));
const cellOf = (name) => (value) => made(name, {}, value instanceof Node ? value : saidOf(value));

function tabled(title, heads, rows) {
  if (!rows.length) return [];
  const lines = [made("tr", {}, heads.map(cellOf("th"))), ...rows.map((row) => made("tr", {}, row.map(cellOf("td"))))];
  return titled(title, made("div", { className: "wide" }, made("table", {}, lines)));
}

// ── What is asked ───────────────────────────────────────────────────────────────────────────────────────────────────

let examples = [];
const optionOf = ({ action, name }, index) => made("option", { value: index }, `${action}: ${name}`);

// The examples, to choose from. Without them the page serves for requests of one's own.
async function offer() {
  try {
    const response = await fetch("static/requests.json");
    const found = await answered(response);
    if (!response.ok) throw new Error(found.detail);
    examples = found;
  } catch (error) {
    const words = `The examples are not there (${error.message}). A request of your own can be asked all the same.`;
    text.replaceChildren(made("span", { className: "problem", role: "alert" }, words));
    example.disabled = true;
  }
  const systems = [...new Set(examples.map(({ action }) => action.split(".")[0]))];
  const optionsIn = (system) => examples.map(optionOf).filter((_, index) => examples[index].action.startsWith(`${system}.`));
  example.append(...systems.map((system) => made("optgroup", { label: system }, optionsIn(system))));
}

function describe(index) {
  if (!examples.length) return;
  example.value = index;
  text.textContent = examples[index]?.text.replaceAll("`", "") ?? "";
}

// A seed has a field of its own. One that is none stays where it is, for the service to refuse.
function write({ seed: chosen, ...rest }) {
  const stays = !isNone(chosen) && !isSeed(chosen);
  request.value = JSON.stringify(stays ? { ...rest, seed: chosen } : rest, null, 2);
  request.rows = Math.min(request.value.split("\n").length + 1, 24);
  fill(chosen, stays);
}

// A field of one line can hold it as it is.
const isSeed = (found) => Number.isSafeInteger(found) || (typeof found === "string" && /^[^\r\n]+$/.test(found));

const isNone = (found) => found === undefined || found === null;

// A seed that stands in the text is the one that counts; the field only shows it.
function fill(chosen, stands) {
  seed.value = isSeed(chosen) ? chosen : "";
  seed.readOnly = stands;
  at("named").hidden = !stands;
}

// What is written; throws where that is no JSON object.
function read() {
  let found;
  try {
    found = JSON.parse(request.value);
  } catch (error) {
    throw failure("The request cannot be read", `It is no JSON: ${error.message}`);
  }
  if (found !== null && typeof found === "object" && !Array.isArray(found)) return found;
  throw failure("The request cannot be read", "It is no JSON object.");
}

// What is in the form. A seed in the text moves to its field.
function asked() {
  let found = read();
  if ("seed" in found) {
    write(found);
    found = read();
  }
  if (examples[example.value]?.action !== found.action) describe(examples.findIndex(({ action }) => action === found.action));
  return seed.value === "" ? found : { ...found, seed: seed.value };
}

// The page's address holds what was asked, so that it can be handed on and gone back to.
function remember(verb, found, how = "replaceState") {
  const document = JSON.stringify(found);
  const address = `#${verb}:${encodeURIComponent(document)}`;
  if (address !== location.hash) history[how](null, "", address);
  const said = ["-H 'content-type: application/json'", `-d '${document.replaceAll("'", "'\\''")}'`];
  at("curl").textContent = [`curl -s ${new URL(verb, location.href)}`, ...said].join(" \\\n  ");
}

// ── How it is answered: the last question counts, and whatever fails is said ────────────────────────────────────────

let asking = new AbortController();
// Whether the visitor has been led to what is shown: once for each question, be it only to hear that it is asked.
let led = false;

// What was asked for on the page is one more entry of the browser's history, what an address or going back asks for is not.
async function ask(verb, how = "pushState") {
  stop();
  const { signal } = asking;
  const waiting = setTimeout(() => led || show([made("h2", {}, "Asking…")]), 300);
  try {
    const found = asked();
    remember(verb, found, how);
    await { resolve: roll, odds: weigh }[verb](found, signal);
  } catch (error) {
    if (!signal.aborted) show(error.problem ? refused(error.problem) : failed(error));
  } finally {
    clearTimeout(waiting);
  }
}

// A new request replaces the one that is still running.
function stop() {
  asking.abort();
  asking = new AbortController();
  led = false;
}

// Moves the focus to the heading of the result. If the user has moved on meanwhile, the result is announced instead.
function show(parts) {
  const within = answer.contains(document.activeElement);
  answer.replaceChildren(...parts);
  const head = answer.querySelector("h2");
  at("said").textContent = led && !within ? head.textContent : "";
  if (led && !within) return;
  head.tabIndex = -1;
  head.focus({ preventScroll: true });
  const { top } = head.getBoundingClientRect();
  if (!led && (top < 0 || top > innerHeight - 200)) head.scrollIntoView({ block: "start" });
  led = true;
}

// Throws what is refused, with its problem.
async function sent(path, found, accept, signal) {
  const headers = { "content-type": "application/json", accept };
  const response = await fetch(path, { method: "POST", headers, body: JSON.stringify(found), signal }).catch((error) => {
    throw failure("The service cannot be reached", error.message);
  });
  if (!response.ok) throw Object.assign(new Error(), { problem: await answered(response) });
  return response;
}

async function answered(response) {
  try {
    return await response.json();
  } catch {
    throw new Error(`There is no answer to be read (${response.status}).`);
  }
}

const failure = (title, message) => Object.assign(new Error(message), { title });
const failed = ({ title = "There is no answer", message }) => [made("h2", { className: "no" }, title), made("p", { className: "problem" }, message)];

function refused({ type, title, detail, errors = [] }) {
  const rule = (id) => made("a", { href: `systems/${id.split(".")[0]}/rules/${id}` }, id);
  const found = errors.map((one) => made("li", {}, `${one.pointer || "/"}: ${one.detail} `, one.rule ? rule(one.rule) : null));
  const why = made("p", { className: "problem" }, `${detail} `, made("a", { href: (type ?? "").slice(1) }, "what that means"));
  return [made("h2", { className: "no" }, title), why, ...listed("Where", "ul", found)];
}

// ── Who is meant ────────────────────────────────────────────────────────────────────────────────────────────────────

// A place of the request by the name of who stands there, "Rook: health" for combatants.0.health; where nobody is named, as it is.
function whose(place, found) {
  const steps = place.split(".");
  let here = found;
  for (const [index, step] of steps.entries()) {
    const among = here;
    here = Object(here)[step];
    const name = calledIn(among, here);
    const theirs = steps.slice(index + 1).join(".");
    if (name) return made("span", {}, theirs ? `${name}: ${theirs} ` : `${name} `, made("small", { className: "faint" }, place));
  }
  return place;
}

const nameOf = (one) => one?.character?.name ?? one?.actor?.character?.name ?? one?.name ?? one?.id;

// Those who share a name are told apart by their ids, if they have any.
function calledIn(among, one) {
  const name = nameOf(one);
  const shared = Array.isArray(among) && among.filter((other) => nameOf(other) === name).length > 1;
  return shared && one.id ? `${name} (${one.id})` : name;
}

// ── A ruling ────────────────────────────────────────────────────────────────────────────────────────────────────────

const rules = new Map();
// The rules of a system by id, asked for until they are there; a ruling is shown without them too.
async function rulesOf(system) {
  try {
    if (!rules.has(system)) {
      const found = await answered(await fetch(`systems/${system}/rules`));
      rules.set(system, new Map(found.rules.map((rule) => [rule.id, rule.text])));
    }
  } catch {
    return new Map();
  }
  return rules.get(system);
}

async function roll(found, signal) {
  const telling = { include: ["factors", "options"], ...found };
  const ruling = await answered(await sent("resolve", telling, "application/json", signal));
  const texts = await rulesOf(ruling.system);
  if (signal.aborted) return;
  remember("resolve", { ...found, seed: ruling.seed });
  show(ruled(found, ruling, texts));
}

function ruled(found, ruling, texts) {
  const verdict = { true: "yes", false: "no", null: "" }[ruling.succeeded];
  const against = [ruling.total === null ? null : `total ${ruling.total}`, ruling.target === null ? null : `against ${ruling.target}`];
  const next = after(ruling, found);
  return [
    made("h2", { className: verdict }, ruling.outcome),
    made("p", { id: "summary" }, ruling.summary),
    made("p", { className: "faint" }, [...against, `seed ${ruling.seed}`].filter(Boolean).join(" · ")),
    made("div", { className: "buttons" }, [
      button("Roll once more", () => (seed.value = ""), () => ask("resolve")),
      button("Keep this seed", () => (seed.value = ruling.seed)),
      next ? button("Go on from here", () => write(next), () => request.focus()) : null,
    ]),
    ...ruling.rolls.map(diceOf),
    ...optionsOf(found, ruling.options ?? []),
    ...(ruling.turns ?? []).flatMap((turn) => titled(turn.summary, ...turn.rolls.map(diceOf))),
    ...listed("Why", "ol", ruling.steps.map((step) => stepOf(ruling.system, step, texts))),
    ...tabled("What changes", ["whose", "what", "from", "to"], ruling.effects.map((effect) => changeOf(effect, found))),
    ...mattered(ruling.factors ?? [], found),
  ];
}

const signed = (number) => (number > 0 ? `+${number}` : `${number}`);
// Without a sheet only the difference is known.
const changeOf = ({ on, stat, from, to, change }, found) => [whose(on, found), stat, from, from === null && to === null ? signed(change) : to];

function mattered(factors, found) {
  const rows = factors.map(({ on, kind, name, value, verdict }) => [whose(on, found), name || kind, value === true ? "" : value, verdict]);
  const told = "Without what was necessary the outcome had been another, without what was helpful only the numbers.";
  return rows.length ? [...tabled("What mattered", ["whose", "what", "worth", "how much"], rows), made("p", { className: "faint" }, told)] : [];
}

// The request as it goes on: what is there after the ruling, as far as the action takes it; dice from the table were for this one alone.
function after(ruling, { dice, ...found }) {
  const takes = examples.find(({ action }) => action === ruling.action)?.takes ?? [];
  const changed = Object.entries(ruling.after).filter(([name, value]) => takes.includes(name) && value !== null);
  return changed.length ? { ...found, ...Object.fromEntries(changed), seed: undefined } : null;
}

function button(name, ...does) {
  return made("button", { type: "button", onclick: () => does.forEach((one) => one()) }, name);
}

function diceOf({ roll: place, name, dice, modifier, total }) {
  const shown = dice.map((die) => made("span", { className: die.kept ? "die" : "die aside" }, dieText(die)));
  const added = modifier ? [`${modifier < 0 ? "−" : "+"} ${Math.abs(modifier)}`] : [];
  const words = (said) => made("span", {}, said);
  const sides = [...new Set(dice.map((die) => `d${die.sides}`))];
  const where = made("small", { className: "faint" }, [...(place === name ? [] : [place]), ...sides].join(", "));
  return made("div", { className: "dice" }, [words(`${name}:`), ...shown, ...[...added, `= ${total}`].map(words), where]);
}

// What a die showed before it was rolled again stands beside what it shows.
const dieText = ({ face, kept, replaced }) => [
  `${face}`,
  replaced.length ? made("small", {}, ` was ${replaced.join(", ")}`) : null,
  kept ? null : made("span", { className: "unseen" }, " not kept"),
];

function stepOf(system, { rule, text: words }, texts) {
  const link = made("a", { href: `systems/${system}/rules/${rule}`, title: texts.get(rule) ?? "" }, rule);
  return made("li", {}, made("span", {}, words), " ", link);
}

// A choice that is still open is a patch of the request, on the same dice.
function optionsOf(found, options) {
  const here = options.filter(({ request: patch }) => patch !== null); // what another action carries out has no patch
  const takes = here.map(({ choice, text: words, request: patch, chance }) =>
    button(`${choice}: ${words}${chance === null ? "" : ` (${Math.round(chance * 100)} %)`}`, () => write(merged(found, patch)), () => ask("resolve")),
  );
  return takes.length ? titled("What might still be done", made("div", { className: "options" }, takes)) : [];
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

// ── Odds: those of a simulation are shown while it is played ────────────────────────────────────────────────────────

async function weigh(found, signal) {
  const response = await sent("odds", found, "text/event-stream", signal);
  for await (const { event, data } of events(response.body)) {
    if (signal.aborted) return;
    if (event === "problem") throw Object.assign(new Error(), { problem: data });
    show(weighed(found, data, event === "done"));
    if (data.simulated) remember("odds", { ...found, seed: data.simulated.seed });
  }
}

// Server-sent events, each with its data read.
async function* events(body) {
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  for (let part = await reader.read(); !part.done; part = await reader.read()) {
    const whole = (rest + part.value).split("\n\n");
    rest = whole.pop();
    for (const one of whole) {
      const fields = Object.fromEntries(one.split("\n").map((line) => line.match(/^(\w*): ?(.*)$/)?.slice(1) ?? ["", ""]));
      if (fields.data) yield { event: fields.event, data: JSON.parse(fields.data) };
    }
  }
}

const percentOf = (share) => `${(100 * share).toFixed(1)} %`;
const barOf = (share, most = 1) => made("div", { className: "bar", style: `width: ${(100 * share) / most}%` });

function weighed(found, { action, outcomes, rolls, expected, rounds, simulated }, done) {
  const how = simulated ? `of ${simulated.trials.toLocaleString("en")} trials${done ? "" : " so far"}` : "exact";
  const more = simulated ? "between" : outcomes.some(short) ? "exactly" : null;
  const rowOf = (one) => [one.outcome, barOf(one.probability), one.percent, ...(more ? [simulated ? betweenOf(one) : short(one)] : [])];
  return [
    made("h2", {}, "Odds"),
    made("p", { className: "faint" }, `${action}, ${how}`),
    ...tabled("Outcomes", ["outcome", "", "how likely", ...(more ? [more] : [])], outcomes.map(rowOf)),
    ...(rounds ? roundsOf(rounds) : []),
    ...tabled("Changes on average", ["what", "by"], Object.entries(expected).map(([stat, mean]) => [whose(stat, found), mean.toFixed(3)])),
    ...tabled("Rolls", ["roll", "mean", "deviation"], rolls.map((one) => [whose(one.roll, found), one.mean.toFixed(2), one.standardDeviation.toFixed(2)])),
  ];
}

const short = ({ fraction }) => (fraction.length > 40 ? "" : fraction);
const betweenOf = ({ interval: { low, high } }) => `${percentOf(low)} and ${percentOf(high)}`;

function roundsOf({ distribution, mean }) {
  const most = Math.max(...distribution.map((one) => one.probability));
  const seen = distribution.filter((one) => one.probability * 200 >= most);
  const rows = seen.map((one) => [one.rounds, barOf(one.probability, most), percentOf(one.probability)]);
  return tabled(`Rounds: ${mean.toFixed(1)} on average`, ["rounds", "", "how likely"], rows);
}

// ── The page ────────────────────────────────────────────────────────────────────────────────────────────────────────

example.addEventListener("change", () => {
  describe(example.value);
  write(examples[example.value].request);
  stop();
  answer.replaceChildren();
});
// While the text names a seed of its own, the field shows that one.
request.addEventListener("input", () => {
  try {
    const { seed: chosen } = read();
    if (!isNone(chosen) || seed.readOnly) fill(chosen, !isNone(chosen));
  } catch {
    // It is being written.
  }
});
at("odds").addEventListener("click", () => ask("odds"));
at("asked").addEventListener("submit", (event) => {
  event.preventDefault();
  ask("resolve");
});
addEventListener("hashchange", open);

// What the address holds is asked. Where it holds nothing, nothing was asked yet, and the first example is there to be.
function open() {
  stop();
  if (location.hash.length < 2) {
    answer.replaceChildren();
    if (request.value === "" && examples.length) {
      describe(0);
      write(examples[0].request);
    }
    return;
  }
  try {
    const [, verb, document] = location.hash.match(/^#(?:(resolve|odds):)?(.*)$/);
    request.value = decodeURIComponent(document);
    seed.value = "";
    write(asked());
    ask(verb ?? "resolve", "replaceState");
  } catch (error) {
    show(failed(failure("The address holds no request", error.message)));
  }
}

await offer();
// It keeps what was typed or requested meanwhile.
if (request.value === "") open();
