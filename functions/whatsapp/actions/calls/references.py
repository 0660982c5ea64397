"""Finds the stored message that a call names: by the provider's id, AWS's id, the id of our action, or our key."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from shared.api.errors import InvalidInput
from whatsapp import store
from whatsapp.actions.calls import participants
from whatsapp.actions.calls.failures import StateConflict
from whatsapp.api.queries import NotFound
from whatsapp.store.items import Alias, Message

if TYPE_CHECKING:
    from whatsapp.actions.calls.call import Call
    from whatsapp.store.items import Conversation

_KEY = Message.key("-").removesuffix("-")
_ACTION_ID = re.compile(r"[a-z2-7]{26}")
_PROVIDER_ID = "wamid."


def message_of(call: Call[Any], reference: str) -> Message:
    """
    Return the company's message with this reference.

    Raises NotFound for a missing, erased or other company's one, and StateConflict for one of our actions whose outcome
    is still open.
    """
    is_key = reference.startswith(_KEY)
    found = _own(call, reference if is_key else Message.key(reference))
    if found is None and not is_key:
        others = (_own(call, key) for key in _other_keys(call, reference))
        found = next((message for message in others if message is not None), None)
    if found is None or found.erased:
        raise NotFound("message: not found")
    return found


def quoted(call: Call[Any], conversation: Conversation, reference: str) -> str:
    """
    Return the provider's id of a message that an answer in *conversation* quotes.

    Raises NotFound, StateConflict, and InvalidInput for a message of another conversation.
    """
    message = message_of(call, reference)
    check_conversation(message, conversation, "replyToMessageId")
    return provider_id_of(message, reference)


def check_conversation(message: Message, conversation: Conversation, field: str) -> None:
    """Raise InvalidInput unless the message is of the conversation, or of one that it continues."""
    if message.conversation_pk not in {conversation.pk, *conversation.linked_conversations}:
        problem = "must be a message of the same conversation"
        raise InvalidInput([{"field": field, "problem": problem}])


def provider_id_of(message: Message, reference: str) -> str:
    """
    Return the id by which the provider finds a message.

    Not confirmed by our own traffic: that WhatsApp knows a message sent over AWS by AWS's id. A caller who has its id
    of WhatsApp from a status can give that instead.
    """
    return reference if reference.startswith(_PROVIDER_ID) else message.message_id


def _own(call: Call[Any], message_pk: str) -> Message | None:
    """Return the company's message with this key."""
    message = store.messages.get(call.table, message_pk)
    return message if message is not None and message.company == call.company else None


def _other_keys(call: Call[Any], reference: str) -> list[str]:
    """Return the keys of messages that have the reference as another id."""
    if _ACTION_ID.fullmatch(reference):
        return _keys_of_action(call, reference)
    phones = participants.phones_of(call)
    aliases = [Alias.of_message(phone.phone, reference) for phone in phones]
    return store.messages.targets_of_aliases(call.table, aliases)


def _keys_of_action(call: Call[Any], action_id: str) -> list[str]:
    action = call.resources.ledger.action(action_id)
    if action is None or action.company != call.company:
        return []
    if action.message_pk is None and action.may_have_been_sent:
        raise StateConflict("message: the outcome of its send is still open")
    return [action.message_pk] if action.message_pk else []
