"""Outcomes of the drafts of a mailbox's model, by day and version of its settings."""

from __future__ import annotations

from typing import TYPE_CHECKING

from email_threads.store import drafts
from shared.api.models.views import View

if TYPE_CHECKING:
    from collections.abc import Sequence

    from email_threads.store.items import Mailbox
    from shared.aws.dynamodb import Table


class DraftDayView(View):
    """
    The model's drafts that were sent on a day (UTC), of a version of the settings (0: unknown). Of the `words` that the
    model wrote, people changed `edits` in the `corrected` ones: the edit distance in words.
    """

    date: str
    version: int
    sent: int
    corrected: int
    edits: int
    words: int


class DraftOutcomes(View):
    """Days and versions with a sent draft of the model."""

    days: list[DraftDayView]


def of_mailbox(table: Table, mailbox: Mailbox, dates: Sequence[str]) -> DraftOutcomes:
    """Return the counts of a mailbox on these dates."""
    found = drafts.days(table, mailbox.company_id, mailbox.address, dates)
    return DraftOutcomes(
        days=[
            DraftDayView(date=day.date, version=version, **{n: counts[n] for n in day.COUNTS})
            for day in found
            for version, counts in sorted(day.by_version.items())
        ]
    )
