"""The feed of the AI conversations, beside the API of their agents."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from conversations.store.annotations.added_notes import AddedNotes
from conversations.store.lists.inbox_heads import ConversationHeads
from tests.integration.console.system import READ, Fed, InboxSystem, inbox_on_moto
from tests.integration.conversations.harness import COMPANY, Harness, caller

if TYPE_CHECKING:
    from collections.abc import Iterator

OURS = caller(COMPANY, *READ)


@pytest.fixture
def inbox(harness: Harness) -> Iterator[InboxSystem]:
    with inbox_on_moto() as system:
        yield system


@pytest.fixture
def fed(harness: Harness, inbox: InboxSystem) -> Fed:
    resources = harness.resources
    heads = ConversationHeads(resources.table, resources.log)
    names = (resources.table.name, resources.log.name)
    return inbox.fed_by(heads, *names, additions=AddedNotes(resources.log))


def only(inbox: InboxSystem, **query: Any) -> dict[str, Any]:
    (row,) = inbox.rows(OURS, **query)
    return row
