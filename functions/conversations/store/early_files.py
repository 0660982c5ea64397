"""Files that are here before the log has their message."""

from boto3.dynamodb.conditions import Key

from conversations.store import messages
from conversations.store.items.base import PARTITION_KEY, SORT_KEY, key
from conversations.store.items.records import EarlyFile
from shared.aws.dynamodb import Table


def keep(table: Table, provider: str, provider_message_id: str, file: EarlyFile) -> None:
    """Keep where a file lies for its message, whenever that comes. Safe to repeat; the newest place stands."""
    partition = _partition(provider, provider_message_id)
    table.put(file.attributes(key(partition, EarlyFile.sk(file.account, file.provider_id))))


def of_message(table: Table, provider: str, provider_message_id: str) -> list[EarlyFile]:
    """The files that came before this message, strongly consistent. A message has so few that they are one page."""
    condition = Key(PARTITION_KEY).eq(_partition(provider, provider_message_id))
    items, _ = table.query(None, condition)
    return [EarlyFile.read(item) for item in items]


def forget(table: Table, provider: str, provider_message_id: str) -> None:
    """Keep none of them any more. Safe to repeat."""
    partition = _partition(provider, provider_message_id)
    items, _ = table.query(None, Key(PARTITION_KEY).eq(partition))
    for item in items:
        table.delete(key(partition, str(item[SORT_KEY])))


def _partition(provider: str, provider_message_id: str) -> str:
    return EarlyFile.partition(messages.hash_of(provider, provider_message_id))
