// Numbers of a report as plots and tables show them. Pure.

import type { ConsoleApi } from "../api/routes";

export type Day = ConsoleApi.DayReport;

// A row of a table and a bar of a plot: a value of each series.
export interface Line {
  name: string;
  key?: string; // if names may be equal
  values: number[];
}

const HOURS = 24;

// The context and channel of a day; the channel only where a context has several.
export function partOf(day: Pick<Day, "context" | "channel">): string {
  return day.context === "conversations" ? `${day.context} ${day.channel}` : day.context;
}

export function partsOf(days: Pick<Day, "context" | "channel">[]): string[] {
  return [...new Set(days.map(partOf))].sort();
}

// A line for each of the dates, also for one without numbers; a value for each part.
export function byDay(days: Day[], dates: string[], parts: string[], pick: (day: Day) => number): Line[] {
  const found = new Map<string, number>();
  for (const day of days) add(found, `${day.date} ${partOf(day)}`, pick(day));
  return dates.map((name) => ({ name, values: parts.map((part) => found.get(`${name} ${part}`) ?? 0) }));
}

export function byHour(days: Day[], parts: string[]): Line[] {
  const sums = parts.map((part) => sumOf(days.filter((day) => partOf(day) === part).map((day) => day.openedByHour)));
  return Array.from({ length: HOURS }, (_, hour) => ({ name: `${String(hour).padStart(2, "0")}:00`, values: sums.map((one) => one[hour] ?? 0) }));
}

// The sums of the durations of some days.
export function together(found: ConsoleApi.Durations[]): ConsoleApi.Durations {
  return {
    count: total(found.map((one) => one.count)),
    seconds: total(found.map((one) => one.seconds)),
    classes: sumOf(found.map((one) => one.classes)),
    businessSeconds: total(found.map((one) => one.businessSeconds)),
    businessClasses: sumOf(found.map((one) => one.businessClasses)),
  };
}

export function total(values: number[]): number {
  return values.reduce((sum, value) => sum + value, 0);
}

// null: of nothing there is no mean.
export function mean(sum: number, count: number): number | null {
  return count ? sum / count : null;
}

function sumOf(lists: number[][]): number[] {
  const length = Math.max(0, ...lists.map((list) => list.length));
  return Array.from({ length }, (_, at) => total(lists.map((list) => list[at] ?? 0)));
}

function add(to: Map<string, number>, key: string, value: number): void {
  to.set(key, (to.get(key) ?? 0) + value);
}
