"""A campaign that a person pauses while its messages go out."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tests.integration.whatsapp.actions.campaigns.runs import numbers
from whatsapp.actions.campaigns.pages import outcomes

if TYPE_CHECKING:
    import pytest

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
