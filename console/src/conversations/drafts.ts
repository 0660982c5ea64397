// Unsent texts by form, such as the composer of a conversation. They outlive a login, and end with the tab or with signing out.

const PREFIX = "parley:draft:";
const ATTEMPT = "attempt:";
const OWNER = "owner";
const POSITION = "position:";
const listeners = new Set<() => void>();

interface Attempt {
  content: string;
  key: string;
}

export function draftOf(form: string): string {
  return sessionStorage.getItem(PREFIX + form) ?? "";
}

export function keepDraft(form: string, text: string): void {
  if (text) sessionStorage.setItem(PREFIX + form, text);
  else sessionStorage.removeItem(PREFIX + form);
  for (const listener of listeners) listener();
}

// The forms whose names begin with *prefix*, without it.
export function formsOf(prefix: string): string[] {
  const whole = PREFIX + prefix;
  return Object.keys(sessionStorage).flatMap((key) => (key.startsWith(whole) ? [key.slice(whole.length)] : []));
}

// The position of a conversation at which the writing of its unsent text began, *present* if it begins now.
export function writtenAt(form: string, present: string | null): string | null {
  const begun = draftOf(POSITION + form);
  if (!begun && present) keepDraft(POSITION + form, present);
  return begun || present;
}

// The writer has seen the conversation up to *position*.
export function keepWrittenAt(form: string, position: string | null): void {
  keepDraft(POSITION + form, position ?? "");
}

export function forgetWrittenAt(form: string): void {
  if (draftOf(POSITION + form)) keepDraft(POSITION + form, "");
}

// Calls *listener* after every change of a draft.
export function onDrafts(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

// The Idempotency-Key of a content: the same one until `forgetKey`, also after a reload.
export function keyOf(form: string, content: string): string {
  const stored = JSON.parse(draftOf(ATTEMPT + form) || "null") as Attempt | null;
  if (stored?.content === content) return stored.key;
  const key = crypto.randomUUID();
  keepDraft(ATTEMPT + form, JSON.stringify({ content, key }));
  return key;
}

export function forgetKey(form: string): void {
  keepDraft(ATTEMPT + form, "");
}

// What is left of a text after its beginning was sent: what a person typed meanwhile.
export function withoutSent(text: string, sent: string): string {
  return text.startsWith(sent) ? text.slice(sent.length).trimStart() : text;
}

// Removes the drafts of another person who used this tab before.
export function keepDraftsOf(principal: string): void {
  if (draftOf(OWNER) === principal) return;
  forgetDrafts();
  keepDraft(OWNER, principal);
}

export function forgetDrafts(): void {
  for (const key of Object.keys(sessionStorage)) {
    if (key.startsWith(PREFIX)) sessionStorage.removeItem(key);
  }
}
