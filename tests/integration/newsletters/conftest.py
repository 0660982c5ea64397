"""Table, bucket and queues of newsletters, empty for each test."""

from collections.abc import Iterator

import pytest

from tests.integration.newsletters.deployment import Deployment, deployed


@pytest.fixture
def newsletters() -> Iterator[Deployment]:
    with deployed() as deployment:
        yield deployment
