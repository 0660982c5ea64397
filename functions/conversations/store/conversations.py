"""The contract's table: one item per conversation, one update per turn, conditional on the item as it was read."""

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from boto3.dynamodb.conditions import ConditionBase, Key

from conversations.store.items import conversation as keys
from conversations.store.items import identifiers
from conversations.store.items.conversation import ChannelMethod, Conversation
from shared.aws.dynamodb import Attributes, ConditionFailed, Table
from shared.runtime import clock
from shared.runtime.failures import Transient

ROUNDS = 4
# Key attributes of the indexes used for lists.
_KEYS_OF = {
    Conversation.by_created: ("created_at",),
    Conversation.by_task_complete: ("task_complete",),
    Conversation.by_status: ("conversation_status",),
    Conversation.by_channel: ("channel_method",),
}

# Returns the fields to write, by name; None for no change.
type Decide = Callable[[Conversation], dict[str, Any] | None]


def create(table: Table, conversation: Conversation) -> Conversation:
    """Write a conversation unless it exists and return the stored one."""
    absent = Conversation.attr("conversation_id").not_exists()
    try:
        table.put(conversation.attributes(), when=absent)
    except ConditionFailed as refusal:
        return Conversation.read(refusal.existing or {})
    return conversation


def read(table: Table, primary_channel: str, conversation_id: str) -> Conversation | None:
    """Return a conversation, strongly consistent, or None."""
    item = table.get(keys.key(primary_channel, conversation_id))
    return Conversation.read(item) if item else None


def read_stored(table: Table, primary_channel: str, conversation_id: str) -> Conversation | None:
    """Return a conversation, also an expired one that DynamoDB has not deleted yet; None if there is none."""
    exactly = Key(keys.PARTITION_KEY).eq(primary_channel) & Key(keys.SORT_KEY).eq(conversation_id)
    items, _ = table.query(None, exactly, limit=1)
    return Conversation.read(items[0]) if items else None


def name(table: Table, seen: Conversation) -> Conversation | None:
    """
    Store the fingerprint of the key that makes the `ref`, unless it is stored; return the conversation, or None if
    it is gone.

    From then on the `ref` is fixed, whichever key is current. No call if *seen* has a fingerprint.
    """
    if seen.ref_key is not None:
        return seen
    named = Conversation.named(ref_key=identifiers.key_of_ref(identifiers.ref_of_item(seen)))
    exists = Conversation.attr("conversation_id").exists()
    try:
        return Conversation.read(table.update(seen.key, put_once=named, when=exists))
    except ConditionFailed:
        return None


def change(
    table: Table, primary_channel: str, conversation_id: str, decide: Decide
) -> tuple[Conversation, Conversation] | None:
    """
    Apply *decide* to the current conversation; return it before and after, or None if it does not exist.

    Raises Transient after repeated concurrent writes. The update is conditional on the item: it never recreates one.
    """
    for _ in range(ROUNDS):
        seen = read(table, primary_channel, conversation_id)
        if seen is None:
            return None
        facts = decide(seen)
        if facts is None:
            return seen, seen
        unchanged = Conversation.attr("updated_at").eq(seen.updated_at)
        put = Conversation.named(**facts, updated_at=_later_than(seen.updated_at))
        try:
            item = table.update(seen.key, put=put, when=unchanged)
        except ConditionFailed:
            continue
        return seen, Conversation.read(item)
    raise Transient("conversation_contended")


def of_pair(
    table: Table, channel: ChannelMethod, business_address: str, customer: str
) -> Iterator[Conversation]:
    """Yield the conversations of two addresses from the contract's index: eventually consistent, all pages."""
    index, business, recipient = Conversation.by_pair[channel]
    condition = Key(business).eq(business_address) & Key(recipient).eq(customer)
    start: Attributes | None = None
    while True:
        items, start = table.query(index, condition, start=start)
        yield from (Conversation.read(item) for item in items)
        if start is None:
            return


def page_of_recipient(
    table: Table,
    spellings: Sequence[str],
    limit: int,
    start: Attributes | None,
    *,
    index: str = Conversation.by_created,
    condition: Any = None,  # noqa: ANN401 - boto3's conditions have no public common type
) -> tuple[list[Conversation], Attributes | None]:
    """
    Return one page of a recipient's conversations from a local index, newest or highest first, and the next key. Of an
    address with several *spellings*, the conversations under one follow those under another.
    """
    current = str(start[keys.PARTITION_KEY]) if start else spellings[0]
    whole: Any = Key(keys.PARTITION_KEY).eq(current)
    if condition is not None:
        whole &= condition
    items, last = table.query(index, whole, limit=limit, start=start, newest_first=True)
    following = spellings[spellings.index(current) + 1 :]
    if last is not None or not following:
        return _alive(items), last
    others, last = page_of_recipient(
        table, following, max(1, limit - len(items)), None, index=index, condition=condition
    )
    return [*_alive(items), *others], last


def position(index: str, conversation: Conversation) -> Attributes:
    """Return the index key of a conversation, at which a page can end."""
    stored = conversation.attributes()
    return conversation.key | {name: stored[name] for name in _KEYS_OF[index]}


def with_recipient(table: Table, company_id: str, primary_channel: str) -> Iterator[Conversation]:
    """Yield a company's conversations with one recipient, strongly consistent, all pages."""
    for item in _with_recipient(table, company_id, primary_channel):
        yield from _alive([item])


def ever_with_recipient(
    table: Table, company_id: str, primary_channel: str
) -> Iterator[Conversation]:
    """Yield as `with_recipient`, plus expired conversations that DynamoDB has not deleted yet."""
    for item in _with_recipient(table, company_id, primary_channel):
        yield Conversation.read(item)


def page_with_recipient(
    table: Table,
    company_id: str,
    primary_channel: str,
    *,
    limit: int,
    start: Attributes | None = None,
) -> tuple[list[Conversation], Attributes | None]:
    """Return a page of `ever_with_recipient`, and the key of the next one; None after the last page."""
    items, last = table.query(
        None, _of_recipient(company_id, primary_channel), limit=limit, start=start
    )
    return [Conversation.read(item) for item in items], last


def erase(table: Table, conversation: Conversation) -> None:
    """Delete a conversation. Idempotent."""
    table.delete(conversation.key)


def _with_recipient(table: Table, company_id: str, primary_channel: str) -> Iterator[Attributes]:
    condition = _of_recipient(company_id, primary_channel)
    start: Attributes | None = None
    while True:
        items, start = table.query(None, condition, start=start)
        yield from items
        if start is None:
            return


def _of_recipient(company_id: str, primary_channel: str) -> ConditionBase:
    condition: ConditionBase = Key(keys.PARTITION_KEY).eq(primary_channel)
    return condition & Key(keys.SORT_KEY).begins_with(keys.first_of_company(company_id))


def _alive(items: list[Attributes]) -> list[Conversation]:
    return [Conversation.read(item) for item in items if not clock.is_over(item.get("ttl"))]


def _later_than(before: str) -> str:
    """Return the current time, but later than *before*: changes within a millisecond or clock skew keep their order."""
    return clock.to_text(max(clock.now_ms(), clock.from_text(before) + 1))
