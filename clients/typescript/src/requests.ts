/** Requests made from other requests. Nothing here changes what it is given. */
import type { Faces, Option, Seed } from "./types.js";

/** A seed of 128 random bits, as the service draws them. */
export function newSeed(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** The request with a seed: its own, or a new one. */
export const seeded = <T extends { seed?: Seed | null }>(request: T): T & { seed: Seed } => ({ ...request, seed: request.seed ?? newSeed() });

/** The request with dice rolled at the table. Faces of a roll that already has some come after them, as for dice that are rolled again. */
export function withDice<T extends object>(request: T & { dice?: { roll: string; faces: number[] }[] | null }, faces: Faces): T {
  const dice = new Map((request.dice ?? []).map((one) => [one.roll, one.faces]));
  for (const [roll, more] of Object.entries(faces)) dice.set(roll, [...(dice.get(roll) ?? []), ...more]);
  return { ...request, dice: Array.from(dice, ([roll, faces]) => ({ roll, faces })) };
}

/** What is read of a ruling to take one of its options. */
export interface WithOptions {
  seed: string;
  options?: Option[] | null;
}

/**
 * The request that takes an option of its ruling: the same dice, and the choice made. `option` is one of `ruling.options`, or its `choice`.
 *
 * An option whose `request` is null is carried out by another action, so it cannot be taken here.
 */
export function takeOption<T extends { seed?: Seed | null }>(request: T, ruling: WithOptions, option: Option | string): T {
  const taken = typeof option === "string" ? ruling.options?.find(({ choice }) => choice === option) : option;
  if (!taken) throw new TypeError(`the ruling has no option ${option}`);
  if (!taken.request) throw new TypeError(`another action carries out ${taken.choice}`);
  return merge({ ...request, seed: request.seed ?? ruling.seed }, taken.request) as T;
}

/** JSON merge patch, RFC 7396. */
function merge(document: unknown, patch: unknown): unknown {
  if (!isObject(patch)) return patch;
  const merged: Record<string, unknown> = isObject(document) ? { ...document } : {};
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) delete merged[key];
    else merged[key] = merge(merged[key], value);
  }
  return merged;
}

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === "object" && value !== null && !Array.isArray(value);
