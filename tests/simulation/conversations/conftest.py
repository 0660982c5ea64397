"""The simulated conversations: see `world`. PARLEY_SIMULATION_EXAMPLES makes it larger, as in the whole simulation."""

from collections.abc import Iterator

import pytest

from tests.simulation.conversations.stage import running_world
from tests.simulation.conversations.world import World


@pytest.fixture(scope="module")  # not wider: other suites in this process have a moto of their own
def _world() -> Iterator[World]:
    with running_world() as world:
        yield world


@pytest.fixture
def world(_world: World) -> World:
    return _world.reset()
