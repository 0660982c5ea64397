"""Jobs that erase or export a contact: started by the API or an operator, run by the worker in turns of the engine."""

from __future__ import annotations

from typing import TYPE_CHECKING

from shared.aws.sqs_fifo import digest
from shared.privacy import engine, requests
from shared.privacy.engine import Engine
from shared.privacy.exports import ExportFolder
from shared.runtime import clock
from whatsapp.configuration.folders import exports_of
from whatsapp.inbound.event import PRIVACY_JOB, Event, Outcome
from whatsapp.privacy import erasure, tombstones
from whatsapp.privacy.inventory import Inventory
from whatsapp.privacy.remainders import REMAINDERS
from whatsapp.privacy.stored_data import EXPORTED_A_PAGE, MESSAGES_A_PAGE
from whatsapp.privacy.subjects import Contact, resolve
from whatsapp.store.items.privacy import PrivacyJob

if TYPE_CHECKING:
    from shared.aws.dynamodb import Table
    from shared.aws.s3 import Bucket
    from shared.aws.sqs_fifo import FifoQueue
    from shared.privacy.jobs import Kind
    from whatsapp.configuration.resources import Resources

KIND = PRIVACY_JOB
# Messages of the same batch wait for a run.
RUN_MS = 5 * clock.SECOND_MS
_LINES = "contact.jsonl"


def start(
    table: Table,
    queue: FifoQueue,
    *,
    company: str,
    kind: Kind,
    named: str,
    by: str,
    by_key: bool = False,
    at: str | None = None,
) -> PrivacyJob:
    """
    Start the job of a contact, or continue it if it is not done, and return it.

    *named*: digits or user id, or *by_key* the contact key. *by*: the authenticated caller. *at*: when it
    was requested, if not now. Raises NotEnqueued and Transient.
    """
    job_id = PrivacyJob.id_of(kind, company, named, by_key=by_key)
    fresh = PrivacyJob(
        pk=PrivacyJob.key(job_id),
        company=company,
        job_id=job_id,
        kind=kind,
        requested_at=at or clock.to_text(clock.now_ms()),
        requested_by=by,
        requested_for=named,
        by_key=by_key or None,
    )
    return requests.start(table, fresh, lambda job: _enqueue(queue, job))


def work(resources: Resources, event: Event) -> Outcome:
    """
    Continue a job for a few seconds, and queue it again unless it is done.

    Raises Permanent (`no_privacy_job`), and Transient while it waits or after a concurrent write.
    """
    of_contacts = Engine(
        item=PrivacyJob,
        table=resources.table,
        inventory=lambda job: _inventory(resources, job),
        folder=lambda job: folder_of(resources.bucket, job),
        enqueue=lambda job: _enqueue(resources.queue, job),
        remainders=REMAINDERS,
        turn_ms=RUN_MS,
        settles_ms=erasure.SETTLES_MS,
        resolve=lambda job: _resolved(resources.table, job),
    )
    done = engine.work(of_contacts, event.id)
    return Outcome.PERSISTED if done is not None else Outcome.DUPLICATE


def folder_of(bucket: Bucket, job: PrivacyJob) -> ExportFolder:
    """Return the folder of a job's current run."""
    return ExportFolder(bucket, f"{exports_of(str(job.company))}{job.job_id}/{job.run}/", _LINES)


def _resolved(table: Table, job: PrivacyJob) -> PrivacyJob:
    """Return a job with the ids of its contact; an erasure writes their tombstones."""
    company = str(job.company)
    contact = resolve(table, company, str(job.requested_for), by_key=bool(job.by_key))
    if job.kind == "erase":
        tombstones.write(table, company, contact, job.requested_at)
    return job.changed(contact=contact.attributes())


def _inventory(resources: Resources, job: PrivacyJob) -> Inventory:
    return Inventory(
        table=resources.table,
        bucket=resources.bucket,
        company=str(job.company),
        contact=Contact(**(job.contact or {})),
        until=job.requested_at,
        messages_a_page=EXPORTED_A_PAGE if job.kind == "export" else MESSAGES_A_PAGE,
    )


def _enqueue(queue: FifoQueue, job: PrivacyJob) -> None:
    now = clock.now_ms()
    event = Event(
        kind=KIND, id=job.job_id, source="parley", app="", accepted_at=now, waba="", phone="", display_phone="",
        field=KIND, at=now // 1_000, index=0, contact=None, payload={}, hash=digest(job.job_id),
    )  # fmt: skip
    queue.send(
        [event.entry(group=(KIND, job.job_id), deduplication=(KIND, job.job_id, *job.turn()))]
    )
