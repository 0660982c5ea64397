// Products of a file (CSV, RFC 4180) as the API takes them, and what is wrong in which row. Pure.

import type { Actions } from "../../api/routes";

export type Product = Actions.ProductInput;

export const COLUMNS = ["retailer_id", "name", "price", "currency", "image_url", "url", "category", "availability", "description"] as const;
type Column = (typeof COLUMNS)[number];

const REQUIRED: readonly Column[] = ["retailer_id", "name", "price", "currency", "image_url"];
export const MOST_PRODUCTS = 5_000;

export interface RowProblem {
  row: number; // from 1, the heading is the first
  column: Column;
  problem: "missing" | "price" | "currency" | "address" | "availability" | "twice";
}

export type Read = { products: Product[]; problems: RowProblem[] } | { lacks: Column[] } | { openAt: number }; // openAt: a row whose quotation mark has no end

// The columns are known by their names, in any order; further ones are left out.
export function productsIn(text: string): Read {
  const found = csvRows(text);
  if (typeof found === "number") return { openAt: found };
  const [heading = [], ...rows] = found;
  const names = heading.map((name) => name.trim().toLowerCase());
  const lacks = REQUIRED.filter((name) => !names.includes(name));
  if (lacks.length) return { lacks };
  const products: Product[] = [];
  const problems: RowProblem[] = [];
  const seen = new Set<string>();
  rows.forEach((cells, index) => {
    const row = index + 2;
    const value = (name: Column) => (cells[names.indexOf(name)] ?? "").trim();
    const faults = faultsOf(value, seen).map(([column, problem]) => ({ row, column, problem }));
    problems.push(...faults);
    seen.add(value("retailer_id"));
    if (faults.length) return;
    const currency = value("currency").toUpperCase();
    products.push({
      retailerId: value("retailer_id"),
      name: value("name"),
      price: minorUnits(value("price"), currency)!,
      currency,
      imageUrl: value("image_url"),
      availability: value("availability") === "out_of_stock" ? "out_of_stock" : "in_stock",
      ...(value("url") && { url: value("url") }),
      ...(value("category") && { category: value("category") }),
      ...(value("description") && { description: value("description") }),
    });
  });
  return { products, problems };
}

function faultsOf(value: (name: Column) => string, seen: Set<string>): [Column, RowProblem["problem"]][] {
  const found: [Column, RowProblem["problem"]][] = REQUIRED.filter((name) => !value(name)).map((name) => [name, "missing"]);
  const currency = value("currency").toUpperCase();
  if (currency && !/^[A-Z]{3}$/.test(currency)) found.push(["currency", "currency"]);
  else if (value("price") && currency && minorUnits(value("price"), currency) === null) found.push(["price", "price"]);
  for (const name of ["image_url", "url"] as const) if (value(name) && !/^https:\/\/\S+$/.test(value(name))) found.push([name, "address"]);
  if (!["", "in_stock", "out_of_stock"].includes(value("availability"))) found.push(["availability", "availability"]);
  if (value("retailer_id") && seen.has(value("retailer_id"))) found.push(["retailer_id", "twice"]);
  return found;
}

// `12.50` in EUR is 1250, `12` in JPY is 12. Null: no amount, or more decimals than the currency has.
export function minorUnits(text: string, currency: string): number | null {
  const amount = /^(\d{1,9})(?:[.,](\d{1,3}))?$/.exec(text);
  if (!amount) return null;
  const decimals = new Intl.NumberFormat("en", { style: "currency", currency }).resolvedOptions().maximumFractionDigits ?? 2;
  const part = amount[2] ?? "";
  return part.length > decimals ? null : Number(amount[1]) * 10 ** decimals + Number(part.padEnd(decimals, "0") || 0);
}

// A comma or a semicolon parts the cells: the one that the heading has more of. Empty lines are left out.
function csvRows(text: string): string[][] | number {
  const plain = text.replace(/^\uFEFF/, "");
  const heading = plain.split(/\r?\n/, 1)[0] ?? "";
  const mark = heading.split(";").length > heading.split(",").length ? ";" : ",";
  const rows: string[][] = [];
  let row: string[] = [];
  const cell = new RegExp(`(?:"((?:[^"]|"")*)"|([^"${mark}\\r\\n]*))(${mark}|\\r?\\n|$)`, "y");
  while (cell.lastIndex < plain.length) {
    const found = cell.exec(plain);
    if (!found) return rows.length + 1;
    row.push(found[1]?.replaceAll('""', '"') ?? found[2] ?? "");
    if (found[3] !== mark) {
      if (row.some((one) => one.trim())) rows.push(row);
      row = [];
    }
  }
  if (row.some((one) => one.trim())) rows.push(row);
  return rows;
}
