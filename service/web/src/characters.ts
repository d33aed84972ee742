import { html } from "lit-html";
import type { View } from "./page.ts";
export const view: View = { name: "characters", body: () => html``, begin() {} };
