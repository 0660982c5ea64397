// Older entries of a timeline, beside a newest page that is loaded again and again.

import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { extended, refreshed, renewed, type Page } from "./pages";
import { useAction, type Action } from "./resource";

const MOST_PAGES = 40; // of one search for an older item

export interface Older<T> {
  items: T[]; // newest first
  hasMore: boolean;
  next: Action;
  // Loads pages until an item fits, at most MOST_PAGES of them or until *signal*. Whether one does. Throws ApiError.
  until: (fits: (item: T) => boolean, signal: AbortSignal) => Promise<boolean>;
  // Reads the page of an older item once more, for links that have expired.
  // Whether it is one. Throws ApiError.
  renew: (id: string | number) => Promise<boolean>;
}

export function useOlder<T, Cursor>(
  newest: Page<T, Cursor> | null,
  idOf: (item: T) => string | number,
  load: (cursor: Cursor) => Promise<Page<T, Cursor>>,
): Older<T> {
  const known = useRef<Page<T, Cursor> | null>(null);
  const cursors = useRef(new Map<string | number, Cursor>()); // of the page of each older item
  const [, setTurn] = useState(0);
  // While rendering: the items and the newest page change together.
  useMemo(() => {
    known.current = newest && refreshed(known.current, newest, idOf);
  }, [newest]);
  const become = (next: Page<T, Cursor>) => {
    known.current = next;
    setTurn((turn) => turn + 1);
  };
  const mounted = useRef(true);
  useEffect(() => () => void (mounted.current = false), []);

  const more = async (): Promise<T[]> => {
    const cursor = known.current?.cursor ?? null;
    if (cursor === null) return [];
    const page = await load(cursor);
    // The list may have begun anew meanwhile.
    if (!mounted.current || known.current?.cursor !== cursor) return [];
    for (const item of page.items) cursors.current.set(idOf(item), cursor);
    become(extended(known.current, page, idOf));
    return page.items;
  };
  const until = async (fits: (item: T) => boolean, signal: AbortSignal) => {
    for (let page = 0; page < MOST_PAGES && known.current?.cursor != null; page += 1) {
      if (signal.aborted || !mounted.current) return false;
      if ((await more()).some(fits)) return true;
    }
    return false;
  };
  const renew = async (id: string | number) => {
    const cursor = cursors.current.get(id);
    if (cursor === undefined) return false;
    const page = await load(cursor);
    if (mounted.current && known.current) become(renewed(known.current, page.items, idOf));
    return true;
  };
  const next = useAction(more);
  return { items: known.current?.items ?? [], hasMore: known.current?.cursor != null, next, until, renew };
}
