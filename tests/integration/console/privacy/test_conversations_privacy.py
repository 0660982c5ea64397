"""Erasing a person from a company's conversations leaves nothing of them in the inbox."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from conversations.store.lists.inbox_heads import ConversationHeads
from events.conversations import sample_data
from shared.aws.dynamodb import Table
from tests.integration.console.system import inbox_on_moto
from tests.integration.conversations.privacy.erasure import PERSONAL_DATA, answered_conversation
from tests.simulation.conversations.conftest import _system, system
from tests.simulation.conversations.erasure import erase

if TYPE_CHECKING:
    from tests.simulation.conversations.system import System

__all__ = ["_system", "system"]  # fixtures


@pytest.mark.parametrize("channel", ["sms", "whatsapp"])
def test_erasing_a_person_removes_their_entries(system: System, channel: str) -> None:
    names, client = system.tables, system.dynamodb
    with inbox_on_moto() as inbox:
        heads = ConversationHeads(
            Table(client, names["conversations"]), Table(client, names["log"])
        )
        fed = inbox.fed_by(heads, names["conversations"], names["log"])
        answered_conversation(system, channel)
        fed.take()
        assert sample_data.CANDIDATE in str(inbox.entries())

        erase(system)
        fed.take()

        assert inbox.entries() == {}
        assert not any(word in str(inbox.entries()) for word in PERSONAL_DATA)
