// Mentions in notes: an @ and a name, as plain text. It sends no notification; pages only highlight it.

const MENTION = /(?<![\p{L}\p{N}@.])@[\p{L}\p{N}][\p{L}\p{N}._-]{0,62}/gu;

export interface Part {
  text: string;
  isMention: boolean;
}

export function partsOf(text: string): Part[] {
  const parts: Part[] = [];
  let end = 0;
  for (const match of text.matchAll(MENTION)) {
    if (match.index > end) parts.push({ text: text.slice(end, match.index), isMention: false });
    parts.push({ text: match[0], isMention: true });
    end = match.index + match[0].length;
  }
  if (end < text.length) parts.push({ text: text.slice(end), isMention: false });
  return parts;
}
