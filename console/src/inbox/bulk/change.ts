// One change of one conversation, over the routes of its context. Pure but for *call*; tests run it in Node.js.

import type { Row } from "../source";

export type Action = "assign" | "label" | "snooze" | "resolve" | "archive" | "read";

export interface Wanted {
  action: Action;
  value: string | null; // assignee, label, or the end of a snooze
}

export interface Target extends Pick<Row, "context" | "key"> {
  title: string;
}

// skipped: its context has no such change.
export type Outcome = "done" | "skipped";

export interface Request {
  path: Record<string, string>;
  query?: Record<string, never>;
  body?: unknown;
  key?: string;
}

export type Call = (route: string, request: Request) => Promise<{ result: unknown }>;

interface Head {
  labels: string[];
  revision: number;
  position: string | null;
}

const WHATSAPP = "/whatsapp/conversations/{key}";
const THREAD = "/email-threads/{conversation_id}";
const TALK = "/conversations/{ref}";
const MOST_CONFLICTS = 3; // with changes of colleagues at the same time

// *key* makes a repetition safe. Throws what *call* throws.
export async function change(call: Call, wanted: Wanted, { context, key: id }: Target, key: string): Promise<Outcome> {
  switch (context) {
    case "whatsapp":
      return inWhatsApp(call, wanted, { key: id }, key);
    case "email_threads":
      return inMail(call, wanted, { conversation_id: id }, key);
    case "conversations":
      return inTalk(call, wanted, { ref: id }, key);
    default:
      return "skipped";
  }
}

async function inWhatsApp(call: Call, { action, value }: Wanted, path: Record<string, string>, key: string): Promise<Outcome> {
  if (action === "label") return labelled(call, { route: WHATSAPP, write: `PATCH ${WHATSAPP}` }, path, value!, key);
  if (action === "read") {
    const { position } = (await call(`GET ${WHATSAPP}`, { path })).result as Head;
    if (position) await call(`POST ${WHATSAPP}/read`, { path, body: { upTo: position }, key });
    return "done";
  }
  const bodies = {
    assign: { assignee: value },
    snooze: { status: "snoozed", snoozedUntil: value },
    resolve: { status: "resolved" },
    archive: { archived: true },
  };
  await call(`PATCH ${WHATSAPP}`, { path, body: bodies[action], key });
  return "done";
}

async function inMail(call: Call, { action, value }: Wanted, path: Record<string, string>, key: string): Promise<Outcome> {
  if (action === "read") return "skipped";
  if (action === "archive") {
    await call(`POST ${THREAD}/archive`, { path, body: {}, key });
    return "done";
  }
  const bodies = { assign: { assigned_to: value }, label: { add_tags: [value] }, snooze: { snoozed_until: value }, resolve: { status: "completed" } };
  await call(`PATCH ${THREAD}`, { path, body: bodies[action], key });
  return "done";
}

// The owner of such a conversation is not changed for many at once: a model would stop answering.
async function inTalk(call: Call, { action, value }: Wanted, path: Record<string, string>, key: string): Promise<Outcome> {
  if (action === "label") return labelled(call, { route: TALK, write: `POST ${TALK}/labels` }, path, value!, key);
  if (action !== "snooze") return "skipped";
  await call(`POST ${TALK}/snooze`, { path, body: { snoozed_until: value }, key });
  return "done";
}

// Labels are replaced as a whole, as of a revision.
async function labelled(call: Call, { route, write }: { route: string; write: string }, path: Record<string, string>, label: string, key: string): Promise<Outcome> {
  for (let attempt = 1; ; attempt += 1) {
    const { labels, revision } = (await call(`GET ${route}`, { path })).result as Head;
    if (labels.includes(label)) return "done";
    try {
      await call(write, { path, body: { labels: [...labels, label], revision }, key: `${key}-${attempt}` });
      return "done";
    } catch (failure) {
      if ((failure as { status?: number }).status !== 409 || attempt === MOST_CONFLICTS) throw failure;
    }
  }
}
