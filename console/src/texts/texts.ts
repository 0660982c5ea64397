// The texts of the pages. The English files have the keys; the German ones have the same.

import en from "./en.json";
import type operations from "./operations/en.json";

export type Key = keyof (typeof en & typeof operations);
type Plural = { [K in Key]: K extends `${infer Stem}.other` ? Stem : never }[Key];
type Values = Record<string, string | number>;

let texts: Partial<Record<Key, string>> = en;
export let locale = "en";

export async function chooseLanguage(preferred: readonly string[]): Promise<void> {
  const first = preferred.find((language) => /^(en|de)\b/.test(language)) ?? "en";
  locale = first;
  document.documentElement.lang = first.slice(0, 2);
  if (first.startsWith("de")) texts = (await import("./de.json")).default;
}

// Few people need these texts: they are loaded with the pages of operations.
export async function loadOperationsTexts(): Promise<void> {
  const more = locale.startsWith("de") ? await import("./operations/de.json") : await import("./operations/en.json");
  texts = { ...texts, ...more.default };
}

export function t(key: Key, values: Values = {}): string {
  // Keys with values of the API may be unknown here.
  return (texts[key] ?? key).replace(/{(\w+)}/g, (_, name: string) => String(values[name] ?? ""));
}

export function tn(stem: Plural, count: number): string {
  const form = new Intl.PluralRules(locale).select(count) === "one" ? "one" : "other";
  return t(`${stem}.${form}` as Key, { count });
}

// The text of a value that the API names, or the value itself.
export function named(prefix: string, value: string): string {
  const key = `${prefix}.${value}`;
  return key in texts ? t(key as Key) : value.replaceAll("_", " ");
}
