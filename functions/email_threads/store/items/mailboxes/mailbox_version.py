"""A version of the settings of a mailbox's model."""

from typing import ClassVar

from email_threads.store.items.item import ThreadItem
from shared.ai.versions.stored import Version


class MailboxVersion(ThreadItem, Version):
    """The settings of a mailbox that its model depends on; never changed, and kept after the mailbox."""

    pattern: ClassVar[str] = "version#{company_id}#{address}#{number}"

    conversation_id: str = ""  # the item's key
