"""Sends read receipts and the typing indicator."""

from typing import Any

from shared.api.auth import Scope
from shared.runtime import clock
from whatsapp import store
from whatsapp.actions.calls import participants, references
from whatsapp.actions.calls.call import Call
from whatsapp.actions.calls.failures import StateConflict
from whatsapp.actions.calls.inputs import Flag, MessageRef, SenderInput
from whatsapp.actions.dispatch.registration import Group
from whatsapp.actions.messages.signals import effects
from whatsapp.api.queries import NotFound
from whatsapp.sending.views import View
from whatsapp.store.items import Message

CORE = Group("core_messaging")
EXTRA = Group("inbox_extra")
INBOUND = "INBOUND"


class MarkRead(SenderInput):
    """A received message; with *typingIndicator* the customer also sees that an answer is being written."""

    message_id: MessageRef
    typing_indicator: Flag = False


class ShowTyping(SenderInput):
    """A received message."""

    message_id: MessageRef


class ReadMessage(View):
    """A message that the customer sees as read, and the time of the first receipt by an API call (UTC)."""

    message_pk: str
    message_id: str
    marked_as_read_at: str
    typing_indicator: bool = False


@CORE.changes("remote_eum", Scope.WHATSAPP_SEND)
def mark_read(call: Call[MarkRead]) -> ReadMessage:
    """
    Show the customer that a received message was read. A message that was marked before is not reported again, unless
    the typing indicator is asked for.

    Answers 409 `state_conflict` for a message of the business itself.
    """
    return _read(call, typing=call.input.typing_indicator)


@EXTRA.changes("remote_eum", Scope.WHATSAPP_SEND)
def send_typing_indicator(call: Call[ShowTyping]) -> ReadMessage:
    """Show typing for up to 25 seconds or until the answer. The provider marks the message as read with it."""
    return _read(call, typing=True)


def _read(call: Call[Any], *, typing: bool) -> ReadMessage:
    phone = participants.sender_of(call)
    message = references.message_of(call, call.input.message_id)
    if message.phone != phone.phone:
        raise NotFound("message: not found")
    if message.direction != INBOUND:
        raise StateConflict("messageId: is not a received message")
    if typing or message.marked_as_read_at is None:
        effects.perform(call, phone, receipt(message, typing=typing))
    at = store.messages.mark_as_read(call.table, message.pk, clock.to_text(clock.now_ms()))
    if at is None:
        raise NotFound("message: not found")
    return ReadMessage(
        message_pk=message.pk,
        message_id=message.message_id,
        marked_as_read_at=at,
        typing_indicator=typing,
    )


def receipt(message: Message, *, typing: bool) -> dict[str, Any]:
    """Return the provider's JSON of a receipt. Pure."""
    body = {"messaging_product": "whatsapp", "status": "read", "message_id": message.message_id}
    return {**body, "typing_indicator": {"type": "text"}} if typing else body
