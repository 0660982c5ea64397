"""
Parked events of a customer: events of a company, and events without a company whose number no other company owns.

No company is proven for an event of an unknown number when it is parked: the erasure of any company finds it by the
keyed hash of the customer.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from shared.events.recovery import over_quota
from shared.events.versions import NewerVersion
from shared.runtime.failures import Permanent
from whatsapp import store
from whatsapp.configuration.folders import parked_events
from whatsapp.inbound.queued_events import parse_event
from whatsapp.store.items import WebhookEvent, pk

if TYPE_CHECKING:
    from collections.abc import Iterator

    from shared.aws.dynamodb import Attributes, Table
    from shared.aws.s3 import Bucket


def unclaimed(table: Table, company: str, keys: list[str]) -> list[Attributes]:
    """Return the parked events of no company with these keys, except events of a number that another company has."""
    events = [
        item
        for item in table.get_many([pk(key) for key in keys])
        if item["itemType"] == WebhookEvent.item_type and not item.get("company")
    ]
    return [
        item
        for item in events
        if _owner(table, item.get("phone"), item.get("wabaMetaId")) in {None, company}
    ]


def over_quota_of(table: Table, bucket: Bucket, company: str, subject: str) -> Iterator[str]:
    """Yield the keys of objects of a customer's parked events above the quota: of the company, and unclaimed ones."""
    folder = parked_events(bucket)
    for event, _ in over_quota.of_subject(folder, f"{company} {subject}"):
        yield from event.keys
    for event, body in over_quota.of_subject(folder, subject):
        if _owner_of_body(table, body) in {None, company}:
            yield from event.keys


def _owner(table: Table, phone: str | None, waba: str | None) -> str | None:
    """Return the company of a number, or of the numbers of an account, as they are registered today."""
    number = store.phones.get(table, phone) if phone else None
    found = [number] if number else store.phones.of_account(table, waba) if waba else []
    return next((one.company for one in found), None)


def _owner_of_body(table: Table, body: bytes) -> str | None:
    try:
        event = parse_event(body.decode("utf-8", "surrogatepass"))
    except (Permanent, NewerVersion):
        return None
    return _owner(table, event.phone, event.waba)
