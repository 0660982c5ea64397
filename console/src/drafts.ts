// Unsent texts by conversation. They outlive a login, and end with the tab or with signing out.

const PREFIX = "parley:draft:";

export function draftOf(conversation: string): string {
  return sessionStorage.getItem(PREFIX + conversation) ?? "";
}

export function keepDraft(conversation: string, text: string): void {
  if (text) sessionStorage.setItem(PREFIX + conversation, text);
  else sessionStorage.removeItem(PREFIX + conversation);
}

export function forgetDrafts(): void {
  for (const key of Object.keys(sessionStorage)) {
    if (key.startsWith(PREFIX)) sessionStorage.removeItem(key);
  }
}
