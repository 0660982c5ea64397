"""Data from customers' forms: flow responses, and addresses with the list that limits them."""

from boto3.dynamodb.conditions import Attr

from shared.aws.dynamodb import ConditionFailed, Table
from shared.failures import Transient
from whatsapp.store.items import pk
from whatsapp.store.items.customers import Address, AddressDefault, FlowResponse, FlowToken
from whatsapp.store.items.item import PARTITION_KEY


def token(table: Table, token_pk: str) -> FlowToken | None:
    """Return the flow of a token (strongly consistent read)."""
    item = table.get(pk(token_pk))
    return FlowToken.read(item) if item else None


def add_response(table: Table, response: FlowResponse) -> None:
    """Write a flow's answers once; their message may be redelivered."""
    try:
        table.put(response.attributes(), when=Attr(PARTITION_KEY).not_exists())
    except ConditionFailed:
        return


def add_address(table: Table, address: Address) -> None:
    """Write an address once; the same message or another one may contain it again."""
    try:
        table.put(address.attributes(), when=Attr(PARTITION_KEY).not_exists())
    except ConditionFailed:
        return


def remove_address(table: Table, address_pk: str) -> None:
    """Remove an address over the limit. Safe to repeat."""
    table.delete(pk(address_pk))


def addresses(table: Table, owner: str) -> AddressDefault | None:
    """Return a customer's default address and the list of all addresses (strongly consistent read)."""
    item = table.get(pk(owner))
    return AddressDefault.read(item) if item else None


def get_addresses(table: Table, keys: list[str]) -> list[Address]:
    """Return the existing ones of a customer's addresses, in the order of their *keys*."""
    items = {item[PARTITION_KEY]: item for item in table.get_many([pk(key) for key in keys])}
    return [Address.read(items[key]) for key in keys if key in items]


def replace_addresses(table: Table, default: AddressDefault) -> None:
    """
    Write the list, derived from the previous revision. Raises Transient after a concurrent write.

    A lost response to our own write counts as a concurrent write: the redelivery reads it and finds nothing to change.
    """
    unchanged = Attr(PARTITION_KEY).not_exists() | AddressDefault.attr("revision").eq(
        default.revision - 1
    )
    try:
        table.put(default.attributes(), when=unchanged)
    except ConditionFailed:
        raise Transient("addresses_contended") from None
