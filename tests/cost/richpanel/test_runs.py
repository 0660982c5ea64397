"""The costs of a run of the help desk's scenarios, compared with the written figures."""

from __future__ import annotations

import pytest

from tests.cost.richpanel.runs import WRITTEN_DOWN, differences, markdown, measure
from tests.simulation.kernel import running
from tests.simulation.richpanel.system import System


@pytest.mark.long
def test_a_run_costs_the_written_figures_and_its_table_has_a_row_for_each_kind() -> None:
    with running(System) as system:
        measured = measure(system)

    assert differences(measured) == []
    rows = [line for line in markdown(measured).splitlines() if line.startswith("| a run")]
    assert len(rows) == len(WRITTEN_DOWN)
