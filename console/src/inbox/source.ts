// Rows of the inbox over all contexts.

import type { Client } from "../api/client";
import type { ConsoleApi } from "../api/routes";

export type Row = ConsoleApi.InboxRow;
export type Context = Row["context"];
export type Status = Row["status"];

export interface Filter {
  context: Context | null;
  status: Status;
  assignee: string | null;
  unread: boolean;
  address: string | null; // of the company: a number, a mailbox
  q: string;
}

export interface Rows {
  rows: Row[];
  cursor: string | null;
}

export interface Address {
  address: string;
  name: string;
}

// The company's numbers or mailboxes, to filter by. Empty for contexts without, and for a single one.
export async function addressesOf(client: Client, context: Context | null, signal: AbortSignal): Promise<Address[]> {
  let found: Address[] = [];
  if (context === "whatsapp") {
    const { result } = await client.call("GET /whatsapp/numbers", { signal });
    found = result.numbers.map((one) => ({ address: one.phone, name: [one.verifiedName, one.displayPhone].filter(Boolean).join(" · ") }));
  } else if (context === "email_threads") {
    const { result } = await client.call("GET /email-mailboxes", { signal });
    found = result.mailboxes.map((one) => ({ address: one.address, name: one.address }));
  }
  return found.length > 1 ? found : [];
}

export async function list(client: Client, filter: Filter, cursor: string | null, signal: AbortSignal): Promise<Rows> {
  const { unread, ...rest } = filter;
  const query = { ...rest, unread: unread ? ("true" as const) : null, cursor, limit: 50 };
  const page = await client.call("GET /inbox", { query, signal });
  return { rows: page.result.conversations, cursor: page.cursor };
}
