// Parts of the page by role. The API checks the scopes of each call.

import type { Session } from "../session/session";

// reads: conversations of the company, which an operator alone does not. approves: drafts of mails.
export type Rights = { operator: boolean; admin: boolean; reads: boolean; approves: boolean };

export const PARTS = ["overview", "findings", "setup", "people", "keys", "webhooks", "parked", "switches", "helpdesk", "decisions", "templates", "service", "numbers", "accounts", "forms", "catalogs", "payments", "domains", "mailboxes", "macros", "projects", "contacts", "privacy", "cost", "audit"] as const;
export type Part = (typeof PARTS)[number];

const NEEDS: Record<Part, (rights: Rights) => boolean> = {
  overview: ({ operator }) => operator,
  findings: ({ operator }) => operator,
  setup: ({ admin }) => admin,
  people: ({ admin }) => admin,
  keys: ({ admin }) => admin,
  webhooks: ({ admin }) => admin,
  parked: ({ operator, admin }) => operator || admin,
  switches: ({ operator, admin }) => operator || admin,
  helpdesk: ({ admin }) => admin,
  decisions: ({ admin }) => admin,
  templates: ({ admin }) => admin,
  service: ({ admin }) => admin,
  numbers: ({ admin }) => admin,
  accounts: ({ admin }) => admin,
  forms: ({ admin }) => admin,
  catalogs: ({ admin }) => admin,
  payments: ({ admin }) => admin,
  domains: ({ operator }) => operator,
  mailboxes: ({ admin }) => admin,
  macros: ({ admin }) => admin,
  projects: ({ admin }) => admin,
  contacts: ({ admin }) => admin,
  privacy: ({ admin }) => admin,
  cost: ({ operator }) => operator,
  audit: ({ operator, admin }) => operator || admin,
};

export function rightsOf(session: Session): Rights {
  const roles = session.person?.companies.find(({ company }) => company === session.company)?.roles ?? [];
  return {
    operator: roles.includes("operator"),
    admin: roles.includes("admin"),
    reads: roles.some((role) => role !== "operator"),
    approves: roles.includes("supervisor") || roles.includes("admin"),
  };
}

export function partsFor(rights: Rights): Part[] {
  return PARTS.filter((part) => NEEDS[part](rights));
}
