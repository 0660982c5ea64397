"""Jobs that erase or export a person: turns of `shared.privacy.engine` over the inventory of the threads."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from email_threads.privacy.inventory import Inventory
from email_threads.privacy.person import Person
from email_threads.privacy.requests import jobs_of
from email_threads.store.configuration import mailboxes
from email_threads.threading import tombstones
from shared.privacy import engine
from shared.privacy.engine import Engine
from shared.runtime import clock

if TYPE_CHECKING:
    from email_threads.configuration.resources import Resources
    from email_threads.inbound.events import EmailPrivacy
    from email_threads.store.items import PrivacyJob
    from shared.aws.dynamodb import Table

TURN_MS: Final = 20 * clock.SECOND_MS
# The worker's timeout is 120 s; the rest covers clock skew and the lag of the index.
SETTLES_MS: Final = 150 * clock.SECOND_MS


def work(resources: Resources, event: EmailPrivacy) -> PrivacyJob | None:
    """Continue a job as `engine.work` does."""
    of_threads = Engine(
        jobs=jobs_of(resources.table, resources.bucket, resources.queue),
        inventory=lambda job: _inventory(resources, job),
        turn_ms=TURN_MS,
        settles_ms=lambda _: SETTLES_MS,
        resolve=lambda job: _resolved(resources.table, job),
    )
    return engine.work(of_threads, event.job_id)


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
