// Whether the network answers. Packets may vanish while the browser reports no loss and the connection looks open, so a
// page that is seen asks after a silence, and says within SHOWN_MS that nothing answers. Everything that arrives is an
// answer: a busy page asks rarely.

export interface Wires {
  isSeen(): boolean; // pages in the background ask nothing
  ping(): boolean; // asks over the connection; false without one that answers
  probe(withinMs: number): Promise<boolean>; // asks for a file, and says whether it came
  silent(): void; // the network answers, and the connection does not
  changed(): void; // `isLost` has another value
  now(): number;
  after(ms: number, action: () => void): unknown;
  cancel(timer: unknown): void;
}

const SHOWN_MS = 4_700; // the page needs the rest of five seconds
const LEAST_PATIENCE_MS = 1_500;
const MOST_PATIENCE_MS = 3_000;
const AGAIN_MS = 2_000; // from an unanswered question to the next one
const ASLEEP_MS = 1_000; // a timer that is so late: the machine has slept, and has asked nothing

export class Heartbeat {
  isLost = false;
  private readonly wires: Wires;
  private isRunning = false;
  private timer: unknown;
  private askedAt: number | null = null;
  private generation = 0; // answers to older questions are dropped
  private patience = MOST_PATIENCE_MS; // three times the latest round trip, within the bounds

  constructor(wires: Wires) {
    this.wires = wires;
  }

  // Returns a function that ends it.
  run(): () => void {
    this.isRunning = true;
    this.rest();
    return () => {
      this.isRunning = false;
      this.clear();
    };
  }

  // The page is seen again, or not any more.
  turn(): void {
    this.clear();
    if (this.isRunning) this.ask();
  }

  heard(): void {
    if (this.askedAt !== null) {
      const roundTrip = this.wires.now() - this.askedAt;
      this.patience = Math.min(MOST_PATIENCE_MS, Math.max(LEAST_PATIENCE_MS, 3 * roundTrip));
    }
    this.become(false);
    this.rest();
  }

  // A call had no answer.
  failed(): void {
    if (!this.isRunning) return;
    this.clear();
    this.become(true);
    void this.probe(false);
  }

  private rest(): void {
    this.clear();
    if (this.isRunning) this.timer = this.wires.after(SHOWN_MS - this.patience, () => this.ask());
  }

  private ask(): void {
    if (!this.wires.isSeen()) return;
    this.askedAt = this.wires.now();
    if (this.isLost || !this.wires.ping()) void this.probe(false);
    else this.timer = this.wires.after(this.patience, () => this.miss());
  }

  private miss(): void {
    if (this.wires.now() - this.askedAt! > this.patience + ASLEEP_MS) return this.turn();
    this.become(true);
    void this.probe(true);
  }

  private async probe(wasPinged: boolean): Promise<void> {
    const generation = ++this.generation;
    const isAnswered = await this.wires.probe(this.isLost ? MOST_PATIENCE_MS : this.patience);
    if (generation !== this.generation || !this.isRunning) return;
    if (isAnswered) {
      if (wasPinged) this.wires.silent();
      this.heard();
    } else {
      this.become(true);
      this.timer = this.wires.after(AGAIN_MS, () => this.ask());
    }
  }

  private clear(): void {
    this.generation += 1;
    this.askedAt = null;
    this.wires.cancel(this.timer);
  }

  private become(isLost: boolean): void {
    if (this.isLost === isLost) return;
    this.isLost = isLost;
    this.wires.changed();
  }
}
