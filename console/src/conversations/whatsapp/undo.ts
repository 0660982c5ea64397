// How a change of a WhatsApp conversation is undone.

import type { Routes } from "../../api/client";
import type { Key } from "../../texts/texts";
import type { Head } from "./conversationData";

export type Change = Routes["PATCH /whatsapp/conversations/{key}"]["body"];

// The change that leads back to *head*, from the state with *revision*: the API refuses it once a colleague has changed
// something else.
export function inverseOf(change: Change, head: Head, revision: number): Change {
  const inverse: Change = { revision };
  if (change.assignee !== undefined) inverse.assignee = head.assignee ?? null;
  if (change.archived !== undefined) inverse.archived = head.archived;
  if (change.status !== undefined) {
    inverse.status = head.status;
    if (head.status === "snoozed" && head.snoozedUntil) inverse.snoozedUntil = head.snoozedUntil;
  }
  return inverse;
}

export function textOf(change: Change): Key {
  if (change.archived !== undefined) return change.archived ? "undo.archived" : "undo.unarchived";
  if (change.status !== undefined) return change.status === "resolved" ? "undo.resolved" : "undo.reopened";
  return "undo.assigned_you";
}
