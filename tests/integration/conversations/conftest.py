"""Fixtures shared by the tests of this folder."""

from tests.integration.conversations.agency import _behind, agency  # noqa: F401 - as below
from tests.integration.conversations.booking import _office, office  # noqa: F401 - as below
from tests.integration.conversations.door import _queues, door  # noqa: F401 - fixtures for the tests of this folder
from tests.simulation.conversations.conftest import _world, world  # noqa: F401 - as above
