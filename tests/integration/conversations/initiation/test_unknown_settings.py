"""A stored project with settings that this version does not know, or that `projects put` refuses now, keeps working."""

from __future__ import annotations

from copy import deepcopy
from typing import TYPE_CHECKING

from events.conversations import sample_data
from tests.integration.conversations.steps import start_conversation, status_of

if TYPE_CHECKING:
    from tests.simulation.conversations.system import System


def test_a_stored_project_with_unknown_settings_keeps_them_and_sends(system: System) -> None:
    item = deepcopy(
        sample_data.project(policy={"quiet_hours": None, "quiet_hour": 1}, colour="blue")
    )
    item["ai_config"]["keep_threads"] = True
    item["channel_config"]["whatsapp"]["templates"]["invitation"] = {
        "content_sid": sample_data.INVITATION["content_sid"],
        "body": "Hello {{1}}.",
        "variables": [{"name": "name", "source": "recipient_first_name", "describes": "-"}],
    }
    system.set_up(item)

    ref = start_conversation(system, "whatsapp")

    assert status_of(system, ref)[0] == "initial_message_sent"
    assert system.log(ref)[0]["content"] == "Hello Ann."
    stored = system.row("company", sample_data.COMPANY, sample_data.PROJECT)
    assert stored is not None
    assert stored["colour"] == "blue"
