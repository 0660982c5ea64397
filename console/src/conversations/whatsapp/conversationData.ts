// What a WhatsApp conversation consists of, and what may be sent.

import type { Client, Result } from "../../api/client";
import type { ApiError } from "../../api/errors";
import type { Actions, WhatsappApi } from "../../api/routes";

export type Head = WhatsappApi.OpenedConversation;
export type Message = WhatsappApi.MessageView;
export type Note = WhatsappApi.NoteView;
export type Change = WhatsappApi.ChangeView;
export type Call = Actions.CallView;

export interface Loaded extends Changed {
  head: Head;
  messages: Message[]; // newest first
  older: string | null; // cursor
  notes: Note[];
}

// What the team changed, as of a revision of the head.
export interface Changed {
  changes: Change[];
  revision: number;
}

// One call. Changes come only if there are others than *known* ones.
export async function load(client: Client, key: string, signal: AbortSignal, known: Changed | null): Promise<Loaded> {
  const query = { messages: 50, notes: 50, changes: 50, ...(known ? { revision: known.revision } : {}) };
  const { result } = await client.call("GET /whatsapp/conversations/{key}", { path: { key }, signal, query });
  return {
    head: result,
    messages: result.messages?.messages ?? [],
    older: result.messages?.cursor ?? null,
    notes: result.notes ?? [],
    changes: result.changes ?? known?.changes ?? [],
    revision: result.revision,
  };
}

// Without the right, or with a contact that has no valid number, there is nothing to show.
const NONE_TO_SHOW = ["forbidden", "invalid_input", "not_found"];

// Calls and consent need separate scopes, and their failure must not hide the messages: it is shown above them.
export function isToShow(error: ApiError | null): error is ApiError {
  return error !== null && !NONE_TO_SHOW.includes(error.code);
}

export async function callsOf(client: Client, head: Head, signal: AbortSignal): Promise<Call[]> {
  const customer = numberOf(head) ?? head.senderUserId;
  if (!customer || head.groupName) return [];
  const body = { phoneNumberId: head.phone, toNumber: customer, limit: 50 };
  return (await client.call("POST /whatsapp/actions/get_call_logs", { body, signal })).result.calls;
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
