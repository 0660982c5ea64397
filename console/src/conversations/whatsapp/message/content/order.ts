// The items of a customer's order, as the provider sends them, and their total.

export interface OrderItem {
  product: string;
  quantity: number;
  price: number;
  currency: string;
}

export function itemsOf(content: unknown): OrderItem[] {
  const items = (content as { items?: unknown } | null)?.items;
  if (!Array.isArray(items)) return [];
  return items.filter(isObject).flatMap((item) => {
    const product = item["product_retailer_id"] ?? item["retailer_id"];
    const quantity = Number(item["quantity"] ?? 1);
    const price = Number(item["item_price"] ?? Number.NaN);
    if (typeof product !== "string") return [];
    return [{ product, quantity, price, currency: String(item["currency"] ?? "") }];
  });
}

// Null if an item has no price, or if currencies differ: a wrong sum is worse than none.
export function totalOf(items: OrderItem[]): { amount: number; currency: string } | null {
  const [first] = items;
  if (!first || items.some((item) => item.currency !== first.currency || !Number.isFinite(item.price * item.quantity))) return null;
  const cents = items.reduce((sum, item) => sum + Math.round(item.price * 100) * item.quantity, 0);
  return { amount: cents / 100, currency: first.currency };
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null;
}
