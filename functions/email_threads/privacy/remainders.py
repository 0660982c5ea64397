"""Data that remains after the erasure of an address, for its receipt."""

from typing import Final

from shared.privacy.remainders import BACKUPS, EXPIRED_ITEMS, QUEUE_DAYS, Remainder

REMAINDERS: Final = (
    Remainder(
        kind="tombstones",
        reason="keyed hash of the address, and hashes of Message-IDs: earlier mails are not stored again",
        days=120,
    ),
    Remainder(
        kind="sends",
        reason="keyed hashes of recipients and texts in the action ledger: no mail is sent twice",
        days=35,
    ),
    Remainder(kind="consent", reason="opt-outs and unreachable addresses, as keyed hashes"),
    Remainder(kind="receipts", reason="this job, under a hash of the address"),
    Remainder(kind="requests", reason="hashes of the API calls of the last day", days=1),
    Remainder(
        kind="texts_of_others",
        reason="quotes in mails of others; notes about, and files uploaded to, threads with others",
    ),
    Remainder(
        kind="parked_mails_of_others",
        reason="parked mails that others sent and that name the person as a recipient, or that have no sender",
        days=30,
    ),
    Remainder(
        kind="earlier_releases",
        reason="closed drafts, and parked mails of no company, from releases that did not list them",
        days=30,
    ),
    EXPIRED_ITEMS,
    Remainder(
        kind="raw_mails",
        reason="further raw copies that SES stored of a mail, and raw mails that were never processed",
        days=30,
        is_outside=True,
    ),
    Remainder(
        kind="queues",
        reason="events in queues and dead letters; redriven, earlier mails of the person are not stored",
        days=QUEUE_DAYS,
        is_outside=True,
    ),
    Remainder(
        kind="exports_of_others",
        reason="mails that name the person in exports of other people",
        days=7,
        is_outside=True,
    ),
    BACKUPS,
    Remainder(
        kind="ai_conversations",
        reason="copies of mails that were forwarded: `operations erase-person` erases them",
        is_outside=True,
    ),
    Remainder(
        kind="providers",
        reason="logs of SES and of the model's provider, by their terms",
        is_outside=True,
    ),
)
