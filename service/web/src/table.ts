// The table: the request on the left, its chances and the roll on the right, the log below.

import { html, nothing, type TemplateResult } from "lit-html";
import { ACTIONS, AGAINST, CARRIED_OUT, COMMON, harmedOf, isGood, LEVELS, targetOf, whatIfs } from "./actions.ts";
import { chances as ratesOf, type Finding, get, nameOf, odds as askOdds, post, type Problem, Refused, schemaOf } from "./api.ts";
import { asPng, asSvg, csv, histogram, type Mode, type Row, summed, table } from "./chart.ts";
import { at, copy, type Doc, merged, pathOf, put, sumOf, words } from "./documents.ts";
import { field, type Form, goTo, labelOf, resolved, stepper, toggle, valueLabel } from "./form.ts";
import { clock, language, number, percent, signed, t, tOr } from "./i18n.ts";
import { type View, download, draw, say, toClipboard } from "./page.ts";
import { actorOf, widget } from "./people.ts";
import * as physical from "./physical.ts";
import { linkOf, read } from "./share.ts";
import { snippet, SNIPPETS } from "./snippets.ts";
import { characters, load, save, saveCharacters, sheetsIn, update } from "./store.ts";
import first from "../first.json";

export interface Answer {
  request: Doc;
  ruling: Doc;
}
interface Pin {
  label: string;
  odds: Doc;
  request: Doc;
}
interface Guess {
  label: string;
  request: Doc;
  share?: number;
  note?: string;
}

const drafts: Record<string, Doc> = load("drafts", {});
const state = {
  request: { action: "jazz.check", ...ACTIONS["jazz.check"].start } as Doc,
  schema: undefined as Doc | undefined,
  schemaOf: "",
  errors: [] as Finding[],
  problem: undefined as Problem | undefined,
  odds: undefined as Doc | undefined,
  oddsOf: "",
  pending: false,
  guesses: [] as Guess[],
  mode: "each" as Mode,
  shown: 0,
  selected: undefined as number | undefined,
  pins: [] as Pin[],
  answer: undefined as Answer | undefined,
  locked: "",
  rolling: false,
  undo: [] as Doc[],
  undoSheets: null as (() => void) | null,
  tab: "curl",
  written: undefined as string | undefined,
  log: load<Doc[]>("log", []),
  examples: [] as Doc[],
  more: false,
  allLog: false,
  broken: "",
};
const pictures = { main: {} };
const narrow = matchMedia("(max-width: 40rem)");
let conflict: typeof import("./conflict.ts") | undefined;
/** Comes with the first roll; the first screen does without. */
let drawn: typeof import("./ruling.ts") | undefined;

// ── The request ──────────────────────────────────────────────────────────────────────────────────────────────────

const action = (): string => state.request.action;
const system = (): string => action().split(".")[0];
const titleOf = (tag: string): string => tOr(`action.${tag}`, tag);
const isConflict = (): boolean => action() === "jazz.turn" || action() === "darkpages.conflict";

export function change(request: Doc, remember = true): void {
  if (remember) state.undo = [...state.undo.slice(-49), state.request];
  state.request = request;
  state.broken = "";
  state.written = undefined;
  drafts[request.action] = request;
  save("drafts", drafts);
  save("action", request.action);
  ask();
  draw();
}

function undo(): void {
  const before = state.undo.pop();
  if (!before) return;
  const other = before.action !== action();
  change(before, false);
  if (other) void prepare();
}

async function choose(tag: string): Promise<void> {
  if (tag === action()) return;
  let request: Doc = drafts[tag] ?? { action: tag, ...(await startOf(tag)) };
  const main = ACTIONS[action()]?.main ?? [];
  const before = main.length ? at(state.request, main) : undefined;
  const sheet: Doc | undefined = before?.character ?? (before?.aspects || before?.attributes ? before : undefined);
  const there = ACTIONS[tag].main;
  if (sheet && tag.startsWith(system()) && there.length) {
    const held = at(request, there);
    if (there.at(-1) === "character" || there[0] === "characters") request = put(request, there, sheet);
    else if (held?.character?.name !== sheet.name) request = put(request, there, before?.character ? { ...actorOf(system(), sheet, held), ...(before.using ? { using: before.using } : {}), ...(before.attribute ? { attribute: before.attribute } : {}) } : actorOf(system(), sheet, held));
  }
  state.odds = undefined;
  state.guesses = [];
  state.shown = 0;
  state.pins = [];
  change(request);
  await prepare();
}

/** The request an action starts with: its own, or that of the first example, without what only fits there. */
async function startOf(tag: string): Promise<Doc> {
  if (Object.keys(ACTIONS[tag]?.start ?? {}).length) return copy(ACTIONS[tag].start);
  await examples();
  const example = state.examples.find((one) => one.action === tag);
  return example ? plain(example.request) : {};
}

async function examples(): Promise<void> {
  if (!state.examples.length) state.examples = (await get("static/requests.json").catch(() => [])) as Doc[];
}

const plain = ({ seed: _seed, dice: _dice, include: _include, ...request }: Doc): Doc => request;

async function prepare(): Promise<void> {
  const tag = action();
  if (state.schemaOf !== tag) state.schema = undefined;
  state.schemaOf = tag;
  if (isConflict()) conflict = await import("./conflict.ts");
  draw();
  try {
    const schema = await schemaOf(`${nameOf(tag)}Request`);
    if (tag === action()) state.schema = schema;
  } catch {
    // The fields in front still work; the chances say what is wrong.
  }
  draw();
}

const form = (): Form => ({
  document: state.request,
  definitions: state.schema?.$defs ?? {},
  errors: state.errors,
  change,
  widget(name, path, schema) {
    return widget(this, name, path, schema);
  },
});

function frontField(name: string): TemplateResult | typeof nothing {
  if (name === "against") return against();
  if (name === "rescue" && action() === "jazz.check") return html`<span class="chips">${toggle(form(), ["rescue"], t("field.rescueDie"))}</span>`;
  const part = state.schema?.properties?.[name];
  // The first roller can be chosen before the schema is there, and stays in place when it comes.
  if (name === "actor") return widget(form(), labelOf(name), [name], { shape: system() === "jazz" ? "JazzActor" : "DarkpagesActor", ...(part ? resolved(part, state.schema!.$defs) : {}) })!;
  return part ? field(form(), part, [name], state.schema!.required?.includes(name)) : nothing;
}

/** A number, a level, a weird effect, or somebody who opposes. */
function against(): TemplateResult {
  const jazz = system() === "jazz";
  const name = jazz ? "difficulty" : "targetNumber";
  const target = targetOf(state.request);
  const kind = state.request.opponent ? "opponent" : state.request.effect ? "effect" : "number";
  const clear = (request: Doc) => Object.fromEntries(Object.entries(request).filter(([key]) => !AGAINST.includes(key)));
  const begin = (to: string) => {
    if (to === "number") change({ ...clear(state.request), [name]: jazz ? 10 : 15 });
    else if (to === "opponent") change({ ...clear(state.request), opponent: jazz ? { bonus: 2 } : { pool: { roll: 4, keep: 2 }, npc: true } });
    else change({ ...clear(state.request), effect: "teleport.individual.nearby" });
  };
  const kinds = jazz ? ["number", "opponent", "effect"] : ["number", "opponent"];
  const effect = state.schema?.properties?.effect;
  return html`<div class="against" role="group" aria-labelledby="against"><div class="between"><span class="label" id="against">${t("against")}</span>
      <span class="segments">${kinds.map((one) => html`<button type="button" aria-pressed=${kind === one} @click=${() => kind !== one && begin(one)}>${t(`against.${one}`)}</button>`)}</span></div>
    ${kind === "opponent"
      ? field(form(), { $ref: `#/$defs/${jazz ? "JazzActor" : "DarkpagesActor"}` }, ["opponent"], true)
      : kind === "effect" && effect
        ? field(form(), effect, ["effect"], true)
        : html`<div class="short">${stepper({ ...form(), document: put(put(state.request, ["level"], undefined), [name], target) }, [name], t(`field.${name}`), { minimum: -1000, maximum: 1000 })}</div>
            <span class="chips small">${jazz
              ? LEVELS.map(([level, to]) => html`<button type="button" class="chip" aria-pressed=${target === to} @click=${() => change({ ...clear(state.request), [name]: to })}>${valueLabel(level)} <b>${to}</b></button>`)
              : [10, 15, 20, 25, 30].map((to) => html`<button type="button" class="chip" aria-pressed=${target === to} @click=${() => change({ ...clear(state.request), [name]: to })}>${to}</button>`)}</span>`}
  </div>`;
}

function asked(): TemplateResult {
  const view = ACTIONS[action()];
  const front = view.front.filter((name) => name !== "against");
  const hidden = [...CARRIED_OUT, ...front, ...(view.front.includes("against") ? AGAINST : [])];
  const rest = Object.keys(state.schema?.properties ?? {}).filter((name) => !hidden.includes(name));
  return html`<section class="card asked" aria-labelledby="asked-title">
    <h1 id="asked-title" class="unseen">${t("table.title")}</h1>
    ${chooser()}
    ${isConflict()
      ? html`<p class="faint">${t("conflict.text")}</p>`
      : html`${view.front.map(frontField)}
        <details class="more" ?open=${state.more} @toggle=${(event: Event) => {
          state.more = (event.target as HTMLDetailsElement).open;
          draw();
        }}><summary>${t("more")}</summary>${state.more && state.schema ? html`<div class="fields">${rest.map((name) => field(form(), state.schema!.properties[name], [name], state.schema!.required?.includes(name)))}</div>` : nothing}</details>`}
    ${json()}
    ${isConflict() ? nothing : actions()}
  </section>`;
}

function chooser(): TemplateResult {
  const tags = Object.keys(ACTIONS).filter((tag) => tag.startsWith(`${system()}.`) && !COMMON[system()].includes(tag));
  return html`<div class="between"><span class="segments" role="group" aria-label=${t("game")}>${["jazz", "darkpages"].map((one) => html`<button type="button" aria-pressed=${one === system()} @click=${() => one !== system() && choose(load(`last.${one}`, `${one}.check`))}>${one === "jazz" ? "Jazz" : "darkpages"}</button>`)}</span>
      <button type="button" class="quiet" ?disabled=${!state.undo.length} @click=${undo}>↶ ${t("undo")}</button></div>
    <span class="chips" role="group" aria-label=${t("action")}>
      ${COMMON[system()].map((tag) => html`<button type="button" class="chip" aria-pressed=${tag === action()} @click=${() => choose(tag)}>${titleOf(tag)}</button>`)}
      <label class="chip menu ${COMMON[system()].includes(action()) ? "" : "on"}"><span class="unseen">${t("more.actions")}</span><select @change=${(event: Event) => choose((event.target as HTMLSelectElement).value)}>
        <option value="" disabled ?selected=${COMMON[system()].includes(action())}>${t("more.actions")}</option>
        ${tags.map((tag) => html`<option value=${tag} ?selected=${tag === action()}>${titleOf(tag)}</option>`)}</select></label>
    </span>`;
}

function actions(): TemplateResult {
  return html`${physical.panel(state.request, resolve)}
    <div class="act">
      <button type="button" class="primary roll-it" ?disabled=${state.rolling} @click=${() => roll()}>${t("roll")} <kbd>R</kbd>${state.odds ? html`<span class="peek" aria-hidden="true">${percent(chance(state.odds))}</span>` : nothing}</button></div>
    <div class="chips small">
      <label class="chip toggle" title=${t("lock.hint")}><input type="checkbox" .checked=${state.locked !== ""} ?disabled=${!state.answer && !state.locked} @change=${(event: Event) => {
        state.locked = (event.target as HTMLInputElement).checked ? (state.answer?.ruling.seed ?? "") : "";
        draw();
      }} />${t("lock")}</label>
      <button type="button" class="chip" aria-pressed=${physical.active()} @click=${() => physical.toggle(state.request)}>${t("real.dice")}</button>
    </div>`;
}

/** The request as JSON, both ways, and as programs would send it. */
function json(): TemplateResult {
  const text = state.written ?? JSON.stringify(state.request, null, 2);
  return html`<details class="more"><summary>${t("as.json")}</summary>
    <label class="unseen" for="json">${t("as.json")}</label>
    <textarea id="json" spellcheck="false" rows=${Math.min(18, text.split("\n").length + 1)} .value=${text} aria-invalid=${state.written !== undefined} aria-describedby="json-error" @input=${(event: Event) => {
      const typed = (event.target as HTMLTextAreaElement).value;
      try {
        const request = JSON.parse(typed);
        if (!ACTIONS[request?.action]) throw new Error(t("json.action"));
        const other = request.action !== action();
        change(request);
        if (other) void prepare();
      } catch (error) {
        state.written = typed;
        state.problem = undefined;
        jsonError = place(typed, error as Error);
        draw();
      }
    }}></textarea>
    <p class="complaint" id="json-error">${state.written === undefined ? "" : jsonError}</p>
    <span class="segments" role="group" aria-label=${t("as.code")}>${SNIPPETS.map((name) => html`<button type="button" aria-pressed=${state.tab === name} @click=${() => {
      state.tab = name;
      draw();
    }}>${name}</button>`)}</span>
    <div class="code"><pre tabindex="0"><code>${snippet(state.tab, state.request)}</code></pre><button type="button" class="quiet" @click=${() => toClipboard(snippet(state.tab, state.request))}>${t("copy")}</button></div>
    <label class="label" for="example">${t("example")}</label>
    <select id="example" @focus=${() => examples().then(draw)} @change=${(event: Event) => {
      const example = state.examples[Number((event.target as HTMLSelectElement).value)];
      if (!example) return;
      change(plain(example.request));
      void prepare();
    }}><option value="">${t("example.choose")}</option>${state.examples.map((one, index) => (one.action === action() ? html`<option value=${index}>${one.name}</option>` : nothing))}</select>
  </details>`;
}

let jsonError = "";
/** Where the text stops being JSON, by line and column. */
function place(text: string, error: Error): string {
  const position = Number(error.message.match(/position (\d+)/)?.[1] ?? text.length);
  if (!/JSON/.test(error.message)) return error.message;
  const lines = text.slice(0, position).split("\n");
  return t("json.wrong", { line: lines.length, column: lines.at(-1)!.length + 1 });
}

function refusal(): TemplateResult | typeof nothing {
  if (state.broken) return html`<div class="card refused" role="alert"><h2>${t("link.wrong")}</h2><p>${state.broken}</p></div>`;
  if (!state.problem) return nothing;
  const { title, detail, errors } = state.problem;
  return html`<div class="card refused" role="alert"><h2>${title}</h2><p>${detail}</p>
    ${errors.length ? html`<ul>${errors.map((one) => html`<li><button type="button" class="link" @click=${() => {
      state.more = true;
      draw();
      setTimeout(() => goTo(one.pointer));
    }}>${one.pointer ? labelOf(pathOf(one.pointer).filter((step) => typeof step === "string").at(-1) ?? "") : t("request")}</button>: ${one.detail}</li>`)}</ul>` : nothing}
    ${state.problem.status === 0 ? html`<button type="button" class="quiet" @click=${() => ask()}>${t("again")}</button>` : nothing}</div>`;
}

// ── Chances ────────────────────────────────────────────────────────────────────────────────────────────────────────

let asking = new AbortController();
let timer = 0;

/** Ask for the chances soon. What is still being asked is cancelled. */
export function ask(): void {
  clearTimeout(timer);
  asking.abort();
  if (isConflict()) return;
  state.pending = true;
  timer = window.setTimeout(count, 40);
}

async function count(): Promise<void> {
  const { signal } = (asking = new AbortController());
  const request = state.request;
  try {
    if (action() === "jazz.fight") {
      for await (const odds of askOdds(request, signal)) take(odds, request);
    } else {
      take(await post("odds", request, signal), request);
    }
    await guess(request, signal);
  } catch (error) {
    if (signal.aborted) return;
    const problem = error instanceof Refused ? error.problem : { title: t("unreadable"), status: 0, detail: String(error), errors: [] };
    state.problem = problem;
    state.errors = problem.errors ?? [];
    state.guesses = [];
  }
  state.pending = false;
  draw();
}

function take(odds: Doc, request: Doc): void {
  state.odds = odds;
  state.oddsOf = JSON.stringify(request);
  state.problem = undefined;
  state.errors = [];
  if (state.shown >= odds.rolls.length) state.shown = 0;
  draw();
}

async function guess(request: Doc, signal: AbortSignal): Promise<void> {
  const keeps = system() === "darkpages" && ["darkpages.check", "darkpages.attack"].includes(action()) && !at(request, ACTIONS[action()].main)?.npc;
  const asked = whatIfs(request);
  const [compared, ...shares] = await Promise.all([
    keeps ? post("odds", { ...request, keepChoices: true }, signal).catch(() => null) : null,
    ...asked.map((one) => ratesOf(one.request, signal).then((outcomes) => chance({ action: action(), outcomes }), () => undefined)),
  ]);
  if (signal.aborted) return;
  const choices: Guess[] = (compared?.keepChoices ?? [])
    .filter((one: Doc) => one.on === ACTIONS[action()].main.join("."))
    .map((one: Doc) => ({ label: t("if.keeping", { which: valueLabel(one.keep) }), share: chance({ ...one, action: action() }), note: points(one.expected), request: put(request, [...ACTIONS[action()].main, "keep"], one.keep === "highest" ? undefined : one.keep) }));
  state.guesses = [...choices, ...asked.map((one, index) => ({ ...one, share: shares[index] }))].filter((one) => one.share !== undefined);
}

const points = (expected: Doc = {}): string => {
  const mean = Object.entries(expected).find(([name]) => name.endsWith("trainingPoints"))?.[1];
  return mean === undefined ? "" : t("points", { mean: number(mean as number, 2) });
};

/** The chance of what the first roller wants; where nobody can say, of the first outcome. */
function chance(odds: Doc): number {
  const good = odds.outcomes.filter((one: Doc) => isGood(odds.action, one.outcome));
  if (good.length || odds.outcomes.some((one: Doc) => isGood(odds.action, one.outcome) === false)) return good.reduce((sum: number, one: Doc) => sum + one.probability, 0);
  return odds.outcomes[0]?.probability ?? 0;
}

/** A simulation never shows 0 or 100 %: what did not come up may still happen. */
const rate = (share: number, simulated: unknown): string => percent(simulated ? Math.min(1 - 1e-9, Math.max(1e-9, share)) : share);

/** The name of who stands in a role, or the role. */
export const whoOf = (role: string, request: Doc): string => request[role]?.character?.name ?? request[role]?.name ?? t(`role.${role}`);

function headline(odds: Doc): TemplateResult {
  const decided = odds.outcomes.some((one: Doc) => isGood(odds.action, one.outcome) !== null);
  const good: Doc[] = decided ? odds.outcomes.filter((one: Doc) => isGood(odds.action, one.outcome)) : odds.outcomes.slice(0, 1);
  const share = decided ? good.reduce((sum, one) => sum + one.probability, 0) : (good[0]?.probability ?? 0);
  const fraction = good.length ? sumOf(good.map((one) => one.fraction)) : "0";
  const label = action() === "jazz.fight" && good[0]?.outcome !== "undecided" ? t("wins", { side: good[0]?.outcomeText ?? "" }) : good.length === 1 ? good[0].outcomeText : tOr(`good.${action()}`, t("good"));
  const mean = odds.rolls[state.shown]?.mean;
  return html`<p class="headline" role="status"><strong>${rate(share, odds.simulated)}</strong> <span>${label}${!odds.simulated && fraction && fraction.length < 14 && fraction !== "0" && fraction !== "1" ? html`, <span class="fraction">${fraction}</span>` : nothing}</span></p>
    <p class="faint">${state.request.dice?.length ? `${t("dice.given")}; ` : ""}${!odds.rolls.length && share === 1 ? t("no.dice") : odds.simulated ? t("simulated", { trials: number(odds.simulated.trials) }) : odds.method === "exact" ? t("exact") : ""}${mean !== undefined ? `; ${t("mean", { mean: number(mean) })}` : ""}${odds.rounds ? `; ${t("rounds", { mean: number(odds.rounds.mean) })}` : ""}</p>`;
}

function chances(): TemplateResult {
  const { odds } = state;
  const stale = state.oddsOf !== JSON.stringify(state.request);
  const rows = (odds?.rolls[state.shown]?.distribution ?? []) as Row[];
  return html`<section class="card chances ${stale ? "stale" : ""}" aria-labelledby="chances-title" aria-busy=${state.pending}>
    <h2 id="chances-title" tabindex="-1">${t("chances")}</h2>
    ${!odds ? html`<p class="headline"><strong>…</strong></p>` : html`${headline(odds)}
      ${odds.outcomes.length > 2 || !rows.length ? outcomes(odds) : nothing}
      ${rows.length > 1 ? curve(odds, rows) : nothing}
      ${averages(odds)}
      ${whatIf()}
      ${rows.length > 1 || odds.outcomes.length ? below(odds, rows) : nothing}`}
  </section>`;
}

function outcomes(odds: Doc): TemplateResult {
  return html`<dl class="outcomes">${odds.outcomes.slice(0, 12).map((one: Doc) => {
    const good = isGood(odds.action, one.outcome);
    const harmed = harmedOf(odds.action, one.outcome);
    return html`<div><dt>${harmed ? `${whoOf(harmed, state.request)}: ` : ""}${one.outcomeText}</dt><dd><svg class="meter ${good === null ? "" : good ? "good" : "bad"}" viewBox="0 0 100 10" preserveAspectRatio="none" aria-hidden="true"><rect class="back" width="100" height="10"/><rect class="full" width=${100 * one.probability} height="10"/></svg><b>${rate(one.probability, one.interval)}</b>${one.interval ? html`<small>${percent(one.interval.low)} – ${percent(one.interval.high)}</small>` : nothing}</dd></div>`;
  })}</dl>`;
}

function curve(odds: Doc, rows: Row[]): TemplateResult {
  const { main, other } = ACTIONS[action()];
  const opposed = other !== undefined && targetOf(state.request) === undefined && odds.rolls[0].roll === main.join(".") && odds.rolls[1]?.roll === other.join(".") && odds.rolls[1].distribution?.length > 1;
  const rolled = state.answer?.ruling.action === odds.action ? state.answer?.ruling.rolls.find((one: Doc) => one.roll === odds.rolls[state.shown].roll) : undefined;
  const nameOfRoll = (roll: string) => rollName(roll, state.request);
  return html`<div class="between wrap"><span class="segments" role="group" aria-label=${t("columns")}>${(["each", "atLeast", "atMost"] as Mode[]).map((mode) => html`<button type="button" aria-pressed=${mode === state.mode} @click=${() => {
      state.mode = mode;
      draw();
    }}>${t(mode)}</button>`)}</span>
      ${!opposed && odds.rolls.length > 1 ? html`<label class="chip menu"><span class="unseen">${t("which.roll")}</span><select @change=${(event: Event) => {
        state.shown = Number((event.target as HTMLSelectElement).value);
        draw();
      }}>${odds.rolls.map((one: Doc, index: number) => html`<option value=${index} ?selected=${index === state.shown}>${nameOfRoll(one.roll)}</option>`)}</select></label>` : nothing}
      <button type="button" class="quiet" ?disabled=${state.pins.length >= 4} @click=${pin}>${t("pin")}</button></div>
    ${opposed ? html`<p class="legend"><span class="key"></span>${nameOfRoll(odds.rolls[0].roll)} <span class="key other"></span>${nameOfRoll(odds.rolls[1].roll)}</p>` : nothing}
    ${histogram(
      {
        rows, mode: state.mode, target: targetOf(state.request), mark: rolled?.total, selected: state.selected,
        pins: state.pins.map((one) => ({ label: one.label, rows: one.odds.rolls[0]?.distribution ?? [] })),
        below: opposed ? odds.rolls[1].distribution : undefined,
        select(total) {
          if (state.selected === total) return;
          state.selected = total;
          draw();
        },
        label: t("chart", { roll: nameOfRoll(odds.rolls[state.shown].roll) }),
      },
      pictures.main,
      narrow.matches,
    )}
    ${state.pins.length ? html`<ul class="pins">${state.pins.map((one, index) => html`<li class="pin${index}"><span class="line"></span><button type="button" class="link" @click=${() => change(one.request)}>${one.label}</button> <b>${percent(chance(one.odds))}</b> <button type="button" class="quiet" aria-label=${t("remove.this", { what: one.label })} @click=${() => {
      state.pins = state.pins.toSpliced(index, 1);
      draw();
    }}>✕</button></li>`)}</ul>` : nothing}`;
}

/** "attackers.0" by the name of who stands there. */
export function rollName(roll: string, request: Doc): string {
  const steps = roll.split(".").map((step) => (/^\d+$/.test(step) ? Number(step) : step));
  for (let length = steps.length; length > 0; length -= 1) {
    const one = at(request, steps.slice(0, length));
    const name = one?.character?.name ?? one?.actor?.character?.name ?? one?.name ?? one?.id;
    if (typeof name === "string") return [name, ...steps.slice(length).map(partName)].join(", ");
  }
  if (roll.startsWith("archetype:")) return [steps[0].toString().slice(10), ...steps.slice(1).map(partName)].join(", ");
  const numbered = typeof steps[1] === "number";
  return [labelOf(String(steps[0])) + (numbered ? ` ${(steps[1] as number) + 1}` : ""), ...steps.slice(numbered ? 2 : 1).map(partName)].join(", ");
}

const partName = (part: string | number): string => {
  const round = String(part).match(/^round(\d+)$/)?.[1];
  return round ? t("round", { number: round }) : tOr(`field.${part}`, words(String(part)));
};

function pin(): void {
  if (!state.odds) return;
  const { request } = state;
  const actor = at(request, ACTIONS[action()].main);
  const who = actor?.character?.name ?? (actor?.pool ? `${actor.pool.roll}k${actor.pool.keep}` : actor?.bonus !== undefined ? signed(actor.bonus) : titleOf(action()));
  const target = targetOf(request);
  const more = [actor?.advantage ? t("field.advantage") : "", actor?.disadvantage ? t("field.disadvantage") : ""].filter(Boolean).join(", ");
  state.pins = [...state.pins, { label: `${who}${target === undefined ? "" : ` ${t("against.short")} ${target}`}${more ? `, ${more}` : ""}`, odds: state.odds, request }];
  draw();
}

function averages(odds: Doc): TemplateResult | typeof nothing {
  const rows = Object.entries<number>(odds.expected ?? {}).filter(([, mean]) => Math.abs(mean) > 1e-9);
  if (!rows.length) return nothing;
  return html`<details class="more" ?open=${rows.length < 4}><summary>${t("expected")}</summary><dl class="expected">${rows.slice(0, 24).map(([stat, mean]) => {
    const name = stat.split(".").at(-1)!;
    const flag = ["out", "defeated", "outOfGame", "karma", "heldAdvantage", "advanced"].includes(name);
    return html`<div><dt>${rollName(stat, state.request)}</dt><dd>${flag ? percent(Math.abs(mean)) : signed(mean, 2)}</dd></div>`;
  })}</dl></details>`;
}

function whatIf(): TemplateResult | typeof nothing {
  const now = chance(state.odds!);
  const list: Guess[] = state.guesses.length || !state.pending ? state.guesses : whatIfs(state.request);
  if (!list.length) return nothing;
  return html`<h3>${t("what.if")}</h3><div class="what-if">${list.map((one) => {
    if (one.share === undefined) return html`<button type="button" @click=${() => change(one.request)}><span>${one.label}</span><b>…</b><small>\u00a0</small></button>`;
    const by = Math.round(1000 * (one.share - now)) / 10;
    return html`<button type="button" @click=${() => change(one.request)}><span>${one.label}</span><b>${percent(one.share)}</b><small class=${by > 0 ? "good" : by < 0 ? "bad" : ""}>${by > 0 ? "▲" : by < 0 ? "▼" : "="} ${by ? signed(by, 1) : ""} ${one.note ?? ""}</small></button>`;
  })}</div>`;
}

function below(odds: Doc, rows: Row[]): TemplateResult {
  const picture = () => document.querySelector<SVGElement>(".chances .histogram")!;
  return html`<div class="chips small tools-row">
      <button type="button" class="chip" @click=${async () => toClipboard(await linkOf({ verb: "odds", request: state.request }))}>${t("copy.link")}</button>
      ${rows.length > 1 ? html`<button type="button" class="chip" @click=${() => download("chances.svg", asSvg(picture()), "image/svg+xml")}>SVG</button>
        <button type="button" class="chip" @click=${async () => download("chances.png", await asPng(picture()))}>PNG</button>` : nothing}
      <button type="button" class="chip" @click=${() => download("chances.csv", csv(odds), "text/csv")}>CSV</button></div>
    ${rows.length > 1 ? html`<details class="more"><summary>${t("as.table")}</summary>${table(rows)}</details>` : nothing}
    ${targetOf(state.request) !== undefined && rows.length > 1 ? html`<details class="more"><summary>${t("cheat.sheet")}</summary>${cheatSheet(rows)}</details>` : nothing}`;
}

/** The chance for other bonuses and other targets: the same dice, moved. */
function cheatSheet(rows: Row[]): TemplateResult {
  const least = summed(rows, "atLeast");
  const reach = (total: number) => (total <= rows[0].total ? 1 : (least.find((row) => row.total >= total)?.probability ?? 0));
  const jazz = system() === "jazz";
  const own: number | undefined = at(state.request, [...ACTIONS[action()].main, "bonus"]);
  const bonuses = jazz && own !== undefined ? Array.from({ length: 9 }, (_, index) => index) : [-3, -2, -1, 0, 1, 2, 3];
  const targets = jazz ? [6, 8, 10, 12, 14, 16, 18] : [5, 10, 15, 20, 25, 30];
  const by = (bonus: number) => (jazz && own !== undefined ? bonus - own : bonus);
  return html`<div class="scroll" tabindex="0" role="region" aria-label=${t("cheat.sheet")}><table class="grid"><caption>${t("cheat.caption")}</caption><thead><tr><th scope="col">${t("field.bonus")}</th>${targets.map((target) => html`<th scope="col">${target}</th>`)}</tr></thead>
    <tbody>${bonuses.map((bonus) => html`<tr class=${by(bonus) === 0 ? "on" : ""}><th scope="row">${signed(bonus)}</th>${targets.map((target) => html`<td>${percent(reach(target - by(bonus)))}</td>`)}</tr>`)}</tbody></table></div>
    <button type="button" class="quiet" @click=${() => window.print()}>${t("print")}</button>`;
}

// ── The roll ───────────────────────────────────────────────────────────────────────────────────────────────────────

export async function roll(): Promise<void> {
  if (state.rolling) return;
  if (physical.active()) return physical.proceed(state.request, resolve);
  await resolve(state.locked ? { ...state.request, seed: state.locked } : state.request);
}

async function resolve(request: Doc, kept = true): Promise<void> {
  state.rolling = true;
  draw();
  try {
    const [answer, module] = await Promise.all([post("resolve", { ...request, include: ["factors", "options"] }), import("./ruling.ts")]);
    drawn = module;
    state.answer = { request: plain(request), ruling: answer };
    state.undoSheets = null;
    state.problem = undefined;
    if (kept) keep(request, answer);
  } catch (error) {
    const problem = error instanceof Refused ? error.problem : { title: t("unreadable"), status: 0, detail: String(error), errors: [] };
    state.problem = problem;
    state.errors = problem.errors ?? [];
  }
  state.rolling = false;
  draw();
  setTimeout(() => {
    const title = document.querySelector<HTMLElement>(state.problem ? ".refused" : ".ruling h2");
    if (!title) return;
    title.tabIndex = -1;
    title.focus({ preventScroll: true });
    const { top, bottom } = title.getBoundingClientRect();
    if (top < 60 || bottom > innerHeight - 60) title.scrollIntoView({ block: narrow.matches ? "start" : "nearest", behavior: matchMedia("(prefers-reduced-motion: reduce)").matches ? "auto" : "smooth" });
  });
}

export function keep(request: Doc, answer: Doc): void {
  const entry = { time: Date.now(), request: { ...request, seed: answer.seed }, summary: answer.summary, markdown: answer.markdown, outcome: answer.outcomeText, succeeded: answer.succeeded };
  state.log = [entry, ...state.log].slice(0, 100);
  save("log", state.log);
}

/** The changes of a ruling go into the draft and into the kept characters; undone by `undoSheets`. */
function apply(): void {
  const { ruling: answer, request } = state.answer!;
  const before = { request: state.request, kept: characters() };
  update(system(), sheetsIn(answer.after));
  const names = Object.keys(state.schema?.properties ?? request);
  const after = Object.fromEntries(Object.entries(answer.after as Doc).filter(([name, value]) => names.includes(name) && value !== null));
  change({ ...state.request, ...after });
  state.undoSheets = () => {
    saveCharacters(before.kept);
    state.undoSheets = null;
    change(before.request, false);
  };
  say(t("applied"));
}

function rolled(): TemplateResult | typeof nothing {
  if (!state.answer || !drawn) return nothing;
  const stale = JSON.stringify(plain(state.answer.request)) !== JSON.stringify(plain(state.request)) && !state.undoSheets;
  return drawn.ruling(state.answer, {
    stale,
    applied: state.undoSheets !== null,
    apply,
    undo: () => state.undoSheets?.(),
    again: () => roll(),
    take: (patch: Doc) => {
      const request = merged(state.answer!.request, patch);
      change(request);
      void resolve({ ...request, seed: state.answer!.ruling.seed });
    },
    link: async () => toClipboard(await linkOf({ verb: "resolve", request: { ...state.answer!.request, seed: state.answer!.ruling.seed } })),
    lock: () => {
      state.locked = state.answer!.ruling.seed;
      draw();
    },
  });
}

// ── The log ────────────────────────────────────────────────────────────────────────────────────────────────────────

function log(): TemplateResult | typeof nothing {
  if (!state.log.length) return nothing;
  return html`<section class="card log" aria-labelledby="log-title"><div class="between"><h2 id="log-title">${t("log")}</h2><span class="chips small">
      <button type="button" class="chip" @click=${() => download("rolls.json", JSON.stringify(state.log, null, 2), "application/json")}>${t("export")}</button>
      <button type="button" class="chip" @click=${() => {
        const before = state.log;
        state.log = [];
        save("log", state.log);
        say(t("log.cleared"));
        state.undoSheets ??= () => {
          state.log = before;
          save("log", before);
          state.undoSheets = null;
          draw();
        };
      }}>${t("clear")}</button></span></div>
    <ol>${state.log.slice(0, state.allLog ? 100 : 6).map((one) => html`<li><span class="dot ${one.succeeded === true ? "good" : one.succeeded === false ? "bad" : ""}" aria-hidden="true"></span><time>${clock(one.time)}</time><span class="text">${one.summary}</span><span class="chips small">
      <button type="button" class="chip" @click=${() => again(one, false)}>${t("show")}</button><button type="button" class="chip" @click=${() => again(one, true)}>${t("roll.again")}</button><button type="button" class="chip" @click=${() => toClipboard(one.markdown)}>${t("copy.chat")}</button></span></li>`)}</ol>${state.log.length > 6 && !state.allLog ? html`<button type="button" class="quiet" @click=${() => {
      state.allLog = true;
      draw();
    }}>${t("log.all", { number: state.log.length })}</button>` : nothing}</section>`;
}

async function again(entry: Doc, fresh: boolean): Promise<void> {
  const other = entry.request.action !== action();
  change(plain(entry.request));
  if (other) await prepare();
  await resolve(fresh ? plain(entry.request) : entry.request, fresh);
}

// ── The page ───────────────────────────────────────────────────────────────────────────────────────────────────────

function body(): TemplateResult {
  if (isConflict() && conflict) return html`<div class="table">${asked()}<div class="right">${conflict.body(system(), state.request)}</div></div>${log()}`;
  return html`<div class="table">${asked()}<div class="right">${refusal()}${chances()}${rolled()}</div></div>${log()}`;
}

let begun = false;

async function open(): Promise<boolean> {
  try {
    const shared = await read(location.hash);
    if (!shared) return false;
    state.request = plain(shared.request);
    if (!ACTIONS[action()]) throw new Error(t("json.action"));
    void prepare();
    ask();
    if (shared.verb === "resolve") await resolve({ ...shared.request }, false);
    return true;
  } catch (error) {
    state.request = { action: "jazz.check", ...ACTIONS["jazz.check"].start };
    state.broken = (error as Error).message;
    ask();
    return true;
  }
}

export const view: View = {
  name: "table",
  body,
  keys: {
    R: () => void (isConflict() ? undefined : roll()),
    O: () => document.getElementById("chances-title")?.focus(),
    U: undo,
  },
  async begin() {
    narrow.onchange = draw;
    // The chances of the first request are known, so that a first visit shows them at once.
    if (!begun && language === "en" && !location.hash && !Object.keys(drafts).length) [state.odds, state.oddsOf] = [first, JSON.stringify(state.request)];
    if (!begun) addEventListener("hashchange", () => void open());
    begun = true;
    if (!(await open())) {
      const last = load("action", "jazz.check");
      const draft = drafts[last];
      if (draft && ACTIONS[last]) state.request = draft;
      ask();
    }
    draw();
    // The form of the first action needs its schema only for what stands under "More".
    if (action() === "jazz.check" && !state.request.effect && !state.request.opponent) {
      for (const event of ["pointermove", "pointerdown", "keydown", "focusin"]) addEventListener(event, () => state.schema ?? prepare(), { once: true });
    } else await prepare();
  },
};
