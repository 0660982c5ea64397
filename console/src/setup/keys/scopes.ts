// The scopes of API keys in words, by the part of the console that they are about. Pure, but for the texts.

import type { ConsoleOperations } from "../../api/routes";
import { t } from "../../texts/texts";

export type Scope = ConsoleOperations.ApiKeyInput["scopes"][number];

// All of them: the compiler misses one that is not here.
const GROUP_OF: Record<Scope, Group> = {
  "whatsapp:read": "whatsapp",
  "whatsapp:write": "whatsapp",
  "whatsapp:send": "whatsapp",
  "whatsapp:media": "whatsapp",
  "whatsapp:templates": "whatsapp",
  "whatsapp:campaigns": "whatsapp",
  "whatsapp:contacts": "whatsapp",
  "whatsapp:profile": "whatsapp",
  "whatsapp:commerce": "whatsapp",
  "whatsapp:payments": "whatsapp",
  "whatsapp:refunds": "whatsapp",
  "whatsapp:groups": "whatsapp",
  "whatsapp:calls": "whatsapp",
  "whatsapp:flows": "whatsapp",
  "whatsapp:analytics": "whatsapp",
  "whatsapp:admin": "whatsapp",
  "whatsapp:privacy": "whatsapp",
  "conversations:read": "conversations",
  "conversations:initiate": "conversations",
  "conversations:reply": "conversations",
  "conversations:manage": "conversations",
  "conversations:admin": "conversations",
  "email_threads:read": "email_threads",
  "email_threads:write": "email_threads",
  "email_threads:approve": "email_threads",
  "email_threads:admin": "email_threads",
  "email_threads:privacy": "email_threads",
  "newsletters:read": "newsletters",
  "newsletters:write": "newsletters",
  "newsletters:review": "newsletters",
  "newsletters:send": "newsletters",
  "newsletters:admin": "newsletters",
  "newsletters:privacy": "newsletters",
  "contacts:read": "contacts",
  "contacts:write": "contacts",
  "contacts:admin": "contacts",
  "richpanel:read": "richpanel",
  "richpanel:operate": "richpanel",
  "consent:read": "company",
  "consent:write": "company",
  "privacy:admin": "company",
  "access:admin": "company",
  "audit:read": "company",
  operator: "company",
};

export const GROUPS = ["whatsapp", "conversations", "email_threads", "newsletters", "contacts", "richpanel", "company"] as const;
type Group = (typeof GROUPS)[number];

// The scopes of a group that a person may give: only operators give theirs.
export function scopesOf(group: Group, isOperator: boolean): Scope[] {
  const all = Object.keys(GROUP_OF) as Scope[];
  return all.filter((scope) => GROUP_OF[scope] === group && (isOperator || scope !== "operator"));
}

export function groupText(group: Group): string {
  return group === "company" ? t("keys.company") : t(`context.${group}`);
}

// With the part that it is about. A scope of another version of the API is shown as it is.
export function words(scope: string): string {
  return isKnown(scope) ? `${groupText(GROUP_OF[scope])}: ${t(`keys.scope.${scope}`)}` : scope;
}

export function isKnown(scope: string): scope is Scope {
  return scope in GROUP_OF;
}
