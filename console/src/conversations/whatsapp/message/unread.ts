// Where reading goes on. Pure.

interface Received {
  id: string;
  direction: string;
}

// What was unread when the conversation was opened; looking at it marks it as read.
export interface Unread {
  count: number;
  newest: string | null; // the id of the newest message at that time
}

// The oldest unread message; null if it is not loaded yet, or nothing was unread.
export function firstUnread(newestFirst: readonly Received[], unread: Unread, hasMore: boolean): string | null {
  const received = receivedOf(newestFirst, unread);
  if (received.length < unread.count && hasMore) return null;
  return received.slice(0, unread.count).at(-1)?.id ?? null;
}

// How many of the unread messages are not loaded.
export function missingUnread(newestFirst: readonly Received[], unread: Unread): number {
  return Math.max(0, unread.count - receivedOf(newestFirst, unread).length);
}

function receivedOf(newestFirst: readonly Received[], { newest }: Unread): Received[] {
  const start = Math.max(0, newestFirst.findIndex((message) => message.id === newest));
  return newestFirst.slice(start).filter((message) => message.direction === "INBOUND");
}
