"""The simulated help desk: see `system`. PARLEY_SIMULATION_EXAMPLES increases the number of cases, as in the other
simulations."""

from collections.abc import Iterator

import pytest

from tests.simulation.richpanel.setup import running_system
from tests.simulation.richpanel.system import System


@pytest.fixture(scope="module")  # not wider: other suites in this process have their own moto
def _system() -> Iterator[System]:
    with running_system() as system:
        yield system


@pytest.fixture
def system(_system: System) -> System:
    return _system.reset()
