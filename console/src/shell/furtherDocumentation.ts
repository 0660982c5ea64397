// Which page of the documentation helps at the places that are no part of the first load.

import type { Part } from "../operations/access";

const NO_PLACE = "index"; // all pages

const SENDING = "connect/newsletters#12-send-an-issue";
const STEPS = "connect/newsletters#5-a-newsletter-step-by-step";

// Of a part of Operations, or of one of its steps. A part without help is no valid program.
const OPERATIONS: Record<Part, string> & Record<`setup/${string}`, string> = {
  overview: "operate#operations-page",
  findings: "operate#check-a-deployment",
  setup: "console#set-up",
  "setup/team": "connect/logins#users",
  "setup/whatsapp": "connect/meta#connect-a-whatsapp-number-at-meta",
  people: "connect/logins#users",
  keys: "api#keys-and-scopes",
  webhooks: "connect/webhooks#add-one",
  parked: "operate#parked-events-and-dead-letters",
  switches: "operate#stop-and-start",
  helpdesk: "connect/richpanel#connect-richpanel",
  decisions: "connect/richpanel#decisions-of-a-day",
  templates: "connect/richpanel#wordings-languages-teams-and-brands",
  service: "connect/email#targets-and-due-times",
  numbers: "console#whatsapp-numbers",
  accounts: "console#whatsapp-accounts",
  forms: "console#whatsapp-forms",
  catalogs: "console#whatsapp-catalogs-and-payments",
  payments: "console#whatsapp-catalogs-and-payments",
  domains: "connect/email#1-a-domain-and-its-mx-record",
  mailboxes: "connect/email#3-mailboxes",
  macros: "console#canned-replies-and-macros",
  projects: "projects#set-up-a-project",
  contacts: "contacts#import",
  privacy: "privacy#erase-and-export-a-person",
  cost: "costs#costs",
  audit: "console#audit-log",
};

// Of the other sections; of their tabs and steps: `newsletters/documents`, of a newsletter `newsletters/*/draft`.
const SECTIONS: Record<string, string> = {
  segments: "console#segments",
  contacts: "console#person",
  campaigns: "console#a-campaign",
  "campaigns/templates": "console#templates",
  "campaigns/prices": "console#costs-and-prices",
  newsletters: "console#newsletters",
  "newsletters/issues": SENDING,
  "newsletters/documents": "connect/newsletters#4-documents",
  "newsletters/looks": "connect/newsletters#looks",
  "newsletters/lists": "connect/newsletters#13-readers-sign-up-choices-archive",
  "newsletters/settings": "connect/newsletters#3-settings",
  "newsletters/model": "connect/newsletters#versions-of-the-settings",
  "newsletters/*": STEPS,
  "newsletters/*/review": "connect/newsletters#8-review",
  "newsletters/*/exports": "connect/newsletters#9-exports",
  "newsletters/*/send": SENDING,
  reports: "reports#reports",
  "reports/outcomes": "reports#outcomes-of-answers",
  "reports/hours": "reports#days-and-hours",
};

// *start*: the part of Operations that a person without a place in it sees.
export function helpOf([section = "", first = "", second = ""]: readonly string[], start: Part = "overview"): string {
  if (section === "operations") return entry(OPERATIONS, `${first}/${second}`) ?? entry(OPERATIONS, first || start) ?? entry(OPERATIONS, start)!;
  if (section === "newsletters" && first.startsWith("IS-")) return SENDING;
  const within = first ? (entry(SECTIONS, `${section}/${first}`) ?? entry(SECTIONS, `${section}/*/${second}`) ?? entry(SECTIONS, `${section}/*`)) : undefined;
  return within ?? entry(SECTIONS, section) ?? NO_PLACE;
}

function entry(table: Record<string, string>, key: string): string | undefined {
  return Object.hasOwn(table, key) ? table[key] : undefined;
}
