"""The prices of messages that a company has entered."""

from shared.aws.dynamodb import Table
from whatsapp.store.items import pk
from whatsapp.store.items.sending.campaigns import MessagePrices


def get(table: Table, company: str) -> MessagePrices | None:
    """Return a company's prices (strongly consistent read); None if it has none of its own."""
    item = table.get(pk(MessagePrices.key(company)))
    return MessagePrices.read(item) if item else None


def put(table: Table, prices: MessagePrices) -> None:
    """Write a company's prices in place of those before. Safe to repeat."""
    table.put(prices.attributes())


def remove(table: Table, company: str) -> None:
    """Delete a company's prices. Safe to repeat."""
    table.delete(pk(MessagePrices.key(company)))
