"""Data that remains after the erasure of a person, for its receipt."""

from typing import Final

from shared.privacy.remainders import BACKUPS, EXPIRED_ITEMS, QUEUE_DAYS, Remainder

REMAINDERS: Final = (
    Remainder(
        kind="tombstones",
        reason="keyed hashes of addresses, hashes of message ids, and ids of conversations: "
        "earlier events are not stored again",
        days=35,
    ),
    Remainder(
        kind="sends",
        reason="ids and states in the action ledger, without recipients: no message is sent twice",
        days=35,
    ),
    Remainder(kind="receipts", reason="this job, under a keyed hash of the addresses"),
    Remainder(
        kind="exports",
        reason="exports of the person that other addresses were given for",
        days=7,
    ),
    Remainder(kind="consent", reason="opt-outs, and numbers that changed hands, as keyed hashes"),
    Remainder(
        kind="requests",
        reason="ids in stored answers of API calls, under hashes",
        days=35,
    ),
    Remainder(
        kind="texts_of_others",
        reason="texts that name the person in conversations with other people, and the company's documents",
    ),
    Remainder(
        kind="damaged_events",
        reason="parked events whose text cannot be read, so that their person is unknown",
        days=35,
    ),
    Remainder(
        kind="early_files",
        reason="ids of files whose message has not come; the files are the inbox's",
        days=35,
    ),
    EXPIRED_ITEMS,
    Remainder(
        kind="queues",
        reason="events in queues and dead letters; redriven, earlier events of the person are not stored",
        days=QUEUE_DAYS,
        is_outside=True,
    ),
    BACKUPS,
    Remainder(
        kind="inbox",
        reason="copies in the WhatsApp inbox and the threads of e-mail, which have erasures of their own",
        is_outside=True,
    ),
    Remainder(
        kind="providers",
        reason="logs of Twilio, AWS and the model's provider, by their terms",
        is_outside=True,
    ),
)
