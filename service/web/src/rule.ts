// A rule's text opens where it is cited.

import { html, render, type TemplateResult } from "lit-html";
import { rulesOf } from "./api.ts";
import { t } from "./i18n.ts";

export function ruleLink(id: string): TemplateResult {
  return html`<button type="button" class="rule" @click=${() => show(id)}>${id}</button>`;
}

async function show(id: string): Promise<void> {
  let box = document.getElementById("rule") as HTMLDialogElement | null;
  if (!box) {
    box = document.createElement("dialog");
    box.id = "rule";
    box.setAttribute("aria-labelledby", "rule-title");
    document.body.append(box);
  }
  const system = id.split(".")[0];
  let body: TemplateResult;
  try {
    const rule = (await rulesOf(system)).get(id);
    body = rule
      ? html`<p class="faint">${rule.heading}</p><p>${rule.text.replaceAll("`", "")}</p>
          ${rule.reading ? html`<p><b>${t("rule.reading")}</b> ${rule.reading.replaceAll("`", "")}</p>` : ""}`
      : html`<p>${t("rule.unknown")}</p>`;
  } catch (error) {
    body = html`<p>${(error as Error).message}</p>`;
  }
  render(
    html`<h2 id="rule-title"><code>${id}</code></h2>${body}
      <form method="dialog" class="row"><button class="primary">${t("close")}</button><a href="systems/${system}/rules#${id}">${t("rule.open")}</a></form>`,
    box,
  );
  box.showModal();
}
