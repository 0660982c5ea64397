"""
Webhook events that are kept as such, and what became of the parked ones.

The writes about a replay leave a missing item alone: its TTL may be over while the event still waits in a queue.
"""

from boto3.dynamodb.conditions import Attr, ConditionBase, Key

from shared.aws.dynamodb import Attributes, ConditionFailed, Table
from whatsapp.store.items import ParkedEntry, WebhookEvent, pk
from whatsapp.store.items.item import PARTITION_KEY

EVENT_INDEX = "gsi_webhook_event"

_of = WebhookEvent.attr
_named = WebhookEvent.named


def add(table: Table, event: WebhookEvent) -> bool:
    """Keep an event once; False when it is kept already."""
    try:
        table.put(event.attributes(), when=Attr(PARTITION_KEY).not_exists())
    except ConditionFailed:
        return False
    return True


def park(table: Table, event: WebhookEvent) -> None:
    """Keep a parked event once, listed under its company where that is known. Safe to repeat."""
    if event.company:
        # First, and each time: an event that is parked again lives longer.
        table.put(ParkedEntry.of(event, event.company).attributes())
    add(table, event)


def get(table: Table, event_id: str) -> WebhookEvent | None:
    """The event with this id, strongly consistent."""
    item = table.get(pk(WebhookEvent.key(event_id)))
    return WebhookEvent.read(item) if item else None


def get_many(table: Table, event_ids: list[str]) -> dict[str, WebhookEvent]:
    """Those of at most 100 events that are there, by id."""
    keys = [pk(WebhookEvent.key(event_id)) for event_id in dict.fromkeys(event_ids)]
    found = [WebhookEvent.read(item) for item in table.get_many(keys)]
    return {event.event_id: event for event in found}


def newest(
    table: Table, event_type: str, *, limit: int, start: Attributes | None
) -> tuple[list[WebhookEvent], Attributes | None]:
    """Up to *limit* (100 at most) events of one type, newest first, and where to go on."""
    return _newest(table, event_type, WebhookEvent, limit, start)


def newest_parked(
    table: Table, company: str, *, limit: int, start: Attributes | None
) -> tuple[list[WebhookEvent], Attributes | None]:
    """Up to *limit* (100 at most) parked events of one company, newest first, and where to go on."""
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
    found = get_many(table, ids)
    return [found[event_id] for event_id in ids if event_id in found], last


def position_of(event: WebhookEvent, company: str | None) -> Attributes:
    """Where `newest`, or with *company* `newest_parked`, goes on behind an event."""
    listed = ParkedEntry.of(event, company) if company else event
    place = WebhookEvent.named(
        webhook_event_type=listed.webhook_event_type, received_at=listed.received_at
    )
    return {**pk(listed.pk), **place}


def mark_replayed(table: Table, event_id: str, *, replay: int, at: str, by: str) -> None:
    """Say that a replay is on the queue, and who put it there. Twice, or after a later one, it changes nothing."""
    is_newer = _of("replay_count").not_exists() | _of("replay_count").lt(replay)
    facts = {"replay_count": replay, "replayed_at": at, "replayed_by": by}
    _mark(table, event_id, facts, is_newer)


def mark_resolved(table: Table, event_id: str, *, at: str) -> None:
    """Say that a replay was handled, which is final. The first time stays."""
    _mark(table, event_id, {"resolved_at": at}, _of("resolved_at").not_exists())


def mark_returned(table: Table, event_id: str, *, replay: int, at: str, ttl: int) -> None:
    """Say that a replay was parked again for the same reason. After a later one it changes nothing."""
    facts = {"returned": replay, "parked_again_at": at, "ttl": ttl}
    _mark(table, event_id, facts, _not_after(replay), drop="replaced_by")


def mark_replaced(table: Table, event_id: str, *, replay: int, by: str) -> None:
    """Say that a replay was parked for another reason, as event *by*. After a later one it changes nothing."""
    _mark(table, event_id, {"returned": replay, "replaced_by": by}, _not_after(replay))


def reopen(table: Table, event_id: str, *, ttl: int) -> None:
    """Say that a replay of another parked event ended here, which may be where that one came from. Safe to repeat."""
    _mark(table, event_id, {"ttl": ttl}, drop="replaced_by")


def mark_redriven(table: Table, note: WebhookEvent, *, at: str, by: str) -> None:
    """
    Say that a dead letter is back on the queue, and who put it there. *note* is written where its run died without one.

    Safe to repeat; the newest time stands.
    """
    table.update(
        pk(note.pk), put=_named(replayed_at=at, replayed_by=by), put_once=_besides_key(note)
    )


def note_last_attempt(table: Table, note: WebhookEvent) -> None:
    """Write what the last attempt at an event raised. When it dies again, after a redrive, the newest reason stands."""
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
        return  # Gone by its TTL, said before, or overtaken.
