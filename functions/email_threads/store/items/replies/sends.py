"""Items of sends: actions of the ledger, and the times of automatic answers."""

from typing import ClassVar, Final

from email_threads.store.items.item import PARTITION_KEY, ThreadItem
from shared.aws.dynamodb import Attributes
from shared.aws.tables.items import filled

ACTION_PATTERN: Final = "action#{action_id}"


def action_key(action_id: str) -> Attributes:
    """Return the key of an action of the ledger (`shared.providers.action_ledger.Action`)."""
    return {PARTITION_KEY: filled(ACTION_PATTERN, action_id)}


class AnswerCount(ThreadItem):
    """Times of the automatic answers of a thread, or to a sender (`shared.aws.tables.rate_limits.frequency_cap`)."""

    pattern: ClassVar[str] = "rate#{subject}"

    conversation_id: str  # the item's key
    moments: dict[str, int]
    version: int
    ttl: int
