// Mentions in notes: the id of a person or team, who are notified, shown by its name; or an @ and a name, as plain text.

const MENTION = /<@((?:user|team):[A-Za-z0-9._@:+|-]{1,120})>|(?<![\p{L}\p{N}@.])@[\p{L}\p{N}][\p{L}\p{N}._-]{0,62}/gu;

export interface Part {
  text: string;
  isMention: boolean;
  id?: string;
}

export function partsOf(text: string): Part[] {
  const parts: Part[] = [];
  let end = 0;
  for (const match of text.matchAll(MENTION)) {
    if (match.index > end) parts.push({ text: text.slice(end, match.index), isMention: false });
    parts.push({ text: match[0], isMention: true, ...(match[1] ? { id: match[1] } : {}) });
    end = match.index + match[0].length;
  }
  if (end < text.length) parts.push({ text: text.slice(end), isMention: false });
  return parts;
}
