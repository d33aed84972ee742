/** What a ruling changed, put into documents or taken back. */
import type { Effect } from "./types.js";

/** What is read of a ruling. */
export interface Changes {
  effects: readonly Pick<Effect, "pointer" | "from" | "to">[];
  after: object;
}

/**
 * A copy of `document` with the changes of a ruling: `to` at every pointer.
 *
 * The pointers lead into `after`, and so into the request, whose participants stand at the same places. For a document that is one part
 * of it, such as a sheet in your database, `at` is the pointer of that part: `applyEffects(rook, ruling, "/defender/character")`. Effects
 * elsewhere are left out, and so are those without a pointer.
 */
export function applyEffects<T extends object>(document: T, { effects, after }: Changes, at = ""): T {
  const changed = structuredClone(document);
  for (const { pointer, from, to } of effects) put(changed, pointer, at, from, to, after);
  return changed;
}

/** A copy of `document` with the changes taken back: `from` at every pointer, the last effect first. `at` as in `applyEffects`. */
export function undo<T extends object>(document: T, { effects, after }: Changes, at = ""): T {
  const changed = structuredClone(document);
  for (const { pointer, from, to } of [...effects].reverse()) put(changed, pointer, at, to, from, after);
  return changed;
}

type Part = Record<string, unknown>;

/** Replace the value at a pointer. Null stands for a member or an entry of a list that is not there. What lies above it comes from `after`. */
function put(document: object, pointer: string | null, at: string, old: unknown, value: unknown, after: object): void {
  if (!pointer?.startsWith(`${at}/`)) return;
  const above = keysOf(at).reduce<unknown>(child, after);
  const keys = keysOf(pointer).slice(keysOf(at).length);
  const last = keys.pop() as string;
  let [parent, known] = [document as Part, above];
  for (const key of keys) {
    known = child(known, key);
    parent = (parent[key] ??= structuredClone(known) ?? {}) as Part;
  }
  if (Array.isArray(parent)) parent.splice(Number(last), old === null ? 0 : 1, ...(value === null ? [] : [structuredClone(value)]));
  else if (value === null) delete parent[last];
  else parent[last] = structuredClone(value);
}

const child = (parent: unknown, key: string): unknown => (parent as Part | undefined)?.[key];

const keysOf = (pointer: string): string[] =>
  pointer
    .split("/")
    .slice(1)
    .map((key) => key.replaceAll("~1", "/").replaceAll("~0", "~"));
