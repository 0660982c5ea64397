// What a person has entered of a routing, and its request. Pure.

import type { Actions } from "../../api/routes";
import { lined, parsed } from "../json";

export interface Entered {
  first: string;
  rows: { screen: string; next: string; data: string }[]; // data: JSON, or nothing
  url: string;
  secret: string;
}

export function enteredOf(stored: Actions.StoredRouting | null): Entered {
  if (!stored) return { first: "", rows: [{ screen: "", next: "", data: "" }], url: "", secret: "" };
  const screens = [...new Set([stored.firstScreen, ...Object.keys(stored.routes), ...Object.keys(stored.screenData)])];
  const dataOf = (screen: string) => (stored.screenData[screen] ? lined(stored.screenData[screen]) : "");
  return {
    first: stored.firstScreen,
    rows: screens.map((screen) => ({ screen, next: stored.routes[screen] ?? "", data: dataOf(screen) })),
    url: stored.endpointUrl ?? "",
    secret: stored.secretReference ?? "",
  };
}

// null: nothing is kept.
export function kept(text: string): Entered | null {
  try {
    return JSON.parse(text || "null") as Entered | null;
  } catch {
    return null;
  }
}

interface Fault {
  row: number;
  line: number | null;
}

export function bodyOf(flowId: string, { first, rows, url, secret }: Entered): Actions.SetFlowRouting | { faults: Fault[] } {
  const routes: Record<string, string> = {};
  const screenData: Record<string, Record<string, unknown>> = {};
  const faults: Fault[] = [];
  rows.forEach(({ screen, next, data }, row) => {
    if (next.trim()) routes[screen.trim()] = next.trim();
    if (!data.trim()) return;
    const read = parsed(data);
    if ("value" in read) screenData[screen.trim()] = read.value;
    else faults.push({ row, line: read.line });
  });
  if (faults.length > 0) return { faults };
  const endpoint = url.trim() ? { url: url.trim(), secretReference: secret.trim() } : null;
  return { flowId, firstScreen: first.trim(), routes, screenData, ...(endpoint && { endpoint }) };
}
