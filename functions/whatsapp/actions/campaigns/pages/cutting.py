"""Cuts the recipients of a campaign into pages: rows of a call, or parts of a list in S3."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Self

from botocore.exceptions import ClientError

from shared.runtime import clock
from shared.runtime.csv_files import Unreadable
from whatsapp import store
from whatsapp.actions.campaigns.pages import lists, recipients
from whatsapp.actions.campaigns.progress import job_events
from whatsapp.store.campaigns import campaigns as records
from whatsapp.store.items.sending.campaigns import Campaign, CampaignPage

if TYPE_CHECKING:
    from collections.abc import Callable

    from whatsapp.actions.calls.call import ActionResources
    from whatsapp.actions.campaigns.pages.recipients import Row
    from whatsapp.store.items import Phone

MOST_LINES_SHOWN = 100
SPARE_MS = 20 * clock.SECOND_MS


def cut(resources: ActionResources, campaign: Campaign, remaining_ms: Callable[[], int]) -> bool:
    """
    Cut a further part of a campaign's list into pages, or finish when all of it is cut; return whether some is left.

    Safe to repeat: the same lines give the same pages. A list that cannot be read stops the campaign. Raises Transient
    after a concurrent cut.
    """
    phone = store.phones.get(resources.table, campaign.phone)
    key = campaign.source_key
    if phone is None or key is None:
        return False
    try:
        return _cut(resources, campaign, phone, key, remaining_ms)
    except Unreadable as problem:
        _give_up(resources, campaign.campaign_id, problem.reason)
    except ClientError as error:
        if not resources.bucket.is_missing(key, error):
            raise
        _give_up(resources, campaign.campaign_id, "list_missing")
    return False


def _cut(
    resources: ActionResources,
    campaign: Campaign,
    phone: Phone,
    key: str,
    remaining_ms: Callable[[], int],
) -> bool:
    layout = recipients.layout_of(resources.bucket, key)
    position = campaign.position or layout.start
    chunks = resources.bucket.chunks_from(key, position)
    part = Part.after(campaign)
    for record in lists.records(chunks, layout, position):
        position = record.end
        part.take(record.given, phone)
        if part.number > recipients.MOST_ROWS:
            raise Unreadable("too_many_recipients")
        if len(part.rows) == recipients.PAGE:
            campaign = saved(resources, campaign, part, position)
            part = Part.after(campaign)
            if remaining_ms() < SPARE_MS:
                return True
    # With the position: a repetition must not read the last rows again.
    finish(resources, saved(resources, campaign, part, position))
    return False


def _give_up(resources: ActionResources, campaign_id: str, reason: str) -> None:
    """
    Pause a campaign whose list cannot be read; it cannot go on. Its pages are cancelled, and the schedule deletes them.
    It is not completed, since nothing was sent.
    """
    campaign = records.get(resources.table, campaign_id)
    if campaign is None or campaign.source_key is None:
        return
    records.stop(
        resources.table, campaign_id, ["draft", "scheduled", "paused"], reason,
        outcome="cancelled", source_key=None, total_recipients=campaign.rows,
    )  # fmt: skip


@dataclass(slots=True)
class Part:
    """
    Rows read since the last page. *number*: the last line of the list that was read. *countries*: the recipients of all
    pages and of these rows.
    """

    number: int
    invalid_count: int
    invalid_lines: list[int]
    rows: list[Row]
    countries: Counter[str] = field(default_factory=Counter)

    @classmethod
    def after(cls, campaign: Campaign) -> Self:
        """Return the part that follows the stored progress."""
        lines, countries = list(campaign.invalid_lines or []), Counter(campaign.countries)
        return cls(campaign.rows, campaign.invalid_count, lines, [], countries)

    def take(self, given: object, phone: Phone) -> None:
        """Add a row, or note its line as invalid."""
        self.number += 1
        row = recipients.checked(given, self.number, phone)
        if row is not None:
            self.rows.append(row)
            self.countries[recipients.country_of(row)] += 1
            return
        self.invalid_count += 1
        if len(self.invalid_lines) < MOST_LINES_SHOWN:
            self.invalid_lines.append(self.number)


def saved(
    resources: ActionResources,
    campaign: Campaign,
    part: Part,
    position: int,
    **further: Any,  # noqa: ANN401 - values of any field
) -> Campaign:
    """Write a page of rows, if there are any, and the progress that includes it, with *further* fields."""
    number = campaign.pages + bool(part.rows)
    pages = []
    if part.rows:
        key = recipients.page_key(str(campaign.company), campaign.campaign_id, number)
        recipients.store_page(resources.bucket, key, part.rows)
        pages = [
            CampaignPage(
                pk=CampaignPage.of(campaign.campaign_id, number),
                company=campaign.company,
                size=len(part.rows),
            )
        ]
    progress: dict[str, Any] = {
        "pages": number,
        "position": position,
        "rows": part.number,
        "invalid_count": part.invalid_count,
        "invalid_lines": part.invalid_lines or None,
        "countries": dict(part.countries) or None,
    }
    records.cut(resources.table, campaign, pages, **progress, **further)
    return campaign.model_copy(update=progress | {"countries": dict(part.countries)})


def finish(resources: ActionResources, campaign: Campaign) -> Campaign:
    """Set the number of recipients, and start the campaign if it shall start by itself. Safe to repeat."""
    found = records.change(
        resources.table, campaign.campaign_id, ["draft", "scheduled", "paused"],
        total_recipients=campaign.rows, source_key=None,
    )  # fmt: skip
    if found is None:
        return records.get(resources.table, campaign.campaign_id) or campaign
    if (found.auto_start and found.status == "draft") or found.is_all_invalid:
        started = job_events.start(resources, found)
        return started or records.get(resources.table, campaign.campaign_id) or found
    return found  # The schedule closes a draft.
