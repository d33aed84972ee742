// Dice as pictures: a square with pips for a d6, a kite for a d10, a polygon for any other.

import { html, nothing, svg, type TemplateResult } from "lit-html";
import type { Doc } from "./documents.ts";
import { t } from "./i18n.ts";

const PIPS: Record<number, [number, number][]> = {
  1: [[2, 2]],
  2: [[1, 1], [3, 3]],
  3: [[1, 1], [2, 2], [3, 3]],
  4: [[1, 1], [1, 3], [3, 1], [3, 3]],
  5: [[1, 1], [1, 3], [2, 2], [3, 1], [3, 3]],
  6: [[1, 1], [1, 2], [1, 3], [3, 1], [3, 2], [3, 3]],
};

export function die({ sides, face, kept, replaced }: Doc): TemplateResult {
  const said = [t("die.said", { sides, face }), kept ? "" : t("die.dropped"), replaced?.length ? t("die.was", { faces: replaced.join(", ") }) : ""].filter(Boolean).join(", ");
  const pips = sides === 6 ? PIPS[face] : undefined;
  const body = sides === 6 ? svg`<rect x="3" y="3" width="42" height="42" rx="9"/>` : sides === 10 ? svg`<path d="M24 2 45 22 24 46 3 22Z"/><path class="edge" d="M3 22 11 31 24 46 37 31 45 22M11 31H37"/>` : svg`<path d="M24 2 44 13V35L24 46 4 35V13Z"/>`;
  return html`<span class="die ${kept ? "" : "dropped"}"><svg viewBox="0 0 48 48" role="img" aria-label=${said}>
      ${body}${pips ? pips.map(([x, y]) => svg`<circle cx=${x * 12} cy=${y * 12} r="4.4"/>`) : svg`<text x="24" y=${sides === 10 ? 26 : 30} text-anchor="middle">${face}</text>`}
      ${kept ? nothing : svg`<path class="strike" d="M4 44 44 4"/>`}</svg>
    ${replaced?.length ? html`<small aria-hidden="true"><s>${replaced.join(" ")}</s></small>` : nothing}</span>`;
}

/** The dice of one roll, and what they add up to. */
export function roll({ name, dice, modifier, total }: Doc): TemplateResult {
  return html`<div class="roll"><span class="who">${name}</span><span class="dice">${dice.map(die)}</span>
    <span class="sum">${modifier ? `${modifier < 0 ? "−" : "+"} ${Math.abs(modifier)} ` : ""}= <b>${total}</b></span></div>`;
}
