"""The number of simulated cases: few in CI, more on request."""

import os

# 1 in CI. A higher value multiplies random plans and also kills workers at calls without an external effect.
EFFORT = int(os.environ.get("PARLEY_SIMULATION_EXAMPLES", "1"))
