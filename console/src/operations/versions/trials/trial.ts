// What a person enters for a trial, and what is sent.

import { locale, t } from "../../../texts/texts";

export type Mode = "shadow" | "share";

export interface Entered {
  mode: Mode;
  share: string;
  most_conversations: string;
  most_answers: string;
  most_dollars: string;
  days: string;
  handed_off_points: string;
  at_least: string;
}

export const EMPTY: Entered = { mode: "shadow", share: "10", most_conversations: "", most_answers: "100", most_dollars: "", days: "14", handed_off_points: "", at_least: "50" };

const DAY_MS = 86_400_000;

function numberIn(text: string): number | null {
  return text.trim() === "" ? null : Number(text);
}

export type Begun = ReturnType<typeof begunOf>;

// An empty field is no limit. The fields of the other mode are not sent.
export function begunOf(entered: Entered, version: number, now = Date.now()) {
  const isShare = entered.mode === "share";
  const days = numberIn(entered.days);
  const points = numberIn(entered.handed_off_points);
  const least = numberIn(entered.at_least);
  return {
    mode: entered.mode,
    version,
    share: isShare ? numberIn(entered.share) : null,
    most_conversations: isShare ? numberIn(entered.most_conversations) : null,
    most_answers: isShare ? null : numberIn(entered.most_answers),
    most_dollars: isShare ? null : numberIn(entered.most_dollars),
    until: days === null ? null : new Date(now + days * DAY_MS).toISOString(),
    handed_off_points: points,
    ...(points !== null && least !== null ? { at_least: least } : {}),
  };
}

// A number with its part of the whole; without a whole only the number.
export function percentOf(part: number, whole: number): string {
  const shown = part.toLocaleString(locale);
  if (!whole) return shown;
  return t("trial.part", { count: shown, percent: ((part / whole) * 100).toLocaleString(locale, { maximumFractionDigits: 1 }) });
}
