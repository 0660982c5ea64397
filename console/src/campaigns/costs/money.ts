// Amounts of millionths of a currency's unit, countries and days, as people read them.

import { locale, t } from "../../texts/texts";

const MICROS = 1_000_000;
const NO_COUNTRY = "ZZ";

// Prices of messages are small: up to six digits, as far as they are needed.
export function money(micros: number, currency: string): string {
  const amount = micros / MICROS;
  const digits = amount !== 0 && amount < 1 ? 6 : 2;
  return amount.toLocaleString(locale, { style: "currency", currency, minimumFractionDigits: 2, maximumFractionDigits: digits });
}

export function percent(part: number): string {
  return part.toLocaleString(locale, { style: "percent", maximumFractionDigits: 1 });
}

export function countryName(code: string): string {
  if (code === NO_COUNTRY) return t("campaign.cost.no_country");
  return new Intl.DisplayNames(locale, { type: "region" }).of(code) ?? code;
}

export function dayOf(date: string): string {
  return new Date(`${date}T00:00:00Z`).toLocaleDateString(locale, { dateStyle: "medium", timeZone: "UTC" });
}
