// The filters of the list as the address has them: a reload, a shared address and Back show the same list.

import type { Choice, DueFilter, Row, StatusFilter } from "./source";

export interface Asked extends Choice {
  status: StatusFilter | null; // null: open conversations, or all of them for a search
  unread: boolean;
  unassigned: boolean;
  waiting: boolean;
  q: string;
}

const STATUSES: readonly StatusFilter[] = ["open", "snoozed", "resolved", "archived", "all"];
const DUE: readonly DueFilter[] = ["at_risk", "overdue"];
const CHANNELS: readonly Row["channel"][] = ["whatsapp", "sms", "email"];

// Of a typed or shortened address: unknown values are left out.
export function askedOf(query: string): Asked {
  const values = new URLSearchParams(query);
  const given = (name: string) => values.get(name)?.trim() || null;
  return {
    status: STATUSES.find((one) => one === values.get("status")) ?? null,
    unread: values.get("unread") === "true",
    unassigned: values.get("unassigned") === "true",
    waiting: values.get("waiting") === "true",
    q: given("q")?.slice(0, LONGEST_SEARCH).trim() ?? "",
    channel: CHANNELS.find((one) => one === values.get("channel")) ?? null,
    address: given("address"),
    assignee: given("assignee"),
    label: given("label"),
    due: DUE.find((one) => one === values.get("due")) ?? null,
  };
}

export function queryOf({ unread, unassigned, waiting, ...asked }: Asked): string {
  const values = new URLSearchParams();
  const marks = { unread: unread ? "true" : null, unassigned: unassigned ? "true" : null, waiting: waiting ? "true" : null };
  for (const [name, value] of Object.entries({ ...asked, ...marks })) if (value) values.set(name, value);
  return values.toString();
}

export function statusOf(asked: Asked): StatusFilter {
  return asked.status ?? (asked.q ? "all" : "open");
}

export const LONGEST_SEARCH = 100; // characters
