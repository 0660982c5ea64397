"""The WhatsApp inbox as a part of one request about a person."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from shared.identity.addresses import USER_ID_PREFIX, AddressInvalid, normal_form, user_id
from shared.privacy import jobs as stored_jobs
from shared.privacy.parts import Known, Named, NameKind, PartJob, Subject, job_since, part_job
from whatsapp.privacy import jobs, subjects
from whatsapp.privacy.remainders import REMAINDERS
from whatsapp.store.items.privacy import PrivacyJob

if TYPE_CHECKING:
    from collections.abc import Sequence

    from shared.aws.dynamodb import Table
    from shared.aws.s3 import Bucket
    from shared.aws.sqs_fifo import FifoQueue
    from shared.privacy.jobs import Kind
    from shared.privacy.parts import Asked

OWNED = "~"  # begins the name of one owner of a number that had several
_OWN = frozenset({NameKind.PHONE, NameKind.USER_ID})


@dataclass(frozen=True, slots=True, kw_only=True)
class WhatsAppPart:
    """A job of the worker for each number, by its digits, and for each user id."""

    table: Table
    queue: FifoQueue
    bucket: Bucket
    context: str = "whatsapp"

    def known(self, company: str, name: Named, /) -> Known:
        """
        Return the numbers and user ids by which the inbox knows the owner of one.

        A number has passed on if it is the first id of a customer who has it no more.
        """
        if name.kind not in _OWN:
            return Known(names=[], has_passed_on=False)
        digits = name.value.removeprefix("+")
        ids = subjects.resolve(self.table, company, digits).ids
        names = [named for one in ids if (named := _named(one)) is not None]
        is_number = name.kind is NameKind.PHONE
        has_passed_on = is_number and subjects.has_earlier_owner(self.table, company, digits)
        return Known(names=names, has_passed_on=has_passed_on)

    def subjects(self, kind: Kind, company: str, names: Sequence[Named], /) -> list[Subject]:
        """Return digits and user ids; of one owner of a number that had several the contact key."""
        own = [name.value.removeprefix("+") for name in names if name.kind in _OWN]
        ids = {one: _subject(one) for one in own}
        return [
            Subject(name=one, job_id=PrivacyJob.id_of(kind, company, named, by_key=by_key))
            for one, (named, by_key) in ids.items()
        ]

    def since(self, asked: Asked, subject: str, /, *, queues: bool) -> PartJob:
        """Return the job of a subject that belongs to the request."""
        named, by_key = _subject(subject)
        job_id = PrivacyJob.id_of(asked.kind, asked.company, named, by_key=by_key)
        start = partial(
            jobs.start,
            self.table,
            self.queue,
            company=asked.company,
            kind=asked.kind,
            named=named,
            by_key=by_key,
            by=asked.requested_by,
            at=asked.requested_at,
        )
        stored = stored_jobs.get(self.table, PrivacyJob, job_id)
        return self._stated(job_since(asked, stored, start, goes_on=queues))

    def stored(self, job_id: str, /) -> PartJob | None:
        """Return a job."""
        job = stored_jobs.get(self.table, PrivacyJob, job_id)
        return self._stated(job) if job is not None else None

    def _stated(self, job: PrivacyJob) -> PartJob:
        folder = jobs.folder_of(self.bucket, job)
        return part_job(job, REMAINDERS, self.bucket, folder.prefix)


def _subject(text: str) -> tuple[str, bool]:
    """Return the digits or user id of a subject, or the contact key of one owner of a number; and which it is."""
    number, owner, second = text.partition(OWNED)
    return (f"{number}-{second}" if second else number), bool(owner)


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
