"""The log of a conversation: every message in full, each status change, and files stored before their message."""

from collections.abc import Collection, Iterator, Sequence
from contextlib import suppress
from typing import Any

from boto3.dynamodb.conditions import Attr, Key

from conversations.store.items.base import PARTITION_KEY, SORT_KEY, key
from conversations.store.items.conversation import Entry
from conversations.store.items.log import Change, Delivery, Message, OfConversation, of
from conversations.store.items.parts.note import Note
from conversations.store.items.records import EarlyFile
from conversations.store.items.routes import Outbound
from shared.aws.dynamodb import Attributes, ConditionFailed, Table
from shared.aws.sqs_fifo import digest

AT_ONCE = 25  # of BatchWriteItem
SEARCHED = 1_000
SEARCHED_AT_ONCE = 100
SES_HOST = ".amazonses.com"


def add(table: Table, ref: str, message: Message) -> Message:
    """Write a message unless it exists and return the stored one: the first draft is the one that is sent."""
    where = of(ref, message.own_sk)
    try:
        table.put(message.attributes(where), when=Message.attr("entry_id").not_exists())
    except ConditionFailed as refusal:
        return Message.read(refusal.existing or {})
    return message


def add_all(table: Table, ref: str, entries: Sequence[Message]) -> None:
    """Write messages that the log does not have yet, in batches and without condition. Idempotent."""
    items = [m.attributes(of(ref, m.sk(m.message_timestamp, m.entry_id))) for m in entries]
    for first in range(0, len(items), AT_ONCE):
        table.put_many(items[first : first + AT_ONCE])


def get(table: Table, ref: str, sk: str) -> Message | None:
    """Return one message, strongly consistent, or None."""
    item = table.get(of(ref, sk))
    return Message.read(item) if item else None


def update(
    table: Table,
    ref: str,
    sk: str,
    facts: Attributes,
    *,
    once: Attributes | None = None,
    drop: Sequence[str] = (),
    only_from: Sequence[Delivery] = (),
) -> Message | None:
    """
    Update attributes (`Message.named`) of a message; *once* only if absent, with *only_from* only in these
    delivery statuses. Returns None if the message does not exist or has another status.
    """
    may: Any = Message.attr("entry_id").exists()
    if only_from:
        may &= Message.attr("delivery_status").is_in(list(only_from))
    try:
        return Message.read(
            table.update(of(ref, sk), put=facts, put_once=once, drop=drop, when=may)
        )
    except ConditionFailed:
        return None


def put_files(
    table: Table, ref: str, seen: Message, files: list[dict[str, str]], state: str | None
) -> bool:
    """Store the file list of a message; False if the list has changed since *seen* or the message is gone."""
    where = of(ref, seen.sk(seen.message_timestamp, seen.entry_id))
    facts = Message.named(media=files, media_state=state)
    try:
        table.update(where, put=facts, when=Message.attr("media").eq(seen.media))
    except ConditionFailed:
        return False
    return True


def newest(table: Table, ref: str, count: int, up_to: str | None = None) -> list[Message]:
    """Return the newest *count* messages up to this sort key, if given, oldest first, strongly consistent."""
    condition = _messages(ref)
    if up_to is not None:
        condition = Key(PARTITION_KEY).eq(OfConversation.partition(ref))
        condition &= Key(SORT_KEY).between(Message.first_sk, up_to)
    items, _ = table.query(None, condition, limit=count, newest_first=True)
    return [Message.read(item) for item in reversed(items)]


def after(table: Table, ref: str, sk: str | None) -> list[Message]:
    """Return all messages after the one with this sort key, oldest first, strongly consistent."""
    entries: list[Message] = []
    start: Attributes | None = None
    newer: Any = Key(PARTITION_KEY).eq(OfConversation.partition(ref))
    # `~` sorts after all characters of a message's sort key.
    newer &= Key(SORT_KEY).between(f"{sk}~" if sk else Message.first_sk, f"{Message.first_sk}~")
    while True:
        items, start = table.query(None, newer, start=start)
        entries += [Message.read(item) for item in items]
        if start is None:
            return entries


def page(
    table: Table, ref: str, limit: int, start: Attributes | None
) -> tuple[list[Message], Attributes | None]:
    """Return one page of messages, newest first, and the key of the next page."""
    items, last = table.query(None, _messages(ref), limit=limit, start=start, newest_first=True)
    return [Message.read(item) for item in items], last


def first(table: Table, ref: str) -> Message | None:
    """Return the oldest message; None if there is none."""
    items, _ = table.query(None, _messages(ref), limit=1)
    return Message.read(items[0]) if items else None


def find(table: Table, ref: str, entry_id: str) -> Message | None:
    """Find a message by its id among the newest thousand; agents do not act on older ones."""
    start: Attributes | None = None
    for _ in range(SEARCHED // SEARCHED_AT_ONCE):
        entries, start = page(table, ref, SEARCHED_AT_ONCE, start)
        for message in entries:
            if message.entry_id == entry_id:
                return message
        if start is None:
            return None
    return None


def link(table: Table, provider: str, provider_message_id: str, link_to: Outbound) -> None:
    """Link a provider message id to its message. Idempotent: an id never names another message."""
    where = key(Outbound.partition(provider, bare_id(provider, provider_message_id)))
    table.put(link_to.attributes(where))


def linked(table: Table, provider: str, provider_message_id: str) -> Outbound | None:
    """Return the link of a provider message id, strongly consistent, or None."""
    item = table.get(key(Outbound.partition(provider, bare_id(provider, provider_message_id))))
    return Outbound.read(item) if item else None


def linked_many(table: Table, provider: str, ids: Collection[str]) -> dict[str, Outbound]:
    """Return the links of provider message ids, by id; unknown ids are omitted. One read per hundred ids."""
    ids_by_key = {
        Outbound.partition(provider, bare_id(provider, message_id)): message_id
        for message_id in ids
    }
    items = table.get_many([key(pk) for pk in ids_by_key])
    return {ids_by_key[str(item[PARTITION_KEY])]: Outbound.read(item) for item in items}


def delivery_of(
    table: Table, links: Collection[Outbound]
) -> dict[tuple[str, str], Delivery | None]:
    """Return the delivery status of each linked message, by `ref` and sort key. One read per hundred messages."""
    unique = {(link.ref, link.message_sk) for link in links}
    items = table.get_many([of(*link) for link in unique])
    return {
        (str(item[PARTITION_KEY]).partition("#")[2], str(item[SORT_KEY])): Message.read(
            item
        ).delivery_status
        for item in items
    }


def unlink(table: Table, provider: str, provider_message_id: str) -> None:
    """Delete the link of a provider message id. Idempotent."""
    table.delete(key(Outbound.partition(provider, bare_id(provider, provider_message_id))))


def hash_of(provider: str, provider_message_id: str) -> str:
    """Return the hash of a provider message id for use in keys: the id itself may contain a phone number."""
    return digest("message", provider, bare_id(provider, provider_message_id))


def bare_id(provider: str, provider_message_id: str) -> str:
    """
    Return the id without the host of an SES Message-ID; ids of other providers are unchanged.

    SES events contain only the part before the `@`; answers quote the whole Message-ID. Check: see `ses.message_ids`;
    the host differs by region and is not documented as stable.
    """
    local, _, host = provider_message_id.partition("@")
    return local if provider == "ses" and host.endswith(SES_HOST) else provider_message_id


def keep_early_file(table: Table, provider: str, provider_message_id: str, file: EarlyFile) -> None:
    """Store the location of a file until its message is in the log. Idempotent; the newest location wins."""
    partition = _early_files_of(provider, provider_message_id)
    table.put(file.attributes(key(partition, EarlyFile.sk(file.account, file.provider_id))))


def early_files(table: Table, provider: str, provider_message_id: str) -> list[EarlyFile]:
    """Return the early files of a message, strongly consistent. A message has few files: one page suffices."""
    condition = Key(PARTITION_KEY).eq(_early_files_of(provider, provider_message_id))
    items, _ = table.query(None, condition)
    return [EarlyFile.read(item) for item in items]


def forget_early_files(table: Table, provider: str, provider_message_id: str) -> None:
    """Delete the early files of a message. Idempotent."""
    partition = _early_files_of(provider, provider_message_id)
    items, _ = table.query(None, Key(PARTITION_KEY).eq(partition))
    for item in items:
        table.delete(key(partition, str(item[SORT_KEY])))


def _early_files_of(provider: str, provider_message_id: str) -> str:
    return EarlyFile.partition(hash_of(provider, provider_message_id))


def lifetimes(table: Table, ref: str, after: str | None) -> Iterator[tuple[str, int | None]]:
    """Yield sort key and `ttl` (epoch seconds) of each change, message and note of a log after a sort key."""
    for kind in (Change, Message, Note):  # in the order of their sort keys
        first = max(kind.first_sk, f"{after}~" if after else "")
        newer: Any = Key(PARTITION_KEY).eq(OfConversation.partition(ref))
        newer &= Key(SORT_KEY).between(first, max(first, f"{kind.first_sk}~"))
        start: Attributes | None = None
        while True:
            items, start = table.query(None, newer, start=start)
            yield from ((str(item[SORT_KEY]), kind.read(item).ttl) for item in items)
            if start is None:
                break


def live_until(table: Table, ref: str, sk: str, ttl: int) -> None:
    """Set the `ttl` of a log item; a deleted item is not recreated. Idempotent."""
    with suppress(ConditionFailed):
        table.update(of(ref, sk), put=Message.named(ttl=ttl), when=Attr(PARTITION_KEY).exists())


def note_change(table: Table, ref: str, at: str, change_id: str, change: Change) -> None:
    """Write a status change to the log. Idempotent."""
    table.put(change.attributes(of(ref, change.sk(at, change_id))))


def changes(table: Table, ref: str, limit: int) -> list[Change]:
    """Return the newest status changes, newest first."""
    return [change for _, change in dated_changes(table, ref, limit)]


def dated_changes(table: Table, ref: str, limit: int) -> list[tuple[str, Change]]:
    """Return the newest status changes with the time of each, newest first."""
    condition: Any = Key(PARTITION_KEY).eq(OfConversation.partition(ref))
    condition &= Key(SORT_KEY).begins_with(Change.first_sk)
    items, _ = table.query(None, condition, limit=limit, newest_first=True)
    return [(str(item[SORT_KEY]).split("#")[1], Change.read(item)) for item in items]


def _messages(ref: str) -> Any:  # noqa: ANN401 - boto3's conditions have no public common type
    return Key(PARTITION_KEY).eq(OfConversation.partition(ref)) & Key(SORT_KEY).begins_with(
        Message.first_sk
    )


def entry_of(message: Message) -> Entry:
    """Convert a message to an entry of the contract's list."""
    return Entry(
        entry_id=message.entry_id,
        message_timestamp=message.message_timestamp,
        role=message.role,
        content=message.content,
        ai_prompt_tokens=message.ai_prompt_tokens,
        ai_completion_tokens=message.ai_completion_tokens,
        ai_total_tokens=message.ai_total_tokens,
        processing_time_ms=message.processing_time_ms,
    )
