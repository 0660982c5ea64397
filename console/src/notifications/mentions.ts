// People and teams by the labels under which notes mention them, and the ids that are stored in their place. Pure.

// With its extension: tests run this module by itself.
import { folded } from "../texts/fold.ts";

export interface Mentionable {
  id: string; // principal of a person, or of a team
  label: string; // no two have the same
}

interface Named {
  people: readonly { principal: string; name?: string | null; roles: readonly string[] }[];
  teams: readonly string[];
}

const MOST_SHOWN = 8;

export function mentionables({ people, teams }: Named): Mentionable[] {
  const all = [
    ...people.flatMap(({ principal, name }) => (name ? [{ id: principal, label: name, mark: principal.slice(5, 9) }] : [])),
    ...teams.map((name) => ({ id: `team:${name}`, label: name, mark: "team" })),
  ];
  const counts = new Map<string, number>();
  for (const { label } of all) counts.set(folded(label), (counts.get(folded(label)) ?? 0) + 1);
  return all.map(({ id, label, mark }) => ({ id, label: counts.get(folded(label)) === 1 ? label : `${label} (${mark})` }));
}

// Those with words that begin with each of the given ones; none after a whole label and a blank.
export function matching(all: readonly Mentionable[], words: string): Mentionable[] {
  if (words.endsWith(" ") && all.some(({ label }) => folded(label) === folded(words))) return [];
  const wanted = folded(words).split(/\s+/).filter(Boolean);
  const fits = ({ label }: Mentionable) => {
    const parts = folded(label).split(/[\s._-]+/);
    return wanted.every((word) => parts.some((part) => part.startsWith(word)));
  };
  return all.filter(fits).slice(0, MOST_SHOWN);
}

export function withIds(text: string, all: readonly Mentionable[]): string {
  if (!all.length) return text;
  const ids = new Map(all.map(({ id, label }) => [label.toLowerCase(), id]));
  // The longest first: one may begin with another.
  const labels = [...ids.keys()].sort((a, b) => b.length - a.length).map((label) => label.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&"));
  const written = new RegExp(`(?<![\\p{L}\\p{N}@.])@(${labels.join("|")})(?![\\p{L}\\p{N}])`, "giu");
  return text.replace(written, (whole, label: string) => (ids.has(label.toLowerCase()) ? `<@${ids.get(label.toLowerCase())}>` : whole));
}
