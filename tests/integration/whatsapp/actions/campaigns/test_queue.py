"""The events of campaigns: one for each page, delayed while it waits, replaced if it was lost."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest

from shared.aws.workers import fair_shares
from shared.aws.workers.fair_shares import Runs as FairRuns
from shared.runtime import clock
from tests.integration.whatsapp.actions.campaigns.runs import Runs, numbers
from tests.integration.whatsapp.conftest import PHONE
from whatsapp.store.campaigns import campaign_turns
from whatsapp.store.campaigns import campaigns as records
from whatsapp.store.items import pk
from whatsapp.store.items.sending.campaigns import CampaignPage

MINUTE_MS = 60_000
QUEUED_MINUTES = campaign_turns.QUEUED_MS // MINUTE_MS


def started(runs: Runs, people: list[str], **more: Any) -> str:
    """Start a campaign; return its id."""
    runs.wrote(*people)
    made = runs.create([f"+{n}" for n in people], autoStart=True, **more)
    return str(made["campaignId"])


def page_of(runs: Runs, campaign: str) -> CampaignPage:
    (page,) = records.pages(runs.actions.harness.resources.table, campaign, [1])
    return page


def test_the_schedule_and_further_starts_enqueue_no_copy_of_a_page(runs: Runs) -> None:
    campaign = started(runs, numbers(3))
    runs.schedule(QUEUED_MINUTES - 1)
    runs.control("start_campaign", campaign)

    assert len(runs.events()) == 1


def test_a_page_whose_event_was_lost_is_enqueued_again(runs: Runs) -> None:
    campaign = started(runs, numbers(3))
    runs.events()  # lost
    runs.schedule(QUEUED_MINUTES - 1)
    before = runs.events()
    runs.schedule(2)

    assert (before, runs.drain()) == ([], 1)
    assert runs.finish(campaign)["sent"] == 3


def test_an_event_that_was_late_and_the_one_that_replaced_it_are_one_turn(runs: Runs) -> None:
    """The page of one message a second is delayed by its first run: the second event must not run it again."""
    campaign = started(runs, numbers(15), messagesPerSecond=1)
    (late,) = runs.events()
    runs.schedule(QUEUED_MINUTES + 1)
    (other,) = runs.events()
    runs.job(late)
    before = len(runs.sent_to())
    runs.job(other)

    assert (before, len(runs.sent_to()), runs.delayed()) == (10, 10, 1)
    assert runs.finish(campaign)["sent"] == 15


def test_a_page_that_waits_for_its_rate_has_no_worker_and_keeps_its_places(runs: Runs) -> None:
    campaign = started(runs, numbers(3))
    rate = {"pk": f"SEND_RATE#bulk#{PHONE}", "free_at": runs.now + 30_000}
    runs.actions.harness.resources.table.put(rate)
    began = runs.now
    for body in runs.events():
        runs.job(body)
    page = page_of(runs, campaign)

    assert (page.state, page.owner, page.places, page.turn) == ("pending", None, {"number": 3}, 1)
    assert (runs.now, runs.delayed(), runs.sent_to()) == (began, 1, [])
    runs.drain()
    assert len(runs.sent_to()) == 3
    assert 30_000 <= runs.now - began <= 31_000


def test_a_page_whose_place_is_hours_away_is_delayed_by_a_quarter_of_an_hour(runs: Runs) -> None:
    campaign = started(runs, numbers(1))
    rate = {"pk": f"SEND_RATE#bulk#{PHONE}", "free_at": runs.now + 2 * 3_600_000}
    runs.actions.harness.resources.table.put(rate)
    for body in runs.events():
        runs.job(body)
    page = page_of(runs, campaign)

    assert (page.places, page.queued_until) == (
        {},
        runs.now + 15 * MINUTE_MS + campaign_turns.QUEUED_MS,
    )


def test_a_page_whose_event_came_while_the_campaign_was_paused_goes_on_after_it(runs: Runs) -> None:
    campaign = started(runs, numbers(3))
    runs.control("pause_campaign", campaign)
    runs.drain()
    runs.control("resume_campaign", campaign)

    assert runs.drain() == 1
    assert len(runs.sent_to()) == 3


@pytest.mark.parametrize("is_started", [False, True], ids=["before", "after"])
def test_an_event_of_an_earlier_release_is_processed_from_the_queue_of_jobs(
    runs: Runs, is_started: bool
) -> None:
    """Its page has no turn, until this release enqueues it."""
    campaign = started(runs, numbers(3))
    (body,) = runs.events()
    event = json.loads(body)
    del event["payload"]["turn"]
    if not is_started:
        runs.actions.harness.resources.table.update(
            pk(CampaignPage.of(campaign, 1)), drop=["turn", "queuedUntil", "places"]
        )
    jobs = runs.jobs.settings.whatsapp_jobs_queue_url
    runs.job(json.dumps(event), queue=jobs)
    runs.job(json.dumps(event), queue=jobs)
    runs.job(body)

    assert len(runs.sent_to()) == 3
    assert runs.finish(campaign)["sent"] == 3


@pytest.fixture
def two_runs(runs: Runs, monkeypatch: pytest.MonkeyPatch) -> FairRuns:
    """The runs of campaigns, of which a company has one."""
    sharing = runs.jobs.SHARING[runs.jobs.CAMPAIGNS]
    two: FairRuns = replace(sharing.runs, most=2)
    monkeypatch.setitem(runs.jobs.SHARING, runs.jobs.CAMPAIGNS, replace(sharing, runs=two))
    return two


def test_a_late_event_of_a_company_with_its_share_of_runs_waits_on_the_queue(
    runs: Runs, two_runs: FairRuns
) -> None:
    started(runs, numbers(3))
    running = two_runs.begin("acme", "another", runs.now + 3 * MINUTE_MS)
    bodies = runs.events()
    runs.now += fair_shares.LATE_MS + 1
    for body in bodies:
        runs.job(body, sent_at=runs.now - fair_shares.LATE_MS - 1)

    assert running is not None
    assert (runs.sent_to(), runs.delayed()) == ([], 1)
    assert two_runs.begin("globex", "third", runs.now) is not None
    two_runs.end(running)
    assert (runs.drain(), len(runs.sent_to())) == (1, 3)


def test_an_event_that_is_not_late_runs_without_a_count(runs: Runs, two_runs: FairRuns) -> None:
    started(runs, numbers(3))
    two_runs.begin("acme", "another", runs.now + 3 * MINUTE_MS)
    runs.drain()

    assert len(runs.sent_to()) == 3


def test_a_run_that_was_killed_counts_until_it_expires(runs: Runs, two_runs: FairRuns) -> None:
    two_runs.begin("acme", "killed", runs.now + MINUTE_MS)
    before = two_runs.begin("acme", "next", runs.now + MINUTE_MS)
    runs.now += MINUTE_MS + 1

    assert before is None
    assert two_runs.begin("acme", "next", clock.now_ms() + MINUTE_MS)
