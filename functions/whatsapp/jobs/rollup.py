"""
Hourly and daily counts: recounted repeatedly, never incremented, so that repeated events are not added twice.

    messages of each number (gsi_inbox), one hour --> HOUR of each account and campaign --> ANALYTICS, a day

`counting_plan` decides which hours are counted. A count can miss a message, because an index lags; the next count
includes it. Only changes are written. The hour's `summed` is written last, so that an hour with it
is included in its day even after a crash in between. Concurrent counts of one hour are harmless: the result of the
count that started last stays.

Cost, in read units: 2 queries of 0.5 for each number, 1 for each account's stored hour, and about 0.53 for each message
and count: an entry of the index, and an item. With one number and no messages that is 2 an hour: 13 counts an hour,
with 3 for each run and 1 for the notes of changed hours, make about 1,500 a day, and 24 writes. A changed hour costs 25
more, and 3 writes.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Self

from shared.aws.dynamodb import Attributes, Table
from shared.aws.sqs_fifo import to_json
from shared.runtime import clock
from whatsapp import store
from whatsapp.jobs import counting_plan
from whatsapp.store.analytics import changed_hours, tallies
from whatsapp.store.analytics.tallies import Subject, Tallies, Tally
from whatsapp.store.items import Message
from whatsapp.store.items.analytics.counts import Analytics, Counting, Hour

# Time to set the hours of all accounts and to save the remaining work.
RESERVE_MS = 15 * clock.SECOND_MS
HOURS_LIVE_SECONDS = 400 * clock.DAY_SECONDS
# Messages of the current hour, beyond which not every run counts it.
LARGE = 2_000
_MAPS = tuple(Tally.__dataclass_fields__)


@dataclass(frozen=True, slots=True)
class CountResult:
    """
    The result of a run: hours counted completely, hours and days written, hours left, and for how long (milliseconds)
    there have been any after each run.
    """

    hours: int = 0
    written: int = 0
    left: int = 0
    lag_ms: int = 0


@dataclass(slots=True)
class _OpenHour:
    """
    An hour being counted, possibly by several runs. *inbox* and *start*: the next partition, in their order, and where
    its next page starts.
    """

    name: str  # yyyymmddHH, UTC
    began_at: str
    tallies: Tallies
    inbox: str = ""
    start: Attributes | None = None

    @classmethod
    def begin(cls, name: str) -> Self:
        return cls(name, clock.to_text(clock.now_ms()), {})


def count_due(table: Table, at_ms: int, remaining_ms: Callable[[], int]) -> CountResult:
    """
    Count the hours due at *at_ms* (the schedule's time, so a repeated event does the same) or left over.

    Work that does not fit into the time is left to the next run.
    """
    phones = [entry for entry in store.phones.listed(table) if entry.get("waba")]
    if not phones:
        return CountResult()
    accounts = accounts_of(phones)
    inboxes = sorted(inbox for entry in phones for inbox in Message.inboxes(entry["phoneArn"]))
    before = store.counts.progress(table)
    progress = _planned(table, before, at_ms)
    waiting = sorted(progress.hours, reverse=True)  # Newest first: they are viewed most.
    current = _resumed(table, progress)
    this_hour = changed_hours.hour_of(at_ms)
    again: list[str] = []
    done = written = 0
    while remaining_ms() > RESERVE_MS and (current or waiting):
        current = current or _OpenHour.begin(waiting.pop(0))
        if not _count(table, current, inboxes, accounts, remaining_ms):
            break
        items, is_whole = _write_hour(table, current, accounts)
        written += items
        if not is_whole:
            again.append(current.name)
        if current.name == this_hour:
            progress.is_large = _messages_in(current) > LARGE or None
        done, current = done + 1, None
    left = len(waiting) + (current is not None)
    progress.hours = [*waiting, *again]
    progress.waiting_since = (before.waiting_since or clock.to_text(at_ms)) if left else None
    _save(table, before, progress, current)
    since = progress.waiting_since
    return CountResult(done, written, left, at_ms - clock.from_text(since) if since else 0)


def _planned(table: Table, before: Counting, at_ms: int) -> Counting:
    """Return the progress with the hours that are due, as *hours*, and those that are due later, as *changed*."""
    closed = counting_plan.closed_hours(before.closed, at_ms)
    if before.closed is None:  # the first run
        due, changed = counting_plan.every_hour(at_ms), set[str]()
    else:
        noted = changed_hours.noted_in(table, closed)
        due, changed = counting_plan.recounts(before.changed, closed, noted)
    hour = changed_hours.hour_of(at_ms)
    is_due = counting_plan.counts_current_hour(at_ms, is_large=bool(before.is_large))
    if is_due and hour != before.hour:  # not counted already
        due.add(hour)
    oldest = changed_hours.oldest(at_ms)
    return before.model_copy(
        update={
            "closed": closed[-1] if closed else before.closed,
            "hours": [name for name in {*before.hours, *due} if name >= oldest],
            "changed": sorted(changed),
        }
    )


def _messages_in(hour: _OpenHour) -> int:
    counts = [tally.counts for subject, tally in hour.tallies.items() if subject.is_account]
    return sum(count["sent"] + count["received"] for count in counts)


def accounts_of(phones: Sequence[Attributes]) -> dict[str, Subject]:
    """Return the account of each listed number, by number."""
    return {
        entry["phone"]: Subject(entry["company"], entry["waba"], is_account=True)
        for entry in phones
    }


def _resumed(table: Table, progress: Counting) -> _OpenHour | None:
    """Return the partially counted hour; restarted if its sums have expired."""
    if progress.hour is None:
        return None
    text = store.counts.partial_of(table, str(progress.partial), progress.partial_parts)
    if text is None or progress.began_at is None or progress.inbox is None:
        return _OpenHour.begin(progress.hour)
    sums = tallies.from_lines(text)
    return _OpenHour(progress.hour, progress.began_at, sums, progress.inbox, progress.start)


def _count(
    table: Table,
    hour: _OpenHour,
    inboxes: Sequence[str],
    accounts: Mapping[str, Subject],
    remaining_ms: Callable[[], int],
) -> bool:
    """
    Count an hour from its position, number after number; False if the time ran out before its end.

    A page is in memory at a time. A message is in one partition, at a place that its status does not change, so it is
    counted once.
    """
    first, last = _prefix_of(hour.name), _last_of(hour.name)
    for inbox in inboxes:
        if inbox < hour.inbox:
            continue
        start = hour.start if inbox == hour.inbox else None
        while True:
            if remaining_ms() <= RESERVE_MS:
                hour.inbox, hour.start = inbox, start
                return False
            page = store.counts.page(table, inbox, first, last, start)
            tallies.count(hour.tallies, page.entries, accounts)
            start = page.start
            if start is None:
                break
    return True


def _write_hour(table: Table, hour: _OpenHour, accounts: Mapping[str, Subject]) -> tuple[int, bool]:
    """
    Write the changes of an hour's count and the resulting days; return the number of items written, and whether none
    was refused: because of a newer count, or our own write, whose response was lost. The next run counts it again.
    """
    subjects = {*hour.tallies, *accounts.values()}
    stored_hours = store.counts.hours(
        table, [Hour.of(subject.id, hour.name) for subject in subjects]
    )
    written, is_whole = 0, True
    for subject in subjects:
        counted = _hour_item(hour, subject)
        stored = stored_hours.get(counted.pk)
        if stored is None and subject not in hour.tallies:
            continue
        if stored is not None and stored.company != subject.company:
            continue  # A campaign of another company has the same id.
        if stored is None or _maps_of(stored) != _maps_of(counted):
            if not store.counts.set_hour(table, counted):
                is_whole = False
                continue
            written += 1
        elif stored.summed:
            continue
        else:
            counted = stored
        if subject.is_account:
            days = _sum_day(table, subject, counted, hour.name[:8])
            written += days or 0
            is_whole = is_whole and days is not None
    return written, is_whole


def _hour_item(hour: _OpenHour, subject: Subject) -> Hour:
    maps = hour.tallies.get(subject, Tally()).maps(most_names=tallies.MOST_NAMES)
    return Hour(
        pk=Hour.of(subject.id, hour.name),
        company=subject.company,
        ttl=clock.from_text(_first_of(hour.name)) // clock.SECOND_MS + HOURS_LIVE_SECONDS,
        counted_at=hour.began_at,
        **maps,
    )


def _sum_day(table: Table, account: Subject, hour: Hour, day: str) -> int | None:
    """
    Set an account's day to the sum of its hours, including *hour*; return the number of days written, None if a newer
    sum is stored.
    """
    read_at = clock.to_text(clock.now_ms())
    hours = store.counts.hours(table, [Hour.of(account.id, f"{day}{h:02d}") for h in range(24)])
    own = [_maps_of(counted) for counted in hours.values() if counted.company == account.company]
    summed = _day_item(account, day, tallies.total(own), read_at)
    before = store.counts.days(table, [summed.pk])
    is_new = not before or _facts_of(before[0]) != _facts_of(summed)
    if is_new and not store.counts.set_day(table, summed):
        return None
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


def _save(table: Table, before: Counting, progress: Counting, current: _OpenHour | None) -> None:
    """Save the remaining work, if it changed."""
    nothing = dict.fromkeys(("hour", "began_at", "inbox", "start", "partial"))
    now = progress.model_copy(update={**nothing, "partial_parts": 0})
    if current is not None:
        now.hour, now.began_at = current.name, current.began_at
        now.inbox, now.start = current.inbox, current.start
        lines = to_json(tallies.to_lines(current.tallies))
        now.partial, now.partial_parts = store.counts.keep_partial(table, lines)
    if now.attributes() != before.attributes():
        # After a failed condition: an overlapping run has saved its remaining work, and the plan of the next run starts
        # from that.
        store.counts.save_progress(table, now)


def _first_of(hour: str) -> str:
    """Return the start of an hour in the format of items."""
    return f"{hour[:4]}-{hour[4:6]}-{hour[6:8]}T{hour[8:]}:00:00.000Z"


def _prefix_of(hour: str) -> str:
    """Return the beginning of all times of an hour, which as text precedes each of them."""
    return f"{hour[:4]}-{hour[4:6]}-{hour[6:8]}T{hour[8:]}"


def _last_of(hour: str) -> str:
    return f"{hour[:4]}-{hour[4:6]}-{hour[6:8]}T{hour[8:]}:59:59.999Z"
