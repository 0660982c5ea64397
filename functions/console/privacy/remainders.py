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
        kind="contact_files",
        reason="files of contacts that people of the company have imported or exported, until these expire",
        days=1,
    ),
    Remainder(
        kind="consent",
        reason="what the person has chosen and when, under keyed hashes of the addresses, without evidence",
    ),
    Remainder(
        kind="texts_of_the_company",
        reason="names in segments, labels, saved views and settings, which people of the company have written",
    ),
    Remainder(
        kind="rebuilds",
        reason="the key at which an unfinished rebuild of the inbox goes on",
        days=7,
    ),
    Remainder(kind="requests", reason="answers of API calls of the last day, sealed", days=1),
    Remainder(
        kind="audit_log",
        reason="who requested the erasure, and changes by people, without content, for the retention of the log",
    ),
    EXPIRED_ITEMS,
    BACKUPS,
)
