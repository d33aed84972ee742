// What this browser keeps: characters, drafts, the log. Where storage is forbidden, the page works without it.

import { copy, type Doc } from "./documents.ts";

const memory = new Map<string, string>();

export function load<T>(name: string, otherwise: T): T {
  try {
    const text = memory.get(name) ?? localStorage.getItem(`tablecall.${name}`);
    return text === null ? otherwise : JSON.parse(text);
  } catch {
    return otherwise;
  }
}

export function save(name: string, value: unknown): void {
  const text = JSON.stringify(value);
  try {
    localStorage.setItem(`tablecall.${name}`, text);
    memory.delete(name);
  } catch {
    memory.set(name, text);
  }
}

export interface Kept {
  system: "jazz" | "darkpages";
  sheet: Doc;
}

import readyMade from "../characters.json";

/** The characters of this browser; at first the ready-made ones. */
export function characters(): Kept[] {
  return load<Kept[]>("characters", copy(readyMade) as Kept[]);
}

export const readyMadeCharacters = (): Kept[] => copy(readyMade) as Kept[];

export const saveCharacters = (kept: Kept[]): void => save("characters", kept);

export const sameCharacter = (a: Doc, b: Doc): boolean => a.name === b.name || (a.id !== undefined && String(a.id) === String(b.id));

/** Put changed sheets in place of the kept ones. Returns what was there before, or nothing if none was kept. */
export function update(system: string, sheets: Doc[]): Kept[] | null {
  const before = characters();
  const after = before.map((kept) => {
    const sheet = kept.system === system ? sheets.find((one) => sameCharacter(one, kept.sheet)) : undefined;
    return sheet ? { ...kept, sheet } : kept;
  });
  if (JSON.stringify(before) === JSON.stringify(after)) return null;
  saveCharacters(after);
  return before;
}

/** Every character sheet in a document. */
export function sheetsIn(value: any, found: Doc[] = []): Doc[] {
  if (Array.isArray(value)) value.forEach((part) => sheetsIn(part, found));
  else if (value && typeof value === "object") {
    if (typeof value.name === "string" && (Array.isArray(value.aspects) || value.attributes)) found.push(value);
    else Object.values(value).forEach((part) => sheetsIn(part, found));
  }
  return found;
}
