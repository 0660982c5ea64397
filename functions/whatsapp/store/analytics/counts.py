"""Hourly and daily counts, the messages they are computed from, and the progress of counting."""

import uuid
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import batched

from boto3.dynamodb.conditions import Attr, ConditionBase, Key

from shared.aws.dynamodb import Attributes, ConditionFailed, Table
from shared.runtime import clock
from whatsapp.store.analytics.tallies import Entry
from whatsapp.store.items import Message, WhatsAppItem, pk
from whatsapp.store.items.analytics.counts import Analytics, Counting, CountingPart, Hour
from whatsapp.store.items.item import PARTITION_KEY

INBOX_INDEX = "gsi_inbox"
ENTRIES_PER_QUERY = 1_000
KEYS_PER_READ = 100
PARALLEL_READS = 4
# An item holds at most 400 KB.
PART_CHARACTERS = 300_000
PART_LIVES_SECONDS = 2 * clock.DAY_SECONDS
_COUNTED = tuple(
    Message.name_of(field)
    for field in (
        *("direction", "company", "phone", "delivery_status", "template", "campaign_id"),
        *("price_category", "ad_source", "reply_of"),
    )
)


@dataclass(frozen=True, slots=True)
class CountedPage:
    """Messages of a number, and where the next page starts; None on the last page."""

    entries: list[Entry]
    start: Attributes | None


def page(table: Table, inbox: str, first: str, last: str, start: Attributes | None) -> CountedPage:
    """
    Return the next messages in an *inbox*, the partition of a number, between two times (inclusive).

    The index has none of the attributes that are counted, so each message is read: half a unit.
    """
    name = Message.name_of
    when = Key(name("inbox_pk")).eq(inbox) & Key(name("received_at")).between(first, last)
    found, after = table.query(
        INBOX_INDEX,
        when,
        limit=ENTRIES_PER_QUERY,
        start=start,
        only=Attr("itemType").eq(Message.item_type),
        fields=[PARTITION_KEY],
    )
    keys = [list(batch) for batch in batched(found, KEYS_PER_READ, strict=False)]

    def read(batch: list[Attributes]) -> list[Attributes]:
        return table.get_many(batch, is_consistent=False, fields=_COUNTED)

    if len(keys) == 1:
        items = [read(keys[0])]
    else:
        with ThreadPoolExecutor(PARALLEL_READS) as pool:
            items = list(pool.map(read, keys))
    return CountedPage([_entry(item) for batch in items for item in batch], after)


def _entry(item: Attributes) -> Entry:
    def get(field: str) -> str | None:
        value = item.get(Message.name_of(field))
        return str(value) if value else None

    return Entry(
        is_inbound=get("direction") == "INBOUND",
        company=get("company"),
        phone=get("phone"),
        status=get("delivery_status"),
        template=get("template"),
        campaign=get("campaign_id"),
        category=get("price_category"),
        ad_source=get("ad_source"),
        reply_of=get("reply_of"),
    )


def hours(table: Table, keys: Sequence[str]) -> dict[str, Hour]:
    """Return the counted hours with these keys, by key."""
    return {item[PARTITION_KEY]: Hour.read(item) for item in _many(table, keys)}


def days(table: Table, keys: Sequence[str]) -> list[Analytics]:
    """Return the counted days with these keys, in no particular order."""
    return [Analytics.read(item) for item in _many(table, keys)]


def _many(table: Table, keys: Sequence[str]) -> Iterator[Attributes]:
    # Two companies may use the same campaign id, and DynamoDB accepts each key once per batch.
    for batch in batched(dict.fromkeys(keys), KEYS_PER_READ, strict=False):
        yield from table.get_many([pk(key) for key in batch])


def set_hour(table: Table, hour: Hour) -> bool:
    """Set an hour; False when the stored one was started later or belongs to another company."""
    # Runs twice when: two runs overlap, or a run died and counts again. The count that started last is kept.
    return _set(table, hour, _newer(hour, Hour.attr("counted_at"), hour.counted_at))


def set_day(table: Table, day: Analytics) -> bool:
    """Set a day; False when the stored one read its hours at the same time or later, or belongs to another company."""
    return _set(table, day, _newer(day, Analytics.attr("counted_at"), str(day.counted_at)))


def _newer(item: WhatsAppItem, counted_at: Attr, at: str) -> ConditionBase:
    return Attr(PARTITION_KEY).not_exists() | (
        counted_at.lt(at) & item.attr("company").eq(item.company)
    )


def _set(table: Table, item: WhatsAppItem, when: ConditionBase) -> bool:
    try:
        table.put(item.attributes(), when=when)
    except ConditionFailed:
        return False
    return True


def mark_summed(table: Table, hour: Hour) -> None:
    """Mark an hour as included in its day, unless it was recounted meanwhile. Safe to repeat."""
    try:
        table.update(
            pk(hour.pk),
            put=Hour.named(summed=True),
            when=Hour.attr("counted_at").eq(hour.counted_at),
        )
    except ConditionFailed:
        return


def progress(table: Table) -> Counting:
    """Return the progress of counting; version 0 before the first run."""
    item = table.get(pk(Counting.pk_pattern))
    return Counting.read(item) if item else Counting(pk=Counting.pk_pattern)


def save_progress(table: Table, now: Counting) -> bool:
    """Save the progress of counting; False when another run saved since *now* was read: that progress is kept."""
    # Also fails against the first write when the SDK lost its response: that write is kept.
    stored = Counting.attr("version")
    try:
        table.put(
            now.model_copy(update={"version": now.version + 1}).attributes(),
            when=stored.eq(now.version) if now.version else Attr(PARTITION_KEY).not_exists(),
        )
    except ConditionFailed:
        return False
    return True


def keep_partial(table: Table, text: str) -> tuple[str, int]:
    """
    Store a partially counted hour; return the generated name and the number of parts, for `partial_of`.

    Every call uses a new name, so that previously saved progress never points to different sums. Old parts expire by
    TTL.
    """
    name = uuid.uuid4().hex
    pieces = [text[at : at + PART_CHARACTERS] for at in range(0, len(text), PART_CHARACTERS)]
    for number, piece in enumerate(pieces):
        key = CountingPart.of(name, number)
        ttl = clock.expires_in(PART_LIVES_SECONDS)
        table.put(CountingPart(pk=key, sums=piece, ttl=ttl).attributes())
    return name, len(pieces)


def partial_of(table: Table, name: str, parts: int) -> str | None:
    """Return the text stored by `keep_partial`; None when its parts have expired."""
    items = [table.get(pk(CountingPart.of(name, number))) for number in range(parts)]
    pieces = [CountingPart.read(item).sums for item in items if item]
    return "".join(pieces) if len(pieces) == parts else None
