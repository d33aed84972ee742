// The page around the three places: header, the dialog for the key, help, keys, and messages.

import { html, nothing, render, type TemplateResult } from "lit-html";
import { keepKey, keyOfTab, onKeyNeeded } from "./api.ts";
import { language, switchLanguage, t } from "./i18n.ts";
import { view as table } from "./table.ts";

export interface View {
  name: "table" | "characters";
  body(): TemplateResult;
  /** Called once, and again when a key was given. */
  begin(): void | Promise<void>;
  keys?: Record<string, () => void>;
}

let view: View;
let planned = false;
let message = "";

/** Draw the page once, soon, however often this is called. */
export function draw(): void {
  if (planned) return;
  planned = true;
  queueMicrotask(() => {
    planned = false;
    render(whole(), document.body);
  });
}

/** Say something to everybody, for a while. */
export function say(text: string): void {
  message = text;
  draw();
  setTimeout(() => {
    if (message !== text) return;
    message = "";
    draw();
  }, 4000);
}

const PLACES = [["table", "./"], ["characters", "characters"], ["rules", "systems"], ["api", "docs"]];

function whole(): TemplateResult {
  return html`
    <a class="skip" href="#main" @click=${(event: Event) => {
      event.preventDefault();
      document.getElementById("main")?.focus();
    }}>${t("skip")}</a>
    <header class="site">
      <a class="brand" href="./">${mark()}<span>Tablecall</span></a>
      <nav aria-label=${t("places")}>${PLACES.map(([name, path]) => html`<a href=${path} aria-current=${name === view.name ? "page" : nothing}>${t(`place.${name}`)}</a>`)}</nav>
      <span class="tools">
        <button type="button" class="quiet" @click=${() => switchLanguage(language === "de" ? "en" : "de")} lang=${language === "de" ? "en" : "de"}>${language === "de" ? "English" : "Deutsch"}</button>
        <button type="button" class="quiet" aria-label=${t("help")} @click=${() => open("help")}>?</button>
      </span>
    </header>
    <main id="main" tabindex="-1">${view.body()}</main>
    <div class="toast" role="status">${message}</div>
    ${dialogs()}`;
}

export const mark = () => html`<svg viewBox="0 0 32 32" aria-hidden="true"><path class="edge" d="M16 2.5 28 9.3v13.4L16 29.5 4 22.7V9.3Z"/><path class="heart" d="M16 10.5 22 20.5H10Z"/></svg>`;

const open = (id: string): void => (document.getElementById(id) as HTMLDialogElement).showModal();

function dialogs(): TemplateResult {
  return html`<dialog id="help" aria-labelledby="help-title"><h2 id="help-title">${t("help")}</h2>
      <dl class="keys">${["R", "O", "U", "?"].map((key) => html`<dt><kbd>${key}</kbd></dt><dd>${t(`key.${key}`)}</dd>`)}</dl>
      <p>${t("help.text")}</p><form method="dialog"><button class="primary">${t("close")}</button></form></dialog>
    <dialog id="key" aria-labelledby="key-title"><h2 id="key-title">${t("key.title")}</h2><p>${keyOfTab() ? t("key.refused") : t("key.text")}</p>
      <form method="dialog" @submit=${(event: Event) => {
        keepKey(new FormData(event.target as HTMLFormElement).get("key") as string);
        void view.begin();
      }}><label class="label" for="key-field">${t("key.label")}</label><input id="key-field" name="key" type="password" autocomplete="off" required />
        <button class="primary">${t("key.send")}</button></form></dialog>`;
}

function onKey(event: KeyboardEvent): void {
  const target = event.target as HTMLElement;
  if (target.closest("dialog, textarea, select") || (target instanceof HTMLInputElement && target.type !== "checkbox")) return;
  if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === "z") return view.keys?.U && (event.preventDefault(), view.keys.U());
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.key === "?") return open("help");
  const does = view.keys?.[event.key.toUpperCase()];
  if (does) event.preventDefault(), does();
}

export async function start(): Promise<void> {
  const name = location.pathname.split("/").at(-1);
  view = name === "characters" ? (await import("./characters.ts")).view : table;
  document.title = view.name === "table" ? t("title") : `${t(`place.${view.name}`)} · Tablecall`;
  onKeyNeeded(() => {
    draw();
    setTimeout(() => (document.getElementById("key") as HTMLDialogElement).open || open("key"));
  });
  addEventListener("keydown", onKey);
  document.body.replaceChildren();
  draw();
  await view.begin();
}

export async function toClipboard(text: string): Promise<void> {
  await navigator.clipboard.writeText(text);
  say(t("copied"));
}

export function download(name: string, content: Blob | string, type = "text/plain"): void {
  const address = URL.createObjectURL(typeof content === "string" ? new Blob([content], { type }) : content);
  Object.assign(document.createElement("a"), { href: address, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
}
