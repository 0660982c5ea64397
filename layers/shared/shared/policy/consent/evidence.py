"""
The records of an address (`records`, `withdrawals`) and their evidence, which an export shows and an erasure removes.

State, time and source stay under the keyed hash, so that an opt-out holds. Evidence may name the person: people write
it, and ids of messages of WhatsApp contain the number.
"""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, Final

from boto3.dynamodb.conditions import Attr, Key

from shared.aws.dynamodb import ConditionFailed
from shared.identity.addresses import all_spellings
from shared.identity.keyed_hashes import address_hashes
from shared.policy.consent.items import Consent

if TYPE_CHECKING:
    from collections.abc import Iterator

    from shared.aws.dynamodb import Attributes, Table

ERASED: Final = "erased"
_A_PAGE: Final = 100


def records_of(table: Table, company: str, address: str) -> Iterator[Attributes]:
    """Yield the items of a normalised address, in all spellings and under all identifier keys."""
    hashes = [one for spelling in all_spellings(address) for one in address_hashes(spelling)]
    for partition in dict.fromkeys(Consent.key(company, one, "-")["pk"] for one in hashes):
        start: Attributes | None = None
        while True:
            items, start = table.query(None, Key("pk").eq(partition), limit=_A_PAGE, start=start)
            yield from items
            if start is None:
                break


def has_evidence(item: Attributes) -> bool:
    """Whether the evidence of a record was not erased."""
    return bool(item.get("evidence", ERASED) != ERASED)


def erase(table: Table, key: Attributes) -> None:
    """Erase the evidence of a record, unless a newer event has replaced it meanwhile. Safe to repeat."""
    item = table.get(key)
    if item is None or not has_evidence(item):
        return
    unchanged = Attr("at").eq(item["at"]) & Attr("evidence").eq(item["evidence"])
    with suppress(ConditionFailed):
        table.put({**item, "evidence": ERASED}, when=unchanged)
