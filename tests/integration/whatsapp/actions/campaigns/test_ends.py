"""Ends of campaigns that the inbox feed notifies their creators of: each once, also if it changes afterwards."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from shared.inbox.notifications import causes
from tests.integration.whatsapp.actions.campaigns.runs import OF_TEMPLATE, Runs, numbers
from tests.integration.whatsapp.actions.campaigns.test_creation import made_of_list
from tests.integration.whatsapp.actions.campaigns.test_limits import (
    DAY_MS,
    LIMIT_REACHED,
    failed,
    refuse,
    sent_of,
)
from tests.integration.whatsapp.actions.conftest import ACME
from whatsapp.actions.campaigns.pages import recipients
from whatsapp.store.campaigns.ended_campaigns import EndedCampaigns
from whatsapp.store.items.item import pk
from whatsapp.store.items.sending.campaigns import Campaign, CampaignPage

if TYPE_CHECKING:
    from shared.api.auth import Caller

KIM = replace(ACME, principal="user:kim")
LEE = replace(ACME, principal="user:lee")


def made(runs: Runs, count: int = 3, caller: Caller = KIM) -> str:
    """A campaign that a person has created and started."""
    people = [f"+{n}" for n in numbers(count)]
    runs.wrote(*numbers(count))
    body = OF_TEMPLATE | {"recipients": people, "autoStart": True}
    return str(runs.actions.run("create_campaign", body, caller=caller).result["campaignId"])


def told(runs: Runs, campaign: str) -> list[tuple[str, str, str | None]]:
    """The key of the notification for the present state of a campaign, its owner, and who caused it."""
    ended = EndedCampaigns(runs.actions.harness.resources.table).ended(pk(Campaign.key(campaign)))
    found = causes.of_campaign(ended, runs.now) if ended else None
    return [(found.sk, found.owner, found.by)] if found else []


def test_a_campaign_that_is_completed_notifies_its_creator_once(runs: Runs) -> None:
    campaign = made(runs)
    assert told(runs, campaign) == []

    runs.finish(campaign)

    (first,) = told(runs, campaign)
    assert first[1:] == ("user:kim", None)
    runs.wait(5)
    runs.show(campaign)
    assert told(runs, campaign) == [first]
    runs.now += DAY_MS
    assert told(runs, campaign) == []  # of an end that no stream reports any more


def test_a_campaign_that_another_cancels_notifies_its_creator(runs: Runs) -> None:
    by_lee, by_kim, of_key = made(runs), made(runs), made(runs, caller=ACME)
    for campaign, caller in ((by_lee, LEE), (by_kim, KIM), (of_key, LEE)):
        runs.actions.run("cancel_campaign", {"campaignId": campaign}, caller=caller)
    before = told(runs, by_lee)
    runs.control("cancel_campaign", by_lee)
    runs.wait(2)

    assert [one[1:] for one in before] == [("user:kim", "user:lee")]
    assert told(runs, by_lee) == before
    assert told(runs, by_kim) == told(runs, of_key) == []


def test_a_campaign_that_stops_by_itself_notifies_at_each_stop_and_one_that_people_pause_never(
    runs: Runs, monkeypatch: pytest.MonkeyPatch
) -> None:
    campaign = made(runs, 8)
    runs.control("pause_campaign", campaign)
    assert told(runs, campaign) == []
    runs.control("resume_campaign", campaign)
    with monkeypatch.context() as patch:
        refuse(patch, LIMIT_REACHED)
        runs.wait()
        first = told(runs, campaign)
        runs.control("pause_campaign", campaign, reason="seen")
        runs.wait()
        assert told(runs, campaign) == first != []
        runs.control("resume_campaign", campaign)
        assert told(runs, campaign) == []
        runs.wait()
    second = told(runs, campaign)

    assert [len(first), len(second)] == [1, 1]
    assert first != second
    runs.now += DAY_MS
    runs.wrote(*numbers(8))
    runs.control("resume_campaign", campaign)
    runs.finish(campaign)
    (last,) = told(runs, campaign)
    assert last not in (first + second)


def test_a_report_that_stops_a_campaign_later_notifies_once(runs: Runs) -> None:
    campaign = made(runs, 22)
    for body in runs.events()[:1]:
        runs.job(body)
    reports = [failed(runs, one, LIMIT_REACHED) for one in sent_of(runs, campaign)[:2]]
    found = []
    for report in reports:
        runs.actions.harness.take(report)
        runs.now += 1_000
        found.append(told(runs, campaign))

    assert found[0] == found[1]


def test_a_campaign_that_is_refused_as_a_whole_notifies_once_and_again_if_another_cancels_it(
    runs: Runs, monkeypatch: pytest.MonkeyPatch
) -> None:
    campaign = made_of_list(runs, "\n".join(f'"+{n}"' for n in numbers(151)))
    table = runs.actions.harness.resources.table
    table.update(pk(Campaign.key(campaign)), put=Campaign.named(created_by="user:kim"))
    monkeypatch.setattr(recipients, "MOST_ROWS", 150)
    runs.wait(2)
    refused = told(runs, campaign)
    runs.wait(2)

    assert told(runs, campaign) == refused
    assert [one[1:] for one in refused] == [("user:kim", None)]
    runs.actions.run("cancel_campaign", {"campaignId": campaign}, caller=LEE)
    assert [one[1:] for one in told(runs, campaign)] == [("user:kim", "user:lee")]


def test_pages_of_a_campaign_are_not_read_as_campaigns(runs: Runs) -> None:
    ends = EndedCampaigns(runs.actions.harness.resources.table)

    assert ends.is_key(pk(Campaign.key("01ABC")))
    assert not ends.is_key(pk(CampaignPage.of("01ABC", 1)))
    assert not ends.is_key(pk("CONV#1#2"))
    assert ends.ended(pk(Campaign.key("01ABC"))) is None
