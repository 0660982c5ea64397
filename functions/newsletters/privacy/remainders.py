"""Data that remains after the erasure of a user or of an address, for its receipt."""

from typing import Final

from newsletters.store.items import PrivacyJob
from shared.privacy.remainders import BACKUPS, EXPIRED_ITEMS, QUEUE_DAYS, Remainder

REMAINDERS: Final = (
    Remainder(
        kind="work_for_others",
        reason="the user's id at steps, exports and replaced versions of colleagues' newsletters",
    ),
    Remainder(
        kind="purges",
        reason="files of deleted newsletters, which an event of the queue removes",
        days=1,
    ),
    Remainder(
        kind="documents",
        reason="texts of the company's documents and of colleagues that name the user",
    ),
    Remainder(
        kind="recovery", reason="the user's id at parked events that the user replayed", days=30
    ),
    Remainder(kind="receipts", reason="this job, under a hash of the user's id"),
    Remainder(kind="requests", reason="ids in stored answers of API calls, under hashes", days=1),
    EXPIRED_ITEMS,
    Remainder(
        kind="queues",
        reason="ids of newsletters in queues and dead letters",
        days=QUEUE_DAYS,
        is_outside=True,
    ),
    Remainder(
        kind="exports_of_others",
        reason="reviews by the user in exports of colleagues",
        days=7,
        is_outside=True,
    ),
    BACKUPS,
    Remainder(
        kind="logs",
        reason="the user's id in the log lines of changes, for the retention of the logs",
        is_outside=True,
    ),
    Remainder(
        kind="providers",
        reason="logs of the model's provider and of the login provider, by their terms",
        is_outside=True,
    ),
)

OF_ADDRESSES: Final = (
    Remainder(
        kind="texts",
        reason="texts and documents of newsletters that name the person: people of the company have written them",
    ),
    Remainder(
        kind="downloads",
        reason="files that people have downloaded or sent before",
        is_outside=True,
    ),
    Remainder(kind="receipts", reason="this job, under a keyed hash of the address"),
    Remainder(kind="test_mails", reason="the address at tests of issues", days=1),
    BACKUPS,
)


def of_job(job: PrivacyJob) -> tuple[Remainder, ...]:
    """Return what remains after the erasure that a job is."""
    return OF_ADDRESSES if job.by_address else REMAINDERS
