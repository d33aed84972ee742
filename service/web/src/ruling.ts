// A ruling: the outcome in words, the dice, what changed, what is still open, why, and what mattered.

import { html, nothing, type TemplateResult } from "lit-html";
import { roll } from "./dice.ts";
import type { Doc } from "./documents.ts";
import { labelOf, valueLabel } from "./form.ts";
import { percent, signed, t } from "./i18n.ts";
import { ruleLink } from "./rule.ts";
import { rollName } from "./table.ts";

export interface Handlers {
  stale: boolean;
  applied: boolean;
  apply(): void;
  undo(): void;
  again(): void;
  take(patch: Doc): void;
  link(): void;
  lock(): void;
}

const shown = (value: unknown): string => (value === null || value === undefined ? "–" : typeof value === "object" ? ("current" in value! ? `${(value as Doc).current}/${(value as Doc).max}` : JSON.stringify(value)) : typeof value === "boolean" ? t(value ? "yes" : "no") : typeof value === "string" ? valueLabel(value) : String(value).replace("-", "−"));

/** Health and other small numbers as pips. */
const pips = (from: unknown, to: unknown) =>
  typeof from === "number" && typeof to === "number" && from >= 0 && to >= 0 && Math.max(from, to) <= 12 ? html`<span class="pips" aria-hidden="true">${Array.from({ length: Math.max(from, to) }, (_, index) => html`<i class=${index < to ? (index < from ? "" : "new") : "lost"}></i>`)}</span>` : nothing;

export function effects(list: Doc[], request: Doc): TemplateResult | typeof nothing {
  return list.length ? html`<ul class="effects">${list.map((one) => html`<li><b>${rollName(one.on, request)}</b> <span>${labelOf(one.stat.split(".").at(-1)!)} ${one.from === null && one.to === null ? signed(one.change) : html`${shown(one.from)} → <b>${shown(one.to)}</b>`}</span> ${pips(one.from, one.to)}</li>`)}</ul>` : nothing;
}

export function steps(list: Doc[]): TemplateResult {
  return html`<ol class="steps">${list.map((one) => html`<li>${one.text} ${ruleLink(one.rule)}</li>`)}</ol>`;
}

export function turns(answer: Doc): TemplateResult[] {
  const rounds = new Map<string, Doc[]>();
  for (const one of answer.rolls) {
    const round = one.roll.match(/\.round(\d+)\./)?.[1] ?? "0";
    rounds.set(round, [...(rounds.get(round) ?? []), one]);
  }
  return [...rounds].map(([round, rolls], index) => html`<details class="more round" ?open=${index === 0 || rounds.size < 3}><summary>${round === "0" ? t("initiative") : t("round", { number: round })}</summary>${rolls.map(roll)}</details>`);
}

export function ruling({ request, ruling: answer }: { request: Doc; ruling: Doc }, does: Handlers): TemplateResult {
  const verdict = answer.succeeded === true ? "good" : answer.succeeded === false ? "bad" : "";
  const by = answer.margin === null || answer.margin === undefined ? "" : t("by", { margin: Math.abs(answer.margin) });
  const many = answer.rolls.length > 8;
  return html`<section class="card ruling ${does.stale ? "outdated" : ""}" aria-labelledby="ruling-title">
    <p class="over">${t("the.roll")}${does.stale ? html` <span class="badge">${t("outdated")}</span>` : nothing}</p>
    <h2 id="ruling-title" class="outcome ${verdict}">${answer.outcomeText}${answer.total !== null && answer.target !== null ? html` <small>${t("against.by", { total: answer.total, target: answer.target })}${by}</small>` : nothing}</h2>
    <p class="summary" role="status">${answer.summary}</p>
    ${many ? turns(answer) : answer.rolls.map(roll)}
    ${answer.effects.length ? html`<h3>${t("changes")}</h3>${effects(answer.effects, request)}
      <div class="row">${does.applied ? html`<button type="button" class="quiet" @click=${does.undo}>↶ ${t("undo.changes")}</button>` : html`<button type="button" class="chip" ?disabled=${does.stale} @click=${does.apply}>${t("apply")}</button>`}</div>` : nothing}
    ${answer.options?.length ? html`<h3>${t("open.options")}</h3><div class="options">${answer.options.map((one: Doc) => html`<button type="button" ?disabled=${!one.request} @click=${() => does.take(one.request)}><span>${one.text}</span><b>${one.chance === null || one.chance === undefined ? "" : t("option.chance", { percent: percent(one.chance) })}</b></button>`)}</div>` : nothing}
    ${answer.steps.length ? html`<details class="more" ?open=${answer.steps.length < 9}><summary>${t("why")}</summary>${steps(answer.steps)}</details>` : nothing}
    ${factors(answer.factors ?? [], request)}
    ${answer.notes?.length ? html`<ul class="notes">${answer.notes.map((one: Doc) => html`<li>${one.text ?? one}</li>`)}</ul>` : nothing}
    <div class="row"><button type="button" class="primary small" @click=${does.again}>${t("roll.again")}</button>
      <button type="button" class="chip" @click=${does.link}>${t("copy.link")}</button><button type="button" class="chip" @click=${does.lock}>${t("lock")}</button>
      <span class="faint seed">${answer.seedFrom === "table" ? t("from.table") : html`${t("seed")} <code>${answer.seed}</code>`}</span></div>
  </section>`;
}

function factors(list: Doc[], request: Doc): TemplateResult | typeof nothing {
  if (!list.length) return nothing;
  return html`<h3>${t("mattered")}</h3><ul class="factors">${list.map((one) => html`<li class=${one.verdict}><span class="name">${rollName(one.on, request)}: ${one.name || labelOf(one.kind)} ${typeof one.value === "number" ? signed(one.value) : ""}</span> <small>${t(`verdict.${one.verdict}`)}</small></li>`)}</ul>`;
}
