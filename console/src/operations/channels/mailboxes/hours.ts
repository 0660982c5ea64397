// Business hours of a mailbox as the form has them, and as the API takes them. Pure.

export const DAYS = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"] as const;
export type Day = (typeof DAYS)[number];

export interface Period {
  days: Day[];
  start: string; // 09:00
  end: string; // not later than start: on the next day
}

export interface Hours {
  time_zone: string;
  periods: Period[];
  holidays?: string[];
}

export interface FormHours {
  time_zone: string;
  periods: Period[];
  holidays: string; // a date on each line
}

export const USUAL: Period = { days: ["monday", "tuesday", "wednesday", "thursday", "friday"], start: "09:00", end: "17:00" };

// The entries of a text with one on each line, or separated by commas; each once.
export function linesOf(text: string): string[] {
  return [...new Set(text.split(/[\n,;]+/).map((line) => line.trim()).filter(Boolean))];
}

export function formOf(hours: Hours | null, zone: string): FormHours {
  if (hours === null) return { time_zone: zone, periods: [], holidays: "" };
  return { time_zone: hours.time_zone, periods: hours.periods, holidays: (hours.holidays ?? []).join("\n") };
}

// null: without periods every hour counts.
export function hoursOf({ time_zone, periods, holidays }: FormHours): Hours | null {
  if (periods.length === 0) return null;
  const inOrder = periods.map(({ days, start, end }) => ({ days: DAYS.filter((day) => days.includes(day)), start, end }));
  return { time_zone: time_zone.trim(), periods: inOrder, holidays: linesOf(holidays).sort() };
}

export function toggled(days: readonly Day[], day: Day): Day[] {
  return DAYS.filter((one) => (one === day ? !days.includes(day) : days.includes(one)));
}
