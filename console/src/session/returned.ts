// A dialog of another provider that has returned to this page, with a code as the login pages do: its own state tells it apart.
// Kept as drafts are: it ends with signing out, and with another person's login.

import { draftOf, keepDraft } from "../conversations/drafts";

const BEGUN = "dialog";
const RETURNED = "returned";

interface Begun {
  state: string;
  place: string;
  company: string | null; // in which the person has opened the dialog
}

export interface Returned {
  answer: string; // the query
  company: string | null;
  at: number;
}

// Whether this visit is such a return: the place is shown again after a login, and takes it there.
export function keepReturned(): boolean {
  const begun = read<Begun>(BEGUN);
  if (!begun || new URLSearchParams(location.search).get("state") !== begun.state) return false;
  keepDraft(RETURNED, JSON.stringify({ answer: location.search, company: begun.company, at: Date.now() } satisfies Returned));
  keepDraft(BEGUN, "");
  history.replaceState(null, "", location.pathname + begun.place);
  return true;
}

export function begin(place: string, company: string | null): string {
  const state = crypto.randomUUID();
  keepDraft(BEGUN, JSON.stringify({ state, place, company } satisfies Begun));
  return state;
}

// What the dialog has given back and is not taken yet.
export function returned(): Returned | null {
  return read<Returned>(RETURNED);
}

// A second call gets nothing.
export function takeReturned(): Returned | null {
  const found = returned();
  keepDraft(RETURNED, "");
  return found;
}

function read<Kept>(name: string): Kept | null {
  return JSON.parse(draftOf(name) || "null") as Kept | null;
}
