"""Jobs that erase or export a contact: turns of `shared.privacy.engine` over the inventory of the inbox."""

from __future__ import annotations

from typing import TYPE_CHECKING

from shared.privacy import engine
from shared.privacy.engine import Engine
from shared.runtime import clock
from whatsapp.inbound.event import Event, Outcome
from whatsapp.privacy import erasure, tombstones
from whatsapp.privacy.inventory import Inventory
from whatsapp.privacy.requests import jobs_of
from whatsapp.privacy.stored_data import EXPORTED_A_PAGE, MESSAGES_A_PAGE
from whatsapp.privacy.subjects import Contact, resolve

if TYPE_CHECKING:
    from shared.aws.dynamodb import Table
    from whatsapp.configuration.resources import Resources
    from whatsapp.store.items.privacy import PrivacyJob

# Messages of the same batch wait for a run.
RUN_MS = 5 * clock.SECOND_MS


def work(resources: Resources, event: Event) -> Outcome:
    """Continue a job as `engine.work` does."""
    of_contacts = Engine(
        jobs=jobs_of(resources.table, resources.bucket, resources.queue),
        inventory=lambda job: _inventory(resources, job),
        turn_ms=RUN_MS,
        settles_ms=lambda _: erasure.SETTLES_MS,
        resolve=lambda job: _resolved(resources.table, job),
    )
    done = engine.work(of_contacts, event.id)
    return Outcome.PERSISTED if done is not None else Outcome.DUPLICATE


def _resolved(table: Table, job: PrivacyJob) -> PrivacyJob:
    """Return a job with the ids of its contact; an erasure writes their tombstones."""
    contact = resolve(table, job.owner, str(job.requested_for), by_key=bool(job.by_key))
    if job.kind == "erase":
        tombstones.write(table, job.owner, contact, job.requested_at)
    return job.changed(contact=contact.attributes())


def _inventory(resources: Resources, job: PrivacyJob) -> Inventory:
    return Inventory(
        table=resources.table,
        bucket=resources.bucket,
        company=job.owner,
        contact=Contact(**(job.contact or {})),
        until=job.requested_at,
        messages_a_page=EXPORTED_A_PAGE if job.kind == "export" else MESSAGES_A_PAGE,
    )
