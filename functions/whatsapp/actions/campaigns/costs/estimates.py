"""Estimates what a campaign costs: its recipients by country, times the price of its category there."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from whatsapp.actions.campaigns.costs import price_settings
from whatsapp.actions.campaigns.costs.views import CostView, CountryCostView

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from shared.aws.dynamodb import Table
    from whatsapp.store.items.sending.campaigns import Campaign, MessagePrices

SERVICE: Final = "service"  # the provider's word for messages without a template


def of_campaign(table: Table, campaign: Campaign, countries: Mapping[str, int]) -> CostView:
    """Return the cost of so many messages of a campaign to each country, by the prices of its company."""
    prices = price_settings.of_company(table, str(campaign.company))
    return estimated(prices, categories_of(campaign), countries)


def is_known(campaign: Campaign) -> bool:
    """Whether all recipients are known, and the country of each valid one: earlier releases counted none."""
    total = campaign.total_recipients
    return total is not None and sum(campaign.countries.values()) >= total - campaign.invalid_count


def categories_of(campaign: Campaign) -> list[str | None]:
    """Return the categories of the messages of a campaign, in the words of the prices; None: unknown."""
    if campaign.kind != "template":
        return [SERVICE]
    tested = campaign.test.variants if campaign.test and not campaign.test.winner else [campaign]
    return [one.category.lower() if one.category else None for one in tested]


def estimated(
    prices: MessagePrices, categories: Iterable[str | None], countries: Mapping[str, int]
) -> CostView:
    """
    Return the cost of messages by country. Of several categories the most expensive counts; a country without a price
    for one of them has no known price, and adds nothing to the amount.
    """
    wanted = list(categories)
    rows = [
        CountryCostView(
            country=country, recipients=count, price_micros=_price(prices, wanted, country)
        )
        for country, count in sorted(countries.items(), key=lambda one: (-one[1], one[0]))
    ]
    known = [row for row in rows if row.price_micros is not None]
    recipients = sum(row.recipients for row in rows)
    priced = sum(row.recipients for row in known)
    amount = sum(row.recipients * (row.price_micros or 0) for row in known)
    return CostView(
        currency=prices.currency,
        amount_micros=amount if priced or not recipients else None,
        recipients=recipients,
        without_price=recipients - priced,
        countries=rows,
        as_of=prices.as_of,
        source=prices.source,
        is_own=prices.set_at is not None,
    )


def _price(prices: MessagePrices, categories: list[str | None], country: str) -> int | None:
    of_country = prices.prices.get(country, {})
    found = [of_country.get(category) if category else None for category in categories]
    known = [price for price in found if price is not None]
    return max(known) if known and len(known) == len(found) else None
