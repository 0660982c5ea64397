"""A campaign that a person pauses while its messages go out."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from tests.integration.whatsapp.actions.campaigns.runs import numbers
from whatsapp.actions.campaigns.pages import outcomes

if TYPE_CHECKING:
    from tests.integration.whatsapp.actions.campaigns.runs import Runs


def test_a_pause_stops_a_running_page_within_ten_messages_and_a_resume_sends_the_rest_once(
    runs: Runs, monkeypatch: pytest.MonkeyPatch
) -> None:
    people = [f"+{number}" for number in numbers(60)]
    runs.wrote(*numbers(60))
    campaign = runs.create(people, messagesPerSecond=1)["campaignId"]
    outcome_of = outcomes.outcome_of

    def paused_after_13(*given: Any) -> str:
        outcome = outcome_of(*given)
        if len(runs.sent_to()) == 13:
            runs.control("pause_campaign", campaign)
        return outcome

    with monkeypatch.context() as patch:
        patch.setattr(outcomes, "outcome_of", paused_after_13)
        runs.control("start_campaign", campaign)
        runs.wait(5)

    assert (runs.show(campaign)["status"], len(runs.sent_to())) == ("paused", 20)
    runs.control("resume_campaign", campaign)
    assert runs.finish(campaign)["sent"] == 60
    assert sorted(runs.sent_to()) == people


@pytest.mark.parametrize("action", ["pause_campaign", "cancel_campaign"])
def test_a_campaign_that_is_stopped_within_a_page_shows_each_message_that_it_has_sent(
    runs: Runs, monkeypatch: pytest.MonkeyPatch, action: str
) -> None:
    people = [f"+{number}" for number in numbers(130)]
    runs.wrote(*numbers(130))
    campaign = runs.create(people, messagesPerSecond=1)["campaignId"]
    outcome_of = outcomes.outcome_of

    def stopped_after_113(*given: Any) -> str:
        outcome = outcome_of(*given)
        if len(runs.sent_to()) == 113:
            runs.control(action, campaign)
        return outcome

    with monkeypatch.context() as patch:
        patch.setattr(outcomes, "outcome_of", stopped_after_113)
        runs.control("start_campaign", campaign)
        runs.wait(5)

    shown = runs.show(campaign)
    assert (shown["sent"], len(runs.sent_to())) == (120, 120)
    assert runs.show(campaign) == shown
    if action == "cancel_campaign":
        assert (shown["status"], shown["cancelled"]) == ("completed", 10)
        return
    assert shown["status"] == "paused"
    runs.control("resume_campaign", campaign)
    assert runs.finish(campaign)["sent"] == 130
    assert sorted(runs.sent_to()) == people


def test_a_campaign_of_one_page_shows_what_it_has_sent_while_it_runs(
    runs: Runs, monkeypatch: pytest.MonkeyPatch
) -> None:
    runs.wrote(*numbers(40))
    campaign = runs.create([f"+{number}" for number in numbers(40)])["campaignId"]
    outcome_of = outcomes.outcome_of
    seen: list[tuple[str, int]] = []

    def shown_after(*given: Any) -> str:
        outcome = outcome_of(*given)
        if len(runs.sent_to()) in {13, 25}:
            shown = runs.show(campaign)
            seen.append((shown["status"], shown["sent"]))
        return outcome

    monkeypatch.setattr(outcomes, "outcome_of", shown_after)
    runs.control("start_campaign", campaign)
    assert runs.finish(campaign)["sent"] == 40
    assert seen == [("running", 10), ("running", 20)]
