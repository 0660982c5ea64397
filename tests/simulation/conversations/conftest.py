"""The simulated conversations: see `system`. PARLEY_SIMULATION_EXAMPLES increases the number of cases, as in the other
simulations."""

from tests.simulation.conversations.system import System
from tests.simulation.kernel import fixtures

_system, system = fixtures(System)
