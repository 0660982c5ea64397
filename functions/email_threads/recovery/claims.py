"""
The company that a parked event claims, and the people that it names: from the event, and the headers of its raw mail.

No company is proven for a mail to an unknown mailbox. Its event is listed under a keyed hash of its sender, so that an
erasure of any company finds it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from botocore.exceptions import ClientError

from email_threads.configuration.resources import owns
from email_threads.inbound.events import EVALUATE, FEEDBACK, RECEIVED, SENT
from email_threads.parsing.caps import MOST_HEADER_BYTES, MailHeld
from email_threads.parsing.headers import addresses
from email_threads.parsing.headers.fields import Headers
from email_threads.store import objects
from email_threads.store.configuration import mailboxes
from shared.access.ownership.claims import owner_of_first_domain
from shared.events.recovery.event_store import text
from shared.identity.keyed_hashes import keyed_hashes

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from email_threads.configuration.resources import Resources
    from shared.aws.dynamodb import Table
    from shared.aws.s3 import Bucket

type Event = Mapping[str, Any]

MOST_RECIPIENTS: Final = 50  # that are looked up as mailboxes
_HASHED_AS: Final = "parked mail"


def company_of(resources: Resources, event: Event) -> str | None:
    """Return the company of the mailbox that an event's key names, or that has sent a mail."""
    if event.get("type") == SENT:
        return text(event.get("company"))
    if event.get("type") == EVALUATE:
        return text(event.get("company_id"))
    address = text(event.get("source")) if event.get("type") == FEEDBACK else _named_by_key(event)
    mailbox = mailboxes.get(resources.table, address) if address else None
    return mailbox.company_id if mailbox and owns(resources, mailbox) else None


def owner_today(table: Table, owners: Table, bucket: Bucket, event: Event) -> str | None:
    """
    Return the company to which a mailbox, or its domain, that an event is about belongs today.

    *owners*: the table with the owners of domains.
    """
    named = [text(event.get("source")) if event.get("type") == FEEDBACK else _named_by_key(event)]
    if named == [objects.ANY_MAILBOX]:
        named = [*recipients_of(bucket, event)]
    candidates = [address for address in named if address][:MOST_RECIPIENTS]
    known = mailboxes.get_many(table, candidates)
    found = next((known[one].company_id for one in candidates if one in known), None)
    return found or owner_of_first_domain(owners, candidates)


def subject_of(bucket: Bucket, event: Event) -> str | None:
    """Return the subject of the person whom an event is about; None if it names none."""
    named = event.get("recipients")
    if event.get("type") == FEEDBACK and isinstance(named, list):
        people: Iterable[str] = [one for one in named if isinstance(one, str)]
    else:
        people = senders_of(bucket, event)
    first = next(iter(people), None)
    return subjects_of(first.casefold())[0] if first else None


def subjects_of(address: str) -> list[str]:
    """Return the keyed hashes under which events about an address are listed, one for each key of the stage."""
    return [f"parked#{hashed}" for hashed in keyed_hashes(_HASHED_AS, address)]


def senders_of(bucket: Bucket, event: Event) -> tuple[str, ...]:
    """Return the senders of the raw mail that an event names; none if it is gone or unreadable."""
    return _addresses(bucket, event, "from")


def recipients_of(bucket: Bucket, event: Event) -> tuple[str, ...]:
    """Return the addresses in To and Cc of the raw mail that an event names."""
    return _addresses(bucket, event, "to", "cc")


def raw_key_of(event: Event) -> str | None:
    """Return the key of the raw mail that an event names."""
    key = text(event.get("key"))
    is_raw = event.get("type") == RECEIVED and key is not None and key.startswith(objects.RAW)
    return key if is_raw else None


def _named_by_key(event: Event) -> str | None:
    key = text(event.get("key")) if event.get("type") == RECEIVED else None
    return key.removeprefix(objects.RAW).partition("/")[0] if key else None


def _addresses(bucket: Bucket, event: Event, *fields: str) -> tuple[str, ...]:
    key = raw_key_of(event)
    if key is None or event.get("size") == 0:  # S3 refuses a range of an empty object.
        return ()
    try:
        headers = Headers.read(bucket.first_bytes(key, MOST_HEADER_BYTES))
        found = [one for name in fields for one in addresses.in_field(headers, name)]
    except ClientError as error:
        if bucket.is_missing(key, error):
            return ()
        raise
    except MailHeld:
        return ()
    return tuple(dict.fromkeys(found))
