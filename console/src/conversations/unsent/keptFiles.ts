// Files of unsent messages, by conversation. Their uploads go on while the person is on other pages; an uploaded one
// also outlives a reload and a login, as the unsent text does. Pure; tests run it in Node.js.

export interface KeptFile<Upload, Problem> {
  id: number;
  name: string;
  mimeType: string;
  bytes: number;
  at: number; // when it was chosen, milliseconds
  content: File | null; // null after a reload
  upload: Upload | null; // what the message names, once it is uploaded
  share: number; // of the bytes
  error: Problem | null;
}

type Content = Pick<File, "name" | "type" | "size">;
export type Send<Upload> = (onShare: (share: number) => void, signal: AbortSignal) => Promise<Upload>;

export interface Ports<Problem> {
  read: (form: string) => string;
  write: (form: string, text: string) => void;
  problemOf: (failure: unknown) => Problem;
  now: () => number;
}

const USABLE_MS = 23 * 3_600_000; // the store deletes an upload after a day

export class KeptFiles<Upload, Problem> {
  private readonly ports: Ports<Problem>;
  private readonly files = new Map<string, readonly KeptFile<Upload, Problem>[]>();
  private readonly running = new Map<number, AbortController>();
  private readonly listeners = new Set<() => void>();
  private last = 0;

  constructor(ports: Ports<Problem>) {
    this.ports = ports;
  }

  // The same array until it changes.
  of(form: string): readonly KeptFile<Upload, Problem>[] {
    const known = this.files.get(form);
    if (known) return known;
    const stored = JSON.parse(this.ports.read(form) || "[]") as KeptFile<Upload, Problem>[];
    const found = stored.filter((one) => this.ports.now() - one.at < USABLE_MS).map((one) => ({ ...one, id: ++this.last }));
    this.files.set(form, found);
    return found;
  }

  onChange(listener: () => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  async add(form: string, content: Content & Partial<File>, send: Send<Upload>): Promise<void> {
    const id = ++this.last;
    const file = { id, name: content.name, mimeType: content.type, bytes: content.size, at: this.ports.now() };
    this.become(form, [...this.of(form), { ...file, content: content as File, upload: null, share: 0, error: null }]);
    await this.start(form, id, send);
  }

  // Uploads one again that failed.
  async start(form: string, id: number, send: Send<Upload>): Promise<void> {
    this.running.get(id)?.abort();
    const controller = new AbortController();
    this.running.set(id, controller);
    const change = (next: Partial<KeptFile<Upload, Problem>>) => {
      if (!controller.signal.aborted) this.become(form, this.of(form).map((one) => (one.id === id ? { ...one, ...next } : one)));
    };
    change({ error: null, share: 0 });
    try {
      const upload = await send((share) => change({ share }), controller.signal);
      change({ upload, share: 1 });
    } catch (failure) {
      change({ error: this.ports.problemOf(failure) });
    }
  }

  // Attaches an uploaded one again.
  restore(form: string, file: KeptFile<Upload, unknown>): void {
    this.become(form, [...this.of(form), { ...file, error: null, id: ++this.last }]);
  }

  remove(form: string, id: number): void {
    this.running.get(id)?.abort();
    this.become(form, this.of(form).filter((one) => one.id !== id));
  }

  clear(form: string): void {
    for (const one of this.of(form)) this.running.get(one.id)?.abort();
    this.become(form, []);
  }

  private become(form: string, files: readonly KeptFile<Upload, Problem>[]): void {
    this.files.set(form, files);
    const uploaded = files.filter((one) => one.upload !== null).map((one) => ({ ...one, content: null }));
    this.ports.write(form, uploaded.length ? JSON.stringify(uploaded) : "");
    for (const listener of this.listeners) listener();
  }
}
