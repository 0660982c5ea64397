"""Stored webhook events of an account or of a type, for one company."""

from boto3.dynamodb.conditions import Key

from shared.aws.dynamodb import Attributes, Table
from whatsapp.store.events import EVENT_INDEX
from whatsapp.store.items import WebhookEvent, pk
from whatsapp.store.items.item import PARTITION_KEY

ACCOUNT_INDEX = "gsi_waba_itemtype"
_TYPE = WebhookEvent.name_of("webhook_event_type")
_RECEIVED = WebhookEvent.name_of("received_at")
_EARLIEST, _LATEST = "0", "9"


def of_account(
    table: Table, waba: str, company: str, *, limit: int, start: Attributes | None
) -> tuple[list[WebhookEvent], Attributes | None]:
    """Return a page of an account's events, newest first within the page: the index has no times."""
    condition = Key(WebhookEvent.name_of("waba_meta_id")).eq(waba) & Key("itemType").eq(
        WebhookEvent.item_type
    )
    entries, last = table.query(ACCOUNT_INDEX, condition, limit=limit, start=start)
    found = _own(table, [str(entry[PARTITION_KEY]) for entry in entries], company)
    return sorted(found, key=lambda event: event.received_at, reverse=True), last


def of_type(
    table: Table,
    event_type: str,
    company: str,
    *,
    since: str | None,
    until: str | None,
    limit: int,
    start: Attributes | None,
) -> tuple[list[WebhookEvent], Attributes | None]:
    """Return a page of the company's events of a type, newest first; all companies share the partition."""
    if since is not None and until is not None and since > until:
        return [], None  # DynamoDB refuses such a range.
    times = Key(_RECEIVED).between(since or _EARLIEST, until or _LATEST)
    entries, last = table.query(
        EVENT_INDEX,
        Key(_TYPE).eq(event_type) & times,
        limit=limit,
        start=start,
        newest_first=True,
    )
    own = [entry for entry in entries if entry.get(WebhookEvent.name_of("company")) == company]
    return _own(table, [str(entry[PARTITION_KEY]) for entry in own], company), last


def _own(table: Table, keys: list[str], company: str) -> list[WebhookEvent]:
    items = {item[PARTITION_KEY]: item for item in table.get_many([pk(key) for key in keys])}
    events = [WebhookEvent.read(items[key]) for key in keys if key in items]
    return [event for event in events if event.company == company and not event.erased]
