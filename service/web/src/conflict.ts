// A conflict turn by turn: who fights, the order, whose turn it is, one click for each action, and the chance to win after every turn.

import { html, nothing, type TemplateResult } from "lit-html";
import { isGood } from "./actions.ts";
import { odds as askOdds, post, Refused } from "./api.ts";
import { roll } from "./dice.ts";
import { copy, type Doc, put } from "./documents.ts";
import { stepper, valueLabel } from "./form.ts";
import { percent, t } from "./i18n.ts";
import { draw, say } from "./page.ts";
import { actorOf } from "./people.ts";
import { bar, effects, fullOf, steps } from "./ruling.ts";
import { characters, load, save, sheetsIn, update } from "./store.ts";
import { change, keep } from "./table.ts";

interface Course {
  /** Who was chosen, before it begins. */
  setup: { name: string; side: string; actor: Doc }[];
  /** The request as it goes on; nothing before it begins. */
  now?: Doc;
  next: string[];
  over: string | null;
  ended: boolean;
  history: { summary: string; ruling: Doc; before: Doc; state: Pick<Course, "next" | "over" | "ended">; win?: Doc[] }[];
}

const courses: Record<string, Course> = load("conflicts", {});
const fresh = (): Course => ({ setup: [], next: [], over: null, ended: false, history: [] });
const courseOf = (system: string): Course => (courses[system] ??= fresh());
let chances: Doc[] | undefined;
let counted: Doc | undefined;
let hits: Record<string, number> = {};
let problem = "";
let counting = new AbortController();
let by = "";
let on = "";
let attribute = "";
let trauma = "injury";
let risk = false;
let helpers: string[] = [];
let difficulty: Doc = { difficulty: 10 };
let bonus: Doc = { bonus: 2, pool: { roll: 4, keep: 2 } };

function store(): void {
  save("conflicts", courses);
  draw();
}

const listOf = (state: Doc): Doc[] => state.combatants ?? state.participants;
const sheetOf = (one: Doc): Doc | undefined => one.actor?.character;
const nameOf = (one: Doc): string => sheetOf(one)?.name ?? one.actor?.name ?? String(one.id);
const isOut = (one: Doc): boolean => Boolean(sheetOf(one)?.out || sheetOf(one)?.defeated || sheetOf(one)?.outOfGame || one.actor?.defeated);

// ── Before it begins ───────────────────────────────────────────────────────────────────────────────────────────────

function setup(system: string, course: Course): TemplateResult {
  const kept = characters().filter((one) => one.system === system);
  const add = (name: string, actor: Doc) => {
    const same = course.setup.filter((one) => one.name.replace(/ \d+$/, "") === name).length;
    const sides = course.setup.filter((one) => one.side === "us").length <= course.setup.filter((one) => one.side === "them").length ? "us" : "them";
    course.setup.push({ name: same ? `${name} ${same + 1}` : name, side: sides, actor });
    store();
  };
  const jazz = system === "jazz";
  const form = { document: bonus, definitions: {}, errors: [], change: (to: Doc) => ((bonus = to), draw()) };
  return html`<section class="card" aria-labelledby="setup-title"><h2 id="setup-title">${t("conflict.setup")}</h2>
    <span class="chips">${kept.map((one) => html`<button type="button" class="chip" @click=${() => add(one.sheet.name, actorOf(system, one.sheet))}>+ ${one.sheet.name}</button>`)}</span>
    <div class="pair end">${jazz ? html`<div class="short">${stepper(form, ["bonus"], t("field.bonus"), { minimum: 0, maximum: 99 })}</div>` : html`<div class="short">${stepper(form, ["pool", "roll"], t("field.roll"), { minimum: 1, maximum: 40 })}</div><div class="short">${stepper(form, ["pool", "keep"], t("field.keep"), { minimum: 1, maximum: 40 })}</div>`}
      <button type="button" class="chip" @click=${() => jazz ? add(`${t("conflict.extra")} +${bonus.bonus}`, extra()) : add(`${bonus.pool.roll}k${bonus.pool.keep}`, { pool: copy(bonus.pool), npc: true })}>+ ${t(jazz ? "conflict.extra" : "number")}</button></div>
    ${course.setup.length ? html`<ul class="fighters">${course.setup.map((one, index) => html`<li><b>${one.name}</b>${jazz ? html`<span class="segments" role="group" aria-label=${t("conflict.side")}>${["us", "them"].map((side) => html`<button type="button" aria-pressed=${one.side === side} @click=${() => {
      one.side = side;
      store();
    }}>${t(`conflict.side.${side}`)}</button>`)}</span>` : nothing}<button type="button" class="quiet" aria-label=${t("remove.this", { what: one.name })} @click=${() => {
      course.setup.splice(index, 1);
      store();
    }}>✕</button></li>`)}</ul>` : nothing}
    <div class="row"><button type="button" class="primary" ?disabled=${course.setup.length < 2 || (jazz && new Set(course.setup.map((one) => one.side)).size < 2)} @click=${() => begin(system, course)}>${t(jazz ? "conflict.begin" : "conflict.start")}</button>
      ${jazz && course.setup.length > 1 ? html`<button type="button" class="chip" @click=${() => change({ action: "jazz.fight", combatants: combatants(course) })}>${t("conflict.fight")}</button>` : nothing}
      ${course.setup.length < 2 ? html`<span class="faint">${t("conflict.need")}</span>` : nothing}</div></section>`;
}

/** Somebody without a name, whom the first hit puts out. */
const extra = (): Doc => ({ character: { name: t("conflict.extra"), named: false, aspects: [{ name: t("conflict.extra"), bonus: Math.max(1, bonus.bonus) }], survivalAspect: t("conflict.extra"), health: { current: 1, max: 1 } }, using: [t("conflict.extra")] });

const idOf = (name: string, index: number): string => `${name.toLowerCase().replace(/[^a-z0-9]+/g, "-").replace(/^-|-$/g, "") || "one"}-${index + 1}`;

/** A sheet that fights twice is told apart by its name and id. */
const apart = (one: Course["setup"][number]): Doc => (one.actor.character && one.actor.character.name !== one.name ? { ...one.actor, character: { ...one.actor.character, name: one.name, id: one.name } } : one.actor.character ? one.actor : { ...one.actor, name: one.name });

const combatants = (course: Course): Doc[] => course.setup.map((one, index) => ({ id: idOf(one.name, index), side: t(`conflict.side.${one.side}`), actor: apart(one) }));

async function begin(system: string, course: Course): Promise<void> {
  course.history = [];
  if (system === "jazz") return void (await send(course, { action: "jazz.turn", combatants: combatants(course) }));
  course.now = { action: "darkpages.conflict", participants: course.setup.map((one, index) => ({ id: idOf(one.name, index), actor: apart(one) })), done: 0 };
  course.ended = false;
  store();
}

// ── While it goes on ───────────────────────────────────────────────────────────────────────────────────────────────

async function send(course: Course, request: Doc): Promise<void> {
  problem = "";
  try {
    const answer = await post("resolve", { ...request, include: ["options", "factors"] });
    course.history.unshift({ summary: answer.summary, ruling: answer, before: course.now ?? request, state: { next: course.next, over: course.over, ended: course.ended } });
    keep(request, answer);
    course.now = { action: request.action, ...answer.after };
    course.next = (answer.next ?? []).map(String);
    course.over = answer.over ?? null;
    course.ended = answer.outcome === "finished";
    by = on = "";
    helpers = [];
    void count(course);
  } catch (error) {
    problem = error instanceof Refused ? error.problem.detail : String(error);
  }
  store();
}

/** The chance to win from here, and the chance of each attack that is next. */
async function count(course: Course): Promise<void> {
  counting.abort();
  const { signal } = (counting = new AbortController());
  chances = undefined;
  hits = {};
  const state = (counted = course.now);
  if (!state || course.ended) return;
  try {
    if (state.action === "jazz.turn" && state.order && listOf(state).every(sheetOf)) {
      const { action: _, falling: __, ...rest } = state;
      const attacks = course.next.flatMap((id) => targets(state, id).map((target) => [id, String(target.id)]));
      void Promise.all(attacks.slice(0, 12).map(async ([id, target]) => {
        const turn = await post("odds", { ...state, turn: { by: [idBack(state, id)], attack: idBack(state, target) } }, signal);
        hits[`${id}>${target}`] = turn.turn?.outcomes?.find((one: Doc) => one.outcome === "hit")?.probability ?? 0;
        draw();
      })).catch(() => undefined);
      for await (const odds of askOdds({ action: "jazz.fight", ...rest, ...(state.falling?.length ? { falling: state.falling } : {}), trials: 4000 }, signal)) {
        chances = odds.outcomes;
        if (course.history[0]) course.history[0].win = odds.outcomes.map((one: Doc) => ({ outcome: one.outcome, probability: one.probability }));
        draw();
      }
      save("conflicts", courses);
    }
  } catch {
    // The fight goes on without its chances.
  }
}

const idBack = (state: Doc, id: string): string | number => listOf(state).find((one) => String(one.id) === id)!.id;
const targets = (state: Doc, id: string): Doc[] => {
  const side = listOf(state).find((one) => String(one.id) === id)?.side;
  return listOf(state).filter((one) => one.side !== side && !isOut(one));
};

function fighters(course: Course): TemplateResult {
  const state = course.now!;
  const order: string[] = state.order?.flatMap((place: Doc) => place.ids.map(String)) ?? listOf(state).map((one) => String(one.id));
  const total = (id: string) => state.order?.find((place: Doc) => place.ids.map(String).includes(id))?.total;
  return html`<ol class="order">${order.map((id) => {
    const one = listOf(state).find((each) => String(each.id) === id)!;
    const sheet = sheetOf(one);
    const acted = (state.acted ?? []).map(String).includes(id);
    return html`<li class="${course.next.includes(id) ? "next" : ""} ${isOut(one) ? "gone" : ""}"><span class="name">${course.next.includes(id) ? "▶ " : ""}${nameOf(one)}</span>
      <small>${[one.side, total(id) === undefined ? "" : `${t("initiative")} ${total(id)}`, isOut(one) ? t("out") : acted ? "✓" : ""].filter(Boolean).join(" · ")}</small>${health(sheet)}</li>`;
  })}</ol>`;
}

function health(sheet?: Doc): TemplateResult | typeof nothing {
  if (sheet?.attributes) {
    return html`<span class="traits">${["health", "sanity", "aura"].map((name) => html`<small class=${sheet.damage?.[name] && sheet.damage[name] !== "unhurt" ? "bad" : ""}>${valueLabel(name)}: ${valueLabel(sheet.damage?.[name] ?? "unhurt")}</small>`)}</span>`;
  }
  const full = fullOf({ actor: { character: sheet } });
  return full ? bar(full) : nothing;
}

function jazzTurn(course: Course): TemplateResult {
  const state = course.now!;
  return html`${course.next.map((id) => {
    const index = listOf(state).findIndex((each) => String(each.id) === id);
    const one = listOf(state)[index];
    const using: string[] = one.actor.using ?? [];
    const team = helpers.filter((each) => each !== id);
    const declare = (turn: Doc) => send(course, { ...state, turn: { by: [one.id, ...("attack" in turn || "check" in turn ? team.map((each) => idBack(state, each)) : [])], ...turn } });
    const sheet = sheetOf(one);
    const aspects: Doc[] = sheet?.aspects ?? [];
    const spends = [["karma", sheet?.karma === "positive"], ["heldAdvantage", sheet?.heldAdvantage]].filter(([, held]) => held) as [string, boolean][];
    const mates = listOf(state).filter((each) => each.id !== one.id && each.side === one.side && !isOut(each) && [...course.next, ...(state.waiting ?? []).map(String)].includes(String(each.id)));
    const set = (path: string, value: unknown) => {
      course.now = put(state, ["combatants", index, "actor", path], value);
      void count(course);
      store();
    };
    const form = { document: { [id]: difficulty }, definitions: {}, errors: [], change: (to: Doc) => ((difficulty = to[id]), draw()) };
    return html`<div class="turn"><h3>${t("conflict.turn", { name: nameOf(one) })}</h3>
      ${aspects.length ? html`<span class="chips small" role="group" aria-label=${t("field.using")}>${aspects.map((aspect) => html`<button type="button" class="chip" aria-pressed=${using.includes(aspect.name)} @click=${() => set("using", using.includes(aspect.name) ? using.filter((each) => each !== aspect.name) : [...using, aspect.name])}>${aspect.name} <b>+${aspect.bonus}</b></button>`)}
        ${spends.map(([what]) => html`<button type="button" class="chip" aria-pressed=${one.actor.spend === what} @click=${() => set("spend", one.actor.spend === what ? undefined : what)}>${t(`spend.${what}`)}</button>`)}
        ${mates.map((each) => html`<button type="button" class="chip" aria-pressed=${team.includes(String(each.id))} @click=${() => {
          helpers = team.includes(String(each.id)) ? helpers.filter((helper) => helper !== String(each.id)) : [...helpers, String(each.id)];
          draw();
        }}>${t("conflict.together", { name: nameOf(each) })}</button>`)}</span>` : nothing}
      <span class="row">${targets(state, id).map((target) => html`<button type="button" class="primary" @click=${() => declare({ attack: target.id })}>${t("conflict.attack", { name: nameOf(target) })}${hits[`${id}>${target.id}`] === undefined ? "" : ` · ${percent(hits[`${id}>${target.id}`])}`}</button>`)}
        <button type="button" class="chip" @click=${() => declare({ pass: true })}>${t("conflict.pass")}</button>
        ${(state.falling ?? []).map(String).includes(id) ? nothing : html`<button type="button" class="chip" @click=${() => declare({ wait: true })}>${t("conflict.wait")}</button>`}</span>
      <details class="more"><summary>${t("conflict.else")}</summary><div class="pair end"><div class="short">${stepper(form, [id, "difficulty"], t("field.difficulty"), { minimum: 0, maximum: 99 })}</div>
        <button type="button" class="chip" @click=${() => declare({ check: { difficulty: difficulty.difficulty } })}>${t("action.jazz.check")}</button></div></details></div>`;
  })}`;
}

let harm: number | undefined;
let weighed = "";
/** The chance that this attack harms. */
async function weigh(attacker: Doc, defender: Doc): Promise<void> {
  const request = { action: "darkpages.attack", attacker, defender: sheetOf({ actor: defender }) ? { ...defender, attribute } : defender, trauma };
  const text = JSON.stringify(request);
  if (text === weighed) return;
  weighed = text;
  harm = undefined;
  const found = await post("odds", request).catch(() => null);
  if (!found || weighed !== text) return;
  harm = found.outcomes.filter((one: Doc) => isGood(request.action, one.outcome)).reduce((sum: number, one: Doc) => sum + one.probability, 0);
  draw();
}

function darkpagesTurn(course: Course): TemplateResult {
  const state = course.now!;
  const people = listOf(state);
  const choose = (label: string, chosen: string, set: (id: string) => void, not = "") => html`<div><span class="label">${label}</span><span class="chips" role="group" aria-label=${label}>${people.filter((one) => String(one.id) !== not && !isOut(one)).map((one) => html`<button type="button" class="chip" aria-pressed=${String(one.id) === chosen} @click=${() => {
    set(String(one.id));
    draw();
  }}>${nameOf(one)}</button>`)}</span></div>`;
  const actor = people.find((one) => String(one.id) === by);
  const ready = actor && on && on !== by && (!sheetOf(actor) || attribute);
  if (ready) void weigh({ ...actor.actor, ...(sheetOf(actor) ? { attribute } : {}) }, people.find((one) => String(one.id) === on)!.actor);
  const strike = () => send(course, { ...state, actions: [{ action: "darkpages.attack", attacker: { participant: actor!.id, ...(sheetOf(actor!) ? { attribute } : {}) }, defender: { participant: idBack(state, on), ...(sheetOf(people.find((one) => String(one.id) === on)!) ? { attribute } : {}) }, trauma, ...(risk ? { onHarm: "risk" } : {}) }] });
  return html`${choose(t("conflict.acts"), by, (id) => {
    by = id;
    attribute = people.find((one) => String(one.id) === id)?.actor.attribute ?? "body";
  })}
    ${by ? choose(t("conflict.on"), on, (id) => (on = id), by) : nothing}
    ${actor && sheetOf(actor) ? html`<div><span class="label">${t("conflict.with")}</span><span class="chips">${["body", "mind", "soul"].map((name) => html`<button type="button" class="chip" aria-pressed=${attribute === name} @click=${() => {
      attribute = name;
      draw();
    }}>${t(`value.${name}`)} <b>${sheetOf(actor)!.attributes[name].roll}k${sheetOf(actor)!.attributes[name].keep}</b></button>`)}</span></div>` : nothing}
    ${by ? html`<div><span class="label">${t("conflict.trauma")}</span><span class="chips small">${["injury", "illness", "stress", "fatigue", "corruption"].map((one) => html`<button type="button" class="chip" aria-pressed=${trauma === one} @click=${() => {
      trauma = one;
      draw();
    }}>${valueLabel(one)}</button>`)}<label class="chip toggle"><input type="checkbox" .checked=${risk} @change=${(event: Event) => {
      risk = (event.target as HTMLInputElement).checked;
      draw();
    }} />${t("conflict.harm")}</label></span></div>` : nothing}
    <div class="row"><button type="button" class="primary" ?disabled=${!ready} @click=${strike}>${t("conflict.strike")}${ready && harm !== undefined ? ` · ${percent(harm)}` : ""}</button>
      <button type="button" class="chip" ?disabled=${!actor || !sheetOf(actor)} @click=${() => send(course, { ...state, actions: [{ action: "darkpages.concede", character: { participant: actor!.id } }] })}>${t("conflict.concede")}</button>
      <button type="button" class="chip" @click=${() => send(course, { ...state, end: true })}>${t("conflict.end")}</button></div>`;
}

function back(course: Course): void {
  const last = course.history.shift();
  if (!last) return;
  const first = last.ruling.action === "jazz.turn" && !course.history.length;
  course.now = first ? undefined : last.before;
  Object.assign(course, last.state);
  void count(course);
  store();
}

export function body(system: string, _request: Doc): TemplateResult {
  const course = courseOf(system);
  if (!course.now) return setup(system, course);
  const state = course.now;
  if (counted !== state) void count(course);
  const last = course.history[0];
  return html`<section class="card" aria-labelledby="conflict-title"><div class="between"><h2 id="conflict-title">${state.round ? t("conflict.round", { number: state.round }) : t("conflict.state")}</h2>
      <span class="row"><button type="button" class="quiet" ?disabled=${!course.history.length} @click=${() => back(course)}>↶ ${t("conflict.back")}</button><button type="button" class="quiet" @click=${() => {
        courses[system] = { ...fresh(), setup: course.setup };
        chances = undefined;
        store();
      }}>${t("conflict.again")}</button></span></div>
    ${fighters(course)}
    ${chances?.length ? html`<h3>${t("conflict.win")}</h3><div role="status"><dl class="outcomes">${chances.map((one) => html`<div><dt>${one.outcome === "undecided" ? t("conflict.undecided") : one.outcome}</dt><dd><svg class="meter ${isGood("jazz.fight", one.outcome) === null && one.outcome === t("conflict.side.us") ? "good" : ""}" viewBox="0 0 100 10" preserveAspectRatio="none" aria-hidden="true"><rect class="back" width="100" height="10"/><rect class="full" width=${100 * one.probability} height="10"/></svg><b>${percent(one.probability)}</b></dd></div>`)}</dl></div>` : nothing}
    ${course.ended ? html`<p class="outcome good">${course.over ? t("conflict.over", { side: course.over }) : t("conflict.over.nobody")}</p><div class="row"><button type="button" class="chip" @click=${() => say(update(system, sheetsIn(state)) ? t("applied") : t("conflict.over.nobody"))}>${t("apply")}</button></div>` : system === "jazz" ? jazzTurn(course) : darkpagesTurn(course)}
    ${problem ? html`<p class="complaint" role="alert">${problem}</p>` : nothing}</section>
    ${last ? html`<section class="card" aria-labelledby="last-title"><h2 id="last-title">${t("conflict.history")}</h2><p role="status">${last.summary}</p>${last.ruling.rolls.map(roll)}
      ${effects(last.ruling.effects, last.before)}
      ${(last.ruling.options ?? []).length && !course.ended ? html`<div class="options">${last.ruling.options.filter((one: Doc) => one.request?.turn).map((one: Doc) => html`<button type="button" @click=${() => {
        const { before, ruling } = last;
        back(course);
        void send(course, { ...before, ...one.request, seed: ruling.seed });
      }}><span>${one.text}</span><b>${one.chance === undefined ? "" : t("option.chance", { percent: percent(one.chance) })}</b></button>`)}</div>` : nothing}
      <details class="more"><summary>${t("why")}</summary>${steps(last.ruling.steps)}</details>
      ${course.history.length > 1 ? rounds(course) : nothing}</section>` : nothing}`;
}

/** All turns so far, folded by rounds. */
function rounds(course: Course): TemplateResult[] {
  const groups = new Map<number, Course["history"]>();
  for (const one of course.history.slice(1)) {
    const round = one.before.round ?? 0;
    groups.set(round, [...(groups.get(round) ?? []), one]);
  }
  return [...groups].map(([round, turns], index) => html`<details class="more round" ?open=${index === 0}><summary>${round ? t("round", { number: round }) : t("initiative")}</summary><ol class="steps" reversed>${turns.map((one) => html`<li>${one.summary} ${one.win ? html`<small class="faint">${one.win.map((each) => `${each.outcome} ${percent(each.probability)}`).join(", ")}</small>` : nothing}</li>`)}</ol></details>`);
}
