// A new issue of a newsletter while a person fills it in. Pure.

import type { NewslettersApi } from "../../api/routes";

export interface Entered {
  subject: string;
  preheader: string;
  audiences: string[]; // `list/id` and `segment/id`
  sender: string;
  senderName: string;
  replyTo: string;
  postal: string;
  permission: string;
  consent: "recorded" | "attested";
  statement: string;
  look: string; // of a template; none: the standard look
  otherSubjects: string[]; // of a test of variants; none without one
  otherTexts: string[]; // codes of newsletters at the same places; empty: the issue's own text
  sample: number; // percent
  waitHours: number;
  decidedBy: "clicks" | "person";
}

export const EMPTY: Entered = {
  subject: "", preheader: "", audiences: [], sender: "", senderName: "", replyTo: "", postal: "", permission: "", consent: "recorded", statement: "", look: "",
  otherSubjects: [], otherTexts: [], sample: 20, waitHours: 4, decidedBy: "clicks",
};
export const MOST_SUBJECTS = 3;
export const LISTS = "list/";
export const SEGMENTS = "segment/";

export function kept(text: string): Entered {
  try {
    return { ...EMPTY, ...(JSON.parse(text || "{}") as Partial<Entered>) };
  } catch {
    return EMPTY; // of another version of the page
  }
}

// A chosen list says who sends its mails; what a person has entered stays.
export function withList(entered: Entered, list: NewslettersApi.PublicListView | undefined): Entered {
  if (!list) return entered;
  return {
    ...entered,
    sender: entered.sender || list.sender,
    senderName: entered.senderName || list.sender_name,
    replyTo: entered.replyTo || (list.reply_to ?? ""),
    postal: entered.postal || list.postal_address,
  };
}

export function requestOf(entered: Entered, code: string): NewslettersApi.IssueInput {
  const idsOf = (kind: string) => entered.audiences.filter((one) => one.startsWith(kind)).map((one) => one.slice(kind.length));
  return {
    newsletter_code: code,
    list_ids: idsOf(LISTS),
    segment_ids: idsOf(SEGMENTS),
    subject: entered.subject,
    preheader: entered.preheader,
    sender: entered.sender.trim(),
    sender_name: entered.senderName,
    ...(entered.replyTo.trim() ? { reply_to: entered.replyTo.trim() } : {}),
    postal_address: entered.postal,
    permission_line: entered.permission,
    consent: entered.consent,
    ...(entered.consent === "attested" ? { consent_statement: entered.statement } : {}),
    ...(entered.look ? { template_id: entered.look } : {}),
    ...(entered.otherSubjects.length
      ? {
          subject_test: {
            subjects: entered.otherSubjects,
            ...(entered.otherTexts.some((one) => one.trim()) ? { newsletter_codes: entered.otherSubjects.map((_, n) => entered.otherTexts[n]?.trim() || null) } : {}),
            sample_percent: entered.sample,
            wait_minutes: Math.round(entered.waitHours * 60),
            decided_by: entered.decidedBy,
          },
        }
      : {}),
  };
}

// The zone that decides when an issue at each reader's time begins; as in local_times.py.
const EARLIEST_ZONE = "Pacific/Kiritimati";

// The call that gives an issue the time again that it had.
export function timesOf(issue: NewslettersApi.IssueView, version: number): NewslettersApi.IssueSchedule {
  const timezone = issue.timezone ?? "UTC";
  return {
    version,
    local: localIn(issue.scheduled_for!, issue.in_reader_zone ? EARLIEST_ZONE : timezone),
    timezone,
    in_reader_zone: issue.in_reader_zone,
    not_after: issue.not_after ? localIn(issue.not_after, timezone) : null,
  };
}

// A time of the API as it is entered in a zone: `2026-05-01T09:00`. Swedish writes dates so.
function localIn(at: string, zone: string): string {
  return new Intl.DateTimeFormat("sv-SE", { timeZone: zone, dateStyle: "short", timeStyle: "short" }).format(new Date(at)).replace(" ", "T");
}
