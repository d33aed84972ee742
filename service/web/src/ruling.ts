// A ruling: the outcome in words, the dice, what changed, what is still open, why, and what mattered.

import { html, nothing, type TemplateResult } from "lit-html";
import { harmedOf } from "./actions.ts";
import { roll } from "./dice.ts";
import type { Doc } from "./documents.ts";
import { labelOf, valueLabel } from "./form.ts";
import { percent, signed, t } from "./i18n.ts";
import { ruleLink } from "./rule.ts";
import { rollName, whoOf } from "./table.ts";

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

function shown(value: any): string {
  if (value === null || value === undefined) return "–";
  if (Array.isArray(value)) return value.map(shown).join(", ") || "–";
  if (typeof value === "object") return "current" in value ? `${value.current}/${value.max}` : "points" in value ? String(value.points) : Object.values(value).map(shown).join(" ");
  return typeof value === "boolean" ? t(value ? "yes" : "no") : typeof value === "string" ? valueLabel(value) : String(value).replace("-", "−");
}

/** Health and other small numbers as pips. */
const pips = (from: unknown, to: unknown) =>
  typeof from === "number" && typeof to === "number" && from >= 0 && to >= 0 && Math.max(from, to) <= 12 ? html`<span class="pips" aria-hidden="true">${Array.from({ length: Math.max(from, to) }, (_, index) => html`<i class=${index < to ? (index < from ? "" : "new") : "lost"}></i>`)}</span>` : nothing;

export function effects(list: Doc[], request: Doc): TemplateResult | typeof nothing {
  return list.length ? html`<ul class="effects">${list.map((one) => html`<li><b>${rollName(one.on, request)}</b> <span>${one.stat.split(".").map(labelOf).join(": ")} ${one.from === null && one.to === null ? signed(one.change) : html`${shown(one.from)} → <b>${shown(one.to)}</b>`}</span> ${pips(one.from, one.to)}</li>`)}</ul>` : nothing;
}

export function steps(list: Doc[]): TemplateResult {
  return html`<ol class="steps">${list.map((one) => html`<li>${one.text} ${ruleLink(one.rule)}</li>`)}</ol>`;
}

/** The turns of a round, or the actions of a conflict, each with its dice. */
function acts(list: Doc[], answer: Doc): TemplateResult[] {
  const first = answer.rolls.filter((one: Doc) => !list.some((act) => act.rolls.includes(one.roll)));
  return [
    ...(first.length ? [html`<details class="more round"><summary>${t("initiative")}</summary>${first.map(roll)}</details>`] : []),
    ...list.map((act) => html`<div class="act-of"><p>${act.summary}</p>${answer.rolls.filter((one: Doc) => act.rolls.includes(one.roll)).map(roll)}</div>`),
  ];
}

/** A whole fight by its rounds: who attacked whom, with which dice, and how everybody stood at the end. */
function rounds(answer: Doc, request: Doc): TemplateResult[] {
  const groups = new Map<number, Doc[]>();
  for (const one of answer.rolls) {
    const round = Number(one.roll.match(/\.round(\d+)\./)?.[1] ?? 0);
    groups.set(round, [...(groups.get(round) ?? []), one]);
  }
  const said: Doc[] = answer.steps.filter((one: Doc) => one.args?.round);
  const health = new Map<string, { current: number; max: number }>();
  for (const one of request.combatants ?? []) if (fullOf(one)) health.set(nameOf(one), { ...fullOf(one)! });
  return [...groups].map(([round, rolls]) => {
    const left = [...rolls];
    const lines = said.filter((one) => one.args.round === round).map((one) => {
      const dice: Doc[] = [];
      if (one.args.outcome) {
        do dice.push(left.shift()!);
        while (left.length && (!dice.at(-1)!.roll.includes(".against.") || left[0].roll.endsWith(".rescue")));
        const struck = health.get(one.args.on);
        if (one.args.outcome === "hit" && struck) struck.current = Math.max(0, struck.current - 1);
      }
      if (/\.(unnamed|out)$/.test(one.key) && health.has(one.args.who)) health.get(one.args.who)!.current = 0;
      return html`<li><span class="dot ${one.args.outcome === "hit" ? "good" : ""}" aria-hidden="true"></span><div>${one.text.replace(/^[^:]*\d+: /, "")}<div class="dice-row">${dice.map(roll)}</div></div></li>`;
    });
    const bars = round ? html`<div class="stand">${[...health].map(([name, full]) => html`<span class=${full.current ? "" : "gone"}>${name}</span>${bar(full)}`)}</div>` : nothing;
    return html`<details class="more round" ?open=${round === 1 || groups.size < 3}><summary>${round ? t("round", { number: round }) : t("initiative")}</summary>${lines.length ? html`<ol class="blows">${lines}</ol>${left.map(roll)}` : rolls.map(roll)}${bars}</details>`;
  });
}

const nameOf = (one: Doc): string => one.actor?.character?.name ?? one.actor?.name ?? String(one.id);

/** The health of somebody with a sheet, also where only the survival aspect says how much that is. */
export function fullOf(one: Doc): { current: number; max: number } | undefined {
  const sheet: Doc | undefined = one.actor?.character;
  if (!sheet) return undefined;
  if (sheet.health) return sheet.health;
  const max = sheet.aspects?.find((each: Doc) => each.name === sheet.survivalAspect)?.bonus;
  return max === undefined ? undefined : { current: sheet.out ? 0 : max, max };
}

export const bar = ({ current, max }: { current: number; max: number }): TemplateResult =>
  html`<span class="bar-of"><svg class="meter good" viewBox="0 0 100 10" preserveAspectRatio="none" role="img" aria-label="${valueLabel("health")}: ${current}/${max}"><rect class="back" width="100" height="10"/><rect class="full" width=${(100 * current) / Math.max(1, max)} height="10"/></svg><small>${current}/${max}</small></span>`;

export function ruling({ request, ruling: answer }: { request: Doc; ruling: Doc }, does: Handlers): TemplateResult {
  const verdict = answer.succeeded === true ? "good" : answer.succeeded === false ? "bad" : "";
  const by = answer.margin === null || answer.margin === undefined ? "" : t("by", { margin: Math.abs(answer.margin) });
  const harmed = harmedOf(answer.action, answer.outcome);
  const many = answer.rolls.length > 8;
  return html`<section class="card ruling ${does.stale ? "outdated" : ""}" aria-labelledby="ruling-title">
    <p class="over">${t("the.roll")}${does.stale ? html` <span class="badge">${t("outdated")}</span>` : nothing}</p>
    <h2 id="ruling-title" class="outcome ${verdict}">${answer.action === "jazz.fight" && answer.outcome !== "undecided" ? t("wins", { side: answer.outcomeText }) : harmed ? `${whoOf(harmed, request)}: ${answer.outcomeText}` : answer.outcomeText}${answer.total !== null && answer.target !== null ? html` <small>${t("against.by", { total: answer.total, target: answer.target })}${by}</small>` : nothing}</h2>
    <p class="summary" role="status">${answer.summary}</p>
    ${answer.turns ? acts(answer.turns, answer) : answer.results?.[0]?.rolls ? acts(answer.results, answer) : many ? rounds(answer, request) : answer.rolls.map(roll)}
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
