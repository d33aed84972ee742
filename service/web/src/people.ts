// Who takes part: a character kept in this browser with its aspects or Attributes, or just a number.

import { html, nothing, type TemplateResult } from "lit-html";
import { at, copy, type Doc, idOf, type Path, put } from "./documents.ts";
import { choice, complaint, fields, type Form, labelOf, stepper, toggle } from "./form.ts";
import { t } from "./i18n.ts";
import { characters, sameCharacter } from "./store.ts";

const SHOWN_JAZZ = ["character", "using", "bonus", "advantage", "disadvantage", "spend"];
const SHOWN_DARKPAGES = ["character", "attribute", "pool", "npc", "keep", "modifiers"];

/** The widget of a shape, where it has one. */
export function widget(form: Form, name: string, path: Path, schema: Doc): TemplateResult | null {
  if (schema.shape === "JazzActor") return actor(form, "jazz", path, name, schema);
  if (schema.shape === "DarkpagesActor") return actor(form, "darkpages", path, name, schema);
  if (schema.shape === "JazzCharacter" || schema.shape === "JazzDraft") return sheet(form, "jazz", path, name, schema);
  if (schema.shape === "DarkpagesCharacter") return sheet(form, "darkpages", path, name, schema);
  return null;
}

const kept = (system: string): Doc[] => characters().filter((one) => one.system === system).map((one) => one.sheet);

/** The chips of all characters, and of one that only this request knows. */
function chips(system: string, current: Doc | undefined, choose: (sheet: Doc) => void): TemplateResult {
  const known = kept(system);
  const stranger = current?.name && !known.some((one) => sameCharacter(one, current)) ? [current] : [];
  return html`${[...known, ...stranger].map((one) => {
    const chosen = current !== undefined && sameCharacter(one, current);
    return html`<button type="button" class="chip who" aria-pressed=${chosen} @click=${() => choose(one)}>${one.name}${health(chosen ? current! : one)}</button>`;
  })}`;
}

const health = (sheet: Doc) => (sheet.health ? html`<small> ♥ ${sheet.health.current}/${sheet.health.max}</small>` : sheet.out || sheet.defeated ? html`<small> ${t("out")}</small>` : nothing);

/** An actor with a sheet starts with its first aspect, or Attribute. */
export function actorOf(system: string, sheet: Doc, before: Doc = {}): Doc {
  const { bonus, using, pool, npc, attribute, character, ...rest } = before;
  if (system === "jazz") return { ...rest, character: copy(sheet), using: sheet.aspects?.length ? [sheet.aspects[0].name] : [] };
  return { ...rest, character: copy(sheet), attribute: best(sheet) };
}

const best = (sheet: Doc): string => ["body", "mind", "soul"].reduce((most, name) => ((sheet.attributes?.[name]?.roll ?? 0) > (sheet.attributes?.[most]?.roll ?? 0) ? name : most));

function actor(form: Form, system: string, path: Path, name: string, schema?: Doc): TemplateResult {
  const value: Doc = at(form.document, path) ?? {};
  const set = (changed: Doc) => form.change(put(form.document, path, changed));
  const plain = system === "jazz" ? { bonus: 2 } : { pool: { roll: 4, keep: 2 } };
  const { character, using, attribute, ...rest } = value;
  const id = idOf(path);
  const rows = schema ? fields(form, schema, path, system === "jazz" ? SHOWN_JAZZ : SHOWN_DARKPAGES) : [];
  return html`<div class="person" role="group" aria-labelledby="${id}-who">
    <span class="label ${typeof path.at(-1) === "number" ? "unseen" : ""}" id="${id}-who">${name}</span>
    <span class="chips">
      <button type="button" class="chip who" aria-pressed=${!character} @click=${() => character && set({ ...rest, ...plain })}>${t("number")}</button>
      ${chips(system, character, (one) => set(actorOf(system, one, value)))}
    </span>
    ${system === "jazz" ? jazz(form, path, value) : darkpages(form, path, value)}
    ${schema ? html`<details class="more"><summary>${t("more.actor")}</summary><div class="fields">${rows}</div></details>` : nothing}
    ${complaint(form, path)}
  </div>`;
}

function jazz(form: Form, path: Path, value: Doc): TemplateResult {
  const set = (changed: Doc) => form.change(put(form.document, path, changed));
  const using: string[] = value.using ?? [];
  const take = (aspect: string) => (using.includes(aspect) ? using.filter((one) => one !== aspect) : [...using, aspect]);
  const spends = [["karma", value.character?.karma === "positive"], ["heldAdvantage", value.character?.heldAdvantage]] as const;
  return html`${value.character
    ? html`<span class="chips" role="group" aria-label=${labelOf("using")}>${(value.character.aspects ?? []).map((aspect: Doc) => html`<button type="button" class="chip" aria-pressed=${using.includes(aspect.name)} @click=${() => set({ ...value, using: take(aspect.name) })}>${aspect.weird ? "✦ " : ""}${aspect.name} <b>+${aspect.bonus}</b></button>`)}</span>${complaint(form, [...path, "using", 0])}${complaint(form, [...path, "using"])}`
    : html`<div class="short">${stepper(form, [...path, "bonus"], t("field.bonus"), { minimum: 0, maximum: 99 })}</div>`}
    <span class="chips">${toggle(form, [...path, "advantage"], t("field.advantage"))}${toggle(form, [...path, "disadvantage"], t("field.disadvantage"))}
      ${spends.map(([what, held]) => (held || value.spend === what ? html`<button type="button" class="chip" aria-pressed=${value.spend === what} @click=${() => set(put(value, ["spend"], value.spend === what ? undefined : what))}>${t(`spend.${what}`)}</button>` : nothing))}</span>`;
}

function darkpages(form: Form, path: Path, value: Doc): TemplateResult {
  const set = (changed: Doc) => form.change(put(form.document, path, changed));
  const attributes = value.character?.attributes ?? {};
  const modifiers: string[] = value.modifiers ?? [];
  return html`${value.character
    ? html`<span class="chips" role="group" aria-label=${labelOf("attribute")}>${["body", "mind", "soul"].map((name) => html`<button type="button" class="chip" aria-pressed=${value.attribute === name} @click=${() => set(put(value, ["attribute"], value.attribute === name ? undefined : name))}>${t(`value.${name}`)} <b>${attributes[name]?.roll}k${attributes[name]?.keep}</b></button>`)}</span>`
    : html`<div class="pair"><div class="short">${stepper(form, [...path, "pool", "roll"], t("field.roll"), { minimum: 1, maximum: 40 })}</div><div class="short">${stepper(form, [...path, "pool", "keep"], t("field.keep"), { minimum: 1, maximum: 40 })}</div></div>
        <span class="chips">${toggle(form, [...path, "npc"], t("field.npc"))}</span>`}
    <span class="chips" role="group" aria-label=${t("field.modifiers")}>${["+1/0", "-1/0"].map((one) => html`<button type="button" class="chip" @click=${() => set({ ...value, modifiers: [...modifiers, one] })}>${t("dice.by", { by: one.startsWith("-") ? "−1" : "+1" })}</button>`)}
      ${modifiers.map((one, index) => html`<button type="button" class="chip" aria-pressed="true" aria-label=${t("remove.this", { what: one })} @click=${() => set(put(value, ["modifiers"], modifiers.length > 1 ? modifiers.toSpliced(index, 1) : undefined))}>${one} ✕</button>`)}</span>
    <div>${value.npc || value.character?.npc ? nothing : choice(form, [...path, "keep"], t("field.keepWhich"), ["highest", "mostZeros", "mostZerosThatSucceed"], "highest")}</div>`;
}

/** A sheet: one of the kept characters, and all of its fields. */
function sheet(form: Form, system: string, path: Path, name: string, schema: Doc): TemplateResult {
  const value: Doc | undefined = at(form.document, path);
  const id = idOf(path);
  return html`<div class="person" role="group" aria-labelledby="${id}-who"><span class="label ${typeof path.at(-1) === "number" ? "unseen" : ""}" id="${id}-who">${name}</span>
    <span class="chips">${chips(system, value, (one) => form.change(put(form.document, path, copy(one))))}</span>
    ${value ? html`<details class="more"><summary>${t("more.sheet")}</summary><div class="fields">${fields(form, schema, path)}</div></details>` : nothing}${complaint(form, path)}</div>`;
}
