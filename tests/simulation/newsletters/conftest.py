"""Simulated newsletters: see `system`."""

from tests.simulation.kernel import fixtures
from tests.simulation.newsletters.system import System

_system, system = fixtures(System)
