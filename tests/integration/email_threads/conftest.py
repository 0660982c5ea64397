"""The inbox of a test, for threading alone; and all functions with their queues."""

from collections.abc import Iterator

import pytest

from local.sandbox import Sent
from tests.integration.email_threads.drafting import answered
from tests.integration.email_threads.inbox import Inbox, opened
from tests.simulation.email_threads.system import System
from tests.simulation.kernel import fixtures
from tests.simulation.simulated_system import Snapshot


@pytest.fixture
def inbox() -> Iterator[Inbox]:
    with opened() as inbox:
        yield inbox


_system, system = fixtures(System)


@pytest.fixture(scope="module")
def _answered(_system: System) -> tuple[str, Snapshot, list[Sent]]:
    draft = answered(_system.reset())
    return draft, _system.snapshot(), _system.sandbox.sent


@pytest.fixture
def answered_draft(system: System, _answered: tuple[str, Snapshot, list[Sent]]) -> str:
    """The path of a draft that answers a customer's question and was sent; the thread is made once per module."""
    draft, snapshot, sent = _answered
    system.restore(snapshot)
    for request in sent:
        system.sandbox.record(request)
    return draft
