// What a WhatsApp conversation consists of, and what may be sent.

import type { Client, Result } from "../../api/client";
import { asApiError, type ApiError } from "../../api/errors";
import type { Actions, WhatsappApi } from "../../api/routes";
import { consentOf, type ChannelConsent } from "../contact/consent";

export type Head = WhatsappApi.ConversationView;
export type Message = WhatsappApi.MessageView;
export type Note = WhatsappApi.NoteView;
export type Change = WhatsappApi.ChangeView;
export type Call = Actions.CallView;

export interface Loaded {
  head: Head;
  messages: Message[]; // newest first
  older: string | null; // cursor
  notes: Note[];
  changes: Change[];
  calls: Call[];
  consent: ChannelConsent | null;
  incomplete: ApiError | null; // why calls or consent are missing
}

// What is beside the messages, as it was read with the revision of the head, and until when it is not read again.
export interface Team {
  notes: Note[];
  changes: Change[];
  calls: Call[];
  consent: ChannelConsent | null;
  incomplete: ApiError | null; // why calls or consent are missing
  revision: number;
  until: number;
}

const TEAM_MS = 30_000;
// Without the right, or with a contact that has no valid number, there is nothing to show.
const NONE_TO_SHOW = ["forbidden", "invalid_input", "not_found"];

// Reads what is beside the messages only if the team changed something, or after 30 seconds: all callers of a company
// share a rate.
export async function load(client: Client, key: string, signal: AbortSignal, known: Team | null): Promise<Loaded & { team: Team }> {
  const path = { key };
  const [head, messages] = await Promise.all([
    client.call("GET /whatsapp/conversations/{key}", { path, signal }),
    client.call("GET /whatsapp/conversations/{key}/messages", { path, signal, query: { limit: 50 } }),
  ]);
  const { revision } = head.result;
  const team = known?.revision === revision && known.until > Date.now() ? known : await loadTeam(client, head.result, signal);
  return {
    head: head.result,
    messages: messages.result.messages,
    older: messages.cursor,
    notes: team.notes,
    changes: team.changes,
    calls: team.calls,
    consent: team.consent,
    incomplete: team.incomplete,
    team,
  };
}

async function loadTeam(client: Client, head: Head, signal: AbortSignal): Promise<Team> {
  const path = { key: head.key };
  const number = numberOf(head);
  const [notes, changes, calls, consent] = await Promise.all([
    client.call("GET /whatsapp/conversations/{key}/notes", { path, signal, query: { limit: 50 } }),
    client.call("GET /whatsapp/conversations/{key}/changes", { path, signal, query: { limit: 50 } }),
    beside(callsOf(client, head, signal), []),
    beside(consentOf(client, number && `+${number}`, "whatsapp", signal), null),
  ]);
  return {
    notes: notes.result.notes,
    changes: changes.result.changes,
    calls: calls.value,
    consent: consent.value,
    incomplete: calls.error ?? consent.error,
    revision: head.revision,
    until: Date.now() + TEAM_MS,
  };
}

async function callsOf(client: Client, head: Head, signal: AbortSignal): Promise<Call[]> {
  const customer = numberOf(head) ?? head.senderUserId;
  if (!customer || head.groupName) return [];
  const body = { phoneNumberId: head.phone, toNumber: customer, limit: 50 };
  return (await client.call("POST /whatsapp/actions/get_call_logs", { body, signal })).result.calls;
}

interface Beside<T> {
  value: T;
  error: ApiError | null;
}

// Calls and consent need separate scopes, and their failure must not hide the messages: it is shown above them.
async function beside<T>(read: Promise<T>, without: T): Promise<Beside<T>> {
  try {
    return { value: await read, error: null };
  } catch (failure) {
    const error = asApiError(failure);
    return { value: without, error: NONE_TO_SHOW.includes(error.code) ? null : error };
  }
}

// The customer's number in digits; null for a group and for a customer who is known by a user id only.
export function numberOf(head: Head): string | null {
  const number = head.senderPhone ?? head.customer ?? "";
  return head.groupName == null && /^\d{7,15}$/.test(number) ? number : null;
}

export function loadOlder(client: Client, key: string, cursor: string): Promise<{ result: Result<"GET /whatsapp/conversations/{key}/messages">; cursor: string | null }> {
  return client.call("GET /whatsapp/conversations/{key}/messages", { path: { key }, query: { limit: 100, cursor } });
}

export function titleOf(head: Head): string {
  return head.groupName ?? head.senderName ?? head.username ?? head.senderPhone ?? head.customer ?? "";
}
