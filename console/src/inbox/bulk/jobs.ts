// The bulk job of this tab: its requests, and what it keeps over a reload.

import type { Client, Route } from "../../api/client";
import { asApiError } from "../../api/errors";
import { draftOf, keepDraft } from "../../conversations/drafts";
import { list, type Filter } from "../source";
import { titleOf } from "../InboxRow";
import { change, type Call } from "./change";
import { BulkJobs } from "./job";

export type Jobs = BulkJobs<Filter>;

const NETWORK_MS = 5_000;
const BUSY_MS = 2_000;
const MOST_BUSY = 5;

export function jobsOf(client: Client): Jobs {
  const call: Call = (route, request) => client.call(route as Route, request as never);
  return new BulkJobs<Filter>({
    read: draftOf,
    write: keepDraft,
    list: async (filter, cursor) => {
      const page = await list(client, filter, cursor, new AbortController().signal);
      return { targets: page.rows.map((row) => ({ context: row.context, key: row.key, title: titleOf(row) })), cursor: page.cursor };
    },
    change: (wanted, target, key) => change(call, wanted, target, key),
    waitOf: (failure, attempt) => {
      const { status, retryAfterSeconds } = asApiError(failure);
      if (retryAfterSeconds !== null) return retryAfterSeconds * 1_000;
      if (status === 0) return NETWORK_MS;
      return status >= 500 && attempt < MOST_BUSY ? BUSY_MS : null;
    },
    codeOf: (failure) => asApiError(failure).code,
    pause: (ms) => new Promise((done) => setTimeout(done, ms)),
    newId: () => crypto.randomUUID(),
  });
}
