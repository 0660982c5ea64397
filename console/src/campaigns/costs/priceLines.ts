// Prices as lines of text: a country, then its prices of marketing, utility, authentication and service messages.

import type { Actions } from "../../api/routes";

type Problem = "country" | "price" | "twice" | "none";
export interface Line {
  number: number; // from 1
  country: string;
  prices: (string | null)[]; // as the API takes them
  problem: Problem | null;
}

const KINDS = ["marketing", "utility", "authentication", "service"] as const;
const COUNTRY = /^[A-Z]{2}$/;
const PRICE = /^\d{1,6}([.,]\d{1,6})?$/;

// Separated by semicolons or tabs. Empty lines are none; an empty or missing price is not known.
export function linesOf(text: string): Line[] {
  const seen = new Set<string>();
  return text.split("\n").flatMap((line, at) => {
    if (!line.trim()) return [];
    const [country = "", ...prices] = line.split(/[;\t]/).map((part) => part.trim());
    const code = country.toUpperCase();
    const read = prices.map((price) => (PRICE.test(price) ? price.replace(",", ".") : null));
    const isWrong = prices.length > KINDS.length || prices.some((price, place) => price !== "" && read[place] === null);
    const problem = !COUNTRY.test(code) ? "country" : isWrong ? "price" : seen.has(code) ? "twice" : read.every((one) => one === null) ? "none" : null;
    seen.add(code);
    return [{ number: at + 1, country: code, prices: read, problem }];
  });
}

export function pricesOf(lines: Line[]): Actions.SetMessagePrices["prices"] {
  return lines.map(({ country, prices }) => ({ country, ...Object.fromEntries(KINDS.flatMap((kind, place) => (prices[place] ? [[kind, prices[place]]] : []))) }));
}

export function textOf(prices: Actions.PricesView["prices"]): string {
  const shown = (micros: number | null | undefined) => (typeof micros === "number" ? `${micros / 1_000_000}` : "");
  return prices.map((one) => [one.country, ...KINDS.map((kind) => shown(one[`${kind}Micros`]))].join("; ").replace(/[; ]+$/, "")).join("\n");
}
