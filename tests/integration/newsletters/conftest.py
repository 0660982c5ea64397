"""Table, bucket and queues of newsletters, empty for each test; and all functions over them."""

from collections.abc import Iterator

import pytest

from tests.integration.newsletters.deployment import Deployment, deployed
from tests.simulation.newsletters.setup import running_system
from tests.simulation.newsletters.system import System


@pytest.fixture
def newsletters() -> Iterator[Deployment]:
    with deployed() as deployment:
        yield deployment


@pytest.fixture(scope="module")  # not wider: other suites in this process have their own moto
def _system() -> Iterator[System]:
    with running_system() as system:
        yield system


@pytest.fixture
def system(_system: System) -> System:
    return _system.reset()
