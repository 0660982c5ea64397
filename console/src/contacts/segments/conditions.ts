// The conditions of a segment: what a person enters, as the API takes it, and stored ones in words.

import { named, t } from "../../texts/texts";
import type { Definition } from "../source";

export type Join = "all" | "any";
export type Conditions = Record<string, unknown>;

export interface Entered {
  field: string;
  operator: string;
  text: string;
}

const ATTRIBUTE = "attributes.";
const TEXTS = ["is", "contains", "startsWith", "exists"];
const WORDS = ["is", "exists"];
const DAYS = ["withinDays", "olderThanDays", "exists"];
const FIELDS: Record<string, string[]> = {
  name: TEXTS,
  organisation: TEXTS,
  language: TEXTS,
  label: WORDS,
  owner: WORDS,
  list: ["is"],
  channel: ["is"],
  "consent.whatsapp": ["is"],
  "consent.sms": ["is"],
  "consent.email": ["is"],
  lastContact: DAYS,
  created: DAYS,
};
const OF_KIND: Record<Definition["kind"], string[]> = {
  text: TEXTS,
  number: ["is", "atLeast", "atMost", "exists"],
  date: ["is", "atLeast", "atMost", "exists"],
  boolean: WORDS,
  choice: WORDS,
};
const CHANNELS = ["whatsapp", "sms", "email"];
const STATES = ["opted_in", "opted_out", "none"];
const YES_OR_NO = ["true", "false"];

export function fieldsOf(definitions: Definition[]): string[] {
  return [...Object.keys(FIELDS), ...definitions.map(({ name }) => ATTRIBUTE + name)];
}

export function operatorsOf(field: string, definitions: Definition[]): string[] {
  return FIELDS[field] ?? OF_KIND[definitionOf(field, definitions)?.kind ?? "text"];
}

// The values of which one is chosen; null for a field in which a person writes.
export function choicesOf({ field, operator }: Entered, definitions: Definition[], lists: string[]): string[] | null {
  const definition = definitionOf(field, definitions);
  if (operator === "exists" || definition?.kind === "boolean") return YES_OR_NO;
  if (field === "channel") return CHANNELS;
  if (field.startsWith("consent.")) return STATES;
  if (field === "list") return lists;
  return definition?.kind === "choice" ? definition.choices : null;
}

// A number that is none is sent as it is, for the API to refuse.
export function comparisonOf(entered: Entered, definitions: Definition[]): Conditions {
  const { field, operator, text } = entered;
  const kind = definitionOf(field, definitions)?.kind;
  const isDays = operator === "withinDays" || operator === "olderThanDays";
  const number = Number(text.trim().replace(",", "."));
  let value: string | number | boolean = text.trim();
  if (operator === "exists" || kind === "boolean") value = text === "true";
  else if ((isDays || kind === "number") && text.trim() && Number.isFinite(number)) value = number;
  return { field, operator, value };
}

export function conditionsOf(join: Join, rows: Entered[], definitions: Definition[]): Conditions {
  return { [join]: rows.map((row) => comparisonOf(row, definitions)) };
}

export function labelOf(field: string, definitions: Definition[]): string {
  return definitionOf(field, definitions)?.title ?? named("segment.field", field);
}

// Stored conditions as a sentence; conditions that other programs wrote may be nested.
export function wordsOf(conditions: Conditions, definitions: Definition[], nameOf: (list: string) => string): string {
  const inner = (one: unknown) => wordsOf(one as Conditions, definitions, nameOf);
  for (const join of ["all", "any"] as const) {
    const parts = conditions[join];
    if (Array.isArray(parts)) return parts.map((one) => (isGroup(one) && parts.length > 1 ? `(${inner(one)})` : inner(one))).join(` ${t(`segment.join.${join}`)} `);
  }
  if (conditions["not"]) return `${t("segment.not")} (${inner(conditions["not"])})`;
  const field = String(conditions["field"]);
  const values = Array.isArray(conditions["value"]) ? conditions["value"] : [conditions["value"]];
  const shown = values.map((one) => valueText(field, String(one), nameOf)).join(", ");
  return `${labelOf(field, definitions)} ${named("segment.operator", String(conditions["operator"]))} ${shown}`;
}

export function valueText(field: string, value: string, nameOf: (list: string) => string): string {
  if (field === "list") return nameOf(value);
  return named("segment.value", value);
}

function isGroup(conditions: unknown): boolean {
  return !(conditions as Conditions)["field"];
}

function definitionOf(field: string, definitions: Definition[]): Definition | undefined {
  return field.startsWith(ATTRIBUTE) ? definitions.find(({ name }) => ATTRIBUTE + name === field) : undefined;
}
