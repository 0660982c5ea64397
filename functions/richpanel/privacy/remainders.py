"""Data that remains after the erasure of a customer, for its receipt."""

from typing import Final

from shared.privacy.remainders import BACKUPS, EXPIRED_ITEMS, QUEUE_DAYS, Remainder

REMAINDERS: Final = (
    Remainder(
        kind="tickets",
        reason="states and audit of tickets beside no contact: ids and codes; they are erased by their ids",
        days=90,
    ),
    Remainder(
        kind="events",
        reason="ids, hashes and codes of events and actions, so that nothing is answered twice",
        days=30,
    ),
    Remainder(kind="receipts", reason="this job, under a keyed hash of the address"),
    EXPIRED_ITEMS,
    Remainder(
        kind="queues",
        reason="ids of tickets in queues and dead letters",
        days=QUEUE_DAYS,
        is_outside=True,
    ),
    Remainder(
        kind="help_desk",
        reason="tickets and the customer's profile at the help desk: erase them there",
        is_outside=True,
    ),
    Remainder(
        kind="providers",
        reason="logs of the shop's and the model's providers, by their terms",
        is_outside=True,
    ),
    BACKUPS,
)
