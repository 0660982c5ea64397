"""The system of the simulation, and an author who uses it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.integration.newsletters.api.author import Author
from tests.simulation.kernel import running
from tests.simulation.newsletters.system import System

if TYPE_CHECKING:
    from collections.abc import Iterator


@pytest.fixture(scope="module")  # not wider: other suites in this process have their own moto
def _author() -> Iterator[Author]:
    with running(System) as system:
        yield Author(system)


@pytest.fixture
def author(_author: Author) -> Author:
    _author.system.reset()
    return _author
