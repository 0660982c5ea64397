// The unread conversations that cause a notification. Pure.

import type { Row } from "../inbox/source";

export type Wish = "off" | "mine" | "all";

export interface Unread {
  rows: Row[]; // newest first
  hasMore: boolean;
}

// The conversations of *now* with messages that *before* did not have, of those for which the person wants
// notifications; *open* is on the screen. Each is compared with itself: messages may arrive late, and times are equal.
export function newsOf(now: Unread, before: Unread, wish: Wish, mine: readonly string[], open: string | null): Row[] {
  if (wish === "off") return [];
  const known = new Map(before.rows.map((row) => [placeOf(row), row]));
  // A row that is new on the page may be an old one behind its end.
  const end = before.hasMore ? (before.rows.at(-1)?.lastActivityAt ?? "") : "";
  const isNews = (row: Row) => {
    const seen = known.get(placeOf(row));
    if (!seen) return row.lastActivityAt > end;
    return row.unreadCount > seen.unreadCount || row.lastActivityAt > seen.lastActivityAt;
  };
  return now.rows.filter((row) => row.unreadCount > 0 && row.key !== open && isWanted(row, wish, mine) && isNews(row));
}

export function isWanted(row: Row, wish: Wish, mine: readonly string[]): boolean {
  return wish === "all" || (wish === "mine" && mine.includes(row.assignee ?? ""));
}

function placeOf(row: Row): string {
  return `${row.context}/${row.key}`;
}

export function titleWith({ rows, hasMore }: Unread, name: string): string {
  return rows.length ? `(${rows.length}${hasMore ? "+" : ""}) ${name}` : name;
}
