// What came of the answers of a project's model, compared by version, channel, language or day. Pure.

import type { ConsoleApi } from "../../api/routes";
import { total, type Line } from "../series.ts";

export type Outcome = ConsoleApi.OutcomeView;
export const COMPARED = ["version", "channel", "language", "date"] as const;
export type Compared = (typeof COMPARED)[number];

// The series of plots, in this order.
export const ENDS = ["endedAlone", "endedWithPeople", "optedOut", "failed"] as const;

export const SCORES = ["5", "4", "3", "2", "1"] as const;

export interface Sums {
  ends: number[]; // of each of ENDS
  handedOff: number;
  reopenedSoon: number;
  ratedUp: number;
  ratedDown: number;
  asked: number;
  scores: number[]; // how many customers answered 5, 4, 3, 2, 1
}

export function sumsOf(found: Outcome[]): Sums {
  return {
    ends: ENDS.map((name) => total(found.map((one) => one[name]))),
    handedOff: total(found.flatMap((one) => Object.values(one.handedOff))),
    reopenedSoon: total(found.map((one) => one.reopenedSoon)),
    ratedUp: total(found.map((one) => one.ratedUp)),
    ratedDown: total(found.flatMap((one) => Object.values(one.ratedDown))),
    asked: total(found.map((one) => one.asked)),
    scores: SCORES.map((score) => total(found.map((one) => one.scores[score] ?? 0))),
  };
}

// The values of a dimension, in their order; numbers by size.
export function valuesOf(found: Outcome[], compared: Compared): string[] {
  return [...new Set(found.map((one) => String(one[compared])))].sort((one, other) => one.localeCompare(other, "en", { numeric: true }));
}

// A line for each value of a dimension; its key is the value.
export function linesOf(found: Outcome[], compared: Compared, name: (value: string) => string, pick: (sums: Sums) => number[]): Line[] {
  return valuesOf(found, compared).map((value) => ({
    key: value,
    name: name(value),
    values: pick(sumsOf(found.filter((one) => String(one[compared]) === value))),
  }));
}

// How often each cause was counted, the most frequent one first.
export function causesOf(found: Outcome[], kind: "handedOff" | "ratedDown"): [string, number][] {
  const sums = new Map<string, number>();
  for (const one of found) {
    for (const [cause, count] of Object.entries(one[kind])) sums.set(cause, (sums.get(cause) ?? 0) + count);
  }
  return [...sums].sort(([one, many], [other, few]) => few - many || one.localeCompare(other, "en"));
}

// The mean of the scores; null of none.
export function meanScore({ scores }: Sums): number | null {
  const answers = total(scores);
  return answers ? total(scores.map((count, at) => count * Number(SCORES[at]))) / answers : null;
}

// Of all that ended, the share that ended without people; null of nothing.
export function shareAlone({ ends }: Sums): number | null {
  const ended = total(ends.slice(0, 3));
  return ended ? ends[0]! / ended : null;
}
