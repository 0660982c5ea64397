"""
The jobs that erase or export the person with an e-mail address, and what remains after an erasure.

Separate from `jobs`, which only the worker imports.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from email_threads.inbound.events import EmailPrivacy
from email_threads.store.items import PrivacyJob
from email_threads.store.objects import exports_of
from shared.events.queued_events import turn_entry
from shared.privacy.remainders import stated
from shared.privacy.requests import Jobs

if TYPE_CHECKING:
    from shared.aws.dynamodb import Table
    from shared.aws.s3 import Bucket
    from shared.aws.sqs_fifo import FifoQueue
    from shared.privacy.parts import Named

REMAINDERS: Final = stated(
    kept="""
    tombstones, 120 days: keyed hash of the address, and hashes of Message-IDs: earlier mails are not stored again
    sends, 35 days: keyed hashes of recipients and texts in the action ledger: no mail is sent twice
    consent: opt-outs and unreachable addresses, as keyed hashes
    receipts: this job, under a keyed hash of the address
    requests, 1 day: hashes of the API calls of the last day
    texts_of_others: quotes and signatures in mails of others; notes about, and files uploaded to, threads with others
    parked_mails_of_others, 30 days: parked mails that others sent and that name the person as a recipient, or that \
        have no sender
    earlier_releases, 30 days: closed drafts, and parked mails of no company, from releases that did not list them
    """,
    outside="""
    raw_mails, 30 days: further raw copies that SES stored of a mail, and raw mails that were never processed
    queues, 28 days: events in queues and dead letters; redriven, earlier mails of the person are not stored
    exports_of_others, 7 days: mails that name the person in exports of other people
    ai_conversations: copies of mails that were forwarded: a request about the person in all contexts erases them
    providers: logs of SES and of the model's provider, by their terms
    """,
)


def subject_of(name: Named) -> str | None:
    """Return an address, which is all that threads know of a person."""
    return name.value if name.kind == "email" else None


def jobs_of(table: Table, bucket: Bucket, queue: FifoQueue) -> Jobs[PrivacyJob]:
    """Return the jobs of a table, bucket and queue (`email-threads.fifo`)."""

    def enqueue(job: PrivacyJob) -> None:
        queue.send([turn_entry(EmailPrivacy(job_id=job.job_id), job.job_id, *job.turn())])

    return Jobs(
        item=PrivacyJob,
        table=table,
        bucket=bucket,
        exports=exports_of,
        lines="person.jsonl",
        remainders=lambda _: REMAINDERS,
        enqueue=enqueue,
    )
