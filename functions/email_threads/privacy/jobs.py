"""Jobs that erase or export a person: turns of `shared.privacy.engine` over the inventory of the threads."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from email_threads.privacy.inventory import Inventory
from email_threads.privacy.person import Person
from email_threads.privacy.remainders import REMAINDERS
from email_threads.privacy.requests import enqueue
from email_threads.store import objects
from email_threads.store.configuration import mailboxes
from email_threads.store.items import PrivacyJob
from email_threads.threading import tombstones
from shared.privacy import engine
from shared.privacy.engine import Engine
from shared.privacy.exports import ExportFolder
from shared.runtime import clock

if TYPE_CHECKING:
    from email_threads.configuration.resources import Resources
    from email_threads.inbound.events import EmailPrivacy
    from shared.aws.dynamodb import Table
    from shared.aws.s3 import Bucket

TURN_MS: Final = 20 * clock.SECOND_MS
# The worker's timeout is 120 s; the rest covers clock skew and the lag of the index.
SETTLES_MS: Final = 150 * clock.SECOND_MS
_LINES: Final = "person.jsonl"


def work(resources: Resources, event: EmailPrivacy) -> PrivacyJob | None:
    """
    Continue a job for some seconds, and queue it again unless it is done. None if it was done before.

    Raises Permanent (`no_privacy_job`), and Transient while it waits or after a concurrent write.
    """
    of_threads = Engine(
        item=PrivacyJob,
        table=resources.table,
        inventory=lambda job: _inventory(resources, job),
        folder=lambda job: folder_of(resources.bucket, job),
        enqueue=lambda job: enqueue(resources.queue, job),
        remainders=REMAINDERS,
        turn_ms=TURN_MS,
        settles_ms=SETTLES_MS,
        resolve=lambda job: _resolved(resources.table, job),
    )
    return engine.work(of_threads, event.job_id)


def folder_of(bucket: Bucket, job: PrivacyJob) -> ExportFolder:
    """Return the folder of a job's current run."""
    prefix = f"{objects.exports_of(job.company_id, job.job_id)}{job.run}/"
    return ExportFolder(bucket, prefix, _LINES)


def _resolved(table: Table, job: PrivacyJob) -> PrivacyJob:
    """Return a job, whose address is all that is known of the person; an erasure writes its tombstone."""
    if job.kind == "erase":
        tombstones.write(table, job.company_id, str(job.requested_for), job.requested_at)
    return job


def _inventory(resources: Resources, job: PrivacyJob) -> Inventory:
    own = mailboxes.of_company(resources.table, job.company_id)
    person = Person(
        company_id=job.company_id,
        address=str(job.requested_for),
        own=frozenset(one.address for one in own),
        until=job.requested_at,
    )
    return Inventory(
        table=resources.table,
        owners=resources.owners.table,
        bucket=resources.bucket,
        person=person,
        for_export=job.kind == "export",
    )
