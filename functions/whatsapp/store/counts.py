"""Counts of hours and days, what they are counted from, and how far the counting got."""

import uuid
from collections.abc import Iterator, Sequence
from functools import partial
from itertools import batched

from boto3.dynamodb.conditions import Attr, ConditionBase, Key

from shared import clock
from shared.aws.dynamodb import Attributes, ConditionFailed, Table
from whatsapp.store.counting import Entry
from whatsapp.store.items import Message, WhatsAppItem, pk
from whatsapp.store.items.counts import Analytics, Counting, CountingPart, Hour
from whatsapp.store.items.item import PARTITION_KEY

STATUS_INDEX = "gsi_status"
DIRECTION_INDEX = "gsi_direction"
ENTRIES_PER_QUERY = (
    5_000  # Five indexes are read side by side, a page of each in memory; 600 KB of 120 bytes each.
)
KEYS_PER_READ = 100
# An item holds 400 KB.
PART_CHARACTERS = 300_000
PART_LIVES_SECONDS = 2 * clock.DAY_SECONDS


def sent(table: Table, status: str, first: str, last: str) -> Iterator[Entry]:
    """Messages that are at *status* now and were sent between two times (both included), oldest first."""
    name = Message.name_of
    when = Key(name("delivery_status")).eq(status) & Key(name("sent_at")).between(first, last)
    for found in _pages(table, STATUS_INDEX, when):
        get = partial(_text, found)
        yield Entry(
            pk=found[PARTITION_KEY],
            at=found[name("sent_at")],
            company=get("company"),
            phone=get("phone"),
            status=status,
            template=get("template"),
            campaign=get("campaign_id"),
            category=get("price_category"),
        )


def received(table: Table, first: str, last: str) -> Iterator[Entry]:
    """Messages that were received between two times (both included), oldest first."""
    name = Message.name_of
    when = Key(name("direction")).eq("INBOUND") & Key(name("received_at")).between(first, last)
    for found in _pages(table, DIRECTION_INDEX, when):
        get = partial(_text, found)
        yield Entry(
            pk=found[PARTITION_KEY],
            at=found[name("received_at")],
            company=get("company"),
            phone=get("phone"),
            ad_source=get("ad_source"),
            reply_of=get("reply_of"),
        )


def _pages(table: Table, index: str, when: ConditionBase) -> Iterator[Attributes]:
    start: Attributes | None = None
    while True:
        page, start = table.query(index, when, limit=ENTRIES_PER_QUERY, start=start)
        yield from page
        if start is None:
            return


def _text(found: Attributes, field: str) -> str | None:
    value = found.get(Message.name_of(field))
    return str(value) if value else None


def hours(table: Table, keys: Sequence[str]) -> dict[str, Hour]:
    """The hours with these keys that were counted, by key."""
    return {item[PARTITION_KEY]: Hour.read(item) for item in _many(table, keys)}


def days(table: Table, keys: Sequence[str]) -> list[Analytics]:
    """The days with these keys that were counted, in no order."""
    return [Analytics.read(item) for item in _many(table, keys)]


def _many(table: Table, keys: Sequence[str]) -> Iterator[Attributes]:
    # Two companies may call a campaign the same, and DynamoDB takes each key once.
    for some in batched(dict.fromkeys(keys), KEYS_PER_READ, strict=False):
        yield from table.get_many([pk(key) for key in some])


def set_hour(table: Table, hour: Hour) -> bool:
    """Set an hour; False when a count that began later has, or another company's stands there."""
    # Comes twice when: two runs overlap, or one died and counts again. The count that began last stays.
    return _set(table, hour, _newer(hour, Hour.attr("counted_at"), hour.counted_at))


def set_day(table: Table, day: Analytics) -> bool:
    """Set a day; False when a sum whose hours were read later (or at the same time) has, or of another company."""
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
    """Note that its day has this hour in it, unless the hour was counted anew meanwhile. Safe to repeat."""
    try:
        table.update(
            pk(hour.pk),
            put=Hour.named(summed=True),
            when=Hour.attr("counted_at").eq(hour.counted_at),
        )
    except ConditionFailed:
        return


def progress(table: Table) -> Counting:
    """How far the counting got; version 0 where it never began."""
    item = table.get(pk(Counting.pk_pattern))
    return Counting.read(item) if item else Counting(pk=Counting.pk_pattern)


def save_progress(table: Table, now: Counting) -> bool:
    """Note how far the counting got; False when another run has since *now* was read: its word stays."""
    # Refused against our own write too, when the SDK lost the first answer: it stands then.
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
    Keep a half-counted hour; the name it got, and the number of its parts, for `partial`.

    Every call takes a new name, so that progress which was saved before never leads to other sums. Old ones end by TTL.
    """
    name = uuid.uuid4().hex
    pieces = [text[at : at + PART_CHARACTERS] for at in range(0, len(text), PART_CHARACTERS)]
    for number, piece in enumerate(pieces):
        key = CountingPart.of(name, number)
        ttl = clock.expires_in(PART_LIVES_SECONDS)
        table.put(CountingPart(pk=key, sums=piece, ttl=ttl).attributes())
    return name, len(pieces)


def partial_of(table: Table, name: str, parts: int) -> str | None:
    """The text that `keep_partial` kept; None when it is so old that it is gone."""
    found = [table.get(pk(CountingPart.of(name, number))) for number in range(parts)]
    pieces = [CountingPart.read(item).sums for item in found if item]
    return "".join(pieces) if len(pieces) == parts else None
