"""The WhatsApp inbox with two companies, and the inbox over all contexts beside it."""

from collections.abc import Iterator

import pytest

from tests.integration.console.system import Fed, InboxSystem, Listed, inbox_on_moto
from tests.integration.whatsapp.api.conftest import of_globex
from tests.integration.whatsapp.conftest import Harness
from tests.integration.whatsapp.conftest import counted as _counted
from tests.integration.whatsapp.conftest import harness as _harness
from whatsapp import store
from whatsapp.store.conversations.inbox_heads import WhatsAppHeads
from whatsapp.store.inbox.added_notes import AddedNotes

harness = _harness
counted = _counted


@pytest.fixture
def inbox(harness: Harness) -> Iterator[InboxSystem]:
    store.phones.register(harness.resources.table, of_globex())
    with inbox_on_moto() as system:
        yield system


@pytest.fixture
def whatsapp(harness: Harness, inbox: InboxSystem) -> Fed:
    table = harness.resources.table
    return inbox.fed_by(WhatsAppHeads(table), table.name, additions=AddedNotes(table))


@pytest.fixture
def listed(inbox: InboxSystem) -> Listed:
    return Listed(inbox.tables)
