"""How much a run may cost: little in CI, as much as you like by hand."""

import os

# 1 in CI. More multiplies random plans, and kills workers also where it makes no difference to anybody outside.
EFFORT = int(os.environ.get("PARLEY_SIMULATION_EXAMPLES", "1"))
