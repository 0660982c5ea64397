// A change of many conversations: chosen ones, or all that match a filter. It goes on after a reload of the tab, and ends
// with a result. Pure; tests run it in Node.js.

import type { Outcome, Target, Wanted } from "./change";

export interface Refused {
  target: Target;
  code: string;
}

// listing: the conversations that match are collected first, as changes would move them between pages.
export type Stage = "listing" | "changing" | "stopped" | "ended";

export interface Progress<Filter> {
  id: string;
  wanted: Wanted;
  stage: Stage;
  filter: Filter | null; // of all that match
  cursor: string | null;
  total: number;
  next: number; // of the targets
  done: number;
  skipped: number;
  refused: Refused[];
  isCut: boolean; // more matched than MOST
}

export interface Ports<Filter> {
  read: (name: string) => string;
  write: (name: string, text: string) => void;
  list: (filter: Filter, cursor: string | null) => Promise<{ targets: Target[]; cursor: string | null }>;
  change: (wanted: Wanted, target: Target, key: string) => Promise<Outcome>;
  // Milliseconds until a retry of a failure makes sense; null: it is the outcome of this conversation.
  waitOf: (failure: unknown, attempt: number) => number | null;
  codeOf: (failure: unknown) => string;
  pause: (ms: number) => Promise<void>;
  newId: () => string;
}

export const MOST = 2_000; // conversations of one job
const PROGRESS = "bulk:progress";
const TARGETS = "bulk:targets";

export class BulkJobs<Filter> {
  private readonly ports: Ports<Filter>;
  private readonly listeners = new Set<() => void>();
  private targets: Target[];
  private isRunning = false;
  current: Progress<Filter> | null;

  constructor(ports: Ports<Filter>) {
    this.ports = ports;
    this.current = JSON.parse(ports.read(PROGRESS) || "null") as Progress<Filter> | null;
    this.targets = JSON.parse(ports.read(TARGETS) || "[]") as Target[];
  }

  onChange(listener: () => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  get isActive(): boolean {
    return this.current !== null && (this.current.stage === "listing" || this.current.stage === "changing");
  }

  // Begins one, unless another one is running. With a *filter*: all that match it instead of *targets*.
  begin(wanted: Wanted, targets: Target[], filter: Filter | null): void {
    if (this.isActive) return;
    this.keepTargets(filter === null ? targets.slice(0, MOST) : []);
    this.become({
      id: this.ports.newId(),
      wanted,
      stage: filter === null ? "changing" : "listing",
      filter,
      cursor: null,
      total: this.targets.length,
      next: 0,
      done: 0,
      skipped: 0,
      refused: [],
      isCut: filter === null && targets.length > MOST,
    });
    void this.run();
  }

  // Goes on after a reload, or after the person stopped it.
  async resume(): Promise<void> {
    if (this.current?.stage === "stopped") this.become({ ...this.current, stage: this.current.filter !== null && this.current.total === 0 ? "listing" : "changing" });
    await this.run();
  }

  stop(): void {
    if (this.isActive) this.become({ ...this.current!, stage: "stopped" });
  }

  // Forgets the result.
  dismiss(): void {
    if (this.isActive) return;
    this.keepTargets([]);
    this.become(null);
  }

  private async run(): Promise<void> {
    if (this.isRunning) return;
    this.isRunning = true;
    try {
      while (this.current?.stage === "listing") await this.collect(this.current);
      while (this.current?.stage === "changing") await this.changeNext(this.current);
    } finally {
      this.isRunning = false;
    }
  }

  private async collect(job: Progress<Filter>): Promise<void> {
    const page = await this.patiently(() => this.ports.list(job.filter!, job.cursor));
    if (this.current?.stage !== "listing") return;
    if ("failure" in page) {
      this.become({ ...this.current, stage: "stopped" });
      return;
    }
    // A conversation that moved meanwhile is on two pages.
    const known = new Set(this.targets.map((one) => `${one.context}/${one.key}`));
    const found = page.value.targets.filter((one) => !known.has(`${one.context}/${one.key}`));
    const all = [...this.targets, ...found];
    this.keepTargets(all.slice(0, MOST));
    const isLast = page.value.cursor === null || all.length >= MOST;
    const isCut = all.length > MOST || (all.length === MOST && page.value.cursor !== null);
    this.become({ ...this.current, cursor: page.value.cursor, total: isLast ? this.targets.length : 0, isCut, stage: isLast ? "changing" : "listing" });
  }

  private async changeNext(job: Progress<Filter>): Promise<void> {
    const target = this.targets[job.next];
    if (!target) {
      this.become({ ...job, stage: "ended" });
      return;
    }
    const made = await this.patiently(() => this.ports.change(job.wanted, target, `${job.id}-${job.next}`));
    const { current } = this;
    if (current === null || current.id !== job.id) return;
    if ("failure" in made) {
      if (current.stage === "stopped" && this.ports.waitOf(made.failure, 1) !== null) return; // it is tried again
      const refused = [...current.refused, { target, code: this.ports.codeOf(made.failure) }];
      this.become({ ...current, next: job.next + 1, refused });
    } else {
      const count = made.value === "done" ? { done: current.done + 1 } : { skipped: current.skipped + 1 };
      this.become({ ...current, next: job.next + 1, ...count });
    }
  }

  // Waits for the rate and for the network, as long as the person does not stop the job.
  private async patiently<T>(act: () => Promise<T>): Promise<{ value: T } | { failure: unknown }> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return { value: await act() };
      } catch (failure) {
        const wait = this.ports.waitOf(failure, attempt);
        if (wait === null || !this.isActive) return { failure };
        await this.ports.pause(wait);
      }
    }
  }

  private keepTargets(targets: Target[]): void {
    this.targets = targets;
    this.ports.write(TARGETS, targets.length ? JSON.stringify(targets) : "");
  }

  private become(next: Progress<Filter> | null): void {
    this.current = next;
    this.ports.write(PROGRESS, next ? JSON.stringify(next) : "");
    for (const listener of this.listeners) listener();
  }
}

// The rows between two ones of a list, with both: what Shift chooses.
export function rangeOf(keys: readonly string[], from: string, to: string): string[] {
  const [first, last] = [keys.indexOf(from), keys.indexOf(to)].sort((one, other) => one - other) as [number, number];
  return first < 0 ? keys.filter((key) => key === to) : keys.slice(first, last + 1);
}
