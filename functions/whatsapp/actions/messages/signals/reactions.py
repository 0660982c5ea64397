"""Sets and removes reactions of the business to messages."""

from datetime import timedelta
from typing import Annotated, Any

from pydantic import AfterValidator, Field
from pydantic_core import PydanticCustomError

from shared.api.auth import Scope
from shared.api.errors import InvalidInput
from shared.runtime import clock
from shared.runtime.failures import Transient
from whatsapp import store, transmission
from whatsapp.actions.calls import participants, references
from whatsapp.actions.calls.call import Call
from whatsapp.actions.calls.failures import StateConflict
from whatsapp.actions.calls.inputs import MessageRef, SendInput
from whatsapp.actions.calls.provider_objects import MessageJson
from whatsapp.actions.calls.views import SentMessage
from whatsapp.actions.dispatch.registration import Group
from whatsapp.actions.messages.signals import effects
from whatsapp.actions.messages.signals.emoji import is_emoji
from whatsapp.sending import recipients
from whatsapp.sending.gate import Subject
from whatsapp.store import ordering
from whatsapp.store.items import Conversation, Message, Phone, Reaction
from whatsapp.worker.messages.contents import edits

CORE = Group("core_messaging")
DEFAULT_EMOJI = "\N{THUMBS UP SIGN}"
_OLDEST = timedelta(days=30)
_ATTEMPTS = 5


def _one_emoji(text: str) -> str:
    if text and not is_emoji(text):
        raise PydanticCustomError(
            "emoji", "must be exactly one emoji, or empty to remove the reaction"
        )
    return text


class SendReaction(SendInput):
    """An emoji on a message of the conversation; an empty one removes the reaction, an absent one is a thumbs up."""

    message_id: MessageRef
    emoji: Annotated[str, Field(max_length=64), AfterValidator(_one_emoji)] = DEFAULT_EMOJI


class RemoveReaction(SendInput):
    """The message whose reaction of the business is removed."""

    message_id: MessageRef


@CORE.changes("remote_eum", Scope.WHATSAPP_SEND)
def send_reaction(call: Call[SendReaction]) -> SentMessage:
    """
    React to a message that is at most 30 days old; a later reaction replaces it, and an empty `emoji` removes it. The
    answer names that message.

    After a lost answer the same call may be made again: the provider keeps one reaction.
    """
    return _react(call, call.input.emoji)


@CORE.changes("remote_eum", Scope.WHATSAPP_SEND)
def remove_reaction(call: Call[RemoveReaction]) -> SentMessage:
    """Remove the reaction of the business from a message; without one, nothing changes."""
    return _react(call, "")


def payload(message_id: str, emoji: str) -> dict[str, Any]:
    """Return the type of a reaction and its content in the provider's JSON; an empty *emoji* removes it. Pure."""
    return {"type": "reaction", "reaction": {"message_id": message_id, "emoji": emoji}}


def _react(call: Call[Any], emoji: str) -> SentMessage:
    phone = participants.sender_of(call)
    conversation = participants.conversation_of(call, phone)
    message = references.message_of(call, call.input.message_id)
    _check(message, conversation)
    conversation = recipients.proven(
        call.resources.gate, phone, conversation, is_last=call.input.dry_run
    )
    action_id = call.action_id()
    body = {
        "messaging_product": "whatsapp",
        **transmission.recipient_of(conversation).fields(),
        **payload(references.provider_id_of(message, call.input.message_id), emoji),
        "biz_opaque_callback_data": action_id,
    }
    subject = Subject(phone=phone, conversation=conversation)
    answer = SentMessage(
        action_id=action_id,
        state="sent",
        message_pk=message.pk,
        message_id=message.message_id,
        conversation_pk=conversation.pk,
    )
    if call.input.dry_run:
        call.resources.gate.rehearse(subject)
        return answer.model_copy(
            update={"state": "dry_run", "payload": MessageJson.model_validate(body)}
        )
    known = call.resources.ledger.action(action_id)
    if known is None or not known.may_have_been_sent:
        call.resources.gate.check(subject)
    effects.perform(call, phone, body, conversation)
    _store(call, phone, message, emoji or None)
    return answer


def _check(message: Message, conversation: Conversation) -> None:
    """Raise InvalidInput or StateConflict unless the conversation's message can have a reaction."""
    references.check_conversation(message, conversation, "messageId")
    oldest = clock.now_ms() - int(_OLDEST.total_seconds()) * clock.SECOND_MS
    if message.received_at < clock.to_text(oldest):
        problem = f"must be a message of the last {_OLDEST.days} days"
        raise InvalidInput([{"field": "messageId", "problem": problem}])
    if message.revoked_at:
        raise StateConflict("messageId: the message was deleted for everyone")


def _store(call: Call[Any], phone: Phone, message: Message, emoji: str | None) -> None:
    """
    Store the reaction of the business's number, and show it on the message, unless a later one is stored.

    Repeatable: its order is the time of the attempt; of two in one millisecond the later call is shown. Raises
    Transient after concurrent changes.
    """
    action_id = call.action_id()
    action = call.resources.ledger.action(action_id)
    at = clock.to_text(int(action.reserved_at) if action else clock.now_ms())
    actor = phone.display_phone
    reaction = Reaction(
        pk=Reaction.key(phone.phone, message.message_id, actor),
        company=phone.company,
        actor=actor,
        emoji=emoji,
        order=ordering.order_key(at, actor),
        event_id=action_id,
    )
    if message.group_id:
        reaction = reaction.named_in(message.group_id)
    stored = store.message_reports.add_reaction(call.table, reaction)
    if stored is None:
        return
    reaction = stored
    for _ in range(_ATTEMPTS):
        shown = edits.with_reaction(message.reactions or {}, reaction)
        if shown == (message.reactions or {}):
            return
        if store.messages.set_reactions(call.table, message, shown):
            return
        current = store.messages.get(call.table, message.pk)
        if current is None or current.erased:
            return
        message = current
    raise Transient("reactions_contended")
