// JSON documents: read and change a place, merge patches, and say where something stands.

export type Doc = Record<string, any>;
export type Path = readonly (string | number)[];

export const copy = <T>(value: T): T => structuredClone(value);

export function at(document: unknown, path: Path): any {
  return path.reduce<any>((value, step) => (value === null || value === undefined ? undefined : value[step]), document);
}

/** The document with a value at a path; without a value the place is removed. The original stays as it is. */
export function put<T>(document: T, path: Path, value: unknown): T {
  if (path.length === 0) return value as T;
  const [step, ...rest] = path;
  const whole: any = document ?? (typeof step === "number" ? [] : {});
  const part = rest.length ? put(whole[step], rest, value) : value;
  if (Array.isArray(whole)) {
    return (part === undefined ? whole.filter((_, index) => index !== step) : whole.with(step as number, part)) as T;
  }
  const { [step]: _, ...others } = whole;
  if (part === undefined) return others as T;
  return (step in whole ? Object.fromEntries(Object.entries(whole).map(([name, old]) => [name, name === String(step) ? part : old])) : { ...whole, [step]: part }) as T;
}

/** Append to a list, which may not exist yet. */
export function append<T>(document: T, path: Path, value: unknown): T {
  return put(document, path, [...(at(document, path) ?? []), value]);
}

/** A JSON merge patch (RFC 7396). */
export function merged(document: any, patch: any): any {
  if (patch === null || typeof patch !== "object" || Array.isArray(patch)) return patch;
  const result: Doc = document !== null && typeof document === "object" && !Array.isArray(document) ? { ...document } : {};
  for (const [name, value] of Object.entries(patch)) {
    if (value === null) delete result[name];
    else result[name] = merged(result[name], value);
  }
  return result;
}

export const pointerOf = (path: Path): string => path.map((step) => `/${String(step).replaceAll("~", "~0").replaceAll("/", "~1")}`).join("");

export function pathOf(pointer: string): (string | number)[] {
  const steps = pointer.split("/").slice(1).map((step) => step.replaceAll("~1", "/").replaceAll("~0", "~"));
  return steps.map((step) => (/^\d+$/.test(step) ? Number(step) : step));
}

/** The id of the element that shows the field at a path. */
export const idOf = (path: Path): string => `f${pointerOf(path).replace(/[^\w]/g, "-")}`;

/** A name in camel case as words: `difficultyIncrease` is "difficulty increase". */
export const words = (name: string): string => name.replace(/([a-z\d])([A-Z])/g, "$1 $2").toLowerCase();

/** The sum of fractions such as 5/12, exactly; nothing if one of them is unknown. */
export function sumOf(fractions: (string | null | undefined)[]): string | null {
  let [top, bottom] = [0n, 1n];
  for (const fraction of fractions) {
    if (!fraction) return null;
    const [above, below = "1"] = fraction.split("/");
    [top, bottom] = [top * BigInt(below) + BigInt(above) * bottom, bottom * BigInt(below)];
    const common = divisor(top, bottom);
    [top, bottom] = [top / common, bottom / common];
  }
  return bottom === 1n ? `${top}` : `${top}/${bottom}`;
}

const divisor = (a: bigint, b: bigint): bigint => (b === 0n ? a || 1n : divisor(b, a % b));
