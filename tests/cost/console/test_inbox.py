"""The costs of the inbox over all contexts, compared with the figures in `inbox.py`."""

from __future__ import annotations

import pytest

from tests.cost.console.inbox import (
    MESSAGE,
    UNCHANGED,
    WRITTEN_DOWN,
    Measured,
    differences,
    measure,
)
from tests.simulation.kernel import running
from tests.simulation.whatsapp.system import System


@pytest.fixture(scope="module")
def measured() -> Measured:
    with running(System) as system:
        return measure(system)


@pytest.mark.long
def test_a_change_and_a_page_cost_the_written_figures(measured: Measured) -> None:
    assert measured.keys() == WRITTEN_DOWN.keys()
    assert differences(measured) == []


def test_a_message_adds_at_most_three_write_units() -> None:
    assert WRITTEN_DOWN[MESSAGE].write_units <= 3
    assert WRITTEN_DOWN[UNCHANGED].write_units == 0
