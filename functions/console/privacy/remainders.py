"""Data that remains after the erasure of a person in all contexts, beside what the receipts of these name."""

from typing import Final

from shared.privacy.remainders import BACKUPS, EXPIRED_ITEMS, Remainder

REMAINDERS: Final = (
    Remainder(
        kind="receipts",
        reason="the jobs of all contexts, under hashes of the identifiers, with counts, reason and reference",
    ),
    Remainder(
        kind="open_requests",
        reason="the name in other requests about the person, until these end or expire",
        days=7,
    ),
    Remainder(
        kind="newsletters",
        reason="names in texts that people of the company have written; no identifier of a customer is stored there",
    ),
    Remainder(
        kind="new_conversations",
        reason="conversations with the person since the request, and their contact",
    ),
    Remainder(
        kind="audit_log",
        reason="who requested the erasure, and changes by people, without content, for the retention of the log",
    ),
    EXPIRED_ITEMS,
    BACKUPS,
)
