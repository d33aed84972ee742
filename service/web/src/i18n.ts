// The strings of the page: one file for each language. Numbers are written by Intl.

import english from "../strings/en.json";

type Strings = Record<string, string>;
const LANGUAGES: Record<string, () => Promise<Strings>> = {
  en: async () => english,
  de: async () => (await import("../strings/de.json")).default,
};

let strings: Strings = english;
export let language = "en";

export async function chooseLanguage(): Promise<void> {
  const wanted = [stored("tablecall.language"), ...navigator.languages].map((tag) => (tag ?? "").slice(0, 2));
  language = wanted.find((tag) => tag in LANGUAGES) ?? "en";
  strings = { ...english, ...(await LANGUAGES[language]()) };
  document.documentElement.lang = language;
}

export function switchLanguage(tag: string): void {
  localStorage.setItem("tablecall.language", tag);
  location.reload();
}

export const known = (key: string): boolean => key in strings;

/** The text of a key, with `{name}` replaced. */
export function t(key: string, values: Record<string, string | number> = {}): string {
  return (strings[key] ?? key).replace(/\{(\w+)\}/g, (_, name) => String(values[name] ?? ""));
}

/** The text of a key, or else these words. */
export const tOr = (key: string, otherwise: string): string => strings[key] ?? otherwise;

export function percent(share: number): string {
  const shown = new Intl.NumberFormat(language, { style: "percent", minimumFractionDigits: 1, maximumFractionDigits: 1 });
  if (share > 0 && share < 0.0005) return `<\u202f${shown.format(0.001)}`;
  if (share < 1 && share > 0.9995) return `>\u202f${shown.format(0.999)}`;
  return share === 0 || share === 1 ? new Intl.NumberFormat(language, { style: "percent" }).format(share) : shown.format(share);
}

export const number = (value: number, digits = 1): string => new Intl.NumberFormat(language, { maximumFractionDigits: digits }).format(value).replace("-", "−");

export const signed = (value: number, digits = 0): string =>
  new Intl.NumberFormat(language, { maximumFractionDigits: digits, minimumFractionDigits: digits, signDisplay: "always" }).format(value).replace("-", "−");

export const clock = (time: number): string => new Intl.DateTimeFormat(language, { hour: "2-digit", minute: "2-digit" }).format(time);

function stored(name: string): string | null {
  try {
    return localStorage.getItem(name);
  } catch {
    return null;
  }
}
