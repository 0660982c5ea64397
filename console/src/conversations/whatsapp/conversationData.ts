// What a WhatsApp conversation consists of, and what may be sent.

import type { Client, Result } from "../../api/client";
import type { WhatsappApi } from "../../api/routes";
import type { ChannelConsent } from "../contact/consent";

export type Head = WhatsappApi.OpenedConversation;
export type Message = WhatsappApi.MessageView;
export type Note = WhatsappApi.NoteView;
export type Change = WhatsappApi.ChangeView;
export type Call = WhatsappApi.CallView;

export interface Loaded extends Changed {
  head: Head;
  messages: Message[]; // newest first
  calls: Call[]; // between them
  older: string | null; // cursor
  notes: Note[];
}

// What the team changed, as of a revision of the head.
export interface Changed {
  changes: Change[];
  revision: number;
  consent: ChannelConsent | null;
  consentAt: number; // when it was read, milliseconds
}

const CONSENT_MS = 60_000;

// One call. Changes come only if there are others than *known* ones, consent at most once a minute.
export async function load(client: Client, key: string, signal: AbortSignal, known: Changed | null): Promise<Loaded> {
  const now = Date.now();
  const consent = known !== null && now - known.consentAt < CONSENT_MS ? null : ("true" as const);
  const query = { messages: 50, notes: 50, changes: 50, consent, ...(known ? { revision: known.revision } : {}) };
  const { result } = await client.call("GET /whatsapp/conversations/{key}", { path: { key }, signal, query });
  return {
    head: result,
    messages: result.messages?.messages ?? [],
    calls: result.messages?.calls ?? [],
    older: result.messages?.cursor ?? null,
    notes: result.notes ?? [],
    changes: result.changes ?? known?.changes ?? [],
    revision: result.revision,
    consent: consent ? consentIn(result) : (known?.consent ?? null),
    consentAt: consent || !known ? now : known.consentAt,
  };
}

function consentIn({ consent }: Head): ChannelConsent | null {
  if (!consent) return null;
  const { saidBy, recordedBy, ...rest } = consent;
  return { channel: "whatsapp", said_by: saidBy ?? null, recorded_by: recordedBy ?? null, ...rest };
}

export function loadOlder(client: Client, key: string, cursor: string): Promise<{ result: Result<"GET /whatsapp/conversations/{key}/messages">; cursor: string | null }> {
  return client.call("GET /whatsapp/conversations/{key}/messages", { path: { key }, query: { limit: 100, cursor } });
}

export function titleOf(head: Head): string {
  return head.groupName ?? head.senderName ?? head.username ?? head.customerText ?? "";
}
