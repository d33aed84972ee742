// The characters of this browser: forms for both games, checked while typing; import, export, cards to print.

import { html, nothing, type TemplateResult } from "lit-html";
import { type Finding, post, Refused, schemaOf } from "./api.ts";
import { copy, type Doc, merged } from "./documents.ts";
import { field, fields, type Form, labelOf, valueLabel } from "./form.ts";
import { t } from "./i18n.ts";
import { download, draw, say, type View } from "./page.ts";
import { ruleLink } from "./rule.ts";
import { characters, type Kept, load, readyMadeCharacters, sameCharacter, save, saveCharacters } from "./store.ts";

let kept: Kept[] = characters();
let edited: number | undefined;
let before: { kept: Kept[]; text: string } | undefined;
let errors: Finding[] = [];
let findings: Doc[] = [];
let legal: boolean | undefined;
let level: string = load("level", "elite");
let timer = 0;
let checking = new AbortController();
const schemas: Record<string, Doc> = {};
const FRONT: Record<string, string[]> = { jazz: ["name", "aspects", "survivalAspect", "complication"], darkpages: ["name", "archetype", "attributes", "lethal"] };
const LEVELS = ["mundane", "exceptional", "elite", "heroic", "legendary", "mythic"];

function set(changed: Kept[], undone?: string): void {
  if (undone) before = { kept, text: undone };
  kept = changed;
  saveCharacters(kept);
  draw();
}

async function edit(index: number): Promise<void> {
  edited = index;
  errors = findings = [];
  legal = undefined;
  const { system } = kept[index];
  draw();
  schemas[system] ??= await schemaOf(system === "jazz" ? "JazzCharacter" : "DarkpagesCharacter").catch(() => ({}));
  check();
  draw();
  document.getElementById("editor-title")?.focus();
}

/** Ask what the rules say of the sheet, soon. */
function check(): void {
  clearTimeout(timer);
  checking.abort();
  const { signal } = (checking = new AbortController());
  const { system, sheet } = kept[edited!];
  timer = window.setTimeout(async () => {
    try {
      const ruling = await post("resolve", { action: `${system}.character`, character: sheet, ...(system === "jazz" ? { fictionLevel: level } : {}) }, signal);
      [errors, findings, legal] = [[], ruling.steps, ruling.outcome === "legal"];
    } catch (error) {
      if (signal.aborted) return;
      legal = undefined;
      findings = [];
      errors = error instanceof Refused ? error.problem.errors.map((one) => ({ ...one, pointer: one.pointer.replace(/^\/character/, "") })) : [];
      if (error instanceof Refused && !errors.length) say(error.problem.detail);
    }
    draw();
  }, 120);
}

function editor(): TemplateResult {
  const { system, sheet } = kept[edited!];
  const schema = schemas[system];
  const form: Form = {
    document: sheet,
    definitions: schema?.$defs ?? {},
    errors,
    change(document) {
      set(kept.with(edited!, { ...kept[edited!], sheet: document }));
      check();
    },
  };
  const front = FRONT[system];
  return html`<section class="card editor" aria-labelledby="editor-title"><div class="between"><h2 id="editor-title" tabindex="-1">${sheet.name || t("characters.new")}</h2><button type="button" class="primary" @click=${() => {
      edited = undefined;
      draw();
    }}>${t("characters.done")}</button></div>
    ${schema?.properties ? html`<div class="fields">${front.map((name) => field(form, schema.properties[name], [name], schema.required?.includes(name)))}</div>
      <details class="more"><summary>${t("characters.more")}</summary><div class="fields">${fields(form, schema, [], [...front, "id"])}</div></details>` : nothing}
    ${system === "jazz" ? html`<div class="short"><label class="label" for="level">${t("characters.level")}</label><select id="level" @change=${(event: Event) => {
      level = (event.target as HTMLSelectElement).value;
      save("level", level);
      check();
    }}>${LEVELS.map((one) => html`<option value=${one} ?selected=${one === level}>${valueLabel(one)}</option>`)}</select></div>` : nothing}
    <div role="status" class="verdict">${errors.length ? errors.map((one) => html`<p class="complaint">${one.detail}</p>`) : legal !== undefined ? html`<p class=${legal ? "fine" : "complaint"}>${legal && !findings.length ? t("characters.legal") : ""}</p><ul>${findings.map((one) => html`<li>${one.text} ${ruleLink(one.rule)}</li>`)}</ul>` : nothing}</div></section>`;
}

export function card({ system, sheet }: Kept, tools: unknown = nothing): TemplateResult {
  const jazz = system === "jazz";
  return html`<article class="card sheet" aria-label=${sheet.name}><div class="between"><h2>${sheet.name}</h2><span class="badge">${jazz ? "Jazz" : "darkpages"}</span></div>
    ${jazz
      ? html`<ul class="aspects">${(sheet.aspects ?? []).map((one: Doc) => html`<li><span>${one.weird ? "✦ " : ""}${one.name}${one.name === sheet.survivalAspect ? " ♥" : ""}</span><b>+${one.bonus}</b>${one.expertise?.length ? html`<small>${one.expertise.join(", ")}</small>` : nothing}</li>`)}</ul>
          <p class="faint">${[sheet.health ? `${labelOf("health")} ${sheet.health.current}/${sheet.health.max}` : "", sheet.weird ? `${labelOf("weird")} ${sheet.weird.current}/${sheet.weird.max}` : "", sheet.karma && sheet.karma !== "neutral" ? `Karma: ${valueLabel(sheet.karma)}` : "", sheet.complication ?? "", sheet.out ? t("out") : ""].filter(Boolean).join(" · ")}</p>`
      : html`<ul class="aspects">${["body", "mind", "soul"].map((name) => html`<li><span>${valueLabel(name)}</span><b>${sheet.attributes?.[name]?.roll}k${sheet.attributes?.[name]?.keep}</b></li>`)}</ul>
          <p class="faint">${[sheet.archetype, ...["health", "sanity", "aura"].filter((name) => sheet.damage?.[name] && sheet.damage[name] !== "unhurt").map((name) => `${valueLabel(name)}: ${valueLabel(sheet.damage[name])}`), sheet.defeated ? valueLabel("defeated") : "", ...(sheet.scars ?? []).map((scar: Doc) => scar.modifier)].filter(Boolean).join(" · ")}</p>`}
    ${tools}</article>`;
}

const blank = (system: "jazz" | "darkpages"): Kept => ({
  system,
  sheet: system === "jazz" ? { id: crypto.randomUUID().slice(0, 8), name: t("characters.new"), aspects: [{ name: t("new"), bonus: 3 }] } : { id: crypto.randomUUID().slice(0, 8), name: t("characters.new"), attributes: { body: { roll: 4, keep: 2 }, mind: { roll: 4, keep: 2 }, soul: { roll: 4, keep: 2 } }, lethal: "health" },
});

/** Sheets in a file: one, a list, or an export of this page. */
async function take(file: File | undefined): Promise<void> {
  if (!file) return;
  try {
    const data = JSON.parse(await file.text());
    const found: Kept[] = (Array.isArray(data) ? data : [data]).map((one: Doc) => one.sheet ?? one.character ?? one).filter((sheet: Doc) => typeof sheet?.name === "string" && (Array.isArray(sheet.aspects) || sheet.attributes)).map((sheet: Doc) => ({ system: sheet.attributes ? "darkpages" : "jazz", sheet }));
    if (!found.length) throw new Error();
    const others = kept.filter((one) => !found.some((each) => each.system === one.system && sameCharacter(each.sheet, one.sheet)));
    set([...others, ...found], t("characters.imported", { number: found.length }));
    say(t("characters.imported", { number: found.length }));
  } catch {
    say(t("characters.bad"));
  }
}

function body(): TemplateResult {
  return html`<div class="characters" @dragover=${(event: DragEvent) => event.preventDefault()} @drop=${(event: DragEvent) => {
      event.preventDefault();
      void take(event.dataTransfer?.files[0]);
    }}>
    <div class="between no-print"><h1>${t("characters.title")}</h1><span class="chips">
      <button type="button" class="chip" @click=${() => (set([...kept, blank("jazz")]), edit(kept.length - 1))}>+ Jazz</button>
      <button type="button" class="chip" @click=${() => (set([...kept, blank("darkpages")]), edit(kept.length - 1))}>+ darkpages</button>
      <label class="chip toggle file">${t("characters.import")}<input type="file" class="unseen" accept=".json,application/json" @change=${(event: Event) => {
        const input = event.target as HTMLInputElement;
        void take(input.files?.[0]).then(() => (input.value = ""));
      }} /></label>
      <button type="button" class="chip" @click=${() => download("characters.json", JSON.stringify(kept, null, 2), "application/json")}>${t("characters.export")}</button>
      <button type="button" class="chip" @click=${() => window.print()}>${t("print")}</button></span></div>
    <p class="faint no-print">${t("characters.kept")} ${t("characters.drop")} ${before ? html`<button type="button" class="quiet" @click=${() => {
      set(before!.kept);
      before = undefined;
      edited = undefined;
      draw();
    }}>↶ ${t("undo")}: ${before.text}</button>` : nothing}</p>
    ${edited !== undefined && kept[edited] ? editor() : nothing}
    <div class="sheets">${kept.map((one, index) => card(one, html`<div class="row small no-print">
        <button type="button" class="chip" aria-label="${t("characters.edit")} ${one.sheet.name}" @click=${() => edit(index)}>${t("characters.edit")}</button>
        <button type="button" class="chip" aria-label="${t("characters.play")} ${one.sheet.name}" @click=${() => play(one)}>${t("characters.play")}</button>
        <button type="button" class="quiet" aria-label="${t("characters.copy")} ${one.sheet.name}" @click=${() => set([...kept, { ...copy(one), sheet: merged(one.sheet, { id: crypto.randomUUID().slice(0, 8), name: `${one.sheet.name} 2` }) }])}>${t("characters.copy")}</button>
        <button type="button" class="quiet" aria-label="JSON ${one.sheet.name}" @click=${() => download(`${one.sheet.name}.json`, JSON.stringify(one.sheet, null, 2), "application/json")}>JSON</button>
        <button type="button" class="quiet" aria-label="${t("characters.delete")} ${one.sheet.name}" @click=${() => {
          edited = undefined;
          set(kept.toSpliced(index, 1), t("characters.deleted", { name: one.sheet.name }));
        }}>${t("characters.delete")}</button></div>`))}</div>
    <button type="button" class="quiet no-print" @click=${() => set([...kept, ...readyMadeCharacters().filter((one) => !kept.some((each) => each.system === one.system && sameCharacter(each.sheet, one.sheet)))])}>${t("characters.ready")}</button></div>`;
}

/** To the table, with this character. */
function play({ system, sheet }: Kept): void {
  const drafts = load<Record<string, Doc>>("drafts", {});
  const action = `${system}.check`;
  const actor = system === "jazz" ? { character: sheet, using: sheet.aspects?.length ? [sheet.aspects[0].name] : [] } : { character: sheet, attribute: "body" };
  drafts[action] = { action, ...(system === "jazz" ? { difficulty: 10 } : { targetNumber: 15 }), ...drafts[action], actor };
  save("drafts", drafts);
  save("action", action);
  location.href = "./";
}

export const view: View = { name: "characters", body, begin: () => draw() };
