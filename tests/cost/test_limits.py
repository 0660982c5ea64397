"""The rates of docs/performance.md follow from the template and the code, and the feeds keep up with 1,000 changes."""

from __future__ import annotations

import pytest

from tests.cost.limits import BACKLOG, SHARED_PARTITIONS, feed_rate, limits, markdown, waits_behind
from tests.template import ROOT, properties


def rates(**given: str) -> dict[str, float]:
    return {one.what: one.rate for one in limits(**given)}


def test_a_shard_of_a_feed_handles_a_thousand_changes_of_different_conversations_a_second() -> None:
    assert feed_rate() >= 1_000
    assert feed_rate(FeedParallelization="1") == pytest.approx(feed_rate() / 10)


def test_the_counts_keep_up_with_the_messages_of_100_000_conversations_an_hour() -> None:
    assert rates()["messages of WhatsApp that are counted, of all companies"] >= 280 + 280


@pytest.mark.parametrize(
    ("parameter", "what"),
    [
        ("WorkerMaxConcurrency", "WhatsApp messages"),
        ("ReplyMaxConcurrency", "answers of AI conversations"),
        ("CampaignMaxConcurrency", "messages of campaigns"),
        ("ApiCompanyPercent", "calls of the API, of one company"),
    ],
)
def test_a_rate_follows_its_parameter_and_the_others_stay(parameter: str, what: str) -> None:
    usual, raised = rates(**{parameter: "10"}), rates(**{parameter: "20"})

    assert raised[what] == pytest.approx(2 * usual[what])
    assert {name for name in usual if usual[name] != raised[name]} == {what}


def test_every_index_that_is_named_exists_or_is_left_out_of_the_table() -> None:
    text = markdown()

    for table, index in SHARED_PARTITIONS:
        names = {one["IndexName"] for one in properties(table)["GlobalSecondaryIndexes"]}
        assert (f"`{index}`" in text) == (index in names)


def test_a_received_event_waits_for_less_than_a_minute_behind_6_000_of_another_company() -> None:
    waits = waits_behind(BACKLOG)

    assert len(waits) == 4
    assert max(waits.values()) < 60
    assert waits["WhatsApp messages"] < 10
    # The operator's lever: twice the runs, half the wait.
    assert waits_behind(BACKLOG, WorkerMaxConcurrency="40")["WhatsApp messages"] < 5


def test_received_events_are_handled_as_fast_as_they_can_arrive() -> None:
    """So no company makes others' events wait, beyond a burst, or webhooks with many events, accepted at once."""
    found = rates()
    webhooks = found["webhooks of Meta or Twilio, for each route"]

    assert found["WhatsApp messages"] >= webhooks
    assert found["customers' messages of AI conversations"] >= webhooks
    # Three statuses of each message that the AI conversations send, on three channels.
    sent = (
        3 * found["first messages of a channel"]
        + found["agents' messages"]
        + found["answers of AI conversations"]
    )
    assert found["statuses of AI conversations"] >= 3 * sent


def test_the_page_has_the_limits() -> None:
    assert markdown() in (ROOT / "docs" / "performance.md").read_text()
