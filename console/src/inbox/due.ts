// When the next target of a thread is due, in words. Pure.

import type { Row } from "./source";

export interface Due {
  kind: "plain" | "warn" | "danger";
  isOver: boolean;
  ms: number; // until the due time, or since
}

// null: nothing is due.
export function dueOf(row: Pick<Row, "dueAt" | "atRiskAt">, now: number): Due | null {
  if (!row.dueAt) return null;
  const left = Date.parse(row.dueAt) - now;
  if (left <= 0) return { kind: "danger", isOver: true, ms: -left };
  const isAtRisk = row.atRiskAt != null && Date.parse(row.atRiskAt) <= now;
  return { kind: isAtRisk ? "warn" : "plain", isOver: false, ms: left };
}

// Rows whose alarm came between two looks.
export function alarmsOf<T extends Pick<Row, "atRiskAt">>(rows: T[], from: number, to: number): T[] {
  return rows.filter(({ atRiskAt }) => atRiskAt != null && Date.parse(atRiskAt) > from && Date.parse(atRiskAt) <= to);
}
