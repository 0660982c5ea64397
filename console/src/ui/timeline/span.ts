// Which entries of a timeline are in the document: all of a short one, else those around the reading place. Pure.

export interface Place {
  key: string;
  at: string;
}

export interface Span {
  start: number;
  end: number; // exclusive
}

export const MOST = 240; // entries in the document
const MARGIN = 60; // entries beyond the screen, before others take their place
const OLDEST = 15; // so near to the oldest entry older ones are loaded

// Around *anchor*, which an erasure may have removed; null: at the end.
export function spanOf(entries: readonly Place[], anchor: Place | null): Span {
  const count = entries.length;
  const index = anchor === null ? count : indexOf(entries, anchor);
  const end = Math.min(count, Math.max(index + MOST / 2, MOST));
  return { start: Math.max(0, end - MOST), end };
}

// Whether the document needs other entries, with the first and the last visible one at these indexes.
export function isNearEdge(span: Span, count: number, first: number, last: number): boolean {
  return (span.start > 0 && first - span.start < MARGIN) || (span.end < count && span.end - last < MARGIN);
}

export function needsOlder(span: Span, first: number): boolean {
  return span.start === 0 && first < OLDEST;
}

export function indexOf(entries: readonly Place[], place: Place): number {
  const found = entries.findIndex((entry) => entry.key === place.key);
  if (found >= 0) return found;
  return firstSince(entries, place.at) ?? entries.length;
}

// The first entry at a time or after it.
export function firstSince(entries: readonly Place[], at: string): number | null {
  const found = entries.findIndex((entry) => entry.at >= at);
  return found < 0 ? null : found;
}

// The entries after the last one that was seen; all are seen before the first look.
export function newSince<E extends Place>(entries: readonly E[], seen: Place | null): readonly E[] {
  if (seen === null) return [];
  const index = entries.findIndex((entry) => entry.key === seen.key);
  return index >= 0 ? entries.slice(index + 1) : entries.filter((entry) => entry.at > seen.at);
}

// The index of the next match in the direction; null beyond the last one.
export function nextMatch(matches: readonly number[], from: number | null, step: 1 | -1): number | null {
  if (from === null) return (step === -1 ? matches.at(-1) : matches[0]) ?? null;
  const ahead = step === 1 ? matches.find((one) => one > from) : matches.findLast((one) => one < from);
  return ahead ?? null;
}
