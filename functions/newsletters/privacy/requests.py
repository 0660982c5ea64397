"""
The jobs that erase or export a user, or the person with an e-mail address, and what remains after an erasure.

The name of a subject is its kind, `principal` or `email`, and the value. Separate from `jobs`, which only the worker
imports.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from newsletters.inbound.events import PrivacyRequested
from newsletters.store.bucket.objects import privacy_exports
from newsletters.store.items import PrivacyJob
from shared.events.queued_events import turn_entry
from shared.privacy.remainders import stated
from shared.privacy.requests import Jobs

if TYPE_CHECKING:
    from collections.abc import Iterable

    from newsletters.configuration.resources import Resources
    from shared.aws.sqs_fifo import FifoQueue
    from shared.privacy.parts import Named
    from shared.privacy.remainders import Remainder

USER, ADDRESS = "principal", "email"
LINES: Final = "newsletters.jsonl"
REMAINDERS: Final = stated(
    kept="""
    work_for_others: the user's id at steps, exports and replaced versions of colleagues' newsletters
    purges, 1 day: files of deleted newsletters, which an event of the queue removes
    documents: texts of the company's documents and of colleagues that name the user
    recovery, 30 days: the user's id at parked events that the user replayed
    receipts: this job, under a keyed hash of the user's id or the address
    requests, 1 day: ids in stored answers of API calls, under hashes
    """,
    outside="""
    queues, 28 days: ids of newsletters in queues and dead letters
    exports_of_others, 7 days: reviews by the user in exports of colleagues
    logs: the user's id in the log lines of changes, for the retention of the logs
    providers: logs of the model's provider and of the login provider, by their terms
    """,
)
OF_ADDRESSES: Final = stated(
    kept="""
    texts: texts and documents of newsletters that name the person: people of the company have written them
    receipts: this job, under a keyed hash of the user's id or the address
    test_mails, 1 day: the address at tests of issues
    """,
    outside="""
    downloads: files that people have downloaded or sent before
    """,
)


def jobs_of(resources: Resources) -> Jobs[PrivacyJob]:
    """Return the jobs of a table, bucket and queue (`newsletters.fifo`)."""
    return Jobs(
        item=PrivacyJob,
        table=resources.store.table,
        bucket=resources.store.bucket,
        exports=privacy_exports,
        run="{:04d}",
        lines=LINES,
        remainders=_remainders,
        enqueue=lambda job: _enqueue(resources.steps, job),
    )


def subject_of(name: Named) -> str | None:
    """Return the subject that an address or a user is."""
    return f"{name.kind} {name.value}" if name.kind in {USER, ADDRESS} else None


def of_user(user_id: str) -> str:
    """Return the subject that a user is."""
    return f"{USER} {user_id}"


def of_address(address: str) -> str:
    """Return the subject that an address is."""
    return f"{ADDRESS} {address}"


def named_in(job: PrivacyJob) -> tuple[str, str]:
    """Return the kind and the value of the subject of a run."""
    named_by, _, value = str(job.requested_for).partition(" ")
    return named_by, value


def _remainders(job: PrivacyJob) -> Iterable[Remainder]:
    """Return what remains of a subject; of a run that has ended all kinds, since its receipt names its own."""
    if job.requested_for is None:
        return dict.fromkeys((*REMAINDERS, *OF_ADDRESSES))
    return OF_ADDRESSES if named_in(job)[0] == ADDRESS else REMAINDERS


def _enqueue(queue: FifoQueue, job: PrivacyJob) -> None:
    event = PrivacyRequested(job_id=job.job_id)
    queue.send([turn_entry(event, job.job_id, *job.turn())])
