"""The head of a conversation after its newest message was deleted."""

from shared.aws.dynamodb import Attributes, Table
from whatsapp.store.conversations.head_writes import update_if
from whatsapp.store.items import Conversation, Message

_of = Conversation.attr
DELETED_PREVIEW = "[deleted]"


def show_instead(table: Table, head: Conversation, deleted_pk: str, other: Message | None) -> None:
    """
    Show the message *other* in place of a deleted one, if the head still shows that; None: there is no other message.

    The order key of the deleted message stays the reference, so a message that was delivered late is not shown.
    Safe to repeat.
    """
    facts: Attributes = Conversation.named(last_preview=DELETED_PREVIEW)
    if other is not None:
        facts = Conversation.named(
            last_message_pk=other.pk,
            last_type=other.type,
            last_preview=other.preview or f"[{other.subtype or other.type}]",
            received_at=other.received_at,
        )
    update_if(table, head.pk, facts, _of("last_message_pk").eq(deleted_pk))
