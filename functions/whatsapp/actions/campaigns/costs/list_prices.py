"""
Prices of messages for companies that have entered none of their own.

The provider charges for each delivered template message, by its category and the country of the recipient's number.
That is confirmed by its documentation (`RULES`). The amounts of `UNPROVEN` are not: they are repeated by third parties
(`SOURCE`), the provider publishes its own only as files, and changes them up to four times a year. So the table is
small, has only marketing messages, and every estimate that is made with it says so. A company's own prices replace it.
"""

from typing import Final

from whatsapp.store.items.sending.campaigns import MessagePrices

RULES: Final = "https://developers.facebook.com/documentation/business-messaging/whatsapp/pricing"
AS_OF: Final = "2026-04-01"
SOURCE: Final = "third parties, such as formbeep.pages.dev/whatsapp-api-pricing"
# Country (ISO 3166) -> category -> millionths of a dollar.
UNPROVEN: Final = {
    "DE": {"marketing": 136_500},
    "GB": {"marketing": 52_900},
    "IN": {"marketing": 11_800},
    "NL": {"marketing": 159_700},
    "US": {"marketing": 25_000},
}


def of_company(company: str) -> MessagePrices:
    """Return the table for a company without prices of its own."""
    return MessagePrices(
        pk=MessagePrices.key(company), company=company, currency="USD", as_of=AS_OF, source=SOURCE,
        prices=UNPROVEN, set_at=None, set_by=None,
    )  # fmt: skip
