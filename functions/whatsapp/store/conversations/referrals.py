"""Messages that customers sent from an ad."""

from boto3.dynamodb.conditions import Key

from shared.aws.dynamodb import Table
from whatsapp.store.inbox.messages import TIMELINE_INDEX
from whatsapp.store.items import Conversation, Message, pk
from whatsapp.store.items.item import PARTITION_KEY

_MOST_IN_A_SECOND = 50


def newest(table: Table, head: Conversation) -> Message | None:
    """Return a customer's newest message with a referral, in the conversation or an earlier one of the same person."""
    if head.referral_at is None:
        return None
    name = Message.name_of
    # The head has the time; messages have it with more digits, their order within the second.
    at = Key(name("received_at")).begins_with(head.referral_at.removesuffix("Z"))
    for conversation_pk in (head.pk, *sorted(head.linked_conversations)):
        entries, _ = table.query(
            TIMELINE_INDEX,
            Key(name("conversation_pk")).eq(conversation_pk) & at,
            limit=_MOST_IN_A_SECOND,
            newest_first=True,
        )
        keys = [
            str(entry[PARTITION_KEY])
            for entry in entries
            if entry.get("itemType") == Message.item_type
        ]
        items = {item[PARTITION_KEY]: item for item in table.get_many([pk(key) for key in keys])}
        messages = [Message.read(items[key]) for key in keys if key in items]
        found = next((message for message in messages if message.referral), None)
        if found is not None:
            return found
    return None
