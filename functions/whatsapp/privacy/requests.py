"""
The jobs that erase or export a contact, what remains after an erasure, and the inbox as a part of one request.

A job is of digits or a user id, as a contact is named today, or of a contact key: that has a `~` before what tells a
later owner of a number from the first one, or at the end.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from shared.aws.sqs_fifo import digest
from shared.identity.addresses import USER_ID_PREFIX, AddressInvalid, normal_form, user_id
from shared.privacy.parts import JobsPart, Known, Named, NameKind
from shared.privacy.remainders import stated
from shared.privacy.requests import Jobs
from shared.runtime import clock
from whatsapp.configuration.folders import exports_of
from whatsapp.inbound.event import PRIVACY_JOB, Event
from whatsapp.privacy import subjects
from whatsapp.store.items.contacts.privacy import PrivacyJob

if TYPE_CHECKING:
    from collections.abc import Callable

    from shared.aws.dynamodb import Table
    from shared.aws.s3 import Bucket
    from shared.aws.sqs_fifo import FifoQueue

OWNED: Final = "~"
_OWN: Final = frozenset({NameKind.PHONE, NameKind.USER_ID})
REMAINDERS: Final = stated(
    kept="""
    stubs, 35 days: ids and times of messages, calls and files; WhatsApp's ids contain the number in base64
    tombstones, 120 days: times of the erasure under keyed hashes of the ids: earlier events are not stored again
    sends, 35 days: the action ledger: ids of messages, and hashes of recipients and texts; no message is sent twice
    payments: amounts, ids and times of orders, payments and refunds, without the customer
    earlier_owners: times at which the number changed hands, so that a later owner is not mistaken
    consent: opt-outs, as keyed hashes
    receipts: this job, under a keyed hash of the id that was named
    requests, 1 day: answers of API calls of the last day: states and ids, or sealed
    texts_of_others: texts of others that name the person, and the person's reactions to messages of others in \
        groups
    unassigned_events, 30 days: bodies that are no events, and events of unknown kinds in which no customer is found
    large_events, 30 days: payloads that were too large for the queue
    earlier_releases, 30 days: parked events of no number of a company, from releases that did not list them
    uploads, 1 day: files that agents uploaded, and lists of recipients that are still being read
    """,
    outside="""
    queues, 28 days: events in queues and dead letters; redriven, earlier events of the person are not stored
    exports_of_others, 7 days: messages that name the person in exports of other contacts
    ai_conversations: copies of messages that were forwarded: a request about the person in all contexts erases them
    providers: data at Meta and AWS, by their terms
    """,
)


def jobs_of(table: Table, bucket: Bucket, queue: FifoQueue) -> Jobs[PrivacyJob]:
    """Return the jobs of a table, bucket and queue (`whatsapp.fifo`)."""
    return Jobs(
        item=PrivacyJob,
        table=table,
        bucket=bucket,
        exports=lambda company, job_id: f"{exports_of(company)}{job_id}/",
        lines="contact.jsonl",
        remainders=lambda _: REMAINDERS,
        enqueue=lambda job: _enqueue(queue, job),
    )


def subject_of_key(contact_key: str) -> str:
    """Return the subject that the contact with this key is."""
    number, _, second = contact_key.partition("-")
    is_later_owner = bool(second) and number.isdecimal()
    return f"{number}{OWNED}{second}" if is_later_owner else f"{contact_key}{OWNED}"


def contact_of(subject: str) -> tuple[str, bool]:
    """Return the digits or user id of a subject, or the contact key; and whether it is that."""
    number, owner, second = subject.partition(OWNED)
    return (f"{number}-{second}" if second else number), bool(owner)


def _enqueue(queue: FifoQueue, job: PrivacyJob) -> None:
    now = clock.now_ms()
    event = Event(
        kind=PRIVACY_JOB, id=job.job_id, source="parley", app="", accepted_at=now, waba="", phone="", display_phone="",
        field=PRIVACY_JOB, at=now // 1_000, index=0, contact=None, payload={}, hash=digest(job.job_id),
    )  # fmt: skip
    parts = (PRIVACY_JOB, job.job_id)
    queue.send([event.entry(group=parts, deduplication=(*parts, *job.turn()))])


def subject_of(name: Named) -> str | None:
    """Return digits or a user id; of one owner of a number that had several the contact key."""
    return name.value.removeprefix("+") if name.kind in _OWN else None


@dataclass(frozen=True, slots=True, kw_only=True)
class WhatsAppPart(JobsPart[PrivacyJob]):
    """A job of the worker for each number, by its digits, and for each user id."""

    context: str = "whatsapp"
    subject_of: Callable[[Named], str | None] = subject_of

    def known(self, company: str, name: Named, /) -> Known:
        """
        Return the numbers and user ids by which the inbox knows the owner of one.

        A number has passed on if it is the first id of a customer who has it no more.
        """
        if name.kind not in _OWN:
            return Known(names=[], has_passed_on=False)
        table, digits = self.jobs.table, name.value.removeprefix("+")
        ids = subjects.resolve(table, company, digits).ids
        names = [named for one in ids if (named := _named(one)) is not None]
        is_number = name.kind is NameKind.PHONE
        has_passed_on = is_number and subjects.has_earlier_owner(table, company, digits)
        return Known(names=names, has_passed_on=has_passed_on)


def _named(one: str) -> Named | None:
    """Return digits, a user id, or the key of a later owner of a number, as an identifier."""
    number, _, second = one.partition("-")
    if second and number.isdecimal():
        return Named(NameKind.PHONE, f"{normal_form(f'+{number}')}{OWNED}{second}")
    if one.isdecimal():
        return Named(NameKind.PHONE, normal_form(f"+{one}"))
    try:
        return Named(NameKind.USER_ID, user_id(one).removeprefix(USER_ID_PREFIX))
    except AddressInvalid:
        return None
