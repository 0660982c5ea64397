"""The number of simulated cases: some in `make test`, all in `make test-long`, more on request."""

import os
from collections.abc import Collection, Iterable
from typing import Any

import pytest

# 1 in CI. A higher value multiplies random plans and also kills workers at calls without an external effect.
EFFORT = int(os.environ.get("PARLEY_SIMULATION_EXAMPLES", "1"))


def long_except[Case](cases: Iterable[Case], kept: Collection[Case]) -> list[Any]:
    """Parameters of a test, one or a tuple for each case: `make test` runs only *kept*, `make test-long` the others."""
    return [
        pytest.param(
            *(case if isinstance(case, tuple) else (case,)),
            marks=[] if case in kept else pytest.mark.long,
        )
        for case in cases
    ]
