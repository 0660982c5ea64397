// The texts of the pages. en.json has the keys; de.json has the same ones.

import en from "./en.json";

export type Key = keyof typeof en;
type Plural = { [K in Key]: K extends `${infer Stem}.other` ? Stem : never }[Key];
type Values = Record<string, string | number>;

let texts: Record<Key, string> = en;
export let locale = "en";

export async function chooseLanguage(preferred: readonly string[]): Promise<void> {
  const first = preferred.find((language) => /^(en|de)\b/.test(language)) ?? "en";
  locale = first;
  document.documentElement.lang = first.slice(0, 2);
  if (first.startsWith("de")) texts = (await import("./de.json")).default;
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
