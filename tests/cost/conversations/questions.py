"""Questions without an answer in the measured conversations, and readings that group them by their meaning."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from typing import TYPE_CHECKING, Final
from unittest import mock

from events.conversations import sample_data
from tests.integration.conversations.steps import (
    OPENAI_SECRET_ID,
    function_call,
    model_answer,
    model_says,
    with_model,
)

if TYPE_CHECKING:
    from tests.simulation.conversations.system import System

SUGGESTIONS: Final = "GET /projects/{project_id}/knowledge/suggestions"
PAUSE_SECONDS: Final = 30 * 60

type Steps = Callable[[System], None]


def asked(count: int) -> Steps:
    """Ann and other candidates have asked what no passage answers; the project has a model of vectors."""

    def steps(system: System) -> None:
        embedding = {
            "provider": "openai",
            "model": "scripted",
            "api_key_reference": OPENAI_SECRET_ID,
        }
        with_model(system, embedding=embedding)
        system.change(knowledge_config={"enabled": True})
        with (
            tempfile.TemporaryDirectory() as folder,
            mock.patch.object(tempfile, "tempdir", folder),
        ):
            for number in range(count):
                _asks_in_vain(system, number)

    return steps


def _asks_in_vain(system: System, number: int) -> None:
    """Ann asks, or for a *number* another candidate does."""
    system.clock.sleep(PAUSE_SECONDS)
    who = {"From": f"+4477009001{number:02d}"} if number else {}
    if number:
        other = {"recipient_first_name": "Zoe", "recipient_tel": who["From"], "comms_consent": True}
        system.begin("sms", request_id=f"req-in-vain-{number}", recipient_data=other)
    searches = function_call("search_documents", query="shift")
    model_says(system, searches, model_answer("Which one?"))
    system.text(f"in vain {number}", f"Is n{system.clock.ms} far?", **who)
    system.drain()


def read_before(count: int) -> Steps:
    """Their vectors are kept."""

    def steps(system: System) -> None:
        asked(count)(system)
        read(count)(system)

    return steps


def read(count: int) -> Steps:
    def steps(system: System) -> None:
        found = system.call_admin_api(SUGGESTIONS, {}, project_id=sample_data.PROJECT)
        assert found["compared"] == count, found
        assert {one["grouped_by"] for one in found["suggestions"]} == {"embedding"}

    return steps
