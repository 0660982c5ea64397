"""Sends locations and contact cards."""

from dataclasses import replace
from decimal import Decimal
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

from shared.api.auth import Scope
from whatsapp.actions.calls.call import Call
from whatsapp.actions.calls.inputs import Amount, ProviderObject, ReplyInput, Text
from whatsapp.actions.dispatch.registration import Group
from whatsapp.actions.messages.interactive.parts import checked
from whatsapp.inbound.content import PREVIEW_CHARACTERS
from whatsapp.sending.drafts import Draft

CORE = Group("core_messaging")

type Line = Annotated[Text, Field(max_length=1_000)]


class SendLocation(ReplyInput):
    """A place on the map, in degrees."""

    latitude: Annotated[Amount, Field(ge=-90, le=90)]
    longitude: Annotated[Amount, Field(ge=-180, le=180)]
    name: Annotated[Line | None, Field(description="the name of the place")] = None
    address: Line | None = None


class ContactName(BaseModel):
    """The name of a contact card."""

    model_config = ConfigDict(hide_input_in_errors=True)

    formatted_name: Annotated[Text, Field(max_length=1_024)]


class Contact(BaseModel):
    """A contact card in the provider's structure; parts without a rule of ours are checked by the provider."""

    model_config = ConfigDict(hide_input_in_errors=True)

    name: ContactName


class Contacts(BaseModel):
    """All cards of a message."""

    model_config = ConfigDict(hide_input_in_errors=True)

    contacts: list[Contact]


class SendContact(ReplyInput):
    """Contact cards, each an object of the provider with `name.formatted_name`."""

    contacts: Annotated[list[ProviderObject], Field(min_length=1, max_length=10)]


@CORE.sends(Scope.WHATSAPP_SEND)
def send_location(call: Call[SendLocation]) -> Draft:
    """Send a location. Coordinates are stored as decimals."""
    given = call.input
    draft = of_location(given.latitude, given.longitude, given.name, given.address)
    return replace(draft, reply_to=given.reply_to_message_id)


@CORE.sends(Scope.WHATSAPP_SEND)
def send_contact(call: Call[SendContact]) -> Draft:
    """Send one to ten contact cards."""
    cards = call.input.contacts
    checked(Contacts, {"contacts": cards})
    content = {"contacts": cards}
    return Draft(
        type="contacts",
        content=content,
        shown={
            "type": "contacts",
            "content": content,
            "preview": f"[contacts, {len(cards)}]",
        },
        reply_to=call.input.reply_to_message_id,
    )


def of_location(
    latitude: Decimal, longitude: Decimal, name: str | None = None, address: str | None = None
) -> Draft:
    """Return the message of a location. The provider takes coordinates as texts. Pure."""
    texts = {key: text for key, text in (("name", name), ("address", address)) if text}
    label = name or address
    return Draft(
        type="location",
        content={"latitude": f"{latitude:f}", "longitude": f"{longitude:f}", **texts},
        shown={
            "type": "location",
            "content": {"latitude": latitude, "longitude": longitude, **texts},
            "preview": (f"[location] {label}" if label else "[location]")[:PREVIEW_CHARACTERS],
        },
    )
