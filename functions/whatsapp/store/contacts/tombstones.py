"""Tombstones of erased contacts: until when the events of an id were erased."""

from collections.abc import Iterable

from shared.aws.dynamodb import ConditionFailed, Table
from shared.runtime import clock
from whatsapp.store.items import pk
from whatsapp.store.items.privacy import ErasedContact


def write(table: Table, company: str, subject: str, until: str) -> None:
    """Record that the events of a subject up to *until* were erased; a later time stays. Safe to repeat."""
    stone = ErasedContact(
        pk=ErasedContact.key(company, subject),
        company=company,
        until=until,
        ttl=clock.expires_in((ErasedContact.ttl_days or 0) * clock.DAY_SECONDS),
    )
    time = ErasedContact.attr("until")
    try:
        table.put(stone.attributes(), when=time.not_exists() | time.lte(until))
    except ConditionFailed:
        return


def newest(table: Table, company: str, subjects: Iterable[str]) -> str:
    """Return the newest time up to which events of these subjects were erased; empty if there is none."""
    keys = [pk(ErasedContact.key(company, subject)) for subject in dict.fromkeys(subjects)]
    now = clock.now_ms() // clock.SECOND_MS
    stones = [ErasedContact.read(item) for item in table.get_many(keys)] if keys else []
    return max((stone.until for stone in stones if (stone.ttl or now) >= now), default="")
