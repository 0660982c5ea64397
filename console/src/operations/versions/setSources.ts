// The calls of each context for its sets of scenarios.

import type { Client } from "../../api/client";
import { asApiError } from "../../api/errors";
import type { ConversationsAdmin } from "../../api/routes";
import type { Scenario } from "./scenarios";

export type Set = ConversationsAdmin.SetView; // all APIs have the same
export type SetContent = ConversationsAdmin.SetContentView;
export type Run = ConversationsAdmin.RunResultsView;
type SetBody = { scenarios?: Scenario[]; gate?: boolean; seen?: number };
type RunBody = { version: number | null; against: number | null };
type RunPage = { result: Run; cursor: string | null };

// The calls of a context. of: whose sets they are; another one is loaded anew.
export interface SetSource {
  of: string;
  list: (signal: AbortSignal) => Promise<Set[]>;
  show: (name: string, signal: AbortSignal) => Promise<SetContent>;
  put: (name: string, body: SetBody) => Promise<unknown>;
  begin: (name: string, body: RunBody) => Promise<string>;
  runPage: (id: string, cursor: string | null, signal: AbortSignal) => Promise<RunPage>;
}

const MOST = 100;
const MOST_ROUNDS = 3;
const COLLECTED = "playground"; // the set of the scenarios that playgrounds keep
const kept = new EventTarget();

export function setsOfProject(client: Client, project_id: string): SetSource {
  const path = (set_name: string) => ({ project_id, set_name });
  return {
    of: `project ${project_id}`,
    list: async (signal) => (await client.call("GET /projects/{project_id}/sets", { path: { project_id }, query: { limit: MOST }, signal })).result.sets,
    show: async (name, signal) => (await client.call("GET /projects/{project_id}/sets/{set_name}", { path: path(name), signal })).result,
    put: (name, body) => client.call("POST /projects/{project_id}/sets/{set_name}", { path: path(name), body, key: crypto.randomUUID() }),
    begin: async (name, body) => (await client.call("POST /projects/{project_id}/sets/{set_name}/runs", { path: path(name), body, key: crypto.randomUUID() })).result.run_id,
    runPage: (run_id, cursor, signal) => client.call("GET /projects/{project_id}/runs/{run_id}", { path: { project_id, run_id }, query: { limit: MOST, cursor }, signal }),
  };
}

export function setsOfMailbox(client: Client, address: string): SetSource {
  const path = (set_name: string) => ({ address, set_name });
  return {
    of: `mailbox ${address}`,
    list: async (signal) => (await client.call("GET /email-mailboxes/{address}/sets", { path: { address }, query: { limit: MOST }, signal })).result.sets,
    show: async (name, signal) => (await client.call("GET /email-mailboxes/{address}/sets/{set_name}", { path: path(name), signal })).result,
    put: (name, body) => client.call("POST /email-mailboxes/{address}/sets/{set_name}", { path: path(name), body, key: crypto.randomUUID() }),
    begin: async (name, body) => (await client.call("POST /email-mailboxes/{address}/sets/{set_name}/runs", { path: path(name), body, key: crypto.randomUUID() })).result.run_id,
    runPage: (run_id, cursor, signal) => client.call("GET /email-mailboxes/{address}/runs/{run_id}", { path: { address, run_id }, query: { limit: MOST, cursor }, signal }),
  };
}

export function setsOfHelpDesk(client: Client): SetSource {
  return {
    of: "help desk",
    list: async (signal) => (await client.call("GET /admin/richpanel/sets", { query: { limit: MOST }, signal })).result.sets,
    show: async (set_name, signal) => (await client.call("GET /admin/richpanel/sets/{set_name}", { path: { set_name }, signal })).result,
    put: (set_name, body) => client.call("POST /admin/richpanel/sets/{set_name}", { path: { set_name }, body, key: crypto.randomUUID() }),
    begin: async (set_name, body) => (await client.call("POST /admin/richpanel/sets/{set_name}/runs", { path: { set_name }, body, key: crypto.randomUUID() })).result.run_id,
    runPage: (run_id, cursor, signal) => client.call("GET /admin/richpanel/runs/{run_id}", { path: { run_id }, query: { limit: MOST, cursor }, signal }),
  };
}

export function setsOfNewsletters(client: Client): SetSource {
  return {
    of: "newsletters",
    list: async (signal) => (await client.call("GET /newsletters/settings/sets", { query: { limit: MOST }, signal })).result.sets,
    show: async (set_name, signal) => (await client.call("GET /newsletters/settings/sets/{set_name}", { path: { set_name }, signal })).result,
    put: (set_name, body) => client.call("POST /newsletters/settings/sets/{set_name}", { path: { set_name }, body, key: crypto.randomUUID() }),
    begin: async (set_name, body) => (await client.call("POST /newsletters/settings/sets/{set_name}/runs", { path: { set_name }, body, key: crypto.randomUUID() })).result.run_id,
    runPage: (run_id, cursor, signal) => client.call("GET /newsletters/settings/runs/{run_id}", { path: { run_id }, query: { limit: MOST, cursor }, signal }),
  };
}

// A run with all of its results.
export async function runOf(source: SetSource, id: string, signal: AbortSignal): Promise<Run> {
  let page = await source.runPage(id, null, signal);
  const results = [...page.result.results];
  while (page.cursor) {
    page = await source.runPage(id, page.cursor, signal);
    results.push(...page.result.results);
  }
  return { ...page.result, results };
}

// Add a scenario to the set of those that playgrounds keep, also beside a colleague who adds one.
export async function keepScenario(source: SetSource, scenario: Scenario): Promise<void> {
  for (let left = MOST_ROUNDS; ; left -= 1) {
    try {
      return await addScenario(source, scenario);
    } catch (failure) {
      if (left === 1 || asApiError(failure).code !== "version_conflict") throw failure;
    }
  }
}

async function addScenario(source: SetSource, scenario: Scenario): Promise<void> {
  const { signal } = new AbortController(); // a change is not abandoned
  const isThere = (await source.list(signal)).some(({ name }) => name === COLLECTED);
  const before = isThere ? await source.show(COLLECTED, signal) : { content: [], revision: 0 };
  await source.put(COLLECTED, { scenarios: [...before.content, scenario], seen: before.revision });
  kept.dispatchEvent(new Event("change"));
}

// Calls *update* after each kept scenario, until the returned function is called.
export function onKept(update: () => void): () => void {
  kept.addEventListener("change", update);
  return () => kept.removeEventListener("change", update);
}
