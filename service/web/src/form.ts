// A form for any shape of the published JSON Schema. It knows about ten kinds of schema; every field has its description and its errors.

import { html, nothing, type TemplateResult } from "lit-html";
import { append, at, type Doc, idOf, type Path, pathOf, pointerOf, put, words } from "./documents.ts";
import type { Finding } from "./api.ts";
import { t, tOr } from "./i18n.ts";
import { ruleLink } from "./rule.ts";

export interface Form {
  document: Doc;
  definitions: Doc;
  errors: Finding[];
  change(document: Doc): void;
  /** A widget of its own for some shapes; nothing for the others. */
  widget?(name: string, path: Path, schema: Doc): TemplateResult | null;
}

/** The schema without references and without `null` as an alternative. */
export function resolved(schema: Doc, definitions: Doc): Doc {
  if (schema.$ref) return { ...resolved(definitions[schema.$ref.split("/").at(-1)!] ?? {}, definitions), shape: schema.$ref.split("/").at(-1), ...without(schema, "$ref") };
  const alternatives = (schema.anyOf ?? []).filter((one: Doc) => one.type !== "null");
  if (alternatives.length === 1) return { ...resolved(alternatives[0], definitions), ...without(schema, "anyOf"), optional: true };
  if (alternatives.length) {
    const lists = alternatives.map((one: Doc) => resolved(one, definitions)).find((one: Doc) => one.type === "array");
    return lists ? { ...lists, ...without(schema, "anyOf") } : { ...schema, type: "string" };
  }
  if (schema.oneOf) return { ...schema, type: "choice" };
  return schema;
}

const without = (object: Doc, name: string): Doc => Object.fromEntries(Object.entries(object).filter(([key]) => key !== name));

export const labelOf = (name: string | number): string => {
  if (typeof name === "number") return `${name + 1}`;
  const text = tOr(`field.${name}`, words(name));
  return text[0].toUpperCase() + text.slice(1);
};

export const valueLabel = (value: unknown): string => tOr(`value.${value}`, words(String(value)).replaceAll(".", ": "));

export const errorsAt = (form: Form, path: Path): Finding[] => form.errors.filter((one) => one.pointer === pointerOf(path));

const errorsBelow = (form: Form, path: Path): boolean => form.errors.some((one) => one.pointer.startsWith(pointerOf(path)));

/** What a field's errors say, with the attributes that tie them to it. */
export function complaint(form: Form, path: Path): TemplateResult | typeof nothing {
  const errors = errorsAt(form, path);
  return errors.length ? html`<p class="complaint" id="${idOf(path)}-error">${errors.map((one) => html`${one.detail} `)}</p>` : nothing;
}

const isWrong = (form: Form, path: Path): boolean => errorsAt(form, path).length > 0;
const describedBy = (form: Form, path: Path) => (isWrong(form, path) ? `${idOf(path)}-error` : nothing);

function description(schema: Doc): TemplateResult | typeof nothing {
  if (!schema.description) return nothing;
  const parts = String(schema.description).split(/((?:jazz|darkpages)(?:\.[a-zA-Z]+)+|`[^`]+`)/);
  return html`<details class="tip"><summary aria-label=${t("about")}>?</summary><p class="hint">${parts.map((part, index) => (index % 2 === 0 ? part : part.startsWith("`") ? html`<code>${part.slice(1, -1)}</code>` : part.split(".").length > 2 ? ruleLink(part) : html`<code>${part}</code>`))}</p></details>`;
}

/** The fields of an object, without those that are shown elsewhere. */
export function fields(form: Form, schema: Doc, path: Path, skip: readonly string[] = []): TemplateResult[] {
  const required = schema.required ?? [];
  return Object.entries<Doc>(schema.properties ?? {})
    .filter(([name, part]) => !skip.includes(name) && part.const === undefined)
    .map(([name, part]) => field(form, part, [...path, name], required.includes(name)));
}

export function field(form: Form, raw: Doc, path: Path, required = false): TemplateResult {
  const schema = resolved(raw, form.definitions);
  const name = labelOf(path.at(-1)!);
  const own = form.widget?.(name, path, schema);
  if (own) return html`<div class="field wide" data-path=${pointerOf(path)}>${own}${complaint(form, path)}</div>`;
  const value = at(form.document, path);
  const set = (changed: unknown) => form.change(put(form.document, path, changed));
  const id = idOf(path);
  switch (schema.type) {
    case "boolean":
      return html`<div class="field" data-path=${pointerOf(path)}>${toggle(form, path, name, schema.default === true)}${description(schema)}</div>`;
    case "integer":
    case "number":
      return html`<div class="field" data-path=${pointerOf(path)}>${stepper(form, path, name, schema)}${description(schema)}</div>`;
    case "array":
      return list(form, schema, path, name, required);
    case "object":
      return object(form, schema, path, name, required);
    case "choice":
      return html`<div class="field wide"><span class="label">${name}</span>${textOf(form, path, value)}</div>`;
    default:
      if (schema.enum) return html`<div class="field ${schema.enum.length > 4 ? "" : "wide"}" data-path=${pointerOf(path)}>${choice(form, path, name, schema.enum, schema.default ?? undefined, !required)}${description(schema)}</div>`;
      return html`<div class="field" data-path=${pointerOf(path)}>
        <label class="label" for=${id}>${name}</label>
        <input id=${id} type="text" .value=${value ?? ""} aria-invalid=${isWrong(form, path)} aria-describedby=${describedBy(form, path)} @change=${(event: Event) => {
          const typed = (event.target as HTMLInputElement).value;
          set(typed === "" && !required ? undefined : typed);
        }} />
        ${complaint(form, path)}${description(schema)}
      </div>`;
  }
}

/** A value that has no form of its own, as JSON. */
function textOf(form: Form, path: Path, value: unknown): TemplateResult {
  return html`<textarea rows="3" aria-label=${labelOf(path.at(-1)!)} .value=${value === undefined ? "" : JSON.stringify(value, null, 1)} @change=${(event: Event) => {
    const area = event.target as HTMLTextAreaElement;
    try {
      form.change(put(form.document, path, area.value.trim() ? JSON.parse(area.value) : undefined));
      area.removeAttribute("aria-invalid");
    } catch {
      area.setAttribute("aria-invalid", "true");
    }
  }}></textarea>${complaint(form, path)}`;
}

export function toggle(form: Form, path: Path, label: string, otherwise = false): TemplateResult {
  const on = at(form.document, path) ?? otherwise;
  return html`<label class="chip toggle"><input type="checkbox" id=${idOf(path)} .checked=${on} aria-invalid=${isWrong(form, path)} aria-describedby=${describedBy(form, path)} @change=${(event: Event) => {
    const checked = (event.target as HTMLInputElement).checked;
    form.change(put(form.document, path, checked === otherwise ? undefined : checked));
  }} />${label}</label>${complaint(form, path)}`;
}

export function stepper(form: Form, path: Path, label: string, schema: Doc = {}, start?: number): TemplateResult {
  const { minimum = -1000, maximum = 1000 } = schema;
  const value = at(form.document, path) ?? schema.default ?? start;
  const set = (to: number | undefined) => form.change(put(form.document, path, to));
  const step = (by: number) => set(Math.min(maximum, Math.max(minimum, (typeof value === "number" ? value : Math.max(0, minimum) - by) + by)));
  const id = idOf(path);
  return html`<label class="label" for=${id}>${label}</label>
    <span class="stepper">
      <button type="button" aria-label="${t("less", { what: label })}" ?disabled=${value <= minimum} @click=${() => step(-1)}>−</button>
      <input id=${id} type="text" inputmode=${minimum < 0 ? "text" : "numeric"} autocomplete="off" .value=${String(value ?? "")} aria-invalid=${isWrong(form, path)} aria-describedby=${describedBy(form, path)}
        @keydown=${(event: KeyboardEvent) => {
          const by = { ArrowUp: 1, ArrowDown: -1 }[event.key];
          if (by) event.preventDefault(), step(by);
        }}
        @input=${(event: Event) => {
          const typed = (event.target as HTMLInputElement).value.trim().replace("−", "-");
          if (typed === "") set(undefined);
          else if (typed !== "-") set((/^[-+]?\d+$/.test(typed) ? Number(typed) : typed) as number);
        }} />
      <button type="button" aria-label="${t("more.of", { what: label })}" ?disabled=${value >= maximum} @click=${() => step(1)}>+</button>
    </span>${complaint(form, path)}`;
}

export function choice(form: Form, path: Path, label: string, values: string[], otherwise?: string, optional = true): TemplateResult {
  const value = at(form.document, path);
  const set = (to: string | undefined) => form.change(put(form.document, path, to));
  const id = idOf(path);
  if (values.length > 5) {
    return html`<label class="label" for=${id}>${label}</label>
      <select id=${id} aria-invalid=${isWrong(form, path)} aria-describedby=${describedBy(form, path)} @change=${(event: Event) => set((event.target as HTMLSelectElement).value || undefined)}>
        <option value="" ?selected=${value === undefined}>${otherwise ? valueLabel(otherwise) : t("none")}</option>
        ${values.filter((one) => one !== otherwise).map((one) => html`<option value=${one} ?selected=${one === value}>${valueLabel(one)}</option>`)}
      </select>${complaint(form, path)}`;
  }
  const pressed = value ?? otherwise;
  return html`<span class="label" id="${id}-label">${label}</span>
    <span class="chips" role="group" id=${id} tabindex="-1" aria-labelledby="${id}-label">
      ${values.map((one) => html`<button type="button" class="chip" aria-pressed=${one === pressed} @click=${() => set(one === value && optional ? undefined : one)}>${valueLabel(one)}</button>`)}
    </span>${complaint(form, path)}`;
}

function list(form: Form, schema: Doc, path: Path, name: string, required: boolean): TemplateResult {
  const items = resolved(schema.items ?? {}, form.definitions);
  const held = at(form.document, path);
  const value: unknown[] = Array.isArray(held) ? held : held === undefined ? [] : [held];
  const set = (changed: unknown[]) => form.change(put(form.document, path, changed.length || required ? changed : undefined));
  if (items.enum && items.enum.length <= 12) {
    return html`<div class="field wide" data-path=${pointerOf(path)}><span class="label">${name}</span>
      <span class="chips" role="group" aria-label=${name}>${items.enum.map((one: string) => html`<button type="button" class="chip" aria-pressed=${value.includes(one)} @click=${() => set(value.includes(one) ? value.filter((old) => old !== one) : [...value, one])}>${valueLabel(one)}</button>`)}</span>
      ${complaint(form, path)}${description(schema)}</div>`;
  }
  if (items.type === "object") {
    return html`<fieldset class="field wide" data-path=${pointerOf(path)}><legend class="label">${name}</legend>
      ${complaint(form, path)}${description(schema)}
      ${value.map((one, index) => html`<div class="item"><button type="button" class="quiet" aria-label=${t("remove.this", { what: cardName(one, name, index) })} @click=${() => set(value.filter((_, at) => at !== index))}>✕</button><details class="card inner" ?open=${value.length < 3}><summary>${cardName(one, name, index)}</summary>
        ${form.widget?.(name, [...path, index], items) ?? html`<div class="fields">${fields(form, items, [...path, index])}</div>`}</details></div>`)}
      <button type="button" class="quiet" @click=${() => form.change(append(form.document, path, blank(items, form.definitions)))}>+ ${t("add.one", { what: name })}</button></fieldset>`;
  }
  const id = idOf(path);
  const numeric = items.type === "integer";
  return html`<div class="field" data-path=${pointerOf(path)}><label class="label" for=${id}>${name}</label>
    <input id=${id} type="text" .value=${value.map((one) => (typeof one === "object" ? JSON.stringify(one) : one)).join(", ")} placeholder=${t("commas")} aria-invalid=${errorsBelow(form, path)} @change=${(event: Event) => {
      const typed = (event.target as HTMLInputElement).value.split(",").map((one) => one.trim()).filter(Boolean);
      set(numeric ? typed.map((one) => (/^-?\d+$/.test(one) ? Number(one) : one)) : typed);
    }} />${form.errors.filter((one) => one.pointer.startsWith(pointerOf(path))).map((one) => html`<p class="complaint">${one.detail}</p>`)}${description(schema)}</div>`;
}

const cardName = (one: any, name: string, index: number): string => one?.character?.name ?? one?.actor?.character?.name ?? one?.name ?? one?.id ?? `${name} ${index + 1}`;

function object(form: Form, schema: Doc, path: Path, name: string, required: boolean): TemplateResult {
  const value = at(form.document, path);
  const open = required || value !== undefined;
  if (!open) {
    return html`<div class="field" data-path=${pointerOf(path)}><span class="label">${name}</span><button type="button" class="quiet" id=${idOf(path)} @click=${() => form.change(put(form.document, path, blank(schema, form.definitions)))}>+ ${t("add")}<span class="unseen"> ${name}</span></button>${description(schema)}</div>`;
  }
  if (!schema.properties) return html`<div class="field wide"><span class="label">${name}</span>${textOf(form, path, value)}${description(schema)}</div>`;
  return html`<fieldset class="field wide inner card" data-path=${pointerOf(path)}><legend class="label">${name}</legend>
    ${required ? nothing : html`<button type="button" class="quiet corner" @click=${() => form.change(put(form.document, path, undefined))}>${t("remove")}<span class="unseen"> ${name}</span></button>`}
    ${complaint(form, path)}<div class="fields">${fields(form, schema, path)}</div></fieldset>`;
}

/** The least that a shape requires. */
export function blank(raw: Doc, definitions: Doc): any {
  const schema = resolved(raw, definitions);
  if (schema.const !== undefined) return schema.const;
  if (schema.enum) return schema.enum[0];
  if (schema.type === "array") return [];
  if (schema.type === "integer") return Math.max(schema.minimum ?? 0, 1);
  if (schema.type === "boolean") return false;
  if (schema.type === "string") return t("new");
  if (schema.shape === "JazzActor") return { bonus: 2 };
  if (schema.shape === "DarkpagesActor") return { pool: { roll: 4, keep: 2 } };
  return Object.fromEntries((schema.required ?? []).map((name: string) => [name, blank(schema.properties[name], definitions)]));
}

/** Open whatever hides a field, and move to it. */
export function goTo(pointer: string): void {
  const path = pathOf(pointer);
  for (let length = path.length; length > 0; length -= 1) {
    const element = document.getElementById(idOf(path.slice(0, length))) ?? document.querySelector<HTMLElement>(`[data-path="${CSS.escape(pointerOf(path.slice(0, length)))}"]`);
    if (!element) continue;
    for (let around = element.closest("details"); around; around = around.parentElement?.closest("details") ?? null) around.open = true;
    element.scrollIntoView({ block: "center" });
    (element.matches("input, select, textarea, button, [tabindex]") ? element : element.querySelector<HTMLElement>("input, select, textarea, button"))?.focus();
    return;
  }
}
