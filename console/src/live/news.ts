// The unread conversations that cause a notification. Pure.

import type { Row } from "../inbox/source";

export type Wish = "off" | "mine" | "all";

export interface Unread {
  rows: Row[]; // newest first
  hasMore: boolean;
}

// Conversations with activity since *seenTo*, of those for which the person wants notifications; *open* is on the screen.
export function newsOf(rows: Row[], seenTo: string, wish: Wish, mine: readonly string[], open: string | null): Row[] {
  return rows.filter((row) => row.unreadCount > 0 && row.lastActivityAt > seenTo && row.key !== open && isWished(row, wish, mine));
}

export function isWished(row: Row, wish: Wish, mine: readonly string[]): boolean {
  return wish === "all" || (wish === "mine" && mine.includes(row.assignee ?? ""));
}

// The end of what was seen: the newest activity of all looks.
export function seenTo(rows: Row[], before: string): string {
  return rows.reduce((newest, row) => (row.lastActivityAt > newest ? row.lastActivityAt : newest), before);
}

export function titleWith({ rows, hasMore }: Unread, name: string): string {
  return rows.length ? `(${rows.length}${hasMore ? "+" : ""}) ${name}` : name;
}
