import { html, type TemplateResult } from "lit-html";
import type { Doc } from "./documents.ts";
export function body(_system: string, _request: Doc): TemplateResult { return html``; }
