// What an AI conversation consists of, and what may be done with its messages.

import type { ConversationsAdmin } from "../../api/routes";

export type Head = ConversationsAdmin.OpenedConversationView;
export type Message = ConversationsAdmin.MessageView;
export type Note = ConversationsAdmin.NoteView;
export type Waiting = ConversationsAdmin.WaitingView;

export const REVIEW = "initial_review"; // the reason of a first message that a person looks at before it is sent
export const ENDED = ["closed", "opted_out", "failed"];
const UNSENT = ["discarded", "blocked", "failed"];

export function isByModel(message: Message): boolean {
  return message.role === "assistant" && (message.author === "ai" || message.author === "system");
}

// A text of the model that was certainly not delivered: an agent may send it.
export function isReleasable(message: Message, head: Head): boolean {
  return !ENDED.includes(head.conversation_status) && isByModel(message) && !message.function && UNSENT.includes(message.delivery_status ?? "");
}

// The person in an author (`human:user:...`) or principal.
export function personOf(author: string): string {
  return author.replace(/^human:/, "");
}

export interface Stop {
  at: string;
  last: Message | null; // of the model, before or at the stop, among the loaded ones
  number: number | null; // its position in the log, if all of it is loaded
}

// When a person took over: the newest change to handoff_active from another status. Later ones only pass it on.
export function stopOf(head: Head, messages: Message[], isWhole: boolean): Stop | null {
  if (head.mode !== "human") return null;
  const change = head.changes.find((one) => one.to_status === "handoff_active" && one.from_status !== one.to_status);
  if (!change) return null;
  const index = messages.findIndex((message) => isByModel(message) && message.message_timestamp <= change.at);
  const last = messages[index] ?? null;
  return { at: change.at, last, number: last && isWhole ? messages.length - index : null };
}

// The model's message that passed the fence before the take-over: it is sent, and no other one is.
export function inFlightOf(head: Head): string | null {
  const { turn } = head;
  return head.mode === "human" && turn && turn.kind !== "human" && turn.stage === "sending" ? turn.entry_id : null;
}
