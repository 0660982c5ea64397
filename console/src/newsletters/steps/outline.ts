// An outline while a person edits it. Pure.

import type { NewslettersApi } from "../../api/routes";

export interface Item {
  key: string; // also of a new item, which has no id
  id: string;
  title: string;
  description: string;
  isIncluded: boolean;
  notes: string;
  references: string[];
}

export interface Section {
  key: string;
  id: string;
  name: string;
  items: Item[];
}

export interface Outline {
  version: number; // that the changes were begun with
  sections: Section[];
}

type Stored = Pick<NewslettersApi.OutlineView, "version" | "sections">;

export function editedFrom({ version, sections }: Stored): Outline {
  return {
    version,
    sections: sections.map(({ id, name, items = [] }) => ({
      key: id,
      id,
      name,
      items: items.map((item) => ({
        key: item.id,
        id: item.id,
        title: item.title,
        description: item.description ?? "",
        isIncluded: item.included ?? true,
        notes: item.user_notes ?? "",
        references: item.rag_reference_ids ?? [],
      })),
    })),
  };
}

// Kept changes, or the stored outline's: of another page's text nothing is taken.
export function kept(text: string, stored: Stored): Outline {
  try {
    const found = JSON.parse(text || "null") as Outline | null;
    return found?.sections ? found : editedFrom(stored);
  } catch {
    return editedFrom(stored);
  }
}

export function withItem(outline: Outline, key: string, change: Partial<Item>): Outline {
  return eachSection(outline, (section) => ({ ...section, items: section.items.map((item) => (item.key === key ? { ...item, ...change } : item)) }));
}

export function withName(outline: Outline, key: string, name: string): Outline {
  return eachSection(outline, (section) => (section.key === key ? { ...section, name } : section));
}

export function without(outline: Outline, key: string): Outline {
  return eachSection(outline, (section) => ({ ...section, items: section.items.filter((item) => item.key !== key) }));
}

export function added(outline: Outline, section: string, key: string, title: string): Outline {
  const item = { key, id: "", title, description: "", isIncluded: true, notes: "", references: [] };
  return eachSection(outline, (one) => (one.key === section ? { ...one, items: [...one.items, item] } : one));
}

// The item before another one (*before*), or at the end of a section.
export function dropped(outline: Outline, key: string, section: string, before: string | null): Outline {
  const item = outline.sections.flatMap(({ items }) => items).find((one) => one.key === key);
  if (!item || key === before) return outline;
  return eachSection(without(outline, key), (one) => {
    if (one.key !== section) return one;
    const at = one.items.findIndex((other) => other.key === before);
    return { ...one, items: at < 0 ? [...one.items, item] : one.items.toSpliced(at, 0, item) };
  });
}

// One place up or down; from the end of a section into the neighbouring one.
export function stepped(outline: Outline, key: string, by: 1 | -1): Outline {
  const from = outline.sections.findIndex(({ items }) => items.some((item) => item.key === key));
  const section = outline.sections[from];
  if (!section) return outline;
  const at = section.items.findIndex((item) => item.key === key);
  if (section.items[at + by]) {
    const before = by < 0 ? section.items[at - 1] : section.items[at + 2];
    return dropped(outline, key, section.key, before?.key ?? null);
  }
  const next = outline.sections[from + by];
  if (!next) return outline;
  return dropped(outline, key, next.key, by > 0 ? (next.items[0]?.key ?? null) : null);
}

// Where an item is, for people who hear it: names and numbers from 1.
export function placeIn(outline: Outline, key: string): { section: string; place: number; of: number } | null {
  for (const { name, items } of outline.sections) {
    const at = items.findIndex((item) => item.key === key);
    if (at >= 0) return { section: name, place: at + 1, of: items.length };
  }
  return null;
}

export function requestOf({ version, sections }: Outline): NewslettersApi.OutlineInput {
  return {
    version,
    sections: sections.map(({ id, name, items }) => ({
      ...(id ? { id } : {}),
      name,
      items: items.map((item) => ({
        ...(item.id ? { id: item.id } : {}),
        title: item.title,
        description: item.description,
        included: item.isIncluded,
        user_notes: item.notes,
        rag_reference_ids: item.references,
      })),
    })),
  };
}

// The item that a problem of the API is about: `sections.0.items.2.title`.
export function fieldOf(outline: Outline, key: string, name: string): string {
  const at = outline.sections.findIndex(({ items }) => items.some((item) => item.key === key));
  const item = outline.sections[at]?.items.findIndex((one) => one.key === key) ?? -1;
  return `sections.${at}.items.${item}.${name}`;
}

function eachSection(outline: Outline, change: (section: Section) => Section): Outline {
  return { ...outline, sections: outline.sections.map(change) };
}
