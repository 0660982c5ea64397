"""What customers filled in: answers of flows, and addresses with the list that bounds them."""

from boto3.dynamodb.conditions import Attr

from shared.aws.dynamodb import ConditionFailed, Table
from shared.failures import Transient
from whatsapp.store.items import pk
from whatsapp.store.items.customers import Address, AddressDefault, FlowResponse, FlowToken
from whatsapp.store.items.item import PARTITION_KEY


def token(table: Table, token_pk: str) -> FlowToken | None:
    """What a flow's token was made for, strongly consistent."""
    item = table.get(pk(token_pk))
    return FlowToken.read(item) if item else None


def add_response(table: Table, response: FlowResponse) -> None:
    """Write the answers of a flow once; the message that brings them may come again."""
    try:
        table.put(response.attributes(), when=Attr(PARTITION_KEY).not_exists())
    except ConditionFailed:
        return


def add_address(table: Table, address: Address) -> None:
    """Write an address once; the same one may be given again, in this message or another."""
    try:
        table.put(address.attributes(), when=Attr(PARTITION_KEY).not_exists())
    except ConditionFailed:
        return


def remove_address(table: Table, address_pk: str) -> None:
    """Remove an address that is one too many. Safe to repeat."""
    table.delete(pk(address_pk))


def addresses(table: Table, owner: str) -> AddressDefault | None:
    """A customer's default address and the list of all of them, strongly consistent."""
    item = table.get(pk(owner))
    return AddressDefault.read(item) if item else None


def replace_addresses(table: Table, known: AddressDefault) -> None:
    """
    Write the list, made from the revision before it. Raises Transient when somebody else wrote meanwhile.

    Our own lost write counts as somebody else: the redelivery reads it and finds nothing left to change.
    """
    unchanged = Attr(PARTITION_KEY).not_exists() | AddressDefault.attr("revision").eq(
        known.revision - 1
    )
    try:
        table.put(known.attributes(), when=unchanged)
    except ConditionFailed:
        raise Transient("addresses_contended") from None
