// Dice rolled at the table: the service says which are needed next, until it has them all.

import { html, nothing, type TemplateResult } from "lit-html";
import { post, Refused } from "./api.ts";
import type { Doc } from "./documents.ts";
import { t } from "./i18n.ts";
import { draw, say } from "./page.ts";
import { rollName } from "./table.ts";

let on = false;
let needed: Doc[] = [];
let given: Doc[] = [];
let faces: Record<string, (number | undefined)[]> = {};
let of = "";

export const active = (): boolean => on;

export async function toggle(request: Doc): Promise<void> {
  on = !on;
  given = [];
  if (on) await next(request);
  draw();
}

async function next(request: Doc): Promise<boolean> {
  of = JSON.stringify(request);
  try {
    const answer = await post("rolls", { ...request, dice: given });
    needed = answer.complete ? [] : answer.needed;
    faces = Object.fromEntries(needed.map((one) => [one.roll, Array(one.count).fill(undefined)]));
    return answer.complete;
  } catch (error) {
    say(error instanceof Refused ? error.problem.detail : String(error));
    return false;
  }
}

/** Hand in what was typed; roll once everything is there. */
export async function proceed(request: Doc, resolve: (request: Doc) => Promise<void>): Promise<void> {
  if (of !== JSON.stringify(request)) {
    given = [];
    await next(request);
    return draw();
  }
  if (needed.some((one) => faces[one.roll].some((face) => face === undefined))) return say(t("dice.missing"));
  given = [...given, ...needed.map((one) => ({ roll: one.roll, faces: faces[one.roll] }))];
  if (await next(request)) {
    await resolve({ ...request, dice: given });
    given = [];
    await next(request);
  }
  draw();
}

export function panel(request: Doc, resolve: (request: Doc) => Promise<void>): TemplateResult | typeof nothing {
  if (!on) return nothing;
  if (of !== JSON.stringify(request)) {
    given = [];
    void next(request).then(draw);
  }
  return html`<fieldset class="card inner physical"><legend class="label">${t("real.dice")}</legend>
    ${needed.map((one) => html`<div><span>${t("dice.needed", { who: rollName(one.roll, request), dice: one.dice })}</span><span class="chips">${(faces[one.roll] ?? []).map((face, index) => html`<select aria-label=${t("die.number", { who: rollName(one.roll, request), number: index + 1 })} @change=${(event: Event) => {
      const { value } = event.target as HTMLSelectElement;
      faces[one.roll][index] = value === "" ? undefined : Number(value);
      draw();
    }}><option value="" ?selected=${face === undefined}>d${one.sides}</option>${Array.from({ length: one.sides }, (_, number) => (one.sides === 10 ? number : number + 1)).map((number) => html`<option value=${number} ?selected=${number === face}>${number}</option>`)}</select>`)}</span></div>`)}
    <button type="button" class="quiet" @click=${() => proceed(request, resolve)}>${t("dice.go")}</button></fieldset>`;
}
