"""The cost of a campaign before its start: by country and category, and never 0 for an unknown price."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tests.cases import each
from tests.integration.whatsapp.actions.campaigns.people import READER, people
from tests.integration.whatsapp.actions.campaigns.runs import numbers
from tests.integration.whatsapp.actions.conftest import GLOBEX
from whatsapp.actions.campaigns.costs import estimates
from whatsapp.store.campaigns import campaigns as records
from whatsapp.store.items.sending.campaigns import MessagePrices

if TYPE_CHECKING:
    from tests.integration.whatsapp.actions.campaigns.people import People
    from tests.integration.whatsapp.actions.campaigns.runs import Runs

__all__ = ["people"]
GERMAN, SATELLITE = "4915112345678", "881612345678"
PRICES: dict[str, Any] = {
    "currency": "EUR",
    "asOf": "2026-01-01",
    "source": "rate card of January",
    "prices": [
        {"country": "DE", "marketing": "0.1131", "utility": "0.0456"},
        {"country": "GB", "utility": 0},
    ],
}


def set_prices(runs: Runs, **more: Any) -> Any:
    return runs.actions.run("set_message_prices", PRICES | more)


def test_a_dry_run_shows_the_cost_by_country_and_counts_whose_price_is_not_known(
    runs: Runs, people: People
) -> None:
    set_prices(runs)
    own = [people.wrote(n, "Ada") for n in (GERMAN, *numbers(1), SATELLITE)]
    campaign = people.create("list", people.in_list(*own))["campaignId"]
    body: dict[str, Any] = {"campaignId": campaign, "limit": 1}
    sums, cursor = [], None
    while True:
        more: dict[str, Any] = {"cursor": cursor} if cursor else {}
        answer = runs.actions.run("get_campaign_recipients", body | more, caller=READER)
        sums.append(answer.result["cost"])
        if (cursor := answer.body.get("cursor")) is None:
            break
    cost = sums[-1]

    assert [one["recipients"] for one in sums] == [1, 2, 3]
    assert (cost["amountMicros"], cost["currency"], cost["withoutPrice"]) == (45_600, "EUR", 1)
    assert {one["country"]: one.get("priceMicros") for one in cost["countries"]} == {
        "DE": 45_600, "GB": 0, "ZZ": None,
    }  # fmt: skip
    assert (cost["asOf"], cost["source"], cost["isOwn"]) == (
        "2026-01-01", "rate card of January", True,
    )  # fmt: skip


def test_the_cost_of_a_list_is_known_before_it_starts_and_counts_no_invalid_row(runs: Runs) -> None:
    set_prices(runs)
    campaign = runs.create([f"+{GERMAN}", f"+{numbers(1)[0]}", "DE.1234", "+4499999999"])
    cost = runs.show(campaign["campaignId"])["cost"]

    assert (cost["amountMicros"], cost["recipients"], cost["withoutPrice"]) == (91_200, 3, 0)


@each(("countries", "is_shown"), [({"DE": 2}, True), ({"DE": 1}, False), (None, False)])
def test_a_campaign_whose_countries_were_not_counted_shows_no_cost(
    runs: Runs, countries: dict[str, int] | None, is_shown: bool
) -> None:
    """As an earlier release has made it, or began to read its list."""
    set_prices(runs)
    campaign = runs.create([f"+{GERMAN}", "DE.1234", "+4499999999"])["campaignId"]
    table = runs.actions.harness.resources.table
    records.change(table, campaign, ["draft"], countries=countries)

    assert ("cost" in runs.show(campaign)) is is_shown


def test_a_campaign_without_recipients_costs_nothing(runs: Runs, people: People) -> None:
    campaign = people.create("list", people.in_list())["campaignId"]
    runs.control("start_campaign", campaign)
    runs.drain()
    shown = runs.show(campaign)

    assert (shown["totalRecipients"], shown["cost"]["amountMicros"]) == (0, 0)


def test_without_any_known_price_there_is_no_amount(runs: Runs) -> None:
    campaign = runs.create([f"+{SATELLITE}"])["campaignId"]
    cost = runs.show(campaign)["cost"]

    assert "amountMicros" not in cost
    assert (cost["withoutPrice"], cost["isOwn"]) == (1, False)


@each(
    ("categories", "countries", "amount"),
    [
        (["utility"], {}, 0),
        (["service"], {"DE": 2}, 14),
        (["service", "utility"], {"DE": 2}, 18),
        (["utility", "marketing"], {"DE": 2}, None),
        ([None], {"DE": 2}, None),
        (["utility"], {"FR": 2}, None),
    ],
)
def test_an_amount_is_that_of_the_dearest_category_and_none_for_an_unknown_price(
    categories: list[str | None], countries: dict[str, int], amount: int | None
) -> None:
    prices = MessagePrices(
        pk="-", currency="EUR", as_of="2026-01-01", source="card",
        prices={"DE": {"service": 7, "utility": 9}},
    )  # fmt: skip
    assert estimates.estimated(prices, categories, countries).amount_micros == amount


def test_prices_are_those_of_the_company_and_are_removed_by_an_empty_list(runs: Runs) -> None:
    shown = set_prices(runs).result
    other = runs.actions.run("get_message_prices", {}, caller=GLOBEX).result
    own = runs.actions.run("get_message_prices", {}).result
    removed = set_prices(runs, prices=[]).result

    assert shown == own
    assert own["prices"] == [
        {"country": "DE", "marketingMicros": 113_100, "utilityMicros": 45_600},
        {"country": "GB", "utilityMicros": 0},
    ]
    assert (own["isOwn"], own["setBy"]) == (True, "api-key:acme")
    assert other == removed
    assert (removed["isOwn"], removed["currency"]) == (False, "USD")


@each(
    ("field", "changed"),
    [
        (
            "prices.1.country",
            {"prices": [{"country": "DE", "utility": 1}, {"country": "DE", "utility": 2}]},
        ),
        ("prices.0.utility", {"prices": [{"country": "DE", "utility": "-1"}]}),
        ("prices.0.marketing", {"prices": [{"country": "DE", "marketing": "0.1234567"}]}),
        ("prices.0.country", {"prices": [{"country": "Germany", "utility": 1}]}),
        ("prices.0", {"prices": [{"country": "DE"}]}),
        ("asOf", {"asOf": "2029-01-01"}),
        ("currency", {"currency": "euro"}),
    ],
)
def test_prices_that_cannot_be_are_refused_with_the_field(
    runs: Runs, field: str, changed: dict[str, Any]
) -> None:
    answer = set_prices(runs, **changed)

    assert (answer.status, answer.fields) == (400, [field])
    assert runs.actions.run("get_message_prices", {}).result["isOwn"] is False
