// The text of a draft in the parts of its headings, with the warnings of each. Pure.

import type { NewslettersApi } from "../../api/routes";

type Draft = Pick<NewslettersApi.DraftView, "content" | "sections" | "section_order" | "warnings">;
type Warning = NewslettersApi.EditorWarning;

export interface Part {
  name: string; // of its heading; empty above the first
  key: string | null; // of the draft's section; none for headings that people wrote
  text: string;
  warnings: Warning[];
}

const HEADING = /^##[ \t]+(.*)$/;
const ESCAPED = /\\([!-/:-@[-`{-~])/g;
const FENCE = /^(```|~~~)/;

// Joined, the parts are the whole text again.
export function textsOf(content: string): string[] {
  const parts = [""];
  let isCode = false;
  for (const line of content.split(/(?<=\n)/)) {
    if (FENCE.test(line)) isCode = !isCode;
    if (!isCode && HEADING.test(line.trimEnd())) parts.push("");
    parts[parts.length - 1] += line;
  }
  return parts;
}

export function headingOf(text: string): string {
  return HEADING.exec(text.split("\n", 1)[0]!.trimEnd())?.[1]?.trim() ?? "";
}

// The first section of a draft has no heading of its own; all others begin with theirs.
export function partsOf({ sections, section_order, warnings }: Draft, texts: string[]): Part[] {
  const keys = new Map(section_order.map((key) => [headingOf(sections[key] ?? ""), key]));
  const first = section_order.find((key) => !headingOf(sections[key] ?? ""));
  const names = texts.map(headingOf);
  const taken = new Set<string>();
  const keyOf = (name: string, at: number) => {
    const key = keys.get(name) || (at === names.findIndex(Boolean) ? first : undefined);
    if (!name || key === undefined || taken.has(key)) return null;
    taken.add(key);
    return key;
  };
  const found = names.map(keyOf);
  // A warning whose section is gone is shown at the top.
  const elsewhere = warnings.filter(({ section }) => !found.includes(section ?? ""));
  return texts.map((text, at) => ({
    name: names[at]!.replace(ESCAPED, "$1"),
    key: found[at] ?? null,
    text,
    warnings: found[at] === null ? (at === 0 ? elsewhere : []) : warnings.filter(({ section }) => section === found[at]),
  }));
}

// Where a warning's text is in a part; null if it was changed. Markers of sources may stand in between.
export function rangeOf(text: string, words: string): [number, number] | null {
  const at = text.indexOf(words.trim());
  return words.trim() && at >= 0 ? [at, at + words.trim().length] : null;
}
