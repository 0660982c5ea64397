"""The inbox of a test, for threading alone; and all functions with their queues."""

from collections.abc import Iterator

import pytest

from tests.integration.email_threads.inbox import Inbox, opened
from tests.simulation.email_threads.system import System
from tests.simulation.kernel import fixtures


@pytest.fixture
def inbox() -> Iterator[Inbox]:
    with opened() as inbox:
        yield inbox


_system, system = fixtures(System)
