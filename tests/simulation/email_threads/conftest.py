"""Simulated e-mail: see `system`."""

from collections.abc import Iterator

import pytest

from tests.simulation.email_threads.setup import running_system
from tests.simulation.email_threads.system import System


@pytest.fixture(scope="module")  # not wider: other suites in this process have their own moto
def _system() -> Iterator[System]:
    with running_system() as system:
        yield system


@pytest.fixture
def system(_system: System) -> System:
    return _system.reset()
