"""Reads counts of days and of people: one item for each day, context and channel; for each month and person."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Final

from console.reports.views import DayReport, Durations, PersonReport
from shared.inbox.items import Channel, Context, pk
from shared.inbox.reports.items import (
    ANSWER,
    ANSWER_IN_HOURS,
    HOURS,
    RESOLUTION,
    RESOLUTION_IN_HOURS,
    SHARDS,
    BusyDays,
    DayCounts,
    PersonMonth,
)
from shared.inbox.rounds import Fact

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from shared.aws.dynamodb import Table

# The channels of each context.
CHANNELS: Final[Mapping[Context, tuple[Channel, ...]]] = {
    Context.WHATSAPP: (Channel.WHATSAPP,),
    Context.CONVERSATIONS: (Channel.WHATSAPP, Channel.SMS, Channel.EMAIL),
    Context.EMAIL_THREADS: (Channel.EMAIL,),
}
_MONTH: Final = len("2026-01")


def of_days(
    table: Table,
    company: str,
    dates: Sequence[str],
    parts: Iterable[tuple[Context, Channel]],
) -> list[DayReport]:
    """Return the days of contexts and channels on which something was counted, in their order."""
    named = {
        DayCounts.key(context, company, channel, date, shard): (date, context, channel)
        for (context, channel), busy in busy_days(table, company, dates, parts).items()
        for date in dates
        for shard in range(SHARDS + 1 if date in busy else 1)
    }
    sums: dict[tuple[str, Context, Channel], Counter[str]] = {}
    for item in table.get_many([pk(key) for key in named], is_consistent=False):
        sums.setdefault(named[str(item["pk"])], Counter()).update(DayCounts.read(item).counts)
    return [_day(name, sums[name]) for name in sorted(sums)]


def busy_days(
    table: Table,
    company: str,
    dates: Sequence[str],
    parts: Iterable[tuple[Context, Channel]],
) -> dict[tuple[Context, Channel], set[str]]:
    """Return the days of each context and channel that have further items."""
    found: dict[tuple[Context, Channel], set[str]] = {part: set() for part in parts}
    named = {
        BusyDays.key(context, company, channel, date): (context, channel)
        for context, channel in found
        for date in dates
    }
    for item in table.get_many([pk(key) for key in named], is_consistent=False):
        found[named[str(item["pk"])]] |= BusyDays.read(item).dates
    return found


def of_people(
    table: Table,
    company: str,
    dates: Sequence[str],
    contexts: Iterable[Context],
    people: Mapping[str, str | None],
) -> list[PersonReport]:
    """Return the *people* with their names for whom something was counted, in the order of their names."""
    months = sorted({date[:_MONTH] for date in dates})
    named = {
        PersonMonth.key(context, company, assignee, month): (assignee, month)
        for context in contexts
        for assignee in people
        for month in months
    }
    found: dict[str, Counter[str]] = {}
    for item in table.get_many([pk(key) for key in named], is_consistent=False):
        assignee, month = named[str(item["pk"])]
        counts = PersonMonth.read(item).counts
        sums = found.setdefault(assignee, Counter())
        for date in dates:
            if date.startswith(month):
                sums.update({of: counts[PersonMonth.name(of, date)] for of in PersonMonth.COUNTS})
    shown = (
        PersonReport(
            assignee=assignee,
            name=people[assignee],
            first_answers=sums[PersonMonth.ANSWERED],
            seconds=sums[PersonMonth.SECONDS],
            business_seconds=sums[PersonMonth.BUSINESS_SECONDS],
            resolved=sums[PersonMonth.RESOLVED],
        )
        for assignee, sums in found.items()
        if sums[PersonMonth.ANSWERED] or sums[PersonMonth.RESOLVED]
    )
    return sorted(shown, key=lambda one: ((one.name or one.assignee).casefold(), one.assignee))


def _day(name: tuple[str, Context, Channel], counts: Counter[str]) -> DayReport:
    date, context, channel = name
    return DayReport(
        date=date,
        context=context,
        channel=channel,
        opened_by_hour=[counts[DayCounts.hour(hour)] for hour in range(HOURS)],
        first_answers=_durations(counts, Fact.ANSWERED, ANSWER, ANSWER_IN_HOURS),
        resolutions=_durations(counts, Fact.RESOLVED, RESOLUTION, RESOLUTION_IN_HOURS),
        **{fact.value: counts[fact] for fact in Fact if fact in DayReport.model_fields},
    )


def _durations(counts: Counter[str], fact: Fact, of: str, in_hours: str) -> Durations:
    return Durations(
        count=counts[fact],
        seconds=counts[DayCounts.total(of)],
        classes=[counts[name] for name in DayCounts.durations(of)],
        business_seconds=counts[DayCounts.total(in_hours)],
        business_classes=[counts[name] for name in DayCounts.durations(in_hours)],
    )
