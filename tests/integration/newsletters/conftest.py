"""Table, bucket and queues of newsletters, empty for each test; and all functions over them."""

from collections.abc import Iterator

import pytest

from tests.integration.newsletters.deployment import Deployment, deployed
from tests.simulation.kernel import fixtures
from tests.simulation.newsletters.system import System


@pytest.fixture
def newsletters() -> Iterator[Deployment]:
    with deployed() as deployment:
        yield deployment


_system, system = fixtures(System)
