// A dialog of another provider that has returned to this page, with a code as the login pages do: its own state tells it apart.

const BEGUN = "parley:dialog";
const RETURNED = "parley:returned";

interface Begun {
  state: string;
  place: string;
}

// Whether this visit is such a return: the place is shown again after a login, and takes it there.
export function keepReturned(): boolean {
  const begun = JSON.parse(sessionStorage.getItem(BEGUN) ?? "null") as Begun | null;
  if (!begun || new URLSearchParams(location.search).get("state") !== begun.state) return false;
  sessionStorage.setItem(RETURNED, location.search);
  sessionStorage.removeItem(BEGUN);
  history.replaceState(null, "", location.pathname + begun.place);
  return true;
}

export function begin(place: string): string {
  const state = crypto.randomUUID();
  sessionStorage.setItem(BEGUN, JSON.stringify({ state, place } satisfies Begun));
  return state;
}

// What the dialog has given back; a second call gets nothing.
export function takeReturned(): URLSearchParams | null {
  const found = sessionStorage.getItem(RETURNED);
  sessionStorage.removeItem(RETURNED);
  return found === null ? null : new URLSearchParams(found);
}
