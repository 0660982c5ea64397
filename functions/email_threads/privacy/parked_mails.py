"""Parked events of a person: mails whose sender they are, and announcements of mails that were sent to them."""

from __future__ import annotations

import json
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Final

from botocore.exceptions import ClientError

from email_threads.inbound.events import RECEIVED, SENT
from email_threads.parsing import addresses
from email_threads.parsing.caps import MOST_HEADER_BYTES, MailHeld
from email_threads.parsing.headers import Headers
from email_threads.privacy.found import PARKED_EVENT, PARKED_MAIL, Found
from email_threads.store import objects, parked

if TYPE_CHECKING:
    from collections.abc import Iterator

    from email_threads.privacy.inventory import Inventory
    from email_threads.store.items import ParkedEvent
    from shared.aws.dynamodb import Attributes
    from shared.aws.s3 import Bucket

EVENTS_A_PAGE: Final = 10


def page(stored: Inventory, start: Attributes | None) -> tuple[list[Found], Attributes | None]:
    """Return what is the person's among a page of the company's parked events, and where the next page starts."""
    events, last = parked.of_company(
        stored.table, stored.person.company_id, limit=EVENTS_A_PAGE, start=start
    )
    return [found for event in events for found in _of_event(stored, event)], last


def _of_event(stored: Inventory, event: ParkedEvent) -> Iterator[Found]:
    person = stored.person
    if (event.received_at or event.updated_at) > person.until:
        return
    fields = _fields_of(event)
    if event.kind == SENT:
        address = fields.get("customer_address")
        if isinstance(address, str) and address.casefold() == person.address:
            yield Found(PARKED_EVENT, event.event_id)
        return
    key = fields.get("key")
    if event.kind != RECEIVED or not isinstance(key, str) or not key.startswith(objects.RAW):
        return
    if person.address in _senders(stored.bucket, key, fields.get("size")):
        yield Found(PARKED_MAIL, key)
        yield Found(PARKED_EVENT, event.event_id)


def _senders(bucket: Bucket, key: str, size: object) -> tuple[str, ...]:
    """Return the addresses in the From fields of a raw mail; none if it is gone, empty or unreadable."""
    if size == 0:  # S3 refuses a range of an empty object.
        return ()
    try:
        block = bucket.first_bytes(key, MOST_HEADER_BYTES)
    except ClientError as error:
        if bucket.is_missing(key, error):
            return ()
        raise
    try:
        return addresses.in_field(Headers.read(block), "from")
    except MailHeld:
        return ()


def _fields_of(event: ParkedEvent) -> dict[str, Any]:
    with suppress(ValueError, RecursionError):
        fields = json.loads(event.body)
        if isinstance(fields, dict):
            return fields
    return {}
