"""Inputs that name a conversation, and the lookup of the named conversation."""

from datetime import datetime
from typing import Annotated, Any, Self

from pydantic import AliasChoices, Field, model_validator
from pydantic_core import PydanticCustomError

from shared.runtime import clock
from whatsapp import store
from whatsapp.actions.calls import participants
from whatsapp.actions.calls.call import Call
from whatsapp.actions.calls.inputs import Input, PageInput, PhoneId, PhoneOrUserId
from whatsapp.api.queries import NotFound
from whatsapp.store.items import Conversation, Phone

type ConversationPk = Annotated[str, Field(min_length=7, max_length=400)]


class ConversationInput(Input):
    """A conversation: `conversationPk`, or `phone` (the business's number) with `to` (the customer)."""

    conversation_pk: ConversationPk | None = None
    phone: PhoneId | None = Field(default=None, validation_alias=AliasChoices("phone", "phoneId"))
    to: PhoneOrUserId | None = Field(
        default=None, validation_alias=AliasChoices("to", "fromNumber")
    )

    @model_validator(mode="after")
    def _names_a_conversation(self) -> Self:
        by_key = self.conversation_pk is not None
        if {self.phone is None, self.to is None} != {by_key}:
            problem = "must have conversationPk, or phone with to"
            raise PydanticCustomError("conversation", problem)
        return self


class OptionalConversationInput(PageInput):
    """A conversation or a number of the business: `conversationPk`, or `phone`, with or without `to`."""

    conversation_pk: ConversationPk | None = None
    phone: PhoneId | None = Field(default=None, validation_alias=AliasChoices("phone", "phoneId"))
    to: PhoneOrUserId | None = Field(
        default=None, validation_alias=AliasChoices("to", "fromNumber")
    )

    @model_validator(mode="after")
    def _names_one(self) -> Self:
        if (self.conversation_pk is None) == (self.phone is None):
            raise PydanticCustomError("conversation", "must have one of conversationPk, phone")
        if self.to is not None and self.phone is None:
            raise PydanticCustomError("conversation", "to needs phone")
        return self


def head_of(call: Call[Any]) -> Conversation:
    """Return the company's conversation that the input names, or the one that continues it. Raises NotFound."""
    given = call.input
    if given.conversation_pk is not None:
        return _continued(call, given.conversation_pk)
    return head_with(call, participants.phone_by_id(call, given.phone), given.to)


def head_with(call: Call[Any], phone: Phone, number: str) -> Conversation:
    """Return the conversation of a number with a customer, or the one that continues it. Raises NotFound."""
    contact, _, _ = participants.contact_of(call, phone, number, "to")
    return _continued(call, Conversation.key(phone.arn_suffix, contact))


def _continued(call: Call[Any], key: str) -> Conversation:
    head = store.heads.get(call.table, key)
    if head is not None and head.company == call.company and head.linked_to:
        head = store.heads.get(call.table, head.linked_to)
    if head is None or head.company != call.company:
        raise NotFound("conversationPk: conversation not found")
    return head


def phone_of(call: Call[Any], head: Conversation) -> Phone:
    """Return the business's number of a conversation. Raises NotFound if it is not in use."""
    phone = participants.phone_by_id(call, head.phone or "")
    if not phone.in_use:
        raise NotFound("phone: the number is not in use")
    return phone


def text_of(moment: datetime | None) -> str | None:
    """Return a time as items have it."""
    return clock.to_text(round(moment.timestamp() * 1_000)) if moment else None
