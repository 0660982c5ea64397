"""
Jobs that erase or export a person: run in pages by the worker.

    fence      a tombstone of the address; the threads of the person admit       erasure only
               no further mail of theirs
    settle     until every worker that started before has ended                  erasure only
    threads    first the threads in the person's list, then threads of the company that name the person
    parked     the lists of `unthreaded`: drafts, parked events, counts
    finish     the pages of an export are joined, 5 MB in a step; an erasure deletes the person's exports

Page after page an erasure plans what it removes, stores the plan, removes, and stores the counts; an export is written.
A turn is bounded in time, and then the job is queued again. All progress is in the job's item: a turn that dies is
continued by the next delivery.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from email_threads.privacy import erasure, export, fence, requests
from email_threads.privacy.findings import Found, Place, row_key
from email_threads.privacy.inventory import Inventory
from email_threads.privacy.person import Person
from email_threads.privacy.remainders import REMAINDERS
from email_threads.privacy.sources import thread_pages, unthreaded
from email_threads.store import mailboxes, objects, thread_lists, threads
from email_threads.store.items import PrivacyJob
from email_threads.store.items.parked import ParkReason
from email_threads.store.privacy import privacy_jobs
from email_threads.store.privacy.erasure import items
from email_threads.threading import tombstones
from shared.privacy import remainders
from shared.runtime import clock
from shared.runtime.failures import Permanent, Transient

if TYPE_CHECKING:
    from email_threads.configuration.resources import Resources
    from email_threads.inbound.events import EmailPrivacy
    from shared.aws.s3 import Bucket

TURN_MS: Final = 20 * clock.SECOND_MS
# The worker's timeout is 120 s; the rest covers clock skew and the lag of the index.
SETTLES_MS: Final = 150 * clock.SECOND_MS
MOST_RECEIPTS: Final = 10


def work(resources: Resources, event: EmailPrivacy) -> PrivacyJob | None:
    """
    Continue a job for some seconds, and queue it again unless it is done. None if it was done before.

    Raises Permanent (`no_privacy_job`), and Transient while it waits or after a concurrent write.
    """
    table = resources.table
    job = privacy_jobs.get(table, event.job_id)
    if job is None:
        raise Permanent(ParkReason.NO_PRIVACY_JOB)
    if requests.is_done(job):
        return None
    stored = _inventory(resources, job)
    until = clock.now_ms() + TURN_MS
    while not requests.is_done(job):
        job = privacy_jobs.replace(table, _step(stored, job))
        if not requests.is_done(job) and clock.now_ms() >= until:
            requests.enqueue(resources.queue, job)
            break
    return job


def _inventory(resources: Resources, job: PrivacyJob) -> Inventory:
    own = mailboxes.of_company(resources.table, job.company_id)
    person = Person(
        company_id=job.company_id,
        address=str(job.requested_for),
        own=frozenset(one.address for one in own),
        until=job.requested_at,
    )
    is_export = job.kind == "export"
    return Inventory(
        table=resources.table,
        owners=resources.owners.table,
        bucket=resources.bucket,
        person=person,
        for_export=is_export,
    )


def _step(stored: Inventory, job: PrivacyJob) -> PrivacyJob:
    """Do the next part of a job and return its new state."""
    if job.step == "fence":
        return _fenced(stored, job)
    if job.step == "settle":
        return _settled(job)
    if job.planned:
        return _removed(stored, job)
    if job.step == "threads":
        return _of_thread(stored, job) if job.threads else _listed(stored, job)
    return _of_parked(stored, job) if job.step == "parked" else _ended(stored.bucket, job)


def _fenced(stored: Inventory, job: PrivacyJob) -> PrivacyJob:
    """Fence the threads of a page of the person's list."""
    if job.list_number > 0:
        _unblock(stored, job)
        return _changed(job, step="settle", settles_at=clock.now_ms() + SETTLES_MS)
    tombstones.write(stored.table, job.company_id, stored.person.address, job.requested_at)
    listed = _listed(stored, job)
    for thread_id in listed.threads:
        fence.exclude(stored.table, stored.person, thread_id)
    return _changed(listed, threads=[])


def _unblock(stored: Inventory, job: PrivacyJob) -> None:
    """Remove the address from the blocked senders of the company's mailboxes."""
    for mailbox in mailboxes.of_company(stored.table, job.company_id):
        if stored.person.address in mailbox.blocked_senders:
            mailboxes.unblock(stored.table, mailbox, stored.person.address)


def _settled(job: PrivacyJob) -> PrivacyJob:
    wait_ms = (job.settles_at or 0) - clock.now_ms()
    if wait_ms > 0:
        raise Transient("privacy_job_settles", wait_ms)
    return _changed(job, step="threads", settles_at=None, start=None, list_number=0)


def _listed(stored: Inventory, job: PrivacyJob) -> PrivacyJob:
    """Return the job with the threads of the next page of the lists, after the last one at the next step."""
    person = stored.person
    if job.list_number >= len(person.lists):
        return _changed(job, step="parked", start=None, source=0)
    found, last = thread_lists.ids_of(stored.table, person.lists[job.list_number], job.start)
    if job.list_number > 0:
        heads = threads.get_many(stored.table, found)
        found = [one for one in found if one in heads and person.is_named_in(heads[one])]
        if job.kind == "export":  # Those with a row were exported already.
            rows = {row_key(one, person.address): one for one in found}
            listed = {str(row["conversation_id"]) for row in items(stored.table, rows)}
            found = [one for key, one in rows.items() if key not in listed]
    number = job.list_number if last is not None else job.list_number + 1
    return _changed(job, state="running", threads=found, start=last, list_number=number)


def _of_thread(stored: Inventory, job: PrivacyJob) -> PrivacyJob:
    """Take a page of the first thread of the list."""
    thread_id, place = job.threads[0], Place()
    if job.source or job.n:
        place = Place(job.source, job.n, tuple(job.subjects), job.is_named)
    else:
        thread_id = _entered(stored, job, thread_id)
    page = thread_pages.page(stored, thread_id, place)
    following = page.following
    left = [thread_id, *job.threads[1:]] if following is not None else job.threads[1:]
    after = following or Place()
    moved = _changed(
        job,
        threads=left,
        source=after.source,
        n=after.n,
        is_named=after.is_named,
        # Keep the thread's subjects until its last page is removed.
        subjects=list(after.subjects) if following is not None else job.subjects,
        page=job.page + 1,
    )
    return _taken(stored, moved, job, page.found)


def _of_parked(stored: Inventory, job: PrivacyJob) -> PrivacyJob:
    """Take a page of the lists beside the threads."""
    lists = unthreaded.LISTS
    if job.source >= len(lists):
        return _changed(job, step="finish", source=0)
    found, last = lists[job.source](stored, job.start)
    source = job.source if last is not None else job.source + 1
    return _taken(stored, _changed(job, source=source, start=last, page=job.page + 1), job, found)


def _entered(stored: Inventory, job: PrivacyJob, thread_id: str) -> str:
    """Return the thread that a thread is part of today; an erasure fences it, unless that is done already."""
    if job.kind == "erase":
        return fence.exclude(stored.table, stored.person, thread_id)
    return fence.present(stored.table, stored.person, thread_id)[0]


def _taken(stored: Inventory, moved: PrivacyJob, job: PrivacyJob, found: list[Found]) -> PrivacyJob:
    """
    Plan the removals of an erasure, or write the page of an export; *moved* is the job after it.

    A plan is stored before anything is removed. Counts come from the stored plan, so a crash cannot change them.
    """
    if job.kind == "export":
        export.write(stored, job, found)
        return _counted(moved, [one.kind for one in found])
    planned = [{"kind": one.kind, "key": one.key, "act": one.act} for one in found]
    return _changed(moved, planned=planned)


def _removed(stored: Inventory, job: PrivacyJob) -> PrivacyJob:
    """Remove the planned findings, and count them."""
    for entry in job.planned:
        found = Found(entry["kind"], entry["key"], entry["act"])
        erasure.remove(stored, found, job.subjects)
    counted = _counted(job, [entry["kind"] for entry in job.planned])
    return _changed(counted, planned=[])


def _ended(bucket: Bucket, job: PrivacyJob) -> PrivacyJob:
    """Join the pages of an export, some in each step, or delete the exports of an erased person; then finish."""
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
        "requested_at": job.requested_at,
        "requested_by": job.requested_by,
        "finished_at": finished_at,
        "counts": job.counts,
    }
    if job.kind == "erase":
        receipt["left"] = remainders.ends(REMAINDERS, clock.from_text(finished_at))
    return _changed(
        job,
        state="done",
        finished_at=finished_at,
        requested_for=None,
        start=None,
        joining=None,
        subjects=[],
        receipts=[receipt, *job.receipts][:MOST_RECEIPTS],
    )


def _forget_exports(bucket: Bucket, job: PrivacyJob) -> None:
    """Delete the exports of an erased person."""
    exported = PrivacyJob.id_of("export", job.company_id, str(job.requested_for))
    for key in bucket.all_keys_under(objects.exports_of(job.company_id, exported)):
        bucket.delete(key)


def _counted(job: PrivacyJob, found: list[str]) -> PrivacyJob:
    counts = dict(job.counts)
    for kind in found:
        counts[kind] = counts.get(kind, 0) + 1
    return _changed(job, counts=counts)


def _changed(job: PrivacyJob, **fields: object) -> PrivacyJob:
    return job.model_copy(update=fields)
