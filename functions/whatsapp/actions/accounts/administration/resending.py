"""Sends the stored message of an unknown send again, under the same action id."""

from typing import Any

from shared.aws.sqs_fifo import to_json
from shared.providers.action_ledger import Action
from whatsapp import store
from whatsapp.actions.calls import participants
from whatsapp.actions.calls.call import Call
from whatsapp.actions.calls.failures import Unsupported
from whatsapp.actions.messages.provider_files import check_files
from whatsapp.api.json_view import plain
from whatsapp.api.queries import NotFound
from whatsapp.sending import messages, payloads
from whatsapp.sending.drafts import Draft, UsedTemplate
from whatsapp.store import ordering
from whatsapp.store.items import Message


def order_of(call: Call[Any], action: Action, message_pk: str) -> messages.Order:
    """
    Return the message to be sent again.

    Raises NotFound for an erased message or a number that is not in use, Unsupported for a type that cannot be made
    from the stored message, and as `check_files`.
    """
    message = store.messages.get(call.table, message_pk)
    if message is None or message.company != call.company or message.erased:
        raise NotFound("actionId: the message no longer exists")
    phone = participants.phone_by_id(call, message.phone)
    head = store.heads.get(call.table, message.conversation_pk)
    if not phone.in_use or head is None or head.company != call.company:
        raise NotFound("actionId: the number or the conversation is not in use")
    named_at = ordering.moment_of(message.received_at)
    draft = draft_of(message)
    check_files(call, draft.content, "actionId", phone)
    return messages.Order(
        action_id=action.action_id,
        principal=call.caller.principal,
        phone=phone,
        conversation=head.addressed(
            message.sender_phone, message.sender_user_id, named_at=named_at
        ),
        request=to_json([call.action, call.input.model_dump(mode="json")]),
        draft=draft,
    )


def send(call: Call[Any], order: messages.Order) -> str:
    """
    Make the new attempt, unless an earlier run of this call did, and return the state: sent, unknown or in_doubt.

    Raises the exceptions of `messages.send`; the message keeps the mark `unknown` until an attempt has an outcome.
    """
    sent = messages.earlier(call.resources, order)
    if sent is None:
        run = messages.Run(owner=call.id, remaining_ms=call.remaining_ms)
        sent = messages.send(call.resources, call.resources.gate, order, run)
    return sent.state


def draft_of(message: Message) -> Draft:
    """
    Return the draft of a stored message. Raises Unsupported.

    Texts and templates are stored as they were sent. A file's id at the provider, and the parts of an interactive
    message, are not.
    """
    if message.type == "text" and message.text_body and not message.content_s3_key:
        return payloads.of_text(message.text_body, message.reply_to)
    content = plain(message.content or {})
    if message.type == "template" and "components" in content and "name" in content:
        used = UsedTemplate(
            name=content["name"],
            language=content.get("language", {}).get("code", ""),
            components=content["components"],
        )
        return payloads.of_template(used, message.reply_to)
    raise Unsupported(
        f"a message of the type {message.type} cannot be made again from what is stored; send it anew"
    )
