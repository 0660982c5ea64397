"""Simulated newsletters: see `system`."""

from collections.abc import Iterator

import pytest

from tests.simulation.newsletters.setup import running_system
from tests.simulation.newsletters.system import System


@pytest.fixture(scope="module")  # not wider: other suites in this process have their own moto
def _system() -> Iterator[System]:
    with running_system() as system:
        yield system


@pytest.fixture
def system(_system: System) -> System:
    return _system.reset()
