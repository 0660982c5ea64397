// What a timeline needs to know about what is older than it, from the pages of a context.

import type { Older } from "../api/older";
import type { Entry, OlderEntries } from "../ui/timeline/Timeline";

export function olderOf<T>(older: Older<T>, entryOf: (item: T) => Pick<Entry, "at" | "text">): OlderEntries {
  return {
    hasMore: older.hasMore,
    busy: older.next.busy,
    hasFailed: older.next.error !== null,
    load: () => void older.next.run(),
    until: (fits, signal) => older.until((item) => fits(entryOf(item)), signal),
  };
}
