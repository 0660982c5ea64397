// What a person has entered in the set-up; it outlives a reload. Secrets are not part of it. Pure.

export const STEPS = ["company", "team", "whatsapp", "channels", "test"] as const;
export type Step = (typeof STEPS)[number];

export interface Entered {
  name: string;
  language: string;
  zone: string;
  team: string;
  invited: string; // addresses, one on each line
  role: string;
  appId: string;
  accountId: string;
  phoneId: string;
  number: string;
  mailbox: string;
  greeting: string;
}

export function none(zone: string): Entered {
  return { name: "", language: "", zone, team: "", invited: "", role: "agent", appId: "", accountId: "", phoneId: "", number: "", mailbox: "", greeting: "" };
}

// What was kept as a text; fields that it lacks, or that are no texts, have their first values.
export function kept(text: string, zone: string): Entered {
  const first = none(zone);
  let found: unknown = null;
  try {
    found = JSON.parse(text || "null");
  } catch {
    return first;
  }
  if (typeof found !== "object" || found === null) return first;
  const texts = Object.entries(found).filter(([name, value]) => name in first && typeof value === "string");
  return { ...first, ...Object.fromEntries(texts) };
}

// What is set up already, as far as it is known; null: not yet.
export interface Known {
  isNamed: boolean | null;
  colleagues: number | null;
  numbers: number | null;
  mailboxes: number | null;
  conversations: number | null;
}

// Which steps need nothing more. A step of which nothing is known is not done.
export function doneOf({ isNamed, colleagues, numbers, mailboxes, conversations }: Known): Record<Step, boolean> {
  return {
    company: isNamed === true,
    team: (colleagues ?? 0) > 1,
    whatsapp: (numbers ?? 0) > 0,
    channels: (mailboxes ?? 0) > 0,
    test: (conversations ?? 0) > 0,
  };
}

export function stepOf(text: string | null, done: Record<Step, boolean>): Step {
  return STEPS.find((one) => one === text) ?? STEPS.find((one) => !done[one]) ?? "test";
}

// Digits of a number as people write it, with its country code; null if it cannot be one.
export function digitsOf(text: string): string | null {
  const digits = text.replace(/[\s().+/-]/g, "");
  return /^[0-9]{6,15}$/.test(digits) && /^[\s().+/\d-]+$/.test(text) ? digits : null;
}

// Whether Meta sends the events of an account to this address: it has then verified it.
export function isVerified(apps: { override_callback_uri?: string | null }[] | null | undefined, address: string): boolean {
  return (apps ?? []).some((app) => app.override_callback_uri === address);
}
