// The calls of each context for the versions of its settings.

import type { Client } from "../../api/client";
import { openOf } from "../switches/LiveChange";
import type { VersionSource } from "./Versions";

const MOST = 25;

export function ofProject(client: Client, project_id: string): VersionSource {
  return {
    of: `project ${project_id}`,
    list: async (cursor, signal) => {
      const answer = await client.call("GET /projects/{project_id}/versions", { path: { project_id }, query: { limit: MOST, cursor }, signal });
      return { items: answer.result.versions, cursor: answer.cursor };
    },
    show: async (number, against, signal) =>
      (await client.call("GET /projects/{project_id}/versions/{number}", { path: { project_id, number: String(number) }, query: { against }, signal })).result,
    affected: openOf(client, "conversations"),
    goLive: (number, instead_of) =>
      client.call("POST /projects/{project_id}/versions/{number}/live", { path: { project_id, number: String(number) }, body: { instead_of } }),
  };
}

export function ofMailbox(client: Client, address: string): VersionSource {
  return {
    of: `mailbox ${address}`,
    list: async (cursor, signal) => {
      const answer = await client.call("GET /email-mailboxes/{address}/versions", { path: { address }, query: { limit: MOST, cursor }, signal });
      return { items: answer.result.versions, cursor: answer.cursor };
    },
    show: async (number, against, signal) =>
      (await client.call("GET /email-mailboxes/{address}/versions/{number}", { path: { address, number: String(number) }, query: { against }, signal })).result,
    affected: openOf(client, "email_threads"),
    goLive: (number, instead_of) =>
      client.call("POST /email-mailboxes/{address}/versions/{number}/live", { path: { address, number: String(number) }, body: { instead_of } }),
  };
}

export function ofNewsletters(client: Client): VersionSource {
  return {
    of: "newsletters",
    list: async (cursor, signal) => {
      const answer = await client.call("GET /newsletters/settings/versions", { query: { limit: MOST, cursor }, signal });
      return { items: answer.result.versions, cursor: answer.cursor };
    },
    show: async (number, against, signal) =>
      (await client.call("GET /newsletters/settings/versions/{number}", { path: { number: String(number) }, query: { against }, signal })).result,
    goLive: (number, instead_of) =>
      client.call("POST /newsletters/settings/versions/{number}/live", { path: { number: String(number) }, body: { instead_of } }),
  };
}

// *inForce* is a part of what is loaded: the list shows what was stored meanwhile.
export function ofHelpDesk(client: Client, inForce: number): VersionSource {
  return {
    of: `help desk ${inForce}`,
    list: async (cursor, signal) => {
      const before = cursor === null ? null : Number(cursor);
      const { versions } = (await client.call("GET /admin/richpanel/settings/versions", { query: { limit: MOST, before }, signal })).result;
      const last = versions.at(-1)?.number ?? 1;
      return {
        items: versions.map(({ changed_at, changed_by, is_in_force, ...one }) => ({ ...one, at: changed_at, by: changed_by, is_live: is_in_force })),
        cursor: last > 1 ? String(last) : null,
      };
    },
    show: async (number, against, signal) =>
      (await client.call("GET /admin/richpanel/settings/versions/{number}", { path: { number: String(number) }, query: { against }, signal })).result,
    goLive: (number, instead_of) =>
      client.call("POST /admin/richpanel/settings/versions/{number}/live", { path: { number: String(number) }, body: { instead_of } }),
  };
}
