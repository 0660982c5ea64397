"""Sends the message of an action: the use case of the inbox's reply, for a recipient that the input names."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from shared.aws.sqs_fifo import to_json
from whatsapp.actions.calls import participants, references
from whatsapp.actions.calls.views import SentMessage
from whatsapp.sending import messages
from whatsapp.store.items import Message

if TYPE_CHECKING:
    from whatsapp.actions.calls.call import Call
    from whatsapp.actions.calls.inputs import SendInput
    from whatsapp.sending.drafts import Draft
    from whatsapp.store.items import Conversation, Phone


def send_to_recipient(call: Call[SendInput], draft: Draft) -> SentMessage:
    """Send a message from the number to the customer that the input names. Raises as `send`."""
    phone = participants.sender_of(call)
    return send(call, phone, participants.conversation_of(call, phone), draft)


def send(
    call: Call[Any], phone: Phone, conversation: Conversation, draft: Draft, *parts: str
) -> SentMessage:
    """
    Send a message in a conversation at most once per idempotency key, or show it for a dry run.

    *parts* tell several messages of one call apart. The message that the draft answers is given by any reference, and
    must be of the conversation. Raises NotFound, InvalidInput and the exceptions of `whatsapp.sending.messages.send`.
    """
    if draft.reply_to is not None:
        draft = replace(draft, reply_to=references.quoted(call, conversation, draft.reply_to))
    order = messages.Order(
        action_id=call.action_id(*parts),
        principal=call.caller.principal,
        phone=phone,
        conversation=conversation,
        request=to_json([call.action, call.input.model_dump(mode="json")]),
        draft=draft,
    )
    return send_order(call, order)


def send_order(call: Call[Any], order: messages.Order) -> SentMessage:
    """Send a message whose action id the caller has chosen, or show it for a dry run. Raises as `send`."""
    resources, conversation = call.resources, order.conversation
    if getattr(call.input, "dry_run", False):
        return SentMessage(
            action_id=order.action_id,
            state="dry_run",
            conversation_pk=conversation.pk,
            payload=messages.rehearse(resources, resources.gate, order),
        )
    # The ledger outlives the stored answers, and has the outcome of a message in doubt.
    sent = messages.earlier(resources, order)
    if sent is None:
        run = messages.Run(owner=call.id, remaining_ms=call.remaining_ms)
        sent = messages.send(resources, resources.gate, order, run)
    return SentMessage(
        action_id=sent.action_id,
        state=sent.state,
        message_id=sent.message_id,
        message_pk=Message.key(sent.message_id) if sent.message_id else None,
        conversation_pk=conversation.pk,
    )
