// Scenarios of a set as text, one JSON object in a line, and a scenario from a conversation of the playground. Pure.

export type Scenario = Record<string, unknown>;

interface Spoken {
  by: "customer" | "company";
  text: string;
}

export function textOf(scenarios: Scenario[]): string {
  return scenarios.map((one) => JSON.stringify(one)).join("\n");
}

// The scenarios in a text; the number of the first line that is no JSON object instead.
export function scenariosIn(text: string): Scenario[] | number {
  const found: Scenario[] = [];
  for (const [position, line] of text.split("\n").entries()) {
    if (!line.trim()) continue;
    const value = parsed(line);
    if (!value) return position + 1;
    found.push(value);
  }
  return found;
}

export function parsed(line: string): Scenario | null {
  try {
    const value: unknown = JSON.parse(line);
    return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Scenario) : null;
  } catch {
    return null;
  }
}

// The conversation with its answers as recorded ones. The last answer is expected again only in its outcome.
export function scenarioOf(channel: string, lines: Spoken[], handsOff: boolean, at: string): Scenario {
  const turns: { says: string[]; answers: string[] }[] = [];
  for (const { by, text } of lines) {
    const last = turns.at(-1);
    if (by === "company") last?.answers.push(text);
    else if (last && last.answers.length === 0) last.says.push(text);
    else turns.push({ says: [text], answers: [] });
  }
  const shown = turns.map((turn, position) => {
    const isLast = position === turns.length - 1;
    // The text that stands for no answer is none.
    const answers = handsOff && isLast ? turn.answers.map((content) => ({ content: content === "–" ? "" : content, hand_off: "Recorded." })) : turn.answers;
    return { says: turn.says, answers, ...(isLast ? { expect: { hands_off: handsOff } } : {}) };
  });
  const first = turns[0]?.says[0] ?? "";
  return { name: `${at} ${first}`.slice(0, 120).trim(), channel, turns: shown };
}

interface OfMail {
  subject: string;
  text: string;
  answer: string; // of the model, as it wrote it
  waits: string | null;
  intent: string;
  at: string;
}

// A tried mail with the model's answer as the recorded one.
export function scenarioOfMail({ subject, text, answer, waits, intent, at }: OfMail): Scenario {
  const { reply = null, requirements = {}, evidence = [], missing = [], analysis = {} } = parsed(answer) ?? {};
  const recorded = { reply, requirements, evidence, missing, ...(analysis as Scenario) };
  const expect = { hands_off: waits !== null, intent };
  return { kind: "mail", name: nameOf(at, subject || text), mails: [{ subject, text }], answer: recorded, expect };
}

interface OfTicket {
  subject: string;
  text: string;
  channel: string;
  answer: string | null; // of the model, as it wrote it; null: rules decided alone
  intent: string;
  team: string;
  reply: string | null;
  at: string;
}

// A tried ticket with the model's answer as the recorded one.
export function scenarioOfTicket({ subject, text, channel, answer, intent, team, reply, at }: OfTicket): Scenario {
  const recorded = answer === null ? null : parsed(answer);
  const context = { now: at, ...(subject && { subject }) };
  const expect = { intent, team, hands_off: reply === null };
  return { kind: "ticket", name: nameOf(at, subject || text), channel, text, context, ...(recorded && { answer: recorded }), expect };
}

export function nameOf(at: string, words: string): string {
  return `${at} ${words}`.slice(0, 120).trim();
}
