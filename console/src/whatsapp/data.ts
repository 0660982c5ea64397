// What a WhatsApp conversation consists of, and what may be sent.

import type { Client, Result } from "../api/client";
import type { WhatsappApi } from "../api/routes";

export type Head = WhatsappApi.ConversationView;
export type Message = WhatsappApi.MessageView;
export type Note = WhatsappApi.NoteView;
export type Change = WhatsappApi.ChangeView;
export type NumberOfCompany = WhatsappApi.NumberView;

export const WINDOW_MS = 24 * 3_600_000;

export interface Loaded {
  head: Head;
  messages: Message[]; // newest first
  older: string | null; // cursor
  notes: Note[];
  changes: Change[];
}

// What the team wrote, as it was read with the revision of the head, and until when it is not read again.
export interface Team {
  notes: Note[];
  changes: Change[];
  revision: number;
  until: number;
}

const TEAM_MS = 30_000;

// Reads notes and changes only if the team changed something, or after 30 seconds: all callers of a company share a rate.
export async function load(client: Client, key: string, signal: AbortSignal, known: Team | null): Promise<Loaded & { team: Team }> {
  const path = { key };
  const [head, messages] = await Promise.all([
    client.call("GET /whatsapp/conversations/{key}", { path, signal }),
    client.call("GET /whatsapp/conversations/{key}/messages", { path, signal, query: { limit: 50 } }),
  ]);
  const { revision } = head.result;
  const team = known?.revision === revision && known.until > Date.now() ? known : await loadTeam(client, key, signal, revision);
  return {
    head: head.result,
    messages: messages.result.messages,
    older: messages.cursor,
    notes: team.notes,
    changes: team.changes,
    team,
  };
}

async function loadTeam(client: Client, key: string, signal: AbortSignal, revision: number): Promise<Team> {
  const path = { key };
  const [notes, changes] = await Promise.all([
    client.call("GET /whatsapp/conversations/{key}/notes", { path, signal, query: { limit: 50 } }),
    client.call("GET /whatsapp/conversations/{key}/changes", { path, signal, query: { limit: 50 } }),
  ]);
  return { notes: notes.result.notes, changes: changes.result.changes, revision, until: Date.now() + TEAM_MS };
}

export function loadOlder(client: Client, key: string, cursor: string): Promise<{ result: Result<"GET /whatsapp/conversations/{key}/messages">; cursor: string | null }> {
  return client.call("GET /whatsapp/conversations/{key}/messages", { path: { key }, query: { limit: 50, cursor } });
}

export function titleOf(head: Head): string {
  return head.groupName ?? head.senderName ?? head.username ?? head.senderPhone ?? head.customer ?? "";
}

// When free-form answers end: 24 hours after the newest message of the customer; null if there is none among these.
export function windowEndsAt(messages: Message[]): number | null {
  const newest = messages.find((message) => message.direction === "INBOUND");
  return newest ? Date.parse(newest.receivedAt) + WINDOW_MS : null;
}
