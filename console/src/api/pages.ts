// Pages of a list, newest first, of which the newest is read again and again. Pure.

export interface Page<T, Cursor> {
  items: T[]; // newest first
  cursor: Cursor | null; // of what is older than the last item; null: nothing is
}

type IdOf<T> = (item: T) => string | number;

// What is known after the newest page was read again. What has left the page because of newer items stays; what is
// missing within its range is gone. More new items than a page has would leave a gap: then only the page is known.
export function refreshed<T, Cursor>(known: Page<T, Cursor> | null, newest: Page<T, Cursor>, idOf: IdOf<T>): Page<T, Cursor> {
  const last = newest.items.at(-1);
  if (known === null || newest.cursor === null || last === undefined) return newest;
  const listed = new Set(newest.items.map(idOf));
  // The last item of the page may itself have been late: then another one shows where the page ends.
  const end = known.items.findLastIndex((item) => listed.has(idOf(item)));
  if (end < 0) return newest;
  return { items: [...newest.items, ...known.items.slice(end + 1)], cursor: known.cursor };
}

export function extended<T, Cursor>(known: Page<T, Cursor>, older: Page<T, Cursor>, idOf: IdOf<T>): Page<T, Cursor> {
  const ids = new Set(known.items.map(idOf));
  return { items: [...known.items, ...older.items.filter((item) => !ids.has(idOf(item)))], cursor: older.cursor };
}

// Items that were read once more, such as with new links, in their places.
export function renewed<T, Cursor>(known: Page<T, Cursor>, again: T[], idOf: IdOf<T>): Page<T, Cursor> {
  const byId = new Map(again.map((item) => [idOf(item), item]));
  return { ...known, items: known.items.map((item) => byId.get(idOf(item)) ?? item) };
}
