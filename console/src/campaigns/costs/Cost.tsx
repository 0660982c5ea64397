// What the messages of a campaign cost by the prices of the company, with what is not known said beside it.

import type { Actions } from "../../api/routes";
import { count } from "../../operations/sections";
import { placeOf } from "../../shell/router";
import { t } from "../../texts/texts";
import { countryName, dayOf, money } from "./money";

export const PRICES = "prices"; // instead of the id of a campaign

export function Cost({ cost }: { cost: Actions.CostView }) {
  const { currency, amountMicros, recipients, withoutPrice, countries, asOf, source, isOwn } = cost;
  const isKnown = amountMicros !== undefined && amountMicros !== null;
  return (
    <div class="campaign-cost" role="group" aria-label={t("campaign.cost")}>
      <p>
        <b>{t("campaign.cost")}: {isKnown ? t("campaign.cost.most", { amount: money(amountMicros, currency), count: recipients - withoutPrice }) : t("campaign.cost.unknown")}</b>
      </p>
      {withoutPrice > 0 && isKnown && <p class="notice">{t("campaign.cost.without", { count: withoutPrice })}</p>}
      {countries.length > 0 && (
        <ul class="campaign-countries">
          {countries.map(({ country, recipients: people, priceMicros }) => (
            <li key={country}>
              {countryName(country)}: {count(people)} × {typeof priceMicros === "number" ? money(priceMicros, currency) : t("campaign.cost.no_price")}
            </li>
          ))}
        </ul>
      )}
      <p class="quiet">
        {t(isOwn ? "campaign.cost.source" : "campaign.cost.unproven", { day: dayOf(asOf), source })} {t("campaign.cost.about")}{" "}
        <a class="link" href={placeOf("campaigns", PRICES)}>
          {t("campaign.prices.change")}
        </a>
      </p>
    </div>
  );
}
