// Rows as a CSV file for spreadsheets (RFC 4180). Pure.

export type Cell = string | number | null | undefined;

// A spreadsheet must not take a text for a formula.
function cellOf(value: Cell): string {
  const text = String(value ?? "");
  const safe = /^[=+\-@\t\r]/.test(text) && typeof value === "string" ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

export function csvOf(rows: readonly (readonly Cell[])[]): string {
  return rows.map((row) => `${row.map(cellOf).join(",")}\r\n`).join("");
}

// The days from *first* to *last*, at most *most* of them: the later ones are left out.
export function lastDay(first: string, last: string, most: number): string {
  const limit = new Date(Date.parse(`${first}T00:00:00Z`) + (most - 1) * 86_400_000).toISOString().slice(0, 10);
  return last < first ? first : last > limit ? limit : last;
}
