"""
The simulation: real handlers, killed at every call they make, must reach the state of an undisturbed run.

PARLEY_SIMULATION_EXAMPLES=100 multiplies the number of random plans (`whatsapp/test_any_order.py`) for a long run and
lets hypothesis choose new ones, and the crash matrix includes reads; without it the plans are few and the same every
time. A failing plan is printed, shrunk.
"""

from tests.simulation.kernel import fixtures
from tests.simulation.whatsapp.system import System

_system, system = fixtures(System)
