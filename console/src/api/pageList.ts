// A list that is loaded page by page, newest first.

import { useState } from "preact/hooks";
import type { Page as AnyPage } from "./pages";
import { useAction, useResource, type Action, type Resource } from "./resource";

export type Page<T> = AnyPage<T, string>;

export interface PageList<T> {
  first: Resource<Page<T>>;
  items: T[];
  hasMore: boolean;
  next: Action;
  reload: () => Promise<void>;
}

export function usePageList<T>(
  load: (cursor: string | null, signal: AbortSignal) => Promise<Page<T>>,
  inputs: readonly unknown[],
): PageList<T> {
  const [further, setFurther] = useState<{ of: Page<T>; items: T[]; cursor: string | null } | null>(null);
  const first = useResource((signal) => load(null, signal), inputs);
  const page = first.value;
  // Pages after an older first page are no longer its continuation.
  const known = further && further.of === page ? further : null;
  const cursor = known ? known.cursor : (page?.cursor ?? null);
  const next = useAction(async () => {
    if (!page || cursor === null) return;
    const more = await load(cursor, new AbortController().signal);
    setFurther({ of: page, items: [...(known?.items ?? []), ...more.items], cursor: more.cursor });
  });
  return { first, items: [...(page?.items ?? []), ...(known?.items ?? [])], hasMore: cursor !== null, next, reload: first.reload };
}
