// What was done, for some seconds, with its undo. Kept while the person goes on to other pages.

export interface Toast {
  id: number;
  text: string;
  undo: (() => Promise<unknown>) | null; // throws ApiError; null: a result that cannot be undone
}

export const SHOWN_MS = 8_000;
const MOST = 3;

let toasts: readonly Toast[] = [];
let last = 0;
const listeners = new Set<() => void>();

// Newest last.
export function shownToasts(): readonly Toast[] {
  return toasts;
}

export function onToasts(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export function showToast(text: string, undo: Toast["undo"] = null): void {
  become([...toasts, { id: ++last, text, undo }].slice(-MOST));
}

// To be called once for a toast: an undo runs at most once.
export function takeToast(id: number): Toast | null {
  const taken = toasts.find((one) => one.id === id) ?? null;
  if (taken) become(toasts.filter((one) => one.id !== id));
  return taken;
}

// Another company or person: what was done before cannot be undone there.
export function clearToasts(): void {
  if (toasts.length) become([]);
}

function become(next: readonly Toast[]): void {
  toasts = next;
  for (const listener of listeners) listener();
}
