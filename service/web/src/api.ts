// What the page asks the service: with the key of this tab, in the language of the page, and cancelled when outdated.

import { type Doc } from "./documents.ts";
import { language, t } from "./i18n.ts";

export interface Finding {
  pointer: string;
  code: string;
  detail: string;
  hint?: string;
  rule?: string;
}

export interface Problem {
  type?: string;
  title: string;
  status: number;
  detail: string;
  errors: Finding[];
}

export class Refused extends Error {
  constructor(readonly problem: Problem) {
    super(problem.detail);
  }
}

const KEY = "tablecall.key";
export const keyOfTab = (): string => sessionStorage.getItem(KEY) ?? "";
export const keepKey = (key: string): void => sessionStorage.setItem(KEY, key);
let asking: (() => void) | undefined;
/** Called when the service asks for a key. */
export const onKeyNeeded = (ask: () => void): void => void (asking = ask);

async function send(path: string, init: RequestInit): Promise<Response> {
  const headers = new Headers(init.headers);
  headers.set("accept-language", language);
  const key = keyOfTab();
  if (key) headers.set("authorization", `Bearer ${key}`);
  let response: Response;
  try {
    response = await fetch(path, { ...init, headers });
  } catch (error) {
    if (init.signal?.aborted) throw error;
    throw new Refused({ title: t("away.title"), status: 0, detail: t("away.detail"), errors: [] });
  }
  if (response.ok) return response;
  // A late answer to an earlier key says nothing about this one.
  if (response.status === 401 && key === keyOfTab()) asking?.();
  const problem = await response.json().catch(() => null);
  throw new Refused(problem ?? { title: t("unreadable"), status: response.status, detail: `${response.status}`, errors: [] });
}

export async function post(path: string, body: Doc, signal?: AbortSignal): Promise<Doc> {
  const headers = { "content-type": "application/json", accept: "application/json" };
  return (await send(path, { method: "POST", headers, body: JSON.stringify(body), signal })).json();
}

/** Only the chances of the outcomes: a tenth of the size. */
export async function chances(body: Doc, signal: AbortSignal): Promise<Doc[]> {
  const headers = { "content-type": "application/json", accept: "text/csv" };
  const text = await (await send("odds", { method: "POST", headers, body: JSON.stringify(body), signal })).text();
  return text.trim().split(/\r?\n/).slice(1).map((line) => {
    const [outcome, , probability] = line.split(",");
    return { outcome, probability: Number(probability) };
  });
}

const answers = new Map<string, Promise<Doc>>();
/** A document that stays as it is while the page is open. A failure is not kept. */
export function get(path: string): Promise<Doc> {
  let answer = answers.get(path);
  if (!answer) {
    answer = send(path, { headers: { accept: "application/json, application/schema+json" } }).then((response) => response.json());
    answers.set(path, answer);
    answer.catch(() => answers.delete(path));
  }
  return answer;
}

/** Odds as they come: those of a simulation several times, each with more trials. */
export async function* odds(body: Doc, signal: AbortSignal): AsyncGenerator<Doc> {
  const headers = { "content-type": "application/json", accept: "text/event-stream" };
  const response = await send("odds", { method: "POST", headers, body: JSON.stringify(body), signal });
  const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  for (let part = await reader.read(); !part.done; part = await reader.read()) {
    const blocks = (rest + part.value).split("\n\n");
    rest = blocks.pop()!;
    for (const block of blocks) {
      const data = block.match(/^data: ?(.*)$/m)?.[1];
      if (!data) continue;
      if (/^event: ?problem$/m.test(block)) throw new Refused(JSON.parse(data));
      yield JSON.parse(data);
    }
  }
}

/** The JSON Schema of a shape. */
export const schemaOf = (name: string): Promise<Doc> => get(`schemas/${name}.json`);

/** The rules of a system, by id. */
export async function rulesOf(system: string): Promise<Map<string, Doc>> {
  const { rules } = await get(`systems/${system}/rules`);
  return new Map(rules.map((rule: Doc) => [rule.id, rule]));
}

const CHECKED = ["jazz.character", "darkpages.character", "darkpages.damage"];
/** The name of an action's request in the contract: `jazz.check` is JazzCheck. */
export const nameOf = (action: string): string => action.split(".").map((part) => part[0].toUpperCase() + part.slice(1)).join("") + (CHECKED.includes(action) ? "Check" : "");
