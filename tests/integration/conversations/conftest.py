"""Fixtures shared by the tests of this folder."""

from tests.integration.conversations.booking import _booking_service, booking_service  # noqa: F401 - as below
from tests.integration.conversations.harness import _behind, harness  # noqa: F401 - as below
from tests.integration.conversations.inbound.ingress import _queues, ingress  # noqa: F401 - fixtures for the tests of this folder
from tests.simulation.conversations.conftest import _system, system  # noqa: F401 - as above
