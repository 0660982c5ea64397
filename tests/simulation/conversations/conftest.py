"""The simulated conversations: see `world`. PARLEY_SIMULATION_EXAMPLES increases the number of cases, as in the other
simulations."""

from collections.abc import Iterator

import pytest

from tests.simulation.conversations.stage import running_world
from tests.simulation.conversations.world import World


@pytest.fixture(scope="module")  # not wider: other suites in this process have their own moto
def _world() -> Iterator[World]:
    with running_world() as world:
        yield world


@pytest.fixture
def world(_world: World) -> World:
    return _world.reset()
