"""Files that are stored before their message is in the log."""

from boto3.dynamodb.conditions import Key

from conversations.store import messages
from conversations.store.items.base import PARTITION_KEY, SORT_KEY, key
from conversations.store.items.records import EarlyFile
from shared.aws.dynamodb import Table


def keep(table: Table, provider: str, provider_message_id: str, file: EarlyFile) -> None:
    """Store the location of a file until its message arrives. Idempotent; the newest location wins."""
    partition = _partition(provider, provider_message_id)
    table.put(file.attributes(key(partition, EarlyFile.sk(file.account, file.provider_id))))


def of_message(table: Table, provider: str, provider_message_id: str) -> list[EarlyFile]:
    """Return the early files of a message, strongly consistent. A message has few files: one page suffices."""
    condition = Key(PARTITION_KEY).eq(_partition(provider, provider_message_id))
    items, _ = table.query(None, condition)
    return [EarlyFile.read(item) for item in items]


def forget(table: Table, provider: str, provider_message_id: str) -> None:
    """Delete the early files of a message. Idempotent."""
    partition = _partition(provider, provider_message_id)
    items, _ = table.query(None, Key(PARTITION_KEY).eq(partition))
    for item in items:
        table.delete(key(partition, str(item[SORT_KEY])))


def _partition(provider: str, provider_message_id: str) -> str:
    return EarlyFile.partition(messages.hash_of(provider, provider_message_id))
