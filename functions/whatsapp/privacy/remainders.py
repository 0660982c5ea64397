"""Data that remains after the erasure of a contact, for its receipt."""

from typing import Final

from shared.privacy.remainders import BACKUPS, EXPIRED_ITEMS, QUEUE_DAYS, Remainder

REMAINDERS: Final = (
    Remainder(
        kind="stubs",
        reason="ids and times of messages, calls and files; WhatsApp's ids contain the number in base64",
        days=35,
    ),
    Remainder(
        kind="tombstones",
        reason="times of the erasure under keyed hashes of the ids: earlier events are not stored again",
        days=120,
    ),
    Remainder(
        kind="sends",
        reason="the action ledger: ids of messages, and hashes of recipients and texts; no message is sent twice",
        days=35,
    ),
    Remainder(
        kind="payments",
        reason="amounts, ids and times of orders, payments and refunds, without the customer",
    ),
    Remainder(
        kind="earlier_owners",
        reason="times at which the number changed hands, so that a later owner is not mistaken",
    ),
    Remainder(kind="consent", reason="opt-outs, as keyed hashes"),
    Remainder(kind="receipts", reason="this job, under a hash of the id that was named"),
    Remainder(
        kind="requests",
        reason="answers of API calls of the last day: states and ids, or sealed",
        days=1,
    ),
    Remainder(
        kind="texts_of_others",
        reason="texts of others that name the person, and the person's reactions to messages of others in groups",
    ),
    Remainder(
        kind="unassigned_events",
        reason="bodies that are no events, and events of unknown kinds in which no customer is found",
        days=30,
    ),
    Remainder(
        kind="large_events",
        reason="payloads that were too large for the queue",
        days=30,
    ),
    Remainder(
        kind="earlier_releases",
        reason="parked events of no number of a company, from releases that did not list them",
        days=30,
    ),
    Remainder(
        kind="uploads",
        reason="files that agents uploaded, and lists of recipients that are still being read",
        days=1,
    ),
    EXPIRED_ITEMS,
    Remainder(
        kind="queues",
        reason="events in queues and dead letters; redriven, earlier events of the person are not stored",
        days=QUEUE_DAYS,
        is_outside=True,
    ),
    Remainder(
        kind="exports_of_others",
        reason="messages that name the person in exports of other contacts",
        days=7,
        is_outside=True,
    ),
    BACKUPS,
    Remainder(
        kind="ai_conversations",
        reason="copies of messages that were forwarded: `operations erase-person` erases them",
        is_outside=True,
    ),
    Remainder(
        kind="providers",
        reason="data at Meta and AWS, by their terms",
        is_outside=True,
    ),
)
