// The histogram of totals: successes coloured and hatched, the target as a line, the place of this roll, pinned curves as steps.

import { html, nothing, svg, type TemplateResult } from "lit-html";
import type { Doc } from "./documents.ts";
import { number, percent, t } from "./i18n.ts";

export type Mode = "each" | "atLeast" | "atMost";
export interface Row {
  total: number;
  probability: number;
  fraction: string | null;
}
export interface Chart {
  rows: Row[];
  mode: Mode;
  target?: number;
  mark?: number;
  pins: { rows: Row[]; label: string }[];
  /** The other side of an opposed roll, drawn below. */
  below?: Row[];
  selected?: number;
  select(total: number | undefined): void;
  label: string;
}

/** The rows as at least or at most. */
export function summed(rows: Row[], mode: Mode): Row[] {
  if (mode === "each") return rows;
  const share = (row: Row) => rows.filter((one) => (mode === "atLeast" ? one.total >= row.total : one.total <= row.total)).reduce((sum, one) => sum + one.probability, 0);
  return rows.map((row) => ({ ...row, probability: Math.min(1, share(row)), fraction: null }));
}

/** Without the totals at both ends that are too rare to see, but with the target and the mark. */
function visible(rows: Row[], keep: (number | undefined)[]): Row[] {
  if (rows.length <= 34) return rows;
  const most = Math.max(...rows.map((row) => row.probability));
  const seen = rows.filter((row) => row.probability > most / 250 || keep.includes(row.total)).map((row) => row.total);
  return rows.filter((row) => row.total >= Math.min(...seen) && row.total <= Math.max(...seen));
}

let charts = 0;
const ids = new WeakMap<object, string>();

export function histogram(chart: Chart, key: object, narrow: boolean): TemplateResult {
  const id = ids.get(key) ?? `hatch${++charts}`;
  ids.set(key, id);
  const rows = visible(summed(chart.rows, chart.mode), [chart.target, chart.mark]);
  const below = chart.below ? summed(chart.below, chart.mode) : [];
  const pins = chart.pins.map((pin) => summed(pin.rows, chart.mode));
  const totals = [...rows, ...below, ...pins.flat().filter((row) => row.probability > 0.002)].map((row) => row.total);
  const [first, last] = [Math.min(...totals), Math.max(...totals)];
  const count = last - first + 1;
  const width = narrow ? 340 : 660;
  const valued = rows.length <= (narrow ? 13 : 22) && !chart.pins.length;
  const [top, high, foot] = [(chart.target === undefined ? 4 : 20) + (valued ? 16 : 2), narrow ? 120 : 150, 24];
  const base = top + high;
  const height = below.length ? base + foot + high + 6 : base + foot;
  const step = width / count;
  const most = Math.max(...[...rows, ...below, ...pins.flat()].map((row) => row.probability), 1e-9);
  const x = (total: number) => (total - first) * step;
  const good = (total: number) => chart.target !== undefined && total >= chart.target;
  const size = (share: number) => (high * share) / most;
  const every = Math.ceil(count / (narrow ? 12 : 22));
  const bars = (list: Row[], down: boolean) =>
    list.map((row) => {
      const tall = size(row.probability);
      const start = down ? base + foot : base - tall;
      return svg`<rect class="bar ${down ? "other" : good(row.total) ? "good" : ""} ${row.total === chart.selected ? "on" : ""}" x=${x(row.total) + 1.5} y=${start} width=${Math.max(1, step - 3)} height=${Math.max(tall, 0.5)} rx="2"/>
        ${good(row.total) && !down ? svg`<rect fill="url(#${id})" x=${x(row.total) + 1.5} y=${start} width=${Math.max(1, step - 3)} height=${tall} rx="2"/>` : nothing}`;
    });
  const place = rows.find((row) => row.total === chart.selected);
  const move = (event: PointerEvent) => {
    const box = (event.currentTarget as Element).getBoundingClientRect();
    chart.select(Math.min(last, Math.max(first, first + Math.floor(((event.clientX - box.left) / box.width) * count))));
  };
  const keys = (event: KeyboardEvent) => {
    const now = chart.selected ?? chart.mark ?? chart.target ?? first;
    const next = { ArrowLeft: now - 1, ArrowDown: now - 1, ArrowRight: now + 1, ArrowUp: now + 1, Home: first, End: last }[event.key];
    if (next === undefined) return;
    event.preventDefault();
    chart.select(Math.min(last, Math.max(first, next)));
  };
  const now = Math.min(last, Math.max(first, chart.selected ?? chart.target ?? first));
  const here = (row: Row) => (chart.mode === "each" ? row.total === now : chart.mode === "atLeast" ? row.total >= now : row.total <= now);
  const said = t(`read.${chart.mode}`, { total: now, percent: percent(Math.min(1, chart.rows.filter(here).reduce((sum, row) => sum + row.probability, 0))) });
  return html`<figure class="chart">
    <svg class="histogram" viewBox="0 0 ${width} ${height}" role="slider" tabindex="0" aria-label=${chart.label} aria-valuemin=${first} aria-valuemax=${last} aria-valuenow=${now} aria-valuetext=${said}
      @pointermove=${move} @pointerdown=${move} @pointerleave=${() => chart.select(undefined)} @keydown=${keys}>
      <defs><pattern id=${id} width="6" height="6" patternUnits="userSpaceOnUse" patternTransform="rotate(45)"><path class="hatch" d="M0 0V6"/></pattern></defs>
      ${bars(rows, false)}${bars(below, true)}
      ${pins.map((pin, index) => svg`<path class="pin pin${index}" d="${outline(pin, x, step, base, size)}"/>`)}
      <path class="axis" d="M0 ${base + 0.5}H${width}"/>
      ${Array.from({ length: count }, (_, index) => first + index).map((total) =>
        total === chart.mark
          ? svg`<rect class="mark" x=${x(total) + step / 2 - 13} y=${base + 3} width="26" height="17" rx="5"/><text class="marked" x=${x(total) + step / 2} y=${base + 16} text-anchor="middle">${total}</text>`
          : (total - first) % every === 0 && Math.abs(x(total) - x(chart.mark ?? -1000)) > 28 ? svg`<text class="tick" x=${x(total) + step / 2} y=${base + 16} text-anchor="middle">${total}</text>` : nothing)}
      ${valued ? rows.map((row) => svg`<text class="value" x=${x(row.total) + step / 2} y=${base - size(row.probability) - 5} text-anchor="middle">${row.probability ? number(100 * row.probability, row.probability < 0.0095 ? 1 : 0) : ""}</text>`) : nothing}
      ${chart.target !== undefined && chart.target >= first && chart.target <= last + 1 ? svg`<path class="target" d="M${x(chart.target)} 14V${base}"/><text class="aim" x=${Math.min(Math.max(x(chart.target), 30), width - 30)} y="10" text-anchor="middle">${t("target", { total: chart.target })}</text>` : nothing}
    </svg>
    <figcaption aria-hidden="true">${place ? html`<b>${t(`read.${chart.mode}`, { total: place.total, percent: percent(place.probability) })}</b> ${place.fraction && place.fraction.length < 24 ? place.fraction : ""}` : chart.mark !== undefined ? html`<span class="mark">${chart.mark}</span> ${t("this.roll")}` : nothing}</figcaption>
  </figure>`;
}

function outline(rows: Row[], x: (total: number) => number, step: number, base: number, size: (share: number) => number): string {
  return rows.map((row, index) => `${index ? "L" : "M"}${x(row.total)} ${base - size(row.probability)}H${x(row.total) + step}`).join("");
}

/** The rows as a table. */
export function table(rows: Row[]): TemplateResult {
  const [least, most] = [summed(rows, "atLeast"), summed(rows, "atMost")];
  return html`<div class="scroll" tabindex="0" role="region" aria-label=${t("as.table")}><table><thead><tr><th scope="col">${t("total")}</th><th scope="col">${t("each")}</th><th scope="col">${t("atLeast")}</th><th scope="col">${t("atMost")}</th><th scope="col">${t("fraction")}</th></tr></thead>
    <tbody>${rows.map((row, index) => html`<tr><th scope="row">${row.total}</th><td>${percent(row.probability)}</td><td>${percent(least[index].probability)}</td><td>${percent(most[index].probability)}</td><td>${row.fraction && row.fraction.length < 24 ? row.fraction : ""}</td></tr>`)}</tbody></table></div>`;
}

export const csv = (odds: Doc): string =>
  [
    "roll,total,probability,fraction",
    ...odds.rolls.flatMap((roll: Doc) => (roll.distribution ?? []).map((row: Row) => [roll.roll, row.total, row.probability, row.fraction ?? ""].join(","))),
    ...odds.outcomes.map((row: Doc) => [`outcome ${row.outcome}`, "", row.probability, row.fraction ?? ""].join(",")),
  ].join("\r\n");

/** The picture as a file of its own: every style it has on the page becomes an attribute. */
export function asSvg(picture: SVGElement): string {
  const result = picture.cloneNode(true) as SVGElement;
  const theirs = picture.querySelectorAll<SVGElement>("*");
  result.querySelectorAll<SVGElement>("*").forEach((element, index) => {
    const style = getComputedStyle(theirs[index]);
    for (const name of ["fill", "stroke", "stroke-width", "stroke-dasharray", "font-size", "font-weight", "opacity"]) {
      if (name === "fill" && element.getAttribute("fill")) continue;
      element.setAttribute(name, style.getPropertyValue(name));
    }
    element.removeAttribute("class");
  });
  const [, , width, height] = picture.getAttribute("viewBox")!.split(" ");
  const back = document.createElementNS("http://www.w3.org/2000/svg", "rect");
  for (const [name, value] of Object.entries({ width: "100%", height: "100%", fill: getComputedStyle(picture.closest(".card") ?? document.body).backgroundColor })) back.setAttribute(name, value);
  result.prepend(back);
  for (const name of ["class", "tabindex", "role", "aria-valuemin", "aria-valuemax", "aria-valuenow", "aria-valuetext"]) result.removeAttribute(name);
  for (const [name, value] of Object.entries({ xmlns: "http://www.w3.org/2000/svg", width, height, "font-family": "system-ui, sans-serif" })) result.setAttribute(name, value);
  return new XMLSerializer().serializeToString(result);
}

export async function asPng(picture: SVGElement): Promise<Blob> {
  const image = new Image();
  image.src = `data:image/svg+xml,${encodeURIComponent(asSvg(picture))}`;
  await image.decode();
  const canvas = Object.assign(document.createElement("canvas"), { width: image.width * 2, height: image.height * 2 });
  canvas.getContext("2d")!.drawImage(image, 0, 0, canvas.width, canvas.height);
  return new Promise((resolve) => canvas.toBlob((blob) => resolve(blob!), "image/png"));
}
