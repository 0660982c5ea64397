"""The export of a person has what their conversations and stray events store, and nothing of other people."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from conversations.privacy import inventory
from events.conversations import sample_data
from tests.integration.conversations.privacy.erasure import (
    MAIL,
    STRANGER,
    answered_conversation,
    inbound_text,
)
from tests.integration.conversations.steps import start_conversation
from tests.simulation.conversations.erasure import erase, exported, traces

if TYPE_CHECKING:
    from tests.simulation.conversations.system import System

BOB = {"recipient_first_name": "Bob", "recipient_email": "bob@example.com"}


@pytest.mark.long
def test_an_export_has_all_data_of_the_person_and_is_erased_with_it(
    system: System, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(inventory, "ITEMS_A_PAGE", 2)
    ref = answered_conversation(system)
    system.text("long", "night shift " * 2_000)
    start_conversation(system, "email", "req-2")
    start_conversation(system, request_id="req-3", recipient_tel=STRANGER, **BOB)
    theirs = inbound_text(system, "x", "2026-01-01T12:00:00.000Z")
    system.forward(
        replace(theirs, business_address="+12025550199")
    )  # parked: the number has no owner
    system.text("second", "Hello of Bob", From="+447700900789")
    system.drain()
    before = system.rows()

    lines, files = exported(system)

    kinds = Counter(line["kind"] for line in lines)
    assert kinds["conversations"] == 2
    assert kinds["messages"] == len(system.log(ref)) + 1
    assert (kinds["parked"], kinds["unmatched"], len(files)) == (1, 0, 1)
    text = str(lines)
    assert "night shift" in text
    assert MAIL in text
    assert "Bob" not in text
    changed = {key for key, row in system.rows().items() if before.get(key) != row}
    assert {key[1].partition("#")[0] for key in changed} == {"PRIVACY"}, "an export changes nothing"

    erase(system)

    assert [key for key in system.objects() if key.startswith("exports/")] == []
    assert traces(system, sample_data.CANDIDATE, MAIL, "night shift") == []
