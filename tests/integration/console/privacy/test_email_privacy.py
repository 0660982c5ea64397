"""Erasing a person removes their threads from the inbox, or changes what it shows of threads with others."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from email_threads.store.lists.inbox_heads import EmailHeads
from shared.aws.dynamodb import Table
from tests.integration.console.system import Fed, InboxSystem, inbox_on_moto
from tests.integration.email_threads.conftest import _system, system
from tests.simulation.email_threads.people import CANARY, ZOE, alone, arrive, finished, together
from tests.simulation.email_threads.system import ANN, mail

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.simulation.email_threads.system import System

__all__ = ["_system", "system"]  # fixtures


@pytest.fixture
def inbox(system: System) -> Iterator[InboxSystem]:
    with inbox_on_moto() as inbox:
        yield inbox


@pytest.fixture
def fed(system: System, inbox: InboxSystem) -> Fed:
    return inbox.fed_by(EmailHeads(Table(system.dynamodb, system.table)), system.table)


def test_erasing_a_person_who_is_alone_in_a_thread_removes_its_entry(
    system: System, inbox: InboxSystem, fed: Fed
) -> None:
    alone(system)
    fed.take()
    assert CANARY in str(inbox.entries())

    finished(system, "erase", ANN)
    fed.take()

    assert inbox.entries() == {}


def test_erasing_one_person_of_a_thread_changes_what_the_inbox_shows_of_it(
    system: System, inbox: InboxSystem, fed: Fed
) -> None:
    together(system)
    arrive(system, mail("u@x", CANARY, sender=ZOE, subject="Re: Tables", in_reply_to="t@x"))
    fed.take()
    assert CANARY in str(inbox.entries())

    finished(system, "erase", ZOE)
    fed.take()

    assert len(inbox.entries()) == 1
    assert CANARY not in str(inbox.entries())
    assert ZOE not in str(inbox.entries())
