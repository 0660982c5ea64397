"""Builds links that call a business in WhatsApp, or open a chat with it."""

from typing import Annotated, Literal, Self
from urllib.parse import quote

from pydantic import AliasChoices, Field, model_validator
from pydantic_core import PydanticCustomError

from shared.api.auth import Scope
from shared.api.errors import InvalidInput
from shared.identity import addresses
from whatsapp.actions.calls.call import Call
from whatsapp.actions.calls.inputs import Input, PhoneNumber, Text
from whatsapp.actions.groups_and_calls.calls import CALLING
from whatsapp.sending.views import View


class DeepLink(Input):
    """A business's number with its country code. *text* is the prefilled message of a chat link."""

    phone: PhoneNumber = Field(
        validation_alias=AliasChoices("phone", "phoneNumber"),
        description="the business's number with its country code",
    )
    call_type: Literal["voice", "chat"] = "voice"
    text: Annotated[Text, Field(max_length=500)] | None = None

    @model_validator(mode="after")
    def _prefills_chats_only(self) -> Self:
        if self.text is not None and self.call_type == "voice":
            raise PydanticCustomError("text", "text is for callType chat")
        return self


class Link(View):
    """An address that opens WhatsApp."""

    link: str


@CALLING.reads("local", Scope.WHATSAPP_READ)
def create_call_deeplink(call: Call[DeepLink]) -> Link:
    """Return a link that calls a number in WhatsApp, or opens a chat with it. Nothing is stored."""
    given = call.input
    text = given.phone
    try:
        number = addresses.phone_number(text if text.startswith("+") else f"+{text}")
    except addresses.PhoneInvalid:
        problem = "must be a phone number with its country code"
        raise InvalidInput([{"field": "phone", "problem": problem}]) from None
    return Link(link=link_to(number.removeprefix("+"), given.call_type, given.text))


def link_to(digits: str, call_type: str, text: str | None) -> str:
    """Return the address. (Meta, "Call button links".)"""
    if call_type == "voice":
        return f"https://wa.me/call/{digits}"
    prefilled = f"?text={quote(text, safe='')}" if text else ""
    return f"https://wa.me/{digits}{prefilled}"
