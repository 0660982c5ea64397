"""
Jobs that erase or export a contact: started by the API or an operator, run in pages by the worker.

A page is bounded in time, and then the job is queued again. All progress is in the job's item: a run that dies is
continued by the next delivery, and a second request queues the same job.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from shared.aws.sqs_fifo import digest
from shared.privacy import remainders
from shared.runtime import clock
from shared.runtime.failures import Permanent, Transient
from whatsapp import store
from whatsapp.configuration.folders import exports_of
from whatsapp.inbound.event import PRIVACY_JOB, Event, Outcome
from whatsapp.privacy import erasure, export, message_exports, tombstones
from whatsapp.privacy.inventory import (
    EXPORTED_A_PAGE,
    MESSAGES_A_PAGE,
    Found,
    Inventory,
)
from whatsapp.privacy.remainders import REMAINDERS
from whatsapp.privacy.subjects import Contact, resolve
from whatsapp.store.items.privacy import Kind, PrivacyJob

if TYPE_CHECKING:
    from shared.aws.dynamodb import Attributes, Table
    from shared.aws.s3 import Bucket
    from shared.aws.sqs_fifo import FifoQueue
    from whatsapp.configuration.resources import Resources

KIND = PRIVACY_JOB
# Messages of the same batch wait for a run.
RUN_MS = 5 * clock.SECOND_MS
MOST_RECEIPTS = 10
_FENCED = frozenset({"intents", "timeline", "sent"})


def start(
    table: Table,
    queue: FifoQueue,
    *,
    company: str,
    kind: Kind,
    named: str,
    by: str,
    by_key: bool = False,
) -> PrivacyJob:
    """
    Start the job of a contact, or continue it if it is not done, and return it.

    *named*: digits or user id, or *by_key* the contact key. *by*: the authenticated caller. Raises NotEnqueued and
    Transient.
    """
    job_id = PrivacyJob.id_of(kind, company, named, by_key=by_key)
    job = store.privacy_jobs.get(table, job_id)
    if job is None or job.state == "done":
        fresh = PrivacyJob(
            pk=PrivacyJob.key(job_id),
            company=company,
            job_id=job_id,
            kind=kind,
            run=job.run + 1 if job else 1,
            revision=job.revision if job else 0,
            requested_at=clock.to_text(clock.now_ms()),
            requested_by=by,
            requested_for=named,
            by_key=by_key or None,
            receipts=job.receipts if job else [],
        )
        job = store.privacy_jobs.replace(table, fresh)
    # After the item: an event without its job would be dropped.
    _enqueue(queue, job)
    return job


def work(resources: Resources, event: Event) -> Outcome:
    """
    Continue a job for a few seconds, and queue it again unless it is done.

    Raises Transient while it waits, or after a concurrent write.
    """
    job = store.privacy_jobs.get(resources.table, event.id)
    if job is None:
        raise Permanent("no_privacy_job")
    if _is_done(job):
        return Outcome.DUPLICATE
    until = clock.now_ms() + RUN_MS
    while not _is_done(job):
        job = store.privacy_jobs.replace(resources.table, _step(resources, job))
        if not _is_done(job) and clock.now_ms() >= until:
            _enqueue(resources.queue, job)
            break
    return Outcome.PERSISTED


def _is_done(job: PrivacyJob) -> bool:
    return job.state == "done"


def _enqueue(queue: FifoQueue, job: PrivacyJob) -> None:
    now = clock.now_ms()
    event = Event(
        kind=KIND, id=job.job_id, source="parley", app="", accepted_at=now, waba="", phone="", display_phone="",
        field=KIND, at=now // 1_000, index=0, contact=None, payload={}, hash=digest(job.job_id),
    )  # fmt: skip
    # A request queues the job even if its last run is younger than the queue's deduplication.
    run = (str(job.run), str(job.revision), str(now))
    queue.send([event.entry(group=(KIND, job.job_id), deduplication=(KIND, job.job_id, *run))])


def _step(resources: Resources, job: PrivacyJob) -> PrivacyJob:
    """Do the next part of a job and return its new state."""
    if job.contact is None or job.step == "resolve":
        contact = resolve(
            resources.table, str(job.company), str(job.requested_for), by_key=bool(job.by_key)
        )
        if job.kind == "erase":
            tombstones.write(resources.table, str(job.company), contact, job.requested_at)
        first = "fence" if job.kind == "erase" else "list"
        return _changed(job, state="running", contact=contact.attributes(), step=first)
    if job.step == "settle":
        wait_ms = (job.settles_at or 0) - clock.now_ms()
        if wait_ms > 0:
            raise Transient("privacy_job_settles", wait_ms)
        return _changed(job, step="list", source=0, start=None)
    inventory = Inventory(
        table=resources.table,
        bucket=resources.bucket,
        company=str(job.company),
        contact=Contact(**job.contact),
        until=job.requested_at,
        messages_a_page=EXPORTED_A_PAGE if job.kind == "export" else MESSAGES_A_PAGE,
    )
    if job.step == "fence":
        return _removed(inventory, job) if job.planned else _fenced(inventory, job)
    return _listed(inventory, resources.bucket, job)


def _fenced(inventory: Inventory, job: PrivacyJob) -> PrivacyJob:
    lists = [s for s in inventory.sources if s[0] in _FENCED]
    if job.source >= len(lists):
        settles_at = clock.now_ms() + erasure.SETTLES_MS
        return _changed(job, step="settle", settles_at=settles_at)
    if lists[job.source][0] == "intents":
        # At once, because a message made from an intent later has a time after the request.
        return _planned(inventory, job, lists[job.source])
    messages, last = inventory.messages_in(lists[job.source], job.start)
    for message in messages:
        if not message.erased:
            erasure.fence(inventory.table, message)
    return _moved_on(job, last)


def _listed(inventory: Inventory, bucket: Bucket, job: PrivacyJob) -> PrivacyJob:
    """Plan a page of an erasure, remove a planned one, or write a page of an export."""
    if job.planned:
        return _removed(inventory, job)
    sources = inventory.sources
    if job.source >= len(sources):
        return _ended(bucket, job)
    if job.kind == "erase":
        return _planned(inventory, job, sources[job.source])
    page, last = inventory.page(sources[job.source], job.start)
    moved = _moved_on(job, last)
    export.write(inventory, bucket, job, page)
    return _counted(moved, [found.kind for found in page])


def _planned(inventory: Inventory, job: PrivacyJob, source: tuple[str, str]) -> PrivacyJob:
    """
    Return the job with the plan of a page.

    It is stored before anything is removed. Counts come from the stored plan, so a crash cannot change them.
    """
    page, last = inventory.page(source, job.start)
    planned = [{"kind": found.kind, "key": found.key} for found in page]
    return _changed(_moved_on(job, last), planned=planned)


def _removed(inventory: Inventory, job: PrivacyJob) -> PrivacyJob:
    """Remove what is planned, and count it."""
    for entry in job.planned:
        erasure.remove(inventory, inventory.bucket, Found(entry["kind"], entry["key"]))
    counted = _counted(job, [entry["kind"] for entry in job.planned])
    return _changed(counted, planned=[])


def _ended(bucket: Bucket, job: PrivacyJob) -> PrivacyJob:
    """Join the pages of an export, some in each step, or delete the exports of an erased contact; then finish."""
    if job.kind == "erase":
        _forget_exports(bucket, job)
    elif (joining := export.folder_of(bucket, job).join(job.joining)) is not None:
        return _changed(job, joining=joining)
    return _done(job)


def _done(job: PrivacyJob) -> PrivacyJob:
    """Finish a run: only its receipt remains."""
    finished_at = clock.to_text(clock.now_ms())
    receipt: dict[str, object] = {
        "run": job.run,
        "requestedAt": job.requested_at,
        "requestedBy": job.requested_by,
        "finishedAt": finished_at,
        "counts": job.counts,
    }
    if job.kind == "erase":
        receipt["left"] = remainders.ends(REMAINDERS, clock.from_text(finished_at))
    return _changed(
        job,
        state="done",
        finished_at=finished_at,
        requested_for=None,
        contact=None,
        start=None,
        joining=None,
        settles_at=None,
        receipts=[receipt, *job.receipts][:MOST_RECEIPTS],
    )


def _forget_exports(bucket: Bucket, job: PrivacyJob) -> None:
    """Delete the exports of an erased contact."""
    company = str(job.company)
    contact = job.contact or {}
    exported = [PrivacyJob.id_of("export", company, each) for each in contact.get("ids", [])]
    exported += [
        PrivacyJob.id_of("export", company, key, by_key=True) for key in contact.get("keys", [])
    ]
    folders = [f"{exports_of(company)}{job_id}/" for job_id in exported]
    folders += [
        folder
        for key in contact.get("keys", [])
        for folder in message_exports.folders_of(company, key)
    ]
    for folder in folders:
        for key in bucket.all_keys_under(folder):
            bucket.delete(key)


def _moved_on(job: PrivacyJob, last: Attributes | None) -> PrivacyJob:
    """Return the job at the next page of its list, or at the next list."""
    source = job.source if last is not None else job.source + 1
    return _changed(job, source=source, start=last, page=job.page + 1)


def _counted(job: PrivacyJob, found: list[str]) -> PrivacyJob:
    counts = dict(job.counts)
    for kind in found:
        counts[kind] = counts.get(kind, 0) + 1
    return _changed(job, counts=counts)


def _changed(job: PrivacyJob, **fields: object) -> PrivacyJob:
    return job.model_copy(update=fields)
