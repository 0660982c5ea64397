// The mention that is being written at a position of a text. Pure.

export interface Mention {
  from: number; // of the @
  words: string; // what follows it, up to the position
}

const BEGUN = /(?<![\p{L}\p{N}@.])@([\p{L}\p{N}][\p{L}\p{N}._() -]{0,60}|)$/u;

export function mentionAt(text: string, position: number): Mention | null {
  const match = BEGUN.exec(text.slice(0, position));
  return match && { from: match.index, words: match[1]! };
}

export function completed(text: string, { from, words }: Mention, label: string): { text: string; position: number } {
  const before = `${text.slice(0, from)}@${label} `;
  const after = text.slice(from + 1 + words.length).replace(/^ /, "");
  return { text: before + after, position: before.length };
}
