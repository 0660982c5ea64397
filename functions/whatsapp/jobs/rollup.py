"""
Hourly and daily counts: recounted repeatedly, never incremented, so that repeated events are not added twice.

    gsi_status (4 values) + gsi_direction INBOUND, one hour --> HOUR of each account and campaign --> ANALYTICS, a day

The last 2 hours are counted every 5 minutes, 2 days every hour, 8 days every day: a message that is read a week later
still counts. A count can miss a message, because its status changes or an index lags; the next count includes it. Only
changes are written. The hour's `summed` is written last, so that an hour with it is included in its day even after a
crash in between. Concurrent counts of one hour are harmless: the result of the count that started last stays.

Cost, in read units: 5 queries of at least 0.5 and about 120 bytes a message (0.015) for each hour and pass, and 1 for
each account's stored hour. With one account and no messages that is 3.5 an hour: 3 hours every 5 minutes, 49 every hour
and 193 a day, with 2 for each run, or 1 where nothing is due, make about 9,600 a day, and one write. A changed hour
costs 25 more, and 3 writes.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from heapq import merge
from itertools import groupby
from operator import attrgetter
from typing import Self

from shared.aws.dynamodb import Table
from shared.aws.sqs_fifo import to_json
from shared.runtime import clock
from whatsapp import store
from whatsapp.store.analytics import tallies
from whatsapp.store.analytics.tallies import Subject, Tallies, Tally
from whatsapp.store.items.counts import Analytics, Counting, Hour

MINUTE_MS = 60 * clock.SECOND_MS
RECENT_HOURS, RECENT_MINUTES = 2, 5
LATER_HOURS, LATER_MINUTE = 48, 30
SWEPT_HOURS = 8 * 24
# Time to set the hours of all accounts and to save the remaining work.
RESERVE_MS = 15 * clock.SECOND_MS
HOURS_LIVE_SECONDS = 400 * clock.DAY_SECONDS
_MAPS = tuple(Tally.__dataclass_fields__)


@dataclass(frozen=True, slots=True)
class CountResult:
    """The result of a run: hours counted completely, hours and days written, hours left."""

    hours: int = 0
    written: int = 0
    left: int = 0


@dataclass(slots=True)
class _OpenHour:
    """An hour being counted, possibly by several runs. *position*: the time of the next message to count."""

    name: str  # yyyymmddHH, UTC
    began_at: str
    position: str
    tallies: Tallies

    @classmethod
    def begin(cls, name: str) -> Self:
        return cls(name, clock.to_text(clock.now_ms()), _prefix_of(name), {})


def count_due(table: Table, at_ms: int, remaining_ms: Callable[[], int]) -> CountResult:
    """
    Count the hours due at *at_ms* (the schedule's time, so a repeated event does the same) or left over.

    Work that does not fit into the time is left to the next run. A single read if nothing is due.
    """
    progress = store.counts.progress(table)
    today = clock.to_text(at_ms)[:10]
    due = due_hours(at_ms, progress.swept_on)
    waiting = sorted({*progress.hours, *due}, reverse=True)  # Newest first: they are viewed most.
    if not waiting and progress.hour is None:
        return CountResult()
    accounts = accounts_of_phones(table)
    if not accounts:
        return CountResult()
    current = _resumed(table, progress)
    done = written = 0
    while remaining_ms() > RESERVE_MS and (current or waiting):
        current = current or _OpenHour.begin(waiting.pop(0))
        if not _count(table, current, accounts, remaining_ms):
            break
        written += _write_hour(table, current, accounts)
        done, current = done + 1, None
    _save(table, progress, waiting, current, today)
    return CountResult(done, written, len(waiting) + (current is not None))


def due_hours(at_ms: int, swept_on: str | None) -> list[str]:
    """Return the hours to count at a minute, newest first. *swept_on*: the last day on which 8 days were scheduled."""
    minute = at_ms // MINUTE_MS
    if swept_on is not None and swept_on < clock.to_text(at_ms)[:10]:
        back = SWEPT_HOURS
    elif minute % 60 == LATER_MINUTE:
        back = LATER_HOURS
    elif minute % RECENT_MINUTES == 0:
        back = RECENT_HOURS
    else:
        return []
    return [_hour_of(at_ms - ago * clock.HOUR_MS) for ago in range(back + 1)]


def accounts_of_phones(table: Table) -> dict[str, Subject]:
    """Return the account of each registered number, by number."""
    return {
        entry["phone"]: Subject(entry["company"], entry["waba"], is_account=True)
        for entry in store.phones.listed(table)
        if entry.get("waba")
    }


def _resumed(table: Table, progress: Counting) -> _OpenHour | None:
    """Return the partially counted hour; restarted if its sums have expired."""
    if progress.hour is None:
        return None
    text = store.counts.partial_of(table, str(progress.partial), progress.partial_parts)
    if text is None or progress.began_at is None or progress.position is None:
        return _OpenHour.begin(progress.hour)
    return _OpenHour(progress.hour, progress.began_at, progress.position, tallies.from_lines(text))


def _count(
    table: Table,
    hour: _OpenHour,
    accounts: Mapping[str, Subject],
    remaining_ms: Callable[[], int],
) -> bool:
    """
    Count an hour from its position; False if the time ran out before its end.

    The indexes are read in parallel in time order, so that a message in two of them appears twice in a row, and earlier
    messages need no memory. The statuses are opened in delivery order: a message whose status changes during the read
    appears twice rather than not at all.
    """
    first, last = hour.position, _last_of(hour.name)
    entries = [store.counts.sent(table, status, first, last) for status in tallies.STATUSES]
    time_of = attrgetter("at")
    in_order = merge(*entries, store.counts.received(table, first, last), key=time_of)
    for at, moment in groupby(in_order, key=time_of):
        if remaining_ms() <= RESERVE_MS:
            hour.position = at
            return False
        tallies.count(hour.tallies, moment, accounts)
    return True


def _write_hour(table: Table, hour: _OpenHour, accounts: Mapping[str, Subject]) -> int:
    """Write the changes of an hour's count and the resulting days; return the number of items written."""
    subjects = {*hour.tallies, *accounts.values()}
    stored_hours = store.counts.hours(
        table, [Hour.of(subject.id, hour.name) for subject in subjects]
    )
    written = 0
    for subject in subjects:
        counted = _hour_item(hour, subject)
        stored = stored_hours.get(counted.pk)
        if stored is None and subject not in hour.tallies:
            continue
        if stored is None or _maps_of(stored) != _maps_of(counted):
            if not store.counts.set_hour(table, counted):
                continue
            written += 1
        elif stored.summed:
            continue
        else:
            counted = stored
        if subject.is_account:
            written += _sum_day(table, subject, counted, hour.name[:8])
    return written


def _hour_item(hour: _OpenHour, subject: Subject) -> Hour:
    maps = hour.tallies.get(subject, Tally()).maps(most_names=tallies.MOST_NAMES)
    return Hour(
        pk=Hour.of(subject.id, hour.name),
        company=subject.company,
        ttl=clock.from_text(_first_of(hour.name)) // clock.SECOND_MS + HOURS_LIVE_SECONDS,
        counted_at=hour.began_at,
        **maps,
    )


def _sum_day(table: Table, account: Subject, hour: Hour, day: str) -> int:
    """Set an account's day to the sum of its hours, including *hour*; return 1 if the day was written."""
    read_at = clock.to_text(clock.now_ms())
    hours = store.counts.hours(table, [Hour.of(account.id, f"{day}{h:02d}") for h in range(24)])
    own = [_maps_of(counted) for counted in hours.values() if counted.company == account.company]
    summed = _day_item(account, day, tallies.total(own), read_at)
    before = store.counts.days(table, [summed.pk])
    is_new = not before or _facts_of(before[0]) != _facts_of(summed)
    # After a failed condition the hour stays unmarked, and the next count retries.
    if is_new and not store.counts.set_day(table, summed):
        return 0
    store.counts.mark_summed(table, hour)
    return int(is_new)


def _day_item(account: Subject, day: str, tally: Tally, read_at: str) -> Analytics:
    maps = tally.maps(most_names=tallies.MOST_NAMES)
    counts = tally.counts
    date = f"{day[:4]}-{day[4:6]}-{day[6:]}"
    return Analytics(
        pk=Analytics.key(account.id, date),
        company=account.company,
        waba_meta_id=account.id,
        date=date,
        messages_sent=counts["sent"],
        messages_delivered=counts["delivered"],
        messages_read=counts["read"],
        messages_failed=counts["failed"],
        messages_received=counts["received"],
        messages_replied=counts["replied"],
        templates_used=maps["templates"],
        billable=maps["billable"],
        ad_sources=maps["ad_sources"],
        replies=maps["replies"],
        phones=maps["phones"],
        counted_at=read_at,
    )


def _maps_of(hour: Hour) -> dict[str, dict[str, int]]:
    return {name: getattr(hour, name) for name in _MAPS}


def _facts_of(day: Analytics) -> dict[str, object]:
    return day.model_copy(update={"counted_at": None}).attributes()


def _save(
    table: Table, progress: Counting, waiting: list[str], current: _OpenHour | None, today: str
) -> None:
    """Save the remaining work, if it changed."""
    left = Counting(
        pk=progress.pk,
        version=progress.version,
        swept_on=max(today, progress.swept_on or today),
        hours=[hour for hour in waiting if hour >= _oldest(today)],
    )
    if current is not None:
        name, parts = store.counts.keep_partial(table, to_json(tallies.to_lines(current.tallies)))
        left.hour, left.began_at, left.position = current.name, current.began_at, current.position
        left.partial, left.partial_parts = name, parts
    if left.attributes() != progress.attributes():
        # After a failed condition: an overlapping run has saved its remaining work, and these hours will be due again.
        store.counts.save_progress(table, left)


def _oldest(today: str) -> str:
    return _hour_of(clock.from_text(f"{today}T00:00:00.000Z") - SWEPT_HOURS * clock.HOUR_MS)


def _hour_of(at_ms: int) -> str:
    """Return the name of the hour that contains a time: `yyyymmddHH`, UTC."""
    return datetime.fromtimestamp(at_ms // clock.SECOND_MS, UTC).strftime("%Y%m%d%H")


def _first_of(hour: str) -> str:
    """Return the start of an hour in the format of items."""
    return f"{hour[:4]}-{hour[4:6]}-{hour[6:8]}T{hour[8:]}:00:00.000Z"


def _prefix_of(hour: str) -> str:
    """Return the beginning of all times of an hour, which as text precedes each of them."""
    return f"{hour[:4]}-{hour[4:6]}-{hour[6:8]}T{hour[8:]}"


def _last_of(hour: str) -> str:
    return f"{hour[:4]}-{hour[4:6]}-{hour[6:8]}T{hour[8:]}:59:59.999Z"
