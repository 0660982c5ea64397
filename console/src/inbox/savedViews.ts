// Saved views as filters of the address, and back. Pure.

import type { Asked } from "./address";

// As the API has them: GET /inbox/views.
export type Filters = Partial<Record<"context" | "channel" | "address" | "status" | "assignee" | "label" | "due" | "unread" | "unassigned" | "waiting", string | null>>;

// The section that shows a view, and its query. Words of a search are no part of a view.
export function placeOfView({ context, ...filters }: Filters): { section: string; query: string } {
  const values = new URLSearchParams();
  for (const [name, value] of Object.entries(filters).sort()) if (value) values.set(name, value);
  return { section: context ?? "all", query: values.toString() };
}

export function filtersOf(section: string, asked: Asked, status: string, me: string | null): Filters {
  const { q: _, unread, unassigned, waiting, status: __, ...choice } = asked;
  const all: Filters = {
    ...choice,
    status,
    assignee: section === "mine" ? me : choice.assignee,
    context: section === "all" || section === "mine" ? null : section,
    unread: unread ? "true" : null,
    unassigned: unassigned ? "true" : null,
    waiting: waiting ? "true" : null,
  };
  return Object.fromEntries(Object.entries(all).filter(([, value]) => value));
}

// Whether the list shows this view: the same filters in any order.
export function isShown(view: Filters, shown: Filters): boolean {
  const text = (filters: Filters) => JSON.stringify(Object.entries(filters).filter(([, value]) => value).sort());
  return text(view) === text(shown);
}

export function countText(count: number, isExact: boolean): string {
  return isExact ? String(count) : `${count}+`;
}
