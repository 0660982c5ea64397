"""Killed workers, repeated and reordered events, expired leases: one message each, none forgotten, exact tallies."""

from __future__ import annotations

from itertools import batched
from typing import Any
from unittest import mock

import pytest

from shared.providers.whatsapp.meta_graph import Graph
from tests.integration.whatsapp.actions.campaigns.runs import (
    Runs,
    numbers,
    shuffled,
    total,
)
from whatsapp.actions.campaigns.pages import recipients
from whatsapp.store.campaigns import campaigns as records

PEOPLE = 12  # one save within the page


@pytest.mark.parametrize("after", [False, True], ids=["before", "after"])
@pytest.mark.parametrize("first", range(1, 8))
def test_a_worker_killed_at_any_call_neither_forgets_nor_doubles_a_recipient(
    runs: Runs, after: bool, first: int
) -> None:
    """Each kill is at another call: the first, the eighth and so on, until a job survives. The page is delayed."""
    people = numbers(PEOPLE)
    runs.wrote(*people)
    listed = [*(f"+{n}" for n in people), f"+{people[0]}"]
    campaign = runs.create(listed, autoStart=True, messagesPerSecond=1)["campaignId"]
    kills = runs.jobs_killed(first, after=after)
    shown = runs.finish(campaign)

    assert kills
    assert len(set(runs.sent_to())) == len(runs.sent_to())
    assert shown["sent"] + shown["inDoubt"] == PEOPLE
    assert (shown["duplicate"], total(shown)) == (1, PEOPLE + 1)
    assert runs.pages_left() == []


@pytest.mark.usefixtures("short_pages")
@pytest.mark.parametrize("seed", range(3))
def test_events_that_come_twice_and_out_of_order_change_nothing(runs: Runs, seed: int) -> None:
    people = numbers(46)
    runs.wrote(*people)
    campaign = runs.create([f"+{n}" for n in people], autoStart=True)["campaignId"]
    while bodies := runs.events():
        for body in shuffled(bodies, seed):
            runs.job(body)
    shown = runs.finish(campaign)

    assert sorted(runs.sent_to()) == sorted(f"+{n}" for n in people)
    assert (shown["sent"], total(shown), shown["pages"]) == (46, 46, 3)


def test_a_worker_whose_lease_has_expired_saves_nothing(runs: Runs) -> None:
    table = runs.actions.harness.resources.table
    campaign = runs.create([f"+{n}" for n in numbers(3)])["campaignId"]
    old = records.lease(table, campaign, 1, owner="old", until=runs.now + 1_000)
    assert old is not None
    assert records.lease(table, campaign, 1, owner="new", until=runs.now) is None
    runs.now += 2_000
    new = records.lease(table, campaign, 1, owner="new", until=runs.now + 1_000)

    assert new is not None
    assert (
        records.save(table, old, cursor=3, tallies={"sent": 3}, outcomes={}, state="done") is None
    )
    assert (
        records.save(table, new, cursor=3, tallies={"sent": 3}, outcomes={}, state="done")
        is not None
    )


@pytest.mark.long
def test_recipients_on_as_many_pages_as_ten_thousand_have_are_counted_exactly(
    runs: Runs, monkeypatch: pytest.MonkeyPatch
) -> None:
    campaign_count, pages, on_a_page = 10, 10, 3
    monkeypatch.setattr(recipients, "PAGE", on_a_page)
    sent: list[str] = []

    # The provider is played at its port: a request to the sandbox for each message would take a fifth longer. The send
    # use case, storage, rates, pages and counters are real.
    def post_message(_: Graph, _phone: str, _token: str, message: Any, _edge: str) -> str:
        sent.append(message["to"])
        return f"wamid.{len(sent)}"

    people = numbers(campaign_count * pages * on_a_page)
    runs.wrote(*people)
    campaigns = [
        runs.create([f"+{n}" for n in some])
        for some in batched(people, pages * on_a_page, strict=True)
    ]
    with mock.patch.object(Graph, "post_message", post_message):
        for made in campaigns:
            runs.control("start_campaign", made["campaignId"])
        shown = [runs.finish(made["campaignId"], minutes=60) for made in campaigns]

    assert sorted(sent) == [f"+{n}" for n in people]
    assert sum(one["sent"] for one in shown) == sum(total(one) for one in shown) == len(people)
    assert [one["pages"] for one in shown] == [pages] * campaign_count
    assert runs.pages_left() == []
