// The fields of the account as a form has them. Fields that the form does not show stay as they are.

import { t } from "../../../texts/texts";

type Fields = Record<string, unknown>;

export const TEAMS = ["sales", "backend", "technical", "phone", "tiktok", "returns", "livechat", "leadership", "social", "email", "chargebacks"] as const;
export const LINES = [
  { name: "support_signature", isList: false, isRequired: true, dir: "auto" },
  { name: "bot_author_id", isList: false, isRequired: false, dir: "ltr" },
  { name: "automation_author_ids", isList: true, isRequired: false, dir: "ltr" },
  { name: "own_addresses", isList: true, isRequired: false, dir: "ltr" },
  { name: "shop_timezone", isList: false, isRequired: true, dir: "ltr" },
  { name: "holidays", isList: true, isRequired: false, dir: "ltr" },
] as const;
type Line = (typeof LINES)[number]["name"];

export type Entered = Record<Line, string> & { assignees: Record<string, string>; trustsLinked: boolean; classifier: string };

export function enteredOf(fields: Fields): Entered {
  const lines = LINES.map(({ name, isList }) => [name, isList ? ((fields[name] as string[]) ?? []).join("\n") : ((fields[name] as string | null) ?? "")]);
  return {
    ...(Object.fromEntries(lines) as Record<Line, string>),
    assignees: (fields.team_assignees as Record<string, string>) ?? {},
    trustsLinked: fields.trust_linked_order === true,
    classifier: (fields.classifier as string) ?? "deployed",
  };
}

// What was entered and not stored yet, kept over a reload, as far as it fits.
export function withKept(before: Entered, text: string): Entered {
  try {
    const found = JSON.parse(text || "{}") as Partial<Entered>;
    const fits = Object.entries(found).filter(([name, value]) => name in before && typeof value === typeof before[name as keyof Entered]);
    return { ...before, ...(Object.fromEntries(fits) as Partial<Entered>) };
  } catch {
    return before;
  }
}

export function fieldsOf(fields: Fields, entered: Entered): Fields {
  const lines = LINES.map(({ name, isList }) => [name, isList ? listOf(entered[name]) : entered[name].trim() || null]);
  const assignees = Object.entries(entered.assignees).flatMap(([team, id]) => (id.trim() ? [[team, id.trim()]] : []));
  return {
    ...fields,
    ...(Object.fromEntries(lines) as Fields),
    team_assignees: Object.fromEntries(assignees) as Fields,
    trust_linked_order: entered.trustsLinked,
    classifier: entered.classifier,
  };
}

// What differs, in words.
export function changesOf(before: Entered, after: Entered): { from: string; to: string }[] {
  const now = said(after);
  return said(before).flatMap((from, at) => (from === now[at] ? [] : [{ from, to: now[at]! }]));
}

function said(entered: Entered): string[] {
  const lines = LINES.map(({ name, isList }) => {
    const text = isList ? listOf(entered[name]).join(", ") : entered[name].trim();
    return `${t(`desk.field.${name}`)}: ${text || t("desk.nothing")}`;
  });
  return [
    ...lines,
    ...TEAMS.map((team) => `${t("desk.assignee", { team })}: ${entered.assignees[team]?.trim() || t("desk.nothing")}`),
    `${t("desk.field.trust_linked_order")}: ${t(entered.trustsLinked ? "desk.yes" : "desk.no")}`,
    `${t("desk.field.classifier")}: ${t(entered.classifier === "rules" ? "desk.classifier.rules" : "desk.classifier.as_deployed")}`,
  ];
}

function listOf(text: string): string[] {
  return text.split(/[\s,;]+/).filter(Boolean);
}
