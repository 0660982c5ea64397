"""The simulated help desk: see `system`. PARLEY_SIMULATION_EXAMPLES increases the number of cases, as in the other
simulations."""

from tests.simulation.kernel import fixtures
from tests.simulation.richpanel.system import System

_system, system = fixtures(System)
