"""The inbox of a test."""

from collections.abc import Iterator

import pytest

from tests.integration.email_threads.inbox import Inbox, opened


@pytest.fixture
def inbox() -> Iterator[Inbox]:
    with opened() as inbox:
        yield inbox
