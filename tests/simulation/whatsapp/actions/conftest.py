"""The function of the actions in the system of a module."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.simulation.whatsapp.actions.actor import actor_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.simulation.whatsapp.actions.actor import Actor
    from tests.simulation.whatsapp.system import System


@pytest.fixture(scope="module")
def actor(_system: System) -> Iterator[Actor]:
    with actor_of(_system) as actor:
        yield actor
