// What the contact page reads of a person.

import type { Client } from "../api/client";
import type { Page } from "../api/pageList";
import type { ConsoleApi } from "../api/routes";
import type { Row } from "../inbox/source";

export type Contact = ConsoleApi.ContactView;
export type Note = ConsoleApi.ContactNote;
export type Change = ConsoleApi.ContactChange;
export type Consents = ConsoleApi.ContactConsents;
export type Report = NonNullable<Consents["channels"][number]["identifiers"][number]["unreachable"]>;
export type Definition = ConsoleApi.AttributeDefinition;
export type Channel = Row["channel"];
export type Value = string | number | boolean;

export async function contactOf(client: Client, contactId: string, signal: AbortSignal): Promise<Contact> {
  return (await client.call("GET /contacts/{contact_id}", { path: { contact_id: contactId }, signal })).result;
}

export async function conversationsOf(client: Client, contactId: string, cursor: string | null, signal: AbortSignal): Promise<Page<Row>> {
  const { result, cursor: next } = await client.call("GET /contacts/{contact_id}/conversations", {
    path: { contact_id: contactId },
    query: { limit: 20, cursor },
    signal,
  });
  return { items: result.conversations, cursor: next };
}

export async function notesOf(client: Client, contactId: string, cursor: string | null, signal: AbortSignal): Promise<Page<Note>> {
  const { result, cursor: next } = await client.call("GET /contacts/{contact_id}/notes", {
    path: { contact_id: contactId },
    query: { limit: 20, cursor },
    signal,
  });
  return { items: result.notes, cursor: next };
}

export async function changesOf(client: Client, contactId: string, cursor: string | null, signal: AbortSignal): Promise<Page<Change>> {
  const { result, cursor: next } = await client.call("GET /contacts/{contact_id}/changes", {
    path: { contact_id: contactId },
    query: { limit: 20, cursor },
    signal,
  });
  return { items: result.changes, cursor: next };
}

// The newest conversation of each channel in which a person of the company may write: not archived ones.
export function writable(rows: Row[]): Map<Channel, Row> {
  const newest = new Map<Channel, Row>();
  for (const row of rows) if (row.status !== "archived" && !newest.has(row.channel)) newest.set(row.channel, row);
  return newest;
}

// Whether all known identifiers of a channel are opted out: nothing may be written on it.
export function isOptedOut(consents: Consents | null, channel: Channel): boolean {
  const known = consents?.channels.find((one) => one.channel === channel)?.identifiers ?? [];
  return known.length > 0 && known.every((one) => one.state === "opted_out");
}

// The value that a person has entered; null removes it. A text that is no number is sent as it is, for the API to refuse.
export function entered(definition: Definition, text: string): Value | null {
  if (!text.trim()) return null;
  if (definition.kind === "boolean") return text === "true";
  if (definition.kind !== "number") return text.trim();
  const number = Number(text.trim().replace(",", "."));
  return Number.isFinite(number) ? number : text;
}
