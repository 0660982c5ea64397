// A price in minor units, as people read it. Pure.

import { locale } from "../../texts/texts";

export function priceOf(price: number | null | undefined, currency: string | null | undefined): string | null {
  if (price === null || price === undefined || !currency || !/^[A-Z]{3}$/.test(currency)) return null;
  const format = new Intl.NumberFormat(locale, { style: "currency", currency });
  return format.format(price / 10 ** (format.resolvedOptions().maximumFractionDigits ?? 2));
}
