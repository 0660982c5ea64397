"""
Tombstones of erased addresses: a mail from before an erasure is not stored, whenever it is processed.

The fence of an erasure covers mails that are processed at once. Only a late one, as a redriven dead letter, costs a
read.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from aws_lambda_powertools.metrics import MetricUnit

from email_threads.store.items import ErasedAddress
from shared.identity.keyed_hashes import keyed_hashes
from shared.privacy import tombstones
from shared.runtime import clock
from shared.runtime.observability import metrics

if TYPE_CHECKING:
    from collections.abc import Iterable

    from shared.aws.dynamodb import Table

# With the worker's timeout (120 s) less than the time that an erasure waits for workers (`privacy.jobs.SETTLES_MS`).
LATE_MS: Final = 20 * clock.SECOND_MS


def write(table: Table, company_id: str, address: str, until: str) -> None:
    """Write the tombstone of an address, with the key in use. Idempotent. Raises KeysUnreadable."""
    tombstones.write(table, ErasedAddress.of(subjects_of(company_id, address)[0], until))


def covers(table: Table, company_id: str, addresses: Iterable[str], received_ms: int) -> bool:
    """Whether a mail that one of these addresses stands for was erased before it was stored. Raises KeysUnreadable."""
    if clock.now_ms() - received_ms < LATE_MS:
        return False
    subjects = {one: None for address in addresses for one in subjects_of(company_id, address)}
    keys = [ErasedAddress.key(one) for one in subjects]
    is_erased = clock.to_text(received_ms) <= tombstones.newest(table, ErasedAddress, keys)
    if is_erased:
        metrics.add_metric("TombstoneHits", MetricUnit.Count, 1)
    return is_erased


def subjects_of(company_id: str, address: str) -> list[str]:
    """Return the keyed hashes of an address of a company, one for each key of the stage."""
    return keyed_hashes("erased address", company_id, address)
