// The range and the filters of a report as the address has them: a reload, a shared address and Back show the same report.

import { COMPARED, type Compared } from "./outcomes/outcomes.ts";

export const CONTEXTS = ["whatsapp", "conversations", "email_threads"] as const;
export const CHANNELS = ["whatsapp", "sms", "email"] as const;
export const RANGES = [7, 30, 90] as const; // days until today

export interface Asked {
  from: string; // YYYY-MM-DD
  to: string;
  context: (typeof CONTEXTS)[number] | null;
  channel: (typeof CHANNELS)[number] | null;
  group: string | null;
  // Of outcomes only.
  project: string | null;
  version: string | null;
  language: string | null;
  by: Compared | null;
}

const USUAL_DAYS = 30;
const DAY_MS = 86_400_000;

// Of a typed address: unknown values are left out, and a range that ends before it begins is one day.
export function askedOf(query: string, today: string): Asked {
  const values = new URLSearchParams(query);
  const to = dateOf(values.get("to")) ?? today;
  const from = dateOf(values.get("from")) ?? before(to, USUAL_DAYS - 1);
  return {
    from: from > to ? to : from,
    to,
    context: CONTEXTS.find((one) => one === values.get("context")) ?? null,
    channel: CHANNELS.find((one) => one === values.get("channel")) ?? null,
    group: values.get("group")?.trim() || null,
    project: values.get("project")?.trim() || null,
    version: matching(values.get("version"), /^\d{1,9}$/),
    language: matching(values.get("language"), /^[a-z]{2,3}$/),
    by: COMPARED.find((one) => one === values.get("by")) ?? null,
  };
}

export function queryOf(asked: Asked): string {
  const values = new URLSearchParams();
  for (const [name, value] of Object.entries(asked)) if (value) values.set(name, value);
  return values.toString();
}

// The date so many days earlier.
export function before(date: string, days: number): string {
  return new Date(Date.parse(date) - days * DAY_MS).toISOString().slice(0, 10);
}

// All dates from one to another one.
export function datesOf(first: string, last: string): string[] {
  const count = Math.round((Date.parse(last) - Date.parse(first)) / DAY_MS) + 1;
  return Array.from({ length: Math.max(0, count) }, (_, number) => before(first, -number));
}

// Today where the person is.
export function todayOf(now: Date): string {
  return new Date(now.getTime() - now.getTimezoneOffset() * 60_000).toISOString().slice(0, 10);
}

function matching(text: string | null, pattern: RegExp): string | null {
  return text !== null && pattern.test(text) ? text : null;
}

function dateOf(text: string | null): string | null {
  if (!text || !/^\d{4}-\d{2}-\d{2}$/.test(text)) return null;
  const at = new Date(`${text}T00:00:00Z`);
  return Number.isNaN(at.getTime()) || at.toISOString().slice(0, 10) !== text ? null : text;
}
