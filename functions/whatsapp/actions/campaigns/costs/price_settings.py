"""The company's prices of messages, by which the costs of campaigns are estimated."""

from datetime import date, timedelta
from decimal import Decimal
from typing import Annotated, Final, Self

from pydantic import Field, model_validator
from pydantic_core import PydanticCustomError

from shared.api.auth import Scope
from shared.api.errors import InvalidInput
from shared.aws.dynamodb import Table
from shared.runtime import clock
from whatsapp.actions.calls.call import Call
from whatsapp.actions.calls.inputs import Currency, Day, Input, NoInput, Text
from whatsapp.actions.campaigns.costs import list_prices
from whatsapp.actions.campaigns.costs.views import CountryPriceView, PricesView
from whatsapp.actions.dispatch.registration import Group
from whatsapp.store.items.sending.campaigns import MessagePrices
from whatsapp.store.sending import message_prices

CONTROL = Group("campaign_control")
CATEGORIES: Final = ("marketing", "utility", "authentication", "service")
MICROS: Final = 1_000_000
type Price = Annotated[Decimal, Field(ge=0, lt=1_000_000, decimal_places=6, allow_inf_nan=False)]


class CountryPrices(Input):
    """The prices of a message to numbers of a country (ISO 3166), by category, in units of the currency."""

    country: Annotated[str, Field(pattern=r"^[A-Z]{2}$")]
    marketing: Price | None = None
    utility: Price | None = None
    authentication: Price | None = None
    service: Price | None = None

    @model_validator(mode="after")
    def _has_a_price(self) -> Self:
        if all(getattr(self, category) is None for category in CATEGORIES):
            problem = "must have at least one of marketing, utility, authentication, service"
            raise PydanticCustomError("price", problem)
        return self


class SetMessagePrices(Input):
    """
    The prices of the company, instead of those before; none: those of Parley again. *as_of*: the day from which they
    are valid. *source*: where they are from, such as the name of the provider's rate card.
    """

    currency: Currency
    as_of: Day
    source: Annotated[Text, Field(max_length=200)]
    prices: Annotated[list[CountryPrices], Field(max_length=250)]


@CONTROL.reads("local", Scope.WHATSAPP_CAMPAIGNS)
def get_message_prices(call: Call[NoInput]) -> PricesView:
    """Show the prices of messages by which the costs of campaigns are estimated, with their day and source."""
    return _view(of_company(call.table, call.company))


@CONTROL.changes("local", Scope.WHATSAPP_CAMPAIGNS)
def set_message_prices(call: Call[SetMessagePrices]) -> PricesView:
    """
    Set the company's prices of messages, all of them: a country or category without one has no known price. Without
    any the company has the small table of Parley again.
    """
    given = call.input
    _check(given)
    if not given.prices:
        message_prices.remove(call.table, call.company)
        return _view(list_prices.of_company(call.company))
    own = MessagePrices(
        pk=MessagePrices.key(call.company),
        company=call.company,
        currency=given.currency,
        as_of=given.as_of.isoformat(),
        source=given.source,
        prices={one.country: _micros(one) for one in given.prices},
        set_at=clock.to_text(clock.now_ms()),
        set_by=call.caller.principal,
    )
    message_prices.put(call.table, own)
    return _view(own)


def of_company(table: Table, company: str) -> MessagePrices:
    """Return the prices of a company: its own, else the table of Parley."""
    return message_prices.get(table, company) or list_prices.of_company(company)


def _check(given: SetMessagePrices) -> None:
    """Raise InvalidInput for a country that is named twice, and for a day that is more than a year ahead."""
    seen: set[str] = set()
    problems = []
    for number, one in enumerate(given.prices):
        if one.country in seen:
            problems.append({"field": f"prices.{number}.country", "problem": "is named twice"})
        seen.add(one.country)
    today = date.fromisoformat(clock.to_text(clock.now_ms())[:10])
    if given.as_of > today + timedelta(days=366):
        problems.append({"field": "asOf", "problem": "must be at most a year ahead"})
    if problems:
        raise InvalidInput(problems)


def _micros(one: CountryPrices) -> dict[str, int]:
    given = {category: getattr(one, category) for category in CATEGORIES}
    return {name: int(price * MICROS) for name, price in given.items() if price is not None}


def _view(prices: MessagePrices) -> PricesView:
    return PricesView(
        currency=prices.currency,
        as_of=prices.as_of,
        source=prices.source,
        is_own=prices.set_at is not None,
        prices=[
            CountryPriceView(
                country=country, **{f"{name}_micros": price for name, price in one.items()}
            )
            for country, one in sorted(prices.prices.items())
        ],
        set_at=prices.set_at,
        set_by=prices.set_by,
    )
