// The sections of the navigation.

import type { Key } from "../texts/texts";
import type { IconName } from "../ui/icons";
import { partsFor, type Rights } from "../operations/access";

export interface Section {
  name: string;
  icon: IconName;
  label: Key;
}

export const SECTIONS: Section[] = [
  { name: "all", icon: "inbox", label: "nav.all" },
  { name: "mine", icon: "person", label: "nav.mine" },
  { name: "whatsapp", icon: "chat", label: "nav.whatsapp" },
  { name: "conversations", icon: "robot", label: "nav.conversations" },
  { name: "email_threads", icon: "mail", label: "nav.email_threads" },
  { name: "review", icon: "check", label: "nav.review" },
];

export const BEGIN = "begin"; // the page of the one-time link
export const OPERATIONS = "operations";
const OPERATIONS_SECTION: Section = { name: OPERATIONS, icon: "gauge", label: "nav.operations" };
export const REPORTS = "reports";
const REPORTS_SECTION: Section = { name: REPORTS, icon: "chart", label: "nav.reports" };
export const CONTACTS = "contacts"; // the page of a person; links lead to it
export const SEGMENTS = "segments";
const SEGMENTS_SECTION: Section = { name: SEGMENTS, icon: "tag", label: "nav.segments" };
export const CAMPAIGNS = "campaigns";
const CAMPAIGNS_SECTION: Section = { name: CAMPAIGNS, icon: "send", label: "nav.campaigns" };
export const NEWSLETTERS = "newsletters";
const NEWSLETTERS_SECTION: Section = { name: NEWSLETTERS, icon: "file", label: "nav.newsletters" };
export const SECTION_NAMES = SECTIONS.map((section) => section.name);

// What the navigation and the search offer to a person.
export function sectionsFor(rights: Rights): Section[] {
  return [
    ...(rights.reads ? [...SECTIONS, SEGMENTS_SECTION] : []),
    ...(rights.approves ? [CAMPAIGNS_SECTION, NEWSLETTERS_SECTION] : []),
    ...(rights.reads ? [REPORTS_SECTION] : []),
    ...(partsFor(rights).length ? [OPERATIONS_SECTION] : []),
  ];
}
