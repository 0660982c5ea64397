"""Reads what came of the answers of a project's model: one item for each day and channel, nine of a busy day."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from console.reports.days import CHANNELS, busy_days
from console.reports.views import OutcomeView
from shared.inbox.items import Context, pk
from shared.inbox.reports.items import SHARDS, OutcomeDay
from shared.inbox.reports.outcomes import (
    ASKED,
    RATED_DOWN,
    RATED_UP,
    REOPENED_SOON,
    SCORED,
    Outcome,
)
from shared.inbox.rounds import Fact

if TYPE_CHECKING:
    from console.reports.inputs import OutcomesQuery
    from shared.aws.dynamodb import Table
    from shared.inbox.items import Channel

# The date, channel, version and language of counts.
type Place = tuple[str, Channel, int, str]


def of_project(
    table: Table, company: str, query: OutcomesQuery
) -> tuple[list[OutcomeView], list[tuple[str | int, ...]]]:
    """Return the outcomes of a project by place, and a row for each count."""
    sums: dict[Place, Counter[tuple[str, str]]] = {}
    for (date, channel), counts in _days(table, company, query).items():
        for name, count in counts.items():
            one = Outcome.of(name)
            if query.version in {None, one.version} and query.language in {None, one.language}:
                place = date, channel, one.version, one.language
                sums.setdefault(place, Counter())[one.kind, one.cause] += count
    rows: list[tuple[str | int, ...]] = [
        (*place, *kind, count)
        for place, counts in sorted(sums.items())
        for kind, count in sorted(counts.items())
        if count
    ]
    return [_view(place, counts) for place, counts in sorted(sums.items())], rows


def _days(
    table: Table, company: str, query: OutcomesQuery
) -> dict[tuple[str, Channel], Counter[str]]:
    context = Context.CONVERSATIONS
    channels = [one for one in CHANNELS[context] if query.channel in {None, one}]
    busy = busy_days(table, company, query.dates, [(context, one) for one in channels])
    named = {
        OutcomeDay.key(context, company, query.project, channel, date, shard): (date, channel)
        for channel in channels
        for date in query.dates
        for shard in range(SHARDS + 1 if date in busy[context, channel] else 1)
    }
    sums: dict[tuple[str, Channel], Counter[str]] = {}
    for item in table.get_many([pk(key) for key in named], is_consistent=False):
        day = sums.setdefault(named[str(item["pk"])], Counter())
        day.update(OutcomeDay.read(item).counts)
    return sums


def _view(place: Place, counts: Counter[tuple[str, str]]) -> OutcomeView:
    date, channel, version, language = place

    def by_cause(kind: str) -> dict[str, int]:
        return {cause: n for (one, cause), n in sorted(counts.items()) if one == kind and n}

    return OutcomeView(
        date=date,
        channel=channel,
        version=version,
        language=language,
        ended_alone=counts[Fact.ENDED_ALONE, ""],
        ended_with_people=counts[Fact.ENDED_WITH_PEOPLE, ""],
        opted_out=counts[Fact.OPTED_OUT, ""],
        failed=counts[Fact.FAILED, ""],
        handed_off=by_cause(Fact.HANDED_OFF),
        reopened_soon=counts[REOPENED_SOON, ""],
        rated_up=counts[RATED_UP, ""],
        rated_down=by_cause(RATED_DOWN),
        asked=counts[ASKED, ""],
        scores=by_cause(SCORED),
    )
