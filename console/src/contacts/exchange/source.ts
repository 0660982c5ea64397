// What the pages of imports and exports keep and read.

import type { Client } from "../../api/client";
import type { ConsoleApi } from "../../api/routes";

export type Preview = ConsoleApi.ImportPreview;
export type ImportState = ConsoleApi.ImportView;
export type ExportState = ConsoleApi.ExportView;
export type ImportRow = ConsoleApi.ImportRow;
export type ContactList = ConsoleApi.ContactListView;

export const CHANNELS = ["whatsapp", "sms", "email"] as const;
export type ConsentChannel = (typeof CHANNELS)[number];
export const STATES = ["opted_in", "opted_out", "unreachable"] as const;
export type AttestedState = (typeof STATES)[number];
export const OUTCOMES = ["created", "updated", "unchanged", "refused"] as const;

// What a person has entered for an import; it outlives a reload.
export interface Entered {
  importId: string;
  file: string;
  columns: (string | null)[] | null; // null: as proposed
  region: string;
  fills: boolean;
  listId: string;
  channels: ConsentChannel[];
  state: AttestedState; // what holds for all people of the file on these channels
  source: string;
  day: string; // since when at the latest
  isStarted: boolean;
}

export function entered(importId: string, file: string): Entered {
  return { importId, file, columns: null, region: "", fills: false, listId: "", channels: [], state: "opted_in", source: "", day: "", isStarted: false };
}

// What was kept as a text; null for none and for one of another version of the page.
export function kept(text: string): Entered | null {
  try {
    const found = JSON.parse(text || "null") as Partial<Entered> | null;
    return found && typeof found.importId === "string" ? { ...entered(found.importId, found.file ?? ""), ...found } : null;
  } catch {
    return null;
  }
}

export function isRegion(text: string): boolean {
  return text === "" || /^[A-Z]{2}$/.test(text);
}

// The part of the request that the preview has, too.
export function mapping({ columns, region, fills }: Entered): ConsoleApi.ColumnsInput {
  return { columns, region: region || null, fills };
}

export function startOf(from: Entered, columns: (string | null)[]): ConsoleApi.StartInput {
  const consent = from.channels.length > 0 ? { state: from.state, channels: from.channels, source: from.source.trim(), given_at: `${from.day}T00:00:00Z` } : null;
  return { columns, region: from.region || null, fills: from.fills, list_id: from.listId || null, consent };
}

export async function listsOf(client: Client, signal: AbortSignal): Promise<ContactList[]> {
  return (await client.call("GET /contacts/lists", { signal })).result.lists;
}
