// Places are fragments (#/inbox/whatsapp/...?q=...): they never reach a server, so no log has the keys and words in them.

import { useEffect, useState } from "preact/hooks";

export function placeOf(...parts: string[]): string {
  return `#/${parts.map(encodeURIComponent).join("/")}`;
}

export function go(place: string): void {
  location.hash = place;
}

function parts(): string[] {
  return location.hash.replace(/^#\/?/, "").split("?")[0]!.split("/").filter(Boolean).map(decoded);
}

// A typed place may be no encoded text.
function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

export function useRoute(): string[] {
  return useHash(parts);
}

// What follows the place: the filters of its list.
export function useQuery(): string {
  return useHash(query);
}

// Places of the same list keep its filters.
export function withQuery(place: string, query: string): string {
  return query ? `${place}?${query}` : place;
}

// *isStep*: Back returns to the query before.
export function changeQuery(next: string, isStep: boolean): void {
  if (next === query()) return;
  const address = withQuery(location.hash.split("?")[0] || "#/", next);
  if (isStep) history.pushState(null, "", address);
  else history.replaceState(null, "", address);
  dispatchEvent(new Event("hashchange")); // which the browser leaves out for both
}

function query(): string {
  const at = location.hash.indexOf("?");
  return at < 0 ? "" : location.hash.slice(at + 1);
}

function useHash<T>(read: () => T): T {
  const [value, setValue] = useState(read);
  useEffect(() => {
    const update = () => setValue(read());
    update();
    addEventListener("hashchange", update);
    addEventListener("popstate", update);
    return () => {
      removeEventListener("hashchange", update);
      removeEventListener("popstate", update);
    };
  }, []);
  return value;
}
