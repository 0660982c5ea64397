// Older entries of a timeline, beside a newest page that is loaded again and again.

import { useEffect, useState } from "preact/hooks";
import { useAction, type Action } from "./resource";

export interface Page<T, Cursor> {
  items: T[]; // newest first
  cursor: Cursor | null;
}

export interface Older<T, Cursor> extends Page<T, Cursor> {
  next: Action;
}

export function useOlder<T, Cursor>(
  newest: Page<T, Cursor> | null,
  idOf: (item: T) => string | number,
  load: (cursor: Cursor) => Promise<Page<T, Cursor>>,
): Older<T, Cursor> {
  const [older, setOlder] = useState<Page<T, Cursor> | null>(null);
  // Entries that leave the newest page stay: else they would be missing between it and the older ones.
  useEffect(() => {
    if (newest) setOlder((old) => old && { ...old, items: merged(newest.items, old.items, idOf) });
  }, [newest]);
  const first = newest?.items ?? [];
  const cursor = older ? older.cursor : (newest?.cursor ?? null);
  const next = useAction(async () => {
    if (cursor === null) return;
    const page = await load(cursor);
    setOlder((old) => ({ items: merged(old?.items ?? first, page.items, idOf), cursor: page.cursor }));
  });
  return { items: older ? merged(first, older.items, idOf) : first, cursor, next };
}

function merged<T>(newer: T[], older: T[], idOf: (item: T) => string | number): T[] {
  const known = new Set(newer.map(idOf));
  return [...newer, ...older.filter((item) => !known.has(idOf(item)))];
}
