// A customer's order from the catalogue: its items, and their total as the customer saw it.

import { money } from "../../../../texts/format";
import { t } from "../../../../texts/texts";
import { totalOf, type OrderItem } from "./order";

export function Order({ items }: { items: OrderItem[] }) {
  const total = totalOf(items);
  return (
    <table class="order">
      <caption>{t("type.order")}</caption>
      <thead>
        <tr>
          <th scope="col">{t("order.product")}</th>
          <th scope="col">{t("order.quantity")}</th>
          <th scope="col">{t("order.price")}</th>
        </tr>
      </thead>
      <tbody>
        {items.map((item, index) => (
          <tr key={index}>
            <td>{item.product}</td>
            <td>{item.quantity}</td>
            <td>{money(item.price, item.currency)}</td>
          </tr>
        ))}
      </tbody>
      {total && (
        <tfoot>
          <tr>
            <th scope="row" colSpan={2}>
              {t("order.total")}
            </th>
            <td>{money(total.amount, total.currency)}</td>
          </tr>
        </tfoot>
      )}
    </table>
  );
}
