"""Sends the address form of WhatsApp in India."""

from typing import Annotated, Any, Literal

from pydantic import Field

from shared.api.auth import Scope
from whatsapp import store
from whatsapp.actions.calls import participants
from whatsapp.actions.calls.call import Call
from whatsapp.actions.calls.inputs import ReplyInput
from whatsapp.actions.dispatch.registration import Group
from whatsapp.actions.messages.interactive.address_fields import (
    MOST_SAVED,
    AddressErrors,
    AddressValues,
    SavedAddress,
)
from whatsapp.actions.messages.interactive.interactives import framed, of_interactive
from whatsapp.actions.messages.interactive.parts import Body, Short
from whatsapp.sending.drafts import Draft
from whatsapp.store.items import Conversation
from whatsapp.store.items.contacts.customers import Address, AddressDefault

ADDRESSES = Group("address_messages")
DEFAULT_BODY = "Please share your delivery address."
_KNOWN = frozenset(AddressValues.model_fields)


class SendAddressMessage(ReplyInput):
    """
    *values* fill in the form, *validationErrors* are the problems of a former answer. *savedAddresses*, at first the
    customer's stored ones, are offered for choice.
    """

    body: Body = DEFAULT_BODY
    footer: Short | None = None
    country: Literal["IN"] = "IN"
    values: AddressValues | None = None
    validation_errors: AddressErrors | None = None
    saved_addresses: Annotated[list[SavedAddress], Field(max_length=MOST_SAVED)] | None = None


@ADDRESSES.sends(Scope.WHATSAPP_SEND)
def send_address_message(call: Call[SendAddressMessage]) -> Draft:
    """
    Ask a customer in India for a delivery address. Without `savedAddresses` the stored addresses of the customer are
    offered; an empty list offers none.
    """
    given = call.input
    saved = given.saved_addresses
    if saved is None:
        saved = _stored_addresses(call)
    parameters: dict[str, Any] = {
        "country": given.country,
        "values": _shown(given.values),
        "saved_addresses": [one.model_dump(exclude_none=True) for one in saved],
        "validation_errors": _shown(given.validation_errors),
    }
    present = {name: value for name, value in parameters.items() if value}
    interactive = framed(
        {"name": "address_message", "parameters": present}, body=given.body, footer=given.footer
    )
    return of_interactive("address_message", interactive, given.reply_to_message_id)


def _shown(part: AddressValues | AddressErrors | None) -> dict[str, Any]:
    return part.model_dump(exclude_none=True) if part else {}


def _stored_addresses(call: Call[SendAddressMessage]) -> list[SavedAddress]:
    """Return the customer's addresses that the company has, the default one first."""
    head = participants.conversation_of(call, participants.sender_of(call))
    contact = Conversation.contact_of(head.pk)
    listed = store.forms.addresses(call.table, AddressDefault.key(contact, call.company))
    if listed is None:
        return []
    keys = sorted(listed.addresses, key=lambda key: key != listed.address_pk)
    found = store.forms.get_addresses(call.table, keys)
    return [_saved(one) for one in found if one.company == call.company]


def _saved(address: Address) -> SavedAddress:
    """Return a stored address as the form shows it; parts that do not fit the form are left out."""
    details = {name: value for name, value in (address.details or {}).items() if name in _KNOWN}
    values = details | {
        "name": address.name,
        "phone_number": address.phone_number,
        "address": address.address,
        "city": address.city,
        "state": address.state,
        "in_pin_code": address.postal_code,
    }
    present = {name: str(value) for name, value in values.items() if value}
    fitting = {name: value for name, value in present.items() if _fits(name, value)}
    return SavedAddress(id=address.address_id, value=AddressValues(**fitting))


def _fits(name: str, value: str) -> bool:
    """Whether the form takes a value."""
    try:
        AddressValues.model_validate({name: value})
    except ValueError:
        return False
    return True
