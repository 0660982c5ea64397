"""The lists of parked events: of a company, of a person, of all companies."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Final

from boto3.dynamodb.conditions import Attr, Key

from email_threads.store.items import DeadLetterNote, ParkedEvent
from email_threads.store.items.item import PARTITION_KEY, date_of
from email_threads.store.items.threads.thread import COMPANY_INDEX, PARTICIPANT_INDEX, TTL_INDEX
from shared.events.recovery.event_store import KEPT_DAYS, EventStore, ParkedItems, whole
from shared.runtime import clock

if TYPE_CHECKING:
    from shared.aws.dynamodb import Attributes, Table

# Of a page of all companies: queries, and rows of each, which are keys.
MOST_QUERIES: Final = 10
ROWS: Final = 1_000
_POSITION: Final = (PARTITION_KEY, "ttl_date", "ttl")
_PREFIX: Final = ParkedEvent.pattern.partition("{")[0]


def events_of(table: Table) -> EventStore[ParkedEvent]:
    """Return the parked events in the table."""
    return EventStore(table, ParkedItems(ParkedEvent, DeadLetterNote, _page, _position_of))


def of_company(
    table: Table, company_id: str | None, *, limit: int, start: Attributes | None
) -> tuple[list[ParkedEvent], Attributes | None]:
    """Return parked events of a company, or of none, newest first, and the next start key."""
    rows, last = table.query(
        COMPANY_INDEX,
        Key("company_status").eq(ParkedEvent.list_of(company_id)),
        limit=limit,
        start=start,
        newest_first=True,
    )
    return whole(table, ParkedEvent, rows), last


def of_subject(
    table: Table, subject: str, *, limit: int, start: Attributes | None
) -> tuple[list[ParkedEvent], Attributes | None]:
    """Return parked events of no company about a person, and the next start key."""
    rows, last = table.query(
        PARTICIPANT_INDEX, Key("participant").eq(subject), limit=limit, start=start
    )
    return whole(table, ParkedEvent, rows), last


def _page(
    table: Table, company_id: str | None, limit: int, start: Attributes | None
) -> tuple[list[ParkedEvent], Attributes | None]:
    if company_id is not None:
        return of_company(table, company_id, limit=limit, start=start)
    return _of_all(table, limit, start)


def _of_all(
    table: Table, limit: int, start: Attributes | None
) -> tuple[list[ParkedEvent], Attributes | None]:
    """
    Return parked events of all companies, newest first, and the next start key; fewer if many rows are of threads,
    which the days of TTLIndex have, too.
    """
    day = date_of(clock.expires_in(KEPT_DAYS * clock.DAY_SECONDS))
    within: Attributes | None = None
    if start is not None:
        day, within = str(start["ttl_date"]), start if "ttl" in start else None
    oldest = date_of(clock.expires_in(0))
    rows: list[Attributes] = []
    for _ in range(MOST_QUERIES):
        found, within = table.query(
            TTL_INDEX,
            Key("ttl_date").eq(day),
            limit=ROWS,
            start=within,
            newest_first=True,
            only=Attr(PARTITION_KEY).begins_with(_PREFIX),
        )
        rows += found
        if within is None:
            day = _day_before(day)
        if len(rows) >= limit or day < oldest:
            break
    if len(rows) > limit:
        rows = rows[:limit]
        return whole(table, ParkedEvent, rows), {name: rows[-1][name] for name in _POSITION}
    following = within or {"ttl_date": day}
    return whole(table, ParkedEvent, rows), following if day >= oldest else None


def _position_of(event: ParkedEvent, company_id: str | None) -> Attributes:
    key = event.key(event.event_id)
    if company_id is not None:
        return key | {"company_status": event.company_status, "updated_at": event.parked_at}
    return key | {"ttl_date": event.ttl_date, "ttl": event.ttl}


def _day_before(day: str) -> str:
    date = datetime.strptime(day, "%Y-%m-%d").replace(tzinfo=UTC) - timedelta(days=1)
    return f"{date:%Y-%m-%d}"
