"""Views of prices and costs. Amounts are in millionths of the currency's unit: 136500 of EUR is EUR 0.1365."""

from whatsapp.sending.views import View


class CountryPriceView(View):
    """The prices of a message to a country (ISO 3166), by category; absent: not known."""

    country: str
    marketing_micros: int | None = None
    utility_micros: int | None = None
    authentication_micros: int | None = None
    service_micros: int | None = None


class PricesView(View):
    """
    The prices by which costs are estimated. *is_own*: the company has entered them; otherwise they are a small table
    of Parley whose amounts are not confirmed by the provider.
    """

    currency: str
    as_of: str
    source: str
    is_own: bool
    prices: list[CountryPriceView]
    set_at: str | None = None
    set_by: str | None = None


class CountryCostView(View):
    """Recipients in a country, and the price of a message to each of them; absent: not known."""

    country: str
    recipients: int
    price_micros: int | None = None


class CostView(View):
    """
    An estimate: what the provider charges if every recipient gets the message, by the prices of *source* at *as_of*.
    Discounts by volume and free messages lower it; failed messages cost nothing.

    *amount_micros*: of the recipients whose price is known; absent if it is known for none of them. *without_price*:
    recipients whose price is not known, who are no part of the amount. *is_own*: as of `get_message_prices`.
    """

    currency: str
    amount_micros: int | None = None
    recipients: int
    without_price: int
    countries: list[CountryCostView]
    as_of: str
    source: str
    is_own: bool
