"""Clicks and conversions that callers have reported: events under a separate type, so each is counted once."""

from typing import Any, Literal

from boto3.dynamodb.conditions import Key

from shared.aws.dynamodb import Attributes, Table
from shared.aws.sqs_fifo import digest
from shared.runtime import clock
from whatsapp import store
from whatsapp.store.items import WebhookEvent
from whatsapp.store.items.item import PARTITION_KEY

type Kind = Literal["ctwa_click", "conversion"]

_LIFETIME_SECONDS = (WebhookEvent.ttl_days or 0) * clock.DAY_SECONDS
_PAGES, _PER_PAGE = 50, 100


def add(
    table: Table, kind: Kind, *, company: str, waba: str, own_id: str, facts: dict[str, Any]
) -> bool:
    """Store a caller's report under its own id, once per company in 30 days; False if it is stored already."""
    now = clock.to_text(clock.now_ms())
    event_id = f"{kind}-{digest(kind, company, own_id)}"
    event = WebhookEvent(
        pk=WebhookEvent.key(event_id),
        company=company,
        webhook_event_type=_type(kind, company),
        event_id=event_id,
        event_type=kind,
        waba_meta_id=waba,
        payload=facts,
        processed_at=now,
        received_at=now,
        ttl=clock.expires_in(_LIFETIME_SECONDS),
    )
    return store.events.add(table, event)


def between(
    table: Table, kind: Kind, company: str, first: str, last: str
) -> tuple[list[WebhookEvent], bool]:
    """Return the newest 5,000 of a company's reports between two times, newest first, and whether these are all."""
    name = WebhookEvent.name_of
    when = Key(name("webhook_event_type")).eq(_type(kind, company)) & Key(
        name("received_at")
    ).between(first, last)
    prefix = WebhookEvent.pk_pattern.partition("{")[0]
    found: list[WebhookEvent] = []
    start: Attributes | None = None
    for _ in range(_PAGES):
        entries, start = table.query(
            store.events.EVENT_INDEX, when, limit=_PER_PAGE, start=start, newest_first=True
        )
        ids = [
            str(entry[PARTITION_KEY]).removeprefix(prefix)
            for entry in entries
            if entry.get("company") == company
        ]
        events = store.events.get_many(table, ids) if ids else {}
        found += [events[event_id] for event_id in ids if event_id in events]
        if start is None:
            return found, True
    return found, False


def _type(kind: Kind, company: str) -> str:
    # A partition of the index for each company; names of provider fields are stored without `#`.
    return f"{kind}#{company}"
