// The sections of the navigation.

import type { Key } from "../texts/texts";
import type { IconName } from "../ui/icons";

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
export const OPERATIONS_SECTION: Section = { name: OPERATIONS, icon: "gauge", label: "nav.operations" };
export const REPORTS = "reports";
export const REPORTS_SECTION: Section = { name: REPORTS, icon: "chart", label: "nav.reports" };
export const CONTACTS = "contacts"; // the page of a person; links lead to it
export const SEGMENTS = "segments";
export const SEGMENTS_SECTION: Section = { name: SEGMENTS, icon: "tag", label: "nav.segments" };
export const SECTION_NAMES = SECTIONS.map((section) => section.name);
