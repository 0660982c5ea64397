// Messages that were sent here and are not in their conversation yet. They are shown at once, and sent in their order,
// one at a time per conversation, also while the person is on another page. Pure; tests run it in Node.js.

import type { Newer, Problem } from "../../api/errors";
import type { KeptFile } from "./keptFiles";

export interface Failure {
  status: number; // 0: no answer
  code: string;
  message: string;
  details: Problem[];
  retryAfterSeconds: number | null; // above a rate: it is sent again then
  newer: Newer | null;
}

// waiting: for earlier ones. sent: accepted, and perhaps not in the timeline yet.
export type State = "waiting" | "sending" | "sent" | "failed";

export type SentFile = KeptFile<string, unknown>;

export interface Unsent<Body> {
  key: string; // its Idempotency-Key, the same one in each attempt
  at: string;
  body: Body;
  file: SentFile | null; // to be shown, and to be attached again
  state: State;
  failure: Failure | null;
  action: string | null; // its id at the server, once it is accepted
}

export interface Ports<Body> {
  read: (form: string) => string;
  write: (form: string, text: string) => void;
  send: (form: string, unsent: Unsent<Body>) => Promise<string>; // returns the id of the action
  failureOf: (failure: unknown) => Failure;
  onUnseenFailure: (form: string) => void; // the conversation is not on the page
  pause: (ms: number) => Promise<void>;
  now: () => number;
}

type Listener = () => void;

export const INTERRUPTED = "interrupted";
const RESUMED_WITHIN_MS = 300_000; // a reload goes on with younger ones; older ones wait for the person
const PATIENCE_MS = 120_000; // for which a rate may hold one back
const KEPT_MS = 86_400_000;

export class Outbox<Body> {
  private readonly ports: Ports<Body>;
  private readonly items = new Map<string, readonly Unsent<Body>[]>();
  private readonly running = new Set<string>();
  private readonly listeners = new Map<string, Set<Listener>>();

  constructor(ports: Ports<Body>) {
    this.ports = ports;
  }

  // The same array until it changes.
  of(form: string): readonly Unsent<Body>[] {
    const known = this.items.get(form);
    if (known) return known;
    const found = this.restored(form);
    this.items.set(form, found);
    return found;
  }

  // Calls *listener* after each change of a conversation that is on the page.
  watch(form: string, listener: Listener): () => void {
    const all = this.listeners.get(form) ?? new Set();
    this.listeners.set(form, all.add(listener));
    return () => {
      all.delete(listener);
      if (!all.size) this.listeners.delete(form);
    };
  }

  put(form: string, { key, body, file }: Pick<Unsent<Body>, "key" | "body" | "file">): void {
    const at = new Date(this.ports.now()).toISOString();
    this.become(form, [...this.of(form), { key, at, body, file, state: "waiting", failure: null, action: null }]);
    void this.run(form);
  }

  // After a reload, and after the person has decided about one that failed.
  async run(form: string): Promise<void> {
    if (this.running.has(form)) return;
    this.running.add(form);
    try {
      for (let next = this.next(form); next; next = this.next(form)) await this.attempt(form, next);
    } finally {
      this.running.delete(form);
    }
  }

  retry(form: string, key: string): void {
    this.change(form, key, { state: "waiting", failure: null });
    void this.run(form);
  }

  // Sends another body in its place: certainly nothing of the earlier one was sent.
  replace(form: string, key: string, next: Pick<Unsent<Body>, "key" | "body">): void {
    this.change(form, key, { ...next, state: "waiting", failure: null });
    void this.run(form);
  }

  // Removes one; those behind it go on.
  take(form: string, key: string): Unsent<Body> | null {
    const taken = this.of(form).find((one) => one.key === key && one.state !== "sending") ?? null;
    if (taken) this.become(form, this.of(form).filter((one) => one !== taken));
    void this.run(form);
    return taken;
  }

  // Puts back one that was taken; the person decides about it anew.
  restore(form: string, one: Unsent<Body>): void {
    this.become(form, [...this.of(form), one]);
  }

  // Removes those that the conversation has.
  arrived(form: string, actions: ReadonlySet<string>): void {
    const left = this.of(form).filter((one) => one.action === null || !actions.has(one.action));
    if (left.length < this.of(form).length) this.become(form, left);
  }

  private next(form: string): Unsent<Body> | null {
    const first = this.of(form).find((one) => one.state !== "sent");
    return first?.state === "waiting" ? first : null;
  }

  private async attempt(form: string, one: Unsent<Body>): Promise<void> {
    this.change(form, one.key, { state: "sending" });
    try {
      const action = await this.ports.send(form, one);
      this.change(form, one.key, { state: "sent", action });
    } catch (thrown) {
      await this.failed(form, one, this.ports.failureOf(thrown));
    }
  }

  private async failed(form: string, one: Unsent<Body>, failure: Failure): Promise<void> {
    const seconds = failure.retryAfterSeconds ?? null;
    if (seconds !== null && this.ageOf(one) < PATIENCE_MS) {
      this.change(form, one.key, { state: "waiting" });
      await this.ports.pause(seconds * 1_000);
      return;
    }
    this.change(form, one.key, { state: "failed", failure });
    if (!this.listeners.has(form)) this.ports.onUnseenFailure(form);
  }

  private restored(form: string): readonly Unsent<Body>[] {
    const stored = JSON.parse(this.ports.read(form) || "[]") as Unsent<Body>[];
    return stored.filter((one) => this.ageOf(one) < KEPT_MS).map((one) => this.afterReload(one));
  }

  // Of one that was on its way the outcome is unknown: its key makes a repetition safe.
  private afterReload(one: Unsent<Body>): Unsent<Body> {
    if (one.state === "sent" || one.state === "failed") return one;
    if (this.ageOf(one) < RESUMED_WITHIN_MS) return { ...one, state: "waiting" };
    return { ...one, state: "failed", failure: { status: 0, code: INTERRUPTED, message: "", details: [], retryAfterSeconds: null, newer: null } };
  }

  private ageOf(one: Unsent<Body>): number {
    return this.ports.now() - Date.parse(one.at);
  }

  private change(form: string, key: string, next: Partial<Unsent<Body>>): void {
    this.become(form, this.of(form).map((one) => (one.key === key ? { ...one, ...next } : one)));
  }

  private become(form: string, items: readonly Unsent<Body>[]): void {
    this.items.set(form, items);
    this.ports.write(form, items.length ? JSON.stringify(items) : "");
    for (const listener of this.listeners.get(form) ?? []) listener();
  }
}

// Whether the server may have sent it: then only the same key may send it again.
export function mayBeSent({ status, code }: Failure): boolean {
  return status === 0 || status >= 500 || code === "request_in_progress";
}
