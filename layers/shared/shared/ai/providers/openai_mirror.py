"""
A copy of a conversation in OpenAI's Conversations, for manual inspection: best effort, write-only. Erasing the customer
deletes the copy.

It is never passed to a model as `conversation`, so a repeated turn cannot corrupt a history or wait for a locked
conversation. (OpenAI API reference, "Conversations"; 20 items a request, 16 pairs of metadata.)
"""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import quote

from botocore.exceptions import BotoCoreError, ClientError

from shared.ai.port import Unavailable
from shared.ai.providers.openai import items_of
from shared.aws.secrets import SecretUnreadable

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from shared.ai.port import Message
    from shared.ai.providers.openai import Account

MOST_ITEMS = 20
WITHIN_MS = 5_000


def create_conversation(
    account: Account, metadata: Mapping[str, str], *, within_ms: int = WITHIN_MS
) -> str | None:
    """Create an empty conversation and return its id; None on failure. *metadata* must hold no personal data."""
    try:
        created = account.post("conversations", {"metadata": dict(metadata)}, within_ms=within_ms)
    except (Unavailable, SecretUnreadable, ClientError):
        return None
    conversation_id = created.get("id")
    return conversation_id if isinstance(conversation_id, str) and conversation_id else None


def append_messages(
    account: Account,
    conversation_id: str,
    messages: Sequence[Message],
    *,
    within_ms: int = WITHIN_MS,
) -> bool:
    """Append messages. False if some were not accepted; a retry would duplicate the accepted ones."""
    path = f"conversations/{quote(conversation_id, safe='')}/items"
    items = [item for message in messages for item in items_of(message)]
    try:
        for first in range(0, len(items), MOST_ITEMS):
            batch = {"items": items[first : first + MOST_ITEMS]}
            account.post(path, batch, within_ms=within_ms)
    except (Unavailable, SecretUnreadable, ClientError):
        return False
    return True


def delete_conversation(
    account: Account, conversation_id: str, *, within_ms: int = WITHIN_MS
) -> bool:
    """Delete a conversation with all its items; False if it may still exist. Idempotent."""
    try:
        account.delete(f"conversations/{quote(conversation_id, safe='')}", within_ms=within_ms)
    except (Unavailable, SecretUnreadable, ClientError, BotoCoreError):
        return False
    return True
