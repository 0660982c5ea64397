// The changes of many conversations of a person: their requests, and the result that this browser has closed.

import type { Client } from "../../api/client";
import type { ConsoleApi } from "../../api/routes";
import { filtersOf, type Filter } from "../source";
import { BulkJobs } from "./job";

export type Shown = ConsoleApi.BulkChangeView;
export type Jobs = BulkJobs<Shown, Filter>;

const CLOSED = "parley:bulk-closed";

export function jobsOf(client: Client): Jobs {
  return new BulkJobs<Shown, Filter>({
    read: () => localStorage.getItem(CLOSED) ?? "",
    write: (changeId) => localStorage.setItem(CLOSED, changeId),
    begin: async ({ action, value }, targets, key) => {
      const which = Array.isArray(targets) ? { conversations: targets } : { filters: filtersOf(targets) };
      await client.call("POST /inbox/bulk", { body: { action, value, ...which }, key });
    },
    newest: async () => (await client.call("GET /inbox/bulk")).result.change ?? null,
    stop: async (changeId) => {
      await client.call("POST /inbox/bulk/stop", { body: { change_id: changeId } });
    },
    undo: async (changeId, key) => {
      await client.call("POST /inbox/bulk/undo", { body: { change_id: changeId }, key });
    },
    pause: (ms) => new Promise((done) => setTimeout(done, ms)),
    newId: () => crypto.randomUUID(),
    now: () => Date.now(),
  });
}
