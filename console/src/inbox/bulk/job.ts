// A change of many conversations as this page sees it. The server makes it, also if the page is closed; the page asks how
// far it is while it goes on. Pure; tests run it in Node.js.

export type Action = "assign" | "label" | "snooze" | "resolve" | "archive" | "read";

export interface Wanted {
  action: Action;
  value: string | null; // assignee, label, or the end of a snooze
}

export interface Target {
  context: "whatsapp" | "conversations" | "email_threads";
  key: string;
}

export interface Progress {
  changeId: string;
  requestedAt: string;
  stage: "listing" | "changing" | "ended";
}

export interface Ports<Shown extends Progress, Filter> {
  read: () => string; // the id of the result that the person has closed
  write: (changeId: string) => void;
  begin: (wanted: Wanted, targets: Target[] | Filter, key: string) => Promise<void>;
  newest: () => Promise<Shown | null>;
  stop: (changeId: string) => Promise<void>;
  undo: (changeId: string, key: string) => Promise<void>;
  pause: (ms: number) => Promise<void>;
  newId: () => string;
  now: () => number;
}

const LOOK_MS = 2_000;
const FAILED_MS = 10_000;
const SHOWN_MS = 86_400_000; // a result of an earlier visit

export class BulkJobs<Shown extends Progress, Filter> {
  private readonly ports: Ports<Shown, Filter>;
  private readonly listeners = new Set<() => void>();
  private isWatching = false;
  private hasLooked = false;
  private asked: (() => Promise<void>) | null = null;
  current: Shown | null = null;
  failure: unknown = null; // of the last request of the person

  constructor(ports: Ports<Shown, Filter>) {
    this.ports = ports;
  }

  onChange(listener: () => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  get isActive(): boolean {
    return this.current !== null && this.current.stage !== "ended";
  }

  // Begins a change of the chosen conversations, or of all that match a filter.
  async begin(wanted: Wanted, targets: Target[] | Filter): Promise<void> {
    const key = this.ports.newId();
    this.asked = () => this.ports.begin(wanted, targets, key);
    await this.repeat();
  }

  // Puts the conversations of the ended change back: another change, with a result of its own.
  async undo(): Promise<void> {
    const { current } = this;
    if (!current || this.isActive) return;
    const key = this.ports.newId();
    this.asked = () => this.ports.undo(current.changeId, key);
    await this.repeat();
  }

  // Repeats a request that failed: under its key it is made once.
  async repeat(): Promise<void> {
    const { asked } = this;
    if (!asked) return;
    await this.tried(asked);
    if (this.failure === null) this.asked = null;
    await this.watch();
  }

  // After a reload, and *again* when the page is seen again, as another page of the person may have begun one: whether
  // there is a change that goes on, or a result that the person has not seen.
  async look(again = false): Promise<void> {
    if (this.hasLooked && !again) return;
    this.hasLooked = true;
    await this.watch();
  }

  async stop(): Promise<void> {
    const { current } = this;
    if (!current || !this.isActive) return;
    await this.tried(() => this.ports.stop(current.changeId));
    await this.watch();
  }

  // Forgets the result.
  dismiss(): void {
    this.asked = this.failure = null;
    if (this.current && !this.isActive) {
      this.ports.write(this.current.changeId);
      this.current = null;
    }
    this.tell();
  }

  private async tried(request: () => Promise<void>): Promise<void> {
    this.failure = null;
    try {
      await request();
    } catch (failure) {
      this.failure = failure;
    }
    this.tell();
  }

  // Asks until the change is ended.
  private async watch(): Promise<void> {
    if (this.isWatching) return;
    this.isWatching = true;
    try {
      do {
        let wait = LOOK_MS;
        try {
          this.show(await this.ports.newest());
        } catch {
          if (!this.isActive) return; // the next visit asks again
          wait = FAILED_MS;
        }
        if (this.isActive) await this.ports.pause(wait);
      } while (this.isActive);
    } finally {
      this.isWatching = false;
    }
  }

  private show(found: Shown | null): void {
    const isOld = found?.stage === "ended" && (found.changeId === this.ports.read() || this.ports.now() - Date.parse(found.requestedAt) > SHOWN_MS);
    this.current = isOld ? null : found;
    this.tell();
  }

  private tell(): void {
    for (const listener of this.listeners) listener();
  }
}

// The rows between two ones of a list, with both: what Shift chooses.
export function rangeOf(keys: readonly string[], from: string, to: string): string[] {
  const [first, last] = [keys.indexOf(from), keys.indexOf(to)].sort((one, other) => one - other) as [number, number];
  return first < 0 ? keys.filter((key) => key === to) : keys.slice(first, last + 1);
}
