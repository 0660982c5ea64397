"""Many campaigns at once: one event for each page, no long waits in the function, room for files and other owners."""

from __future__ import annotations

from collections import Counter
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import pytest

from events.whatsapp.sample_data import COMPANY, COUNTER, WORKSHOP
from events.whatsapp.samples import sample
from shared.aws.tables.rate_limits.limit import Rate
from shared.aws.workers import fair_shares
from shared.aws.workers.fair_shares import Runs
from shared.runtime import clock
from tests.simulation.effort import long_except
from tests.simulation.whatsapp.actions.executions import Executions
from tests.simulation.whatsapp.system import registered
from whatsapp.actions.campaigns.pages import outcomes, recipients
from whatsapp.actions.campaigns.progress import job_events
from whatsapp.store.campaigns import campaigns as records
from whatsapp.store.items.sending.campaigns import Campaign, CampaignPage

if TYPE_CHECKING:
    from tests.simulation.whatsapp.actions.actor import Actor
    from whatsapp.actions.campaigns.pages.outcomes import PageRun

FILES, CAMPAIGNS = "parley-local-whatsapp-jobs", "parley-local-whatsapp-campaigns"
MOST_FILES, MOST_PAGES = 10, 20
MANY = 24  # campaigns: each has a page that waits while others use all places
SEND_MS = 100
PAGE_MS = recipients.PAGE * SEND_MS
OTHER = "globex"
BEGINNING = 2  # minutes in which campaigns that were started together find different times


class Day:
    """Campaigns in a simulated system, whose sends take SEND_MS and are counted by campaign."""

    def __init__(self, actor: Actor) -> None:
        self.system = actor.system
        self.resources = self.system.media._resources_of_actions()
        self.executions = Executions(self.system, {FILES: MOST_FILES, CAMPAIGNS: MOST_PAGES})
        self.sent: Counter[str] = Counter()
        self.company_of: dict[str, str] = {}

    def start(self, count: int, pages: int, company: str = COMPANY, **more: Any) -> list[str]:
        """Start campaigns with so many pages."""
        phone = COUNTER.phone if company == COMPANY else WORKSHOP.phone
        names = [f"{company}{number:03d}" for number in range(count)]
        for name in names:
            campaign = Campaign(
                pk=Campaign.key(name), company=company, campaign_id=name, waba_meta_id="2", name=name,
                status="draft", created_at=clock.to_text(clock.now_ms()), phone=phone,
                created_by="api-key:client", kind="text", text="Hello", pages=pages,
                total_recipients=pages * recipients.PAGE, **more,
            )  # fmt: skip
            self.company_of[name] = company
            records.add(self.system.table, campaign)
            for number in range(1, pages + 1):
                page = CampaignPage(
                    pk=CampaignPage.of(name, number), company=company, size=recipients.PAGE
                )
                self.system.table.put(page.attributes())
                rows: list[Any] = [{"to": "+1", "line": line} for line in range(recipients.PAGE)]
                key = recipients.page_key(company, name, number)
                recipients.store_page(self.resources.bucket, key, rows)
            job_events.start(self.resources, campaign)
        return names

    def send(self, run: PageRun, _: Any) -> SimpleNamespace:
        outcomes._take_place(run)
        self.system.clock.ms += SEND_MS
        self.sent[run.campaign.campaign_id] += 1
        return SimpleNamespace(state="sent")

    def starts(self, names: list[str]) -> list[int]:
        """How long the first run of each campaign waited, ms."""
        first: dict[str, int] = {}
        for run in self.executions.runs:
            if run.campaign in names:
                first.setdefault(run.campaign, run.began_ms - run.due_ms)
        return list(first.values())


@pytest.fixture
def day(actor: Actor, monkeypatch: pytest.MonkeyPatch) -> Day:
    actor.system.reset()
    other = registered(WORKSHOP).model_copy(update={"company": OTHER})
    actor.system.table.put(other.attributes())
    actor.new_process()
    day = Day(actor)
    monkeypatch.setattr(outcomes, "_sent", day.send)
    monkeypatch.setattr(outcomes, "pause_for", day.executions.wait)
    monkeypatch.setattr(Runs, "end", day.executions.at_its_end(Runs.end))
    return day


@pytest.mark.parametrize(("count", "minutes"), long_except([(4, 2), (MANY, 2)], [(4, 2)]))
def test_a_slow_campaign_has_one_event_for_each_page_and_keeps_its_pace(
    day: Day, count: int, minutes: int
) -> None:
    names = day.start(count, pages=BEGINNING + minutes, messages_per_second=1)
    day.executions.run_for(BEGINNING)
    before = Counter(day.sent)
    day.executions.run_for(minutes)
    sent = day.sent - before

    assert max(day.executions.copies) == 1
    longest_ms = outcomes.LONGEST_WAIT_MS + outcomes.SHORT_WAIT_MS
    assert max(run.waited_ms for run in day.executions.runs) <= longest_ms
    # Sixty messages a minute, after ten at once; a run that begins a second late makes up for it.
    assert all(54 * minutes <= sent[name] <= 60 * minutes + 10 for name in names)


@pytest.mark.long
def test_pages_that_wait_an_hour_for_the_rate_of_their_number_neither_multiply_nor_run(
    day: Day,
) -> None:
    pace, subject = day.resources.gate.pace, f"bulk#{COUNTER.phone}"
    pace.hold(subject, clock.now_ms() + 3_600_000, Rate(every_ms=1))
    names = day.start(2, pages=1)
    day.executions.run_for(60)
    runs = len(day.executions.runs)
    day.executions.run_for(20)

    assert max(day.executions.copies) == 1
    assert runs <= len(names) * 5  # every quarter of an hour
    assert sum(run.waited_ms for run in day.executions.runs[:runs]) == 0
    assert [day.sent[name] for name in names] == [recipients.PAGE] * len(names)


@pytest.mark.parametrize("count", long_except([4, MANY], [4]))
def test_a_file_starts_within_the_time_of_a_page_while_campaigns_run(day: Day, count: int) -> None:
    queue = day.system.queue
    day.system.deliver_until_accepted(sample("image").event)
    day.system.run_worker()
    file = queue.messages.pop()
    day.start(count, pages=3, lanes=3)
    file.sent_at = day.system.clock.ms
    queue.messages.append(file)
    day.executions.run_for(1)

    (download,) = [run for run in day.executions.runs if run.kind == "media"]
    assert download.began_ms - download.due_ms <= PAGE_MS
    assert max(day.executions.copies) == 1


@pytest.mark.parametrize("count", long_except([4, MANY], [4]))
def test_campaigns_of_one_company_leave_room_for_those_of_another(day: Day, count: int) -> None:
    day.start(count, pages=3, lanes=3)
    others = day.start(1, pages=1, company=OTHER)
    day.executions.run_for(1)

    assert max(day.starts(others)) <= PAGE_MS + fair_shares.LATE_MS
    assert day.sent[others[0]] == recipients.PAGE
    assert max(day.executions.copies) == 1
