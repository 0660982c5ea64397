// Places are fragments (#/inbox/whatsapp/...): they never reach a server, so no log has the keys in them.

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
  const [route, setRoute] = useState(parts);
  useEffect(() => {
    const update = () => setRoute(parts());
    addEventListener("hashchange", update);
    return () => removeEventListener("hashchange", update);
  }, []);
  return route;
}
