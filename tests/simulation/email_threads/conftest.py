"""Simulated e-mail: see `system`."""

from tests.simulation.email_threads.system import System
from tests.simulation.kernel import fixtures

_system, system = fixtures(System)
