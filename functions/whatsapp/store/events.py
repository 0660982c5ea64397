"""
Stored webhook events, and the replay state of parked ones.

Writes about a replay ignore a missing item: its TTL may expire while the event still waits in a queue.
"""

from boto3.dynamodb.conditions import Attr, ConditionBase, Key

from shared.aws.dynamodb import Attributes, ConditionFailed, Table
from whatsapp.store.items import ParkedEntry, WebhookEvent, pk
from whatsapp.store.items.item import PARTITION_KEY

EVENT_INDEX = "gsi_webhook_event"

_of = WebhookEvent.attr
_named = WebhookEvent.named


def add(table: Table, event: WebhookEvent) -> bool:
    """Store an event once; False when it is already stored."""
    try:
        table.put(event.attributes(), when=Attr(PARTITION_KEY).not_exists())
    except ConditionFailed:
        return False
    return True


def park(table: Table, event: WebhookEvent) -> None:
    """Store a parked event once, and list it under its company if known. Safe to repeat."""
    if event.company:
        # Written first, and every time: parking an event again extends its life.
        table.put(ParkedEntry.of(event, event.company).attributes())
    add(table, event)


def get(table: Table, event_id: str) -> WebhookEvent | None:
    """Return the event with this id (strongly consistent read)."""
    item = table.get(pk(WebhookEvent.key(event_id)))
    return WebhookEvent.read(item) if item else None


def get_many(table: Table, event_ids: list[str]) -> dict[str, WebhookEvent]:
    """Return the existing ones of at most 100 events, by id."""
    keys = [pk(WebhookEvent.key(event_id)) for event_id in dict.fromkeys(event_ids)]
    events = [WebhookEvent.read(item) for item in table.get_many(keys)]
    return {event.event_id: event for event in events}


def newest(
    table: Table, event_type: str, *, limit: int, start: Attributes | None
) -> tuple[list[WebhookEvent], Attributes | None]:
    """Return up to *limit* (at most 100) events of one type, newest first, and the next start key."""
    return _newest(table, event_type, WebhookEvent, limit, start)


def of_company(
    table: Table, event_type: str, company: str, *, since: str, pages: int
) -> list[WebhookEvent]:
    """Return a company's events of one type since a time, newest first; searches *pages* times 100 events."""
    found: list[str] = []
    start: Attributes | None = None
    first = WebhookEvent.pk_pattern.partition("{")[0]
    when = Key(WebhookEvent.name_of("webhook_event_type")).eq(event_type) & Key(
        WebhookEvent.name_of("received_at")
    ).gte(since)
    for _ in range(pages):
        entries, start = table.query(EVENT_INDEX, when, limit=100, start=start, newest_first=True)
        found += [
            str(entry[PARTITION_KEY]).removeprefix(first)
            for entry in entries
            if entry.get("company") == company
        ]
        if start is None:
            break
    batches = [found[at : at + 100] for at in range(0, len(found), 100)]
    events = {key: event for batch in batches for key, event in get_many(table, batch).items()}
    return [events[event_id] for event_id in found if event_id in events]


def newest_parked(
    table: Table, company: str, *, limit: int, start: Attributes | None
) -> tuple[list[WebhookEvent], Attributes | None]:
    """Return up to *limit* (at most 100) parked events of a company, newest first, and the next start key."""
    event_type = ParkedEntry.type_pattern.format(company=company)
    return _newest(table, event_type, ParkedEntry, limit, start)


def _newest(
    table: Table,
    event_type: str,
    kind: type[WebhookEvent | ParkedEntry],
    limit: int,
    start: Attributes | None,
) -> tuple[list[WebhookEvent], Attributes | None]:
    entries, last = table.query(
        EVENT_INDEX,
        Key(WebhookEvent.name_of("webhook_event_type")).eq(event_type),
        limit=limit,
        start=start,
        newest_first=True,
    )
    first = kind.pk_pattern.partition("{")[0]
    ids = [str(entry[PARTITION_KEY]).removeprefix(first) for entry in entries]
    events = get_many(table, ids)
    return [events[event_id] for event_id in ids if event_id in events], last


def position_of(event: WebhookEvent, company: str | None) -> Attributes:
    """Return the start key after an event, for `newest` or, with *company*, `newest_parked`."""
    listed = ParkedEntry.of(event, company) if company else event
    entry_key = WebhookEvent.named(
        webhook_event_type=listed.webhook_event_type, received_at=listed.received_at
    )
    return {**pk(listed.pk), **entry_key}


def mark_replayed(table: Table, event_id: str, *, replay: int, at: str, by: str) -> None:
    """Record that a replay was queued, and by which caller. Repeated or after a later replay, it changes nothing."""
    is_newer = _of("replay_count").not_exists() | _of("replay_count").lt(replay)
    facts = {"replay_count": replay, "replayed_at": at, "replayed_by": by}
    _mark(table, event_id, facts, is_newer)


def mark_resolved(table: Table, event_id: str, *, at: str) -> None:
    """Record that a replay was processed, which is final. The first time is kept."""
    _mark(table, event_id, {"resolved_at": at}, _of("resolved_at").not_exists())


def mark_returned(table: Table, event_id: str, *, replay: int, at: str, ttl: int) -> None:
    """Record that a replay was parked again for the same reason. After a later replay it changes nothing."""
    facts = {"returned": replay, "parked_again_at": at, "ttl": ttl}
    _mark(table, event_id, facts, _not_after(replay), drop="replaced_by")


def mark_replaced(table: Table, event_id: str, *, replay: int, by: str) -> None:
    """Record that a replay was parked for another reason, as event *by*. After a later replay it changes nothing."""
    _mark(table, event_id, {"returned": replay, "replaced_by": by}, _not_after(replay))


def reopen(table: Table, event_id: str, *, ttl: int) -> None:
    """Reopen the event under which a replay of another event was parked, perhaps its original. Safe to repeat."""
    _mark(table, event_id, {"ttl": ttl}, drop="replaced_by")


def mark_redriven(table: Table, note: WebhookEvent, *, at: str, by: str) -> None:
    """
    Record that a dead letter was queued again, and by which caller. *note* is written if the failed run left none.

    Safe to repeat; the newest time is kept.
    """
    table.update(
        pk(note.pk), put=_named(replayed_at=at, replayed_by=by), put_once=_besides_key(note)
    )


def note_last_attempt(table: Table, note: WebhookEvent) -> None:
    """Write the error of an event's last attempt. If it fails again after a redrive, the newest reason is kept."""
    table.update(pk(note.pk), put=_besides_key(note))


def _besides_key(event: WebhookEvent) -> Attributes:
    return {name: value for name, value in event.attributes().items() if name != PARTITION_KEY}


def _not_after(replay: int) -> ConditionBase:
    return _of("returned").not_exists() | _of("returned").lte(replay)


def _mark(
    table: Table,
    event_id: str,
    facts: Attributes,
    when: ConditionBase | None = None,
    *,
    drop: str | None = None,
) -> None:
    is_there = Attr(PARTITION_KEY).exists()
    try:
        table.update(
            pk(WebhookEvent.key(event_id)),
            put=_named(**facts),
            drop=[WebhookEvent.name_of(drop)] if drop else [],
            when=is_there & when if when else is_there,
        )
    except ConditionFailed:
        return  # Expired, already recorded, or superseded.
