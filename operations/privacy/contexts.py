"""The jobs of the contexts, as the erasure or export of a person starts them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from console.store.person_jobs import Named, NameKind, PersonJob
from conversations.privacy import erasure
from conversations.privacy.person import every_spelling
from conversations.privacy.remainders import REMAINDERS as OF_CONVERSATIONS
from conversations.store.items.parts.privacy_job import PrivacyJob as ConversationJob
from email_threads.privacy import requests as email_requests
from email_threads.privacy.jobs import folder_of as email_folder
from email_threads.privacy.remainders import REMAINDERS as OF_THREADS
from email_threads.store.items import PrivacyJob as EmailJob
from shared.identity.addresses import USER_ID_PREFIX, AddressInvalid, normal_form, user_id
from shared.policy.consent.withdrawals import withdrawn_at
from shared.privacy import jobs
from shared.privacy.jobs import Job, Kind
from whatsapp.privacy import jobs as whatsapp_jobs
from whatsapp.privacy import subjects
from whatsapp.privacy.remainders import REMAINDERS as OF_WHATSAPP
from whatsapp.store.items.privacy import PrivacyJob as WhatsAppJob

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from conversations.privacy.dependencies import ErasureDependencies
    from shared.aws.dynamodb import Table
    from shared.aws.s3 import Bucket
    from shared.aws.sqs_fifo import FifoQueue
    from shared.privacy.exports import ExportFolder
    from shared.privacy.remainders import Remainder

_SEPARATOR = "\n"  # of the addresses of one job; no address has one


@dataclass(frozen=True, slots=True, kw_only=True)
class WhatsAppJobs:
    """
    A job of the worker for each number, by its digits, and for each user id.

    *queued*: ids of the jobs that this process has queued. One that an earlier process has stored may be in no queue.
    """

    table: Table
    queue: FifoQueue
    bucket: Bucket
    queued: set[str] = field(default_factory=set)
    context: str = "whatsapp"
    remainders: Iterable[Remainder] = OF_WHATSAPP

    def known_as(self, company: str, name: Named, /) -> list[Named]:
        """Return the numbers and user ids by which the inbox knows the owner of one."""
        if name.kind is NameKind.EMAIL:
            return []
        found = subjects.resolve(self.table, company, name.value.removeprefix("+")).ids
        return [named for one in found if (named := _named(one)) is not None]

    def has_passed_on(self, company: str, name: Named, /) -> bool:
        """Whether a number is the first id of a customer who has it no more."""
        digits = name.value.removeprefix("+")
        return name.kind is NameKind.PHONE and subjects.has_earlier_owner(
            self.table, company, digits
        )

    def subjects(self, names: Sequence[Named], /) -> list[str]:
        """Return digits and user ids."""
        return [value.removeprefix("+") for kind, value in names if kind is not NameKind.EMAIL]

    def id_of(self, kind: Kind, company: str, subject: str, /) -> str:
        """Return the id of the job of a subject."""
        return WhatsAppJob.id_of(kind, company, subject)

    def since(self, request: PersonJob, subject: str, /) -> Job:
        """Return the job since the request."""
        job_id = self.id_of(request.kind, request.company_id, subject)
        known = _since(request, self.stored(job_id))
        if known is not None and (known.is_done or job_id in self.queued):
            return known
        self.queued.add(job_id)
        return whatsapp_jobs.start(
            self.table,
            self.queue,
            company=request.company_id,
            kind=request.kind,
            named=subject,
            by=request.requested_by,
        )

    def stored(self, job_id: str, /) -> WhatsAppJob | None:
        """Return a job."""
        return jobs.get(self.table, WhatsAppJob, job_id)

    def folder(self, job: Job, /) -> ExportFolder:
        """Return the folder of a job's current export."""
        return whatsapp_jobs.folder_of(self.bucket, _of(WhatsAppJob, job))


@dataclass(frozen=True, slots=True, kw_only=True)
class EmailJobs:
    """A job of the worker for each address; *queued* as of `WhatsAppJobs`."""

    table: Table
    queue: FifoQueue
    bucket: Bucket
    queued: set[str] = field(default_factory=set)
    context: str = "email_threads"
    remainders: Iterable[Remainder] = OF_THREADS

    def known_as(self, _company: str, _name: Named, /) -> list[Named]:
        """Return none: an address is all that threads know of a person."""
        return []

    def has_passed_on(self, _company: str, _name: Named, /) -> bool:
        """Whether an address was another person's, which threads do not notice."""
        return False

    def subjects(self, names: Sequence[Named], /) -> list[str]:
        """Return the addresses."""
        return [value for kind, value in names if kind is NameKind.EMAIL]

    def id_of(self, kind: Kind, company: str, subject: str, /) -> str:
        """Return the id of the job of a subject."""
        return EmailJob.id_of(kind, company, subject)

    def since(self, request: PersonJob, subject: str, /) -> Job:
        """Return the job since the request."""
        job_id = self.id_of(request.kind, request.company_id, subject)
        known = _since(request, self.stored(job_id))
        if known is not None and (known.is_done or job_id in self.queued):
            return known
        self.queued.add(job_id)
        return email_requests.start(
            self.table,
            self.queue,
            company_id=request.company_id,
            kind=request.kind,
            address=subject,
            by=request.requested_by,
        )

    def stored(self, job_id: str, /) -> EmailJob | None:
        """Return a job."""
        return jobs.get(self.table, EmailJob, job_id)

    def folder(self, job: Job, /) -> ExportFolder:
        """Return the folder of a job's current export."""
        return email_folder(self.bucket, _of(EmailJob, job))


@dataclass(frozen=True, slots=True, kw_only=True)
class ConversationJobs:
    """One job for all addresses, which runs in this process."""

    deps: ErasureDependencies
    context: str = "conversations"
    remainders: Iterable[Remainder] = OF_CONVERSATIONS

    def known_as(self, _company: str, _name: Named, /) -> list[Named]:
        """Return none: the job itself finds what its conversations know."""
        return []

    def has_passed_on(self, company: str, name: Named, /) -> bool:
        """Whether a number was withdrawn from an earlier customer."""
        is_number = name.kind is NameKind.PHONE
        return is_number and withdrawn_at(self.deps.log, company, name.value, "") is not None

    def subjects(self, names: Sequence[Named], /) -> list[str]:
        """Return all addresses as one subject."""
        return [
            _SEPARATOR.join(
                f"{USER_ID_PREFIX}{value}" if kind is NameKind.USER_ID else value
                for kind, value in names
            )
        ]

    def id_of(self, kind: Kind, company: str, subject: str, /) -> str:
        """Return the id of the job of a subject."""
        return ConversationJob.id_of(kind, company, every_spelling(subject.split(_SEPARATOR)))

    def since(self, request: PersonJob, subject: str, /) -> Job:
        """Return the job since the request, which is done: it takes some minutes."""
        stored = self.stored(self.id_of(request.kind, request.company_id, subject))
        known = _since(request, stored)
        if known is not None and known.is_done:
            return known
        return erasure.run(
            self.deps,
            request.kind,
            request.company_id,
            subject.split(_SEPARATOR),
            by=request.requested_by,
        )

    def stored(self, job_id: str, /) -> ConversationJob | None:
        """Return a job."""
        return jobs.get(self.deps.log, ConversationJob, job_id)

    def folder(self, job: Job, /) -> ExportFolder:
        """Return the folder of a job's current export."""
        return erasure.folder_of(self.deps.bucket, _of(ConversationJob, job))


def _named(one: str) -> Named | None:
    """Return digits or a user id as an identifier; None for the key of a later owner of a number."""
    if one.isdecimal():
        return Named(NameKind.PHONE, normal_form(f"+{one}"))
    try:
        return Named(NameKind.USER_ID, user_id(one).removeprefix(USER_ID_PREFIX))
    except AddressInvalid:
        return None


def _since(request: PersonJob, stored: Job | None) -> Job | None:
    """Return a job whose run was requested with the person's or later."""
    is_newer = stored is not None and stored.requested_at >= request.requested_at
    return stored if is_newer else None


def _of[J: Job](item: type[J], job: Job) -> J:
    if not isinstance(job, item):
        raise TypeError(f"not a job of {item.__module__}")
    return job
