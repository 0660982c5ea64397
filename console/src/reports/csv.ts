// Tables as files. Texts that a spreadsheet would run as formulas begin with an apostrophe, as in files of the API.

const FORMULA = /^[=+\-@\t\r\n\uff1d\uff0b\uff0d\uff20]/;

export function csvOf(columns: string[], rows: (string | number)[][]): string {
  return [columns, ...rows].map((row) => row.map(cellOf).join(",") + "\r\n").join("");
}

export function saveCsv(name: string, text: string): void {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([text], { type: "text/csv;charset=utf-8" }));
  link.download = `${name}.csv`;
  link.click();
  URL.revokeObjectURL(link.href);
}

function cellOf(cell: string | number): string {
  const text = typeof cell === "string" && FORMULA.test(cell) ? `'${cell}` : String(cell);
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
