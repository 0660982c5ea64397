// What a look before a split shows of mails. Pure.

interface Shown {
  erased?: boolean | null;
  new_text: string;
  body: string;
  attachments: readonly unknown[];
}

export const MOST_MOVED = 50; // mails of a split
export const LONGEST_SUBJECT = 300; // characters
const LONGEST_SNIPPET = 80;

export function filesOf(mails: readonly Shown[]): number {
  return mails.reduce((sum, mail) => sum + (mail.erased ? 0 : mail.attachments.length), 0);
}

// The beginning of what its sender wrote, in one line.
export function snippetOf(mail: Shown): string {
  if (mail.erased) return "";
  const line = (mail.new_text.trim() || mail.body.trim()).replace(/\s+/g, " ");
  const signs = [...line];
  return signs.length > LONGEST_SNIPPET ? `${signs.slice(0, LONGEST_SNIPPET - 1).join("")}…` : line;
}
