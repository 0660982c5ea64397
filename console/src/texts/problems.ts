// The rules that fields break, from the API's words to texts of the catalogue. Pure.

import type { Key } from "./texts";

// Values in the order of the groups: {a}, {b}.
const RULES: readonly (readonly [RegExp, Key])[] = [
  [/^(?:Field required|is required)$/i, "problem.required"],
  [/^(?:String should have at least 1 character|must not be (?:blank|empty))$/i, "problem.blank"],
  [/^String should have at least (\d+) characters$/i, "problem.too_short"],
  [/^String should have at most (\d+) characters?$/i, "problem.too_long"],
  [/^List should have at most (\d+) items? after validation, not .*$/i, "problem.too_many"],
  [/^List should have at least (\d+) items? after validation, not .*$/i, "problem.too_few"],
  [/^Input should be greater than or equal to (\S+)$/i, "problem.least"],
  [/^Input should be less than or equal to (\S+)$/i, "problem.most"],
  [/^(?:Input should be greater than|must be more than) (\S+)$/i, "problem.more"],
  [/^Input should be less than (\S+)$/i, "problem.less"],
  [/^Input should be (?:a valid|an) integer.*$/i, "problem.integer"],
  [/^Input should be a valid number.*$/i, "problem.number"],
  [/^Input should be a valid (?:string|text).*$/i, "problem.text"],
  [/^Input should be a valid boolean.*$/i, "problem.boolean"],
  [/^Input should be a valid (?:date|datetime).*$/i, "problem.date"],
  [/^must be a date such as (\S+)$/i, "problem.date"],
  [/^Input should be ('.*')$/i, "problem.one_of"],
  [/^must have (\d.*?) characters of (.+?)(?:, the first of .+)?$/i, "problem.characters"],
  [/^Extra inputs are not permitted$/i, "problem.unknown"],
  [/^must be given once$/i, "problem.once"],
  [/^is given twice$/i, "problem.once"],
  [/^is too long$/i, "problem.long"],
  [/^cannot be changed$/i, "problem.fixed"],
  [/^must be (?:an|one) e-mail address$/i, "problem.email"],
  [/^must be a phone number$/i, "problem.phone"],
  [/^must be in the future, at most (\d+) days ahead$/i, "problem.future"],
  [/^must be printable, without blanks at the ends$/i, "problem.printable"],
  [/^must not (?:contain|have) control characters.*$/i, "problem.control"],
  [/^at most (\d+) views$/i, "problem.views"],
  [/^(?:must have a recipient|a forward needs a recipient)$/i, "problem.recipient"],
  [/^to, cc and bcc must have at most (\d+) addresses in all$/i, "problem.recipients"],
  [/^must have 1 to 64 ASCII characters before the @$/i, "problem.local_part"],
  [/^must be before \S+, when the (?:thread|conversation) is deleted$/i, "problem.deleted"],
  [/^the zone of the recipient is not known$/i, "problem.zone_unknown"],
  [/^must be (?:a zone of the IANA database, or recipient|the name of a time zone)$/i, "problem.zone"],
  [/^must be a date, (?:as )?\S+$/i, "problem.date"],
  [/^\w+ must be within (\d+) weeks of business hours$/i, "problem.unreachable"],
  [/^may have the variables name, mailbox and mailbox_name only$/i, "problem.variables"],
  [/^values are missing: (.+)$/i, "problem.values"],
  [/^the text has more than (\d+) characters$/i, "problem.too_long"],
  [/^a thread has at most (\d+) tags$/i, "problem.labels"],
  [/^at least one mail must stay$/i, "split.one_stays"],
  [/^the threads? ha(?:s|ve) more than (\d+) mails(?: together)?$/i, "problem.mails"],
  [/^there is no such canned reply$/i, "problem.no_reply"],
  [/^is not defined$/i, "problem.not_defined"],
  [/^must be one of the choices$/i, "problem.choice"],
  [/^must be a number below 10\^15 with at most 6 decimals$/i, "problem.decimals"],
  [/^must be true or false$/i, "problem.boolean"],
  [/^must be a domain, as .*$/i, "problem.domain"],
  [/^must be a domain of the company.*$/i, "problem.provider_domain"],
  [/^must be (?:\S+ )+such as (\S+)$/i, "problem.example"],
  [/^(?:its domain )?must be (?:listed by .+, or )?granted by an operator.*$/i, "problem.other_domain"],
  [/^needs a mail address that is proven to be yours$/i, "problem.no_address"],
  [/^must be named parley\/.*$/i, "problem.secret"],
];

// null: no rule has these words, and they are shown as they are.
export function ruleOf(words: string): { key: Key; values: { a: string; b?: string } } | null {
  for (const [pattern, key] of RULES) {
    const found = pattern.exec(words);
    if (found) return { key, values: { a: plain(found[1]), ...(found[2] && { b: found[2] }) } };
  }
  return null;
}

// As all languages write it: 1–64.
function plain(words = ""): string {
  return words.replaceAll("'", "").replace(/^(\d+) to (\d+)$/, "$1–$2").replace(" or more", "+");
}
