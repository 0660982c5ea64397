"""
The simulation: real handlers, killed at every call they make, must reach the state of an undisturbed run.

PARLEY_SIMULATION_EXAMPLES=100 multiplies the number of random plans (`whatsapp/test_any_order.py`) for a long run and
lets hypothesis choose new ones, and the crash matrix includes reads; without it the plans are few and the same every
time. A failing plan is printed, shrunk.
"""

from collections.abc import Iterator

import pytest

from tests.simulation.whatsapp.setup import running_system
from tests.simulation.whatsapp.system import System


@pytest.fixture(scope="module")  # not wider: other suites in this process have their own moto
def _system() -> Iterator[System]:
    with running_system() as system:
        yield system


@pytest.fixture
def system(_system: System) -> System:
    return _system.reset()
