"""
Imports conversations that another system wrote: they have an item in the contract's table and no log.

The first message that matches one imports it: all messages of the item are copied to the log before the bounded window
replaces the item's list; the state is written last and marks the import as complete.
"""

from collections.abc import Iterator

from conversations.configuration.resources import Resources
from conversations.lifecycle.status import Status
from conversations.lifecycle.transitions import keep_open, mode_of
from conversations.store import conversations, messages, states
from conversations.store.items import identifiers
from conversations.store.items.conversation import Conversation, Role
from conversations.store.items.log import Delivery, Message
from conversations.store.items.parts.state import State

CONTEXT_HASH = "adopted"


def state_of(conversation: Conversation, business_address: str) -> State:
    """Return the state of an imported conversation, as far as its item allows."""
    sent, received = _newest(conversation, Role.ASSISTANT), _newest(conversation, Role.USER)
    return State.of_item(
        conversation,
        business_address,
        CONTEXT_HASH,
        mode=mode_of(Status(conversation.conversation_status)),
        answered_up_to=Message.sk(*sent) if sent else None,
        last_outbound_at=sent[0] if sent else None,
        last_inbound_at=received[0] if received else None,
        last_message_at=max((newest[0] for newest in (sent, received) if newest), default=None),
        status_reason=conversation.hand_off_to_human_reason,
    )


def adopt(resources: Resources, indexed: Conversation, business_address: str) -> str | None:
    """
    Write the conversation's log, then its state; return its `ref`, or None if only an index has it or it was erased.

    Idempotent.
    """
    item = conversations.read(resources.table, indexed.primary_channel, indexed.conversation_id)
    item = conversations.name(resources.table, item) if item else None
    if item is None:
        return None
    ref = identifiers.ref_of_item(item)
    if states.is_erased(resources.log, ref):
        return None
    messages.add_all(resources.log, ref, list(_messages(item)))
    keep_open(resources, ref, item)
    states.create(resources.log, ref, state_of(item, business_address))
    return ref


def _messages(conversation: Conversation) -> Iterator[Message]:
    for entry in conversation.messages:
        is_ours = entry.role is Role.ASSISTANT
        yield Message(
            entry_id=entry.entry_id,
            message_timestamp=entry.message_timestamp,
            role=entry.role,
            content=entry.content,
            author="ai" if is_ours else "customer",
            ai_prompt_tokens=entry.ai_prompt_tokens,
            ai_completion_tokens=entry.ai_completion_tokens,
            ai_total_tokens=entry.ai_total_tokens,
            processing_time_ms=entry.processing_time_ms,
            delivery_status=Delivery.SENT if is_ours else None,
            ttl=conversation.ttl,
        )


def _newest(conversation: Conversation, role: Role) -> tuple[str, str] | None:
    """Return the timestamp and id of the newest entry with *role*."""
    positions = [(e.message_timestamp, e.entry_id) for e in conversation.messages if e.role is role]
    return max(positions, default=None)
