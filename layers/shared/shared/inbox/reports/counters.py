"""Adds what has happened in a conversation to the counts of its day and of its assignee, in the entry's transaction."""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Final
from weakref import WeakKeyDictionary
from zoneinfo import ZoneInfo

from shared.aws.dynamodb import TransactionConflict
from shared.inbox.items import pk
from shared.inbox.reports import hours
from shared.inbox.reports.items import (
    BOUNDS,
    DURATIONS,
    SHARDS,
    BusyDays,
    DayCounts,
    OutcomeDay,
    PersonMonth,
)
from shared.inbox.rounds import Fact
from shared.runtime import clock

if TYPE_CHECKING:
    from collections.abc import Sequence

    from shared.aws.dynamodb import Attributes, Table
    from shared.inbox.items import Entry
    from shared.inbox.reports.outcomes import Assisted
    from shared.inbox.rounds import Happened
    from shared.policy.business_hours import BusinessHours

_MONTH: Final = len("2026-01")
_MOST_HELD: Final = 10_000  # busy days of one process

_busy: WeakKeyDictionary[Table, set[str]] = WeakKeyDictionary()  # in a process, by their keys


@dataclass(frozen=True, slots=True)
class Duration:
    """A duration in seconds, and its seconds within business hours."""

    seconds: int
    business_seconds: int


@dataclass(frozen=True, slots=True)
class _Counts:
    """Additions to the counts of days, of their outcomes, and of months, by date and month."""

    entry: Entry
    assignee: str | None
    days: dict[str, Counter[str]]
    outcomes: dict[str, Counter[str]]
    months: dict[str, Counter[str]]
    assisted: Assisted | None

    def writes(self, table: Table) -> list[Attributes]:
        """Return the writes of a transaction; of days that are known as busy to one of their shards."""
        entry, busy, found = self.entry, _busy.get(table.source, ()), []
        for date, counts in sorted(self.days.items()):
            is_busy = self._busy_key(date) + date in busy
            shard = random.randint(0, SHARDS) if is_busy else 0  # noqa: S311 - spreads writes
            key = DayCounts.key(entry.context, entry.company_id, entry.channel, date, shard)
            if counts:
                found.append(_write(table, key, counts, DayCounts))
            if outcomes := self.outcomes.get(date):
                of_project = entry.context, entry.company_id, entry.project_id or "", entry.channel
                key = OutcomeDay.key(*of_project, date, shard)
                found.append(_write(table, key, outcomes, OutcomeDay))
        for month, counts in sorted(self.months.items()):
            key = PersonMonth.key(entry.context, entry.company_id, self.assignee or "", month)
            found.append(_write(table, key, counts, PersonMonth))
        return [*found, *self._further(table)]

    def _further(self, table: Table) -> list[Attributes]:
        """Return the write of the further counts of an assistant's conversation, if it has any."""
        assisted = self.assisted
        if assisted is None or assisted.tally is None:
            return []
        outcomes = sum(self.outcomes.values(), Counter[str]())
        counts = {name: n for name, n in assisted.further_counts(outcomes).items() if n}
        where = assisted.tally
        beside = table.beside(where.table)
        return [beside.to_update({"pk": where.pk, "sk": where.sk}, add=counts)] if counts else []

    def spread(self, table: Table) -> None:
        """Store that the days have shards, before one of them is written. Safe to repeat."""
        ttl = BusyDays.named(ttl=clock.expires_in((BusyDays.ttl_days or 0) * clock.DAY_SECONDS))
        busy = _busy.setdefault(table.source, set())
        for date in self.days:
            key = self._busy_key(date)
            if key + date not in busy:
                table.update(pk(key), put=ttl, add=BusyDays.named(dates={date}))
                if len(busy) >= _MOST_HELD:
                    busy.clear()
                busy.add(key + date)

    def _busy_key(self, date: str) -> str:
        entry = self.entry
        return BusyDays.key(entry.context, entry.company_id, entry.channel, date)


def write(
    table: Table,
    put: Attributes,
    entry: Entry,
    assignee: str | None,
    facts: Sequence[Happened],
    *,
    assisted: Assisted | None = None,
) -> None:
    """
    Make *put*, the write of an entry for a transaction, and count the facts of its conversation in the same one.

    *assignee*: who had it when they happened. *assisted*: of a conversation of an assistant. Raises what
    `Table.transact` does. After a conflict with another transaction a shard of the day has the counts: changes of a
    company come from several batches at the same time.
    """
    counts = _counts(table, entry, assignee, facts, assisted)
    try:
        table.transact_once(put, *counts.writes(table))
    except TransactionConflict:
        counts.spread(table)
        table.transact(put, *counts.writes(table))


def _counts(
    table: Table,
    entry: Entry,
    assignee: str | None,
    facts: Sequence[Happened],
    assisted: Assisted | None,
) -> _Counts:
    business = hours.of_company(table, entry.company_id)
    zone = ZoneInfo(hours.zone_of(business))
    found = _Counts(entry, assignee, {}, {}, {}, assisted)
    for one in facts:
        local = datetime.fromtimestamp(one.at_ms // clock.SECOND_MS, UTC).astimezone(zone)
        date = local.date().isoformat()
        taken = _duration(one, business)
        found.days.setdefault(date, Counter()).update(_of_day(one.fact, local.hour, taken))
        if assisted is not None and entry.project_id:
            found.outcomes.setdefault(date, Counter()).update(assisted.counts(one))
        if assignee is not None and (counts := _of_person(one.fact, date, taken)):
            found.months.setdefault(date[:_MONTH], Counter()).update(counts)
    return found


def _write(
    table: Table, key: str, counts: Counter[str], item: type[DayCounts | OutcomeDay | PersonMonth]
) -> Attributes:
    lifetime = (item.ttl_days or 0) * clock.DAY_SECONDS
    ttl = {item.name_of("ttl"): clock.expires_in(lifetime)}
    # DynamoDB keeps a number that is 0, which says no more than an absent one.
    return table.to_update(pk(key), put=ttl, add={name: n for name, n in counts.items() if n})


def _duration(one: Happened, business: BusinessHours | None) -> Duration | None:
    if one.since_ms is None:
        return None
    begin, end = one.since_ms, max(one.at_ms, one.since_ms)
    seconds = (end - begin) // clock.SECOND_MS
    return Duration(seconds, business.seconds_between(begin, end) if business else seconds)


def _of_day(fact: Fact, hour: int, taken: Duration | None) -> Counter[str]:
    counts = Counter({str(fact): 1}) if fact is not Fact.RATED else Counter[str]()
    if fact is Fact.OPENED:
        counts[DayCounts.hour(hour)] += 1
    if fact in DURATIONS and taken is not None:
        for of, seconds in zip(
            DURATIONS[fact], (taken.seconds, taken.business_seconds), strict=True
        ):
            counts[DayCounts.total(of)] += seconds
            counts[DayCounts.durations(of)[class_of(seconds)]] += 1
    return counts


def _of_person(fact: Fact, date: str, taken: Duration | None) -> Counter[str]:
    name = PersonMonth.name
    if fact is Fact.RESOLVED:
        return Counter({name(PersonMonth.RESOLVED, date): 1})
    if fact is not Fact.ANSWERED or taken is None:
        return Counter()
    return Counter(
        {
            name(PersonMonth.ANSWERED, date): 1,
            name(PersonMonth.SECONDS, date): taken.seconds,
            name(PersonMonth.BUSINESS_SECONDS, date): taken.business_seconds,
        }
    )


def class_of(seconds: int) -> int:
    """Return the number of the class of a duration: the first whose bound it does not exceed."""
    return next((n for n, bound in enumerate(BOUNDS) if seconds <= bound), len(BOUNDS))
