// Encoding and segments of an SMS, as shared/providers/sms/segments.py counts them; a test compares the two.

const BASIC = new Set(
  "@£$¥èéùìòÇ\nØø\rÅåΔ_ΦΓΛΩΠΨΣΘΞÆæßÉ !\"#¤%&'()*+,-./0123456789:;<=>?" +
    "¡ABCDEFGHIJKLMNOPQRSTUVWXYZÄÖÑÜ§¿abcdefghijklmnopqrstuvwxyzäöñüà",
);
const EXTENDED = new Set("\f^{}\\[~]|€"); // take two septets
const GSM = { one: 160, part: 153 };
const UCS2 = { one: 70, part: 67 };

// Typographic variants of characters in GSM 03.38, which are sent as those.
const EQUIVALENTS: [RegExp, string][] = [
  [/[\u2018\u2019\u201a\u201b\u2032\u2035\u02bc\u2039\u203a\u0060\u00b4]/g, "'"],
  [/[\u201c\u201d\u201e\u201f\u2033\u2036\u00ab\u00bb]/g, '"'],
  [/[\u2010-\u2015\u2212\u2043]/g, "-"],
  [/[\t\u00a0\u1680\u202f\u205f\u3000\u2000-\u200a]/g, " "],
  [/[\u0085\u2028\u2029]/g, "\n"],
  [/[\u200b\u2060\ufeff\u00ad]/g, ""],
  [/\u2026/g, "..."],
];

export interface Size {
  encoding: "GSM-7" | "UCS-2";
  units: number;
  segments: number; // the billed number; an empty text has none
}

export function gsmEquivalent(text: string): string {
  return EQUIVALENTS.reduce((changed, [found, equivalent]) => changed.replace(found, equivalent), text);
}

export function measure(text: string): Size {
  const characters = [...text];
  const isGsm = characters.every((one) => BASIC.has(one) || EXTENDED.has(one));
  const widths = characters.map((one) => (isGsm ? (EXTENDED.has(one) ? 2 : 1) : one.length));
  const units = widths.reduce((sum, width) => sum + width, 0);
  return { encoding: isGsm ? "GSM-7" : "UCS-2", units, segments: segmentsOf(widths, units, isGsm ? GSM : UCS2) };
}

// No character is split between two segments.
function segmentsOf(widths: number[], units: number, limit: { one: number; part: number }): number {
  if (units <= limit.one) return widths.length ? 1 : 0;
  let segments = 1;
  let left = limit.part;
  for (const width of widths) {
    if (width > left) {
      segments += 1;
      left = limit.part;
    }
    left -= width;
  }
  return segments;
}
