"""The end of a thread's retention."""

from typing import ClassVar

from email_threads.store.items.item import ThreadItem


class Expiry(ThreadItem):
    """
    Names a thread in TTLIndex for a day longer than its head.

    DynamoDB deletes the head by its TTL at any time after it; mails and files are removed by a function of Parley.
    """

    pattern: ClassVar[str] = "{conversation_id}#expiry"

    conversation_id: str  # the item's key
    ttl: int
    ttl_date: str
