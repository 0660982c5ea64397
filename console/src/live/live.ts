// Live updates over a WebSocket: hints that a conversation changed, and what colleagues do. Hints have no content and
// may be lost: pages read what they name over the API, and look again now and then.

import type { Client } from "../api/client";
import type { Context } from "../inbox/source";
import { rightsOf } from "../operations/access";
import type { Session } from "../session/session";
import { Heartbeat } from "./heartbeat";

export interface Hint {
  context: Context;
  key?: string; // none: it is of a campaign
  version?: number;
  removed?: boolean;
  new?: boolean; // there was no such conversation before
  notified?: string[]; // people and teams that have a new notification about it
}

export type Doing = "typing" | "taking_over";

export interface Colleague {
  principal: string;
  doing: Doing;
}

// off: this installation has no live updates, or no person who reads conversations is signed in.
export type LiveState = "off" | "connecting" | "live" | "reconnecting";

interface Message {
  hints?: Hint[];
  late?: boolean; // the changes were made a while before their hints
  typing?: { context: Context; key: string; principal: string };
  taking_over?: { context: Context; key: string; principal: string };
}

interface Seen extends Colleague {
  place: string;
  timer: ReturnType<typeof setTimeout>;
}

const FIRST_WAIT_MS = 1_000;
const LONGEST_WAIT_MS = 30_000;
// A connection that lasts so long counts as good. Only then the API finds it by its id in any case, so the page says
// again what it shows.
const STEADY_MS = 10_000;
const OPENED_WITHIN_MS = 10_000;
const PING = { action: "ping" }; // answered by API Gateway itself
const PING_MS = 8 * 60_000; // API Gateway ends connections after ten silent minutes
const MOST_SILENT = 2; // connections: this installation answers no pings
const SAY_EVERY_MS = 10_000;
const SHOWN_MS = 15_000;

export class Live {
  state: LiveState = "off";
  lateAt: number | null = null; // when the latest hints came, if they came late
  readonly heartbeat: Heartbeat;
  private socket: WebSocket | null = null;
  private attempts = 0;
  private generation = 0; // results of older ones are dropped
  private isStopped = false;
  private silent = 0; // connections in succession that answered nothing
  private company: string | null = null;
  private timer: ReturnType<typeof setTimeout> | undefined;
  private steady: ReturnType<typeof setTimeout> | undefined;
  private shown: { context: Context; key: string } | null = null;
  private said = new Map<string, number>();
  private colleagues: Seen[] = [];
  private readonly hintListeners = new Set<(hints: Hint[]) => void>();
  private readonly stateListeners = new Set<() => void>();

  constructor(
    private readonly client: Client,
    private readonly session: Session,
    private readonly isOffered: boolean,
  ) {
    this.heartbeat = new Heartbeat({
      isSeen: () => document.visibilityState === "visible",
      ping: () => this.silent < MOST_SILENT && this.send(PING),
      probe: (withinMs) => client.probe(withinMs),
      silent: () => {
        this.silent += 1;
        this.reopen();
      },
      changed: () => {
        if (!this.heartbeat.isLost && this.state === "reconnecting") void this.open();
        this.tell();
      },
      now: () => Date.now(),
      after: (ms, action) => setTimeout(action, ms),
      cancel: (timer) => clearTimeout(timer as number),
    });
    client.onAnswer = (isAnswered) => (isAnswered ? this.heartbeat.heard() : this.heartbeat.failed());
  }

  start(): void {
    if (!this.isOffered) return;
    this.session.onChange(() => this.follow());
    addEventListener("online", () => {
      if (this.state === "reconnecting") void this.open();
    });
    // A connection over a lost network may look open for minutes.
    addEventListener("offline", () => this.reopen());
    setInterval(() => this.send(PING), PING_MS);
    this.follow();
  }

  // For good: the person signs out.
  stop(): void {
    this.isStopped = true;
    this.close();
    this.become("off");
  }

  onHints(listener: (hints: Hint[]) => void): () => void {
    this.hintListeners.add(listener);
    return () => this.hintListeners.delete(listener);
  }

  // Called when `state`, or what colleagues do, has changed.
  onChange(listener: () => void): () => void {
    this.stateListeners.add(listener);
    return () => this.stateListeners.delete(listener);
  }

  // The conversation that this page shows. Colleagues elsewhere are not reported from then on.
  show(conversation: { context: Context; key: string } | null): void {
    this.shown = conversation;
    this.send({ shows: conversation });
  }

  // Tells colleagues; repeats within some seconds are left out.
  say(doing: Doing, context: Context, key: string): void {
    const what = `${doing} ${context} ${key}`;
    const now = Date.now();
    if (now - (this.said.get(what) ?? 0) < SAY_EVERY_MS) return;
    this.said.set(what, now);
    this.send({ [doing]: { context, key } });
  }

  colleaguesAt(context: Context, key: string): Colleague[] {
    return this.colleagues.filter((seen) => seen.place === placeOf(context, key));
  }

  // Opens a connection for the person who is signed in, with the company that they chose, and closes any other.
  private follow(): void {
    if (this.isStopped) return;
    const isIn = this.session.state === "in" && rightsOf(this.session).reads;
    if (isIn && this.state !== "off" && this.company === this.session.company) return;
    if (!isIn && this.state === "off") return;
    this.close();
    this.become("off");
    if (!isIn) return;
    this.company = this.session.company;
    this.attempts = 0;
    this.become("connecting");
    void this.open();
  }

  private async open(): Promise<void> {
    this.close();
    const generation = ++this.generation;
    this.timer = setTimeout(() => this.reopen(), OPENED_WITHIN_MS);
    try {
      const { result } = await this.client.call("POST /live/tickets");
      if (generation !== this.generation) return;
      const address = new URL(result.url);
      address.searchParams.set("ticket", result.ticket);
      this.listen(new WebSocket(address));
    } catch {
      // Without an answer, or above the rate. If the session has ended, `follow` has closed everything.
      if (generation === this.generation) this.retry();
    }
  }

  private listen(socket: WebSocket): void {
    this.socket = socket;
    socket.onopen = () => {
      clearTimeout(this.timer);
      this.steady = setTimeout(() => {
        this.attempts = 0;
        if (this.shown) this.send({ shows: this.shown });
      }, STEADY_MS);
      this.become("live");
    };
    socket.onmessage = (event) => {
      this.silent = 0;
      this.heartbeat.heard();
      this.take(String(event.data));
    };
    socket.onclose = () => {
      if (this.socket !== socket) return;
      this.socket = null;
      clearTimeout(this.steady);
      this.retry();
    };
  }

  private reopen(): void {
    if (this.state === "off" || this.isStopped) return;
    this.close();
    this.retry();
  }

  // Waits twice as long after each attempt, with a random part, so that all clients do not return at once.
  private retry(): void {
    const longest = Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** this.attempts);
    this.attempts += 1;
    clearTimeout(this.timer);
    this.timer = setTimeout(() => void this.open(), longest * (0.5 + Math.random() / 2));
    this.become("reconnecting");
  }

  private close(): void {
    this.generation += 1;
    clearTimeout(this.timer);
    clearTimeout(this.steady);
    const socket = this.socket;
    this.socket = null;
    socket?.close();
  }

  private send(message: object): boolean {
    if (this.socket?.readyState !== WebSocket.OPEN) return false;
    this.socket.send(JSON.stringify(message));
    return true;
  }

  private take(text: string): void {
    let message: Message;
    try {
      message = JSON.parse(text) as Message;
    } catch {
      return;
    }
    const hints = message.hints;
    if (hints) {
      this.lateAt = message.late ? Date.now() : null;
      for (const listener of this.hintListeners) listener(hints);
    }
    if (message.typing) this.see("typing", message.typing);
    if (message.taking_over) this.see("taking_over", message.taking_over);
  }

  private see(doing: Doing, at: { context: Context; key: string; principal: string }): void {
    if (at.principal === this.session.person?.principal) return;
    const place = placeOf(at.context, at.key);
    const isSame = (seen: Seen) => seen.place === place && seen.principal === at.principal;
    for (const seen of this.colleagues.filter(isSame)) clearTimeout(seen.timer);
    const timer = setTimeout(() => {
      this.colleagues = this.colleagues.filter((seen) => seen.timer !== timer);
      this.tell();
    }, SHOWN_MS);
    this.colleagues = [...this.colleagues.filter((seen) => !isSame(seen)), { place, doing, principal: at.principal, timer }];
    this.tell();
  }

  private become(state: LiveState): void {
    if (this.state === state) return;
    this.state = state;
    this.tell();
  }

  private tell(): void {
    for (const listener of this.stateListeners) listener();
  }
}

function placeOf(context: Context, key: string): string {
  return `${context} ${key}`;
}
