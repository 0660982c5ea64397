// Rows of the inbox over all contexts.

import type { Client } from "../api/client";
import type { ConsoleApi } from "../api/routes";

export type Row = ConsoleApi.InboxRow;
export type Context = Row["context"];
export type Status = Row["status"];
export type StatusFilter = Status | "all";

// What a person has chosen; null: all.
export interface Choice {
  channel: Row["channel"] | null;
  address: string | null; // of the company: a number, a mailbox
  assignee: string | null;
  label: string | null;
  due: DueFilter | null;
  waiting: boolean; // for an answer, the longest waiting first
}

export type DueFilter = "at_risk" | "overdue";

export interface Filter extends Choice {
  context: Context | null;
  status: StatusFilter;
  unread: boolean;
  unassigned: boolean;
  q: string;
}

const PAGE = 50;

export interface Rows {
  rows: Row[];
  cursor: string | null;
  lookedBackTo: string | null; // the time of the last conversation that was compared
  first: number; // rows of the first page
  isExtended: boolean; // by further pages
}

export interface Address {
  address: string;
  name: string;
}

// The company's numbers or mailboxes, by their names. Empty for contexts without, and for a single one.
export async function addressesOf(client: Client, context: Context | null, signal: AbortSignal): Promise<Address[]> {
  let found: Address[] = [];
  if (context === "whatsapp") {
    const { result } = await client.call("GET /whatsapp/numbers", { signal });
    found = result.numbers.map((one) => ({ address: one.phone, name: [one.verifiedName, `\u2066${one.displayText}\u2069`].filter(Boolean).join(" · ") }));
  } else if (context === "email_threads") {
    const { result } = await client.call("GET /email-mailboxes", { signal });
    found = result.mailboxes.map((one) => ({ address: one.address, name: one.address }));
  }
  return found.length > 1 ? found : [];
}

// Rows that another one of the list could be taken for, by their name: the row shows the channel and the handle, too. If
// these are the same, it also shows the company's address ("address").
export function namesakesOf(rows: Row[]): Map<Row, "handle" | "address"> {
  const byName = groups(rows, (row) => row.contact ?? row.handleText ?? "");
  const found = new Map<Row, "handle" | "address">();
  for (const same of byName.filter((one) => one.length > 1)) {
    for (const alike of groups(same, (row) => JSON.stringify([row.channel, row.handleText]))) {
      const shown = new Set(alike.map((row) => row.address)).size > 1 ? "address" : "handle";
      for (const row of alike) found.set(row, shown);
    }
  }
  return found;
}

// Whether rows of WhatsApp show the company's number, which they have by its id.
export function showsNumbers(rows: Row[]): boolean {
  return [...namesakesOf(rows)].some(([row, shown]) => row.context === "whatsapp" && shown === "address");
}

function groups(rows: Row[], nameOf: (row: Row) => string): Row[][] {
  const found = new Map<string, Row[]>();
  for (const row of rows) {
    const same = found.get(nameOf(row));
    if (same) same.push(row);
    else found.set(nameOf(row), [row]);
  }
  return [...found.values()];
}

// The labels of rows, and others that are known already; the same array if there is no new one.
export function labelsOf(rows: Row[], known: string[]): string[] {
  const found = new Set([...known, ...rows.flatMap((row) => row.labels)]);
  return found.size === known.length ? known : [...found].sort((one, other) => one.localeCompare(other));
}

// A filter as the API takes it, without what it does not ask for.
export function filtersOf({ unread, unassigned, waiting, ...rest }: Filter): ConsoleApi.ListFilters {
  const all = { ...rest, unread: unread ? "true" : null, unassigned: unassigned ? "true" : null, waiting: waiting ? "true" : null };
  return Object.fromEntries(Object.entries(all).filter(([, value]) => value)) as ConsoleApi.ListFilters;
}

export async function list(client: Client, filter: Filter, cursor: string | null, signal: AbortSignal): Promise<Rows> {
  const page = await client.call("GET /inbox", { query: { ...filtersOf(filter), cursor, limit: PAGE }, signal });
  const { conversations: rows, lookedBackTo = null } = page.result;
  return { rows, cursor: page.cursor, lookedBackTo, first: rows.length, isExtended: false };
}

export function idOf({ context, key }: Row): string {
  return `${context}/${key}`;
}

// A list whose first page was read again. Rows that newer ones have pushed off this page stay.
export function refreshed(known: Rows | null, page: Rows, isNewestFirst: boolean): Rows {
  if (!known?.isExtended || page.cursor === null) return page;
  const last = page.rows.at(-1);
  const listed = new Set(page.rows.map(idOf));
  const isBehind = (row: Row, place: number) => (isNewestFirst && last ? row.lastActivityAt <= last.lastActivityAt : place >= known.first);
  const rest = known.rows.filter((row, place) => !listed.has(idOf(row)) && isBehind(row, place));
  return { ...known, first: page.first, rows: [...page.rows, ...rest] };
}

export function extended(known: Rows, page: Rows): Rows {
  const listed = new Set(known.rows.map(idOf));
  return { ...page, first: known.first, isExtended: true, rows: [...known.rows, ...page.rows.filter((row) => !listed.has(idOf(row)))] };
}
