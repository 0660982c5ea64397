// The texts of the pages. The English files have the keys; the others have the same, and the further plural forms of
// their language (`.two`, `.few` ...).

import type en from "./en.json";
import type campaigns from "./campaigns/en.json";
import type contact from "./contact/en.json";
import type mail from "./mail/en.json";
import type knowledge from "./knowledge/en.json";
import type newsletters from "./newsletters/en.json";
import type notifications from "./notifications/en.json";
import type operations from "./operations/en.json";
import type ratings from "./ratings/en.json";
import type reports from "./reports/en.json";
import type segments from "./segments/en.json";
import type setup from "./setup/en.json";
import type whatsapp from "./whatsapp/en.json";

export type Key = keyof (typeof en & typeof campaigns & typeof contact & typeof knowledge & typeof mail & typeof newsletters & typeof operations & typeof notifications & typeof ratings & typeof reports & typeof segments & typeof setup & typeof whatsapp);
type Plural = { [K in Key]: K extends `${infer Stem}.other` ? Stem : never }[Key];
type Values = Record<string, string | number>;

const LANGUAGES = ["en", "de", "ar"] as const;
export type Language = (typeof LANGUAGES)[number];
export type Part = "campaigns" | "contact" | "knowledge" | "mail" | "newsletters" | "notifications" | "operations" | "ratings" | "reports" | "segments" | "setup" | "whatsapp";

const FILES: Record<Language, () => Promise<{ default: Record<string, string> }>> = {
  en: () => import("./en.json"),
  de: () => import("./de.json"),
  ar: () => import("./ar.json"),
};

// Until those of a language are loaded: the one that says that they cannot be.
let texts: Record<string, string> = { "state.unreachable": "Parley cannot be reached. Check your connection and load the page again." };
export let language: Language = "en";
export let locale = "en";

// The first of the person's languages that the console has, else English. Only its texts are loaded.
export async function chooseLanguage(preferred: readonly string[]): Promise<void> {
  const first = preferred.find((one) => languageOf(one));
  if (first) language = languageOf(first)!;
  // Some regions write Arabic with other digits and count other months, which the pages' fields do not take.
  if (first) locale = String(new Intl.Locale(first, language === "ar" ? { numberingSystem: "latn", calendar: "gregory" } : {}));
  document.documentElement.lang = language;
  document.documentElement.dir = language === "ar" ? "rtl" : "ltr";
  texts = (await FILES[language]()).default;
}

function languageOf(tag: string): Language | undefined {
  return LANGUAGES.find((one) => one === tag.toLowerCase().split("-")[0]);
}

// Loads the texts of pages that few people need.
export async function loadTexts(...parts: Part[]): Promise<void> {
  const { textsOf } = await import("./parts");
  const loaded = await Promise.all(parts.map((part) => textsOf(part, language)));
  // Only now: other pages may have loaded theirs meanwhile.
  texts = Object.assign({ ...texts }, ...loaded);
}

export function t(key: Key, values: Values = {}): string {
  // Keys with values of the API may be unknown here.
  return (texts[key] ?? key).replace(/{(\w+)}/g, (_, name: string) => isolated(String(values[name] ?? "")));
}

// Between texts from right to left, a name or a number keeps its own direction: the signs of Unicode for it.
export function isolated(value: string | null | undefined): string {
  return language === "ar" ? `\u2068${value}\u2069` : (value ?? "");
}

export function tn(stem: Plural, count: number): string {
  const form = `${stem}.${new Intl.PluralRules(locale).select(count)}`;
  return t((form in texts ? form : `${stem}.other`) as Key, { count });
}

// The text of a value that the API names, or the value itself.
export function named(prefix: string, value: string): string {
  const key = `${prefix}.${value}`;
  return key in texts ? t(key as Key) : value.replaceAll("_", " ");
}
