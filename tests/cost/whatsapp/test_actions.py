"""The costs of calls of actions, compared with the figures in `actions.py`; `make cost` adds 1,000 messages."""

from __future__ import annotations

import pytest

from tests.cost.whatsapp.actions import (
    LENGTHS,
    SEARCH,
    SEARCHES,
    WRITTEN_DOWN,
    Measured,
    differences,
    markdown,
    measure,
    wanted_at,
)
from tests.simulation.kernel import running
from tests.simulation.whatsapp.system import System


@pytest.fixture(scope="module")
def measured() -> Measured:
    with running(System) as system:
        return measure(system, (1, 100))


@pytest.mark.long
def test_a_call_costs_the_written_figures_at_any_length_of_its_conversation(
    measured: Measured,
) -> None:
    assert list(measured) == [1, 100]
    assert all(figures.keys() == wanted_at(1).keys() for figures in measured.values())
    assert differences(measured) == []


def test_a_search_costs_at_most_105_read_units_for_100_messages() -> None:
    first, last = SEARCHES[1], SEARCHES[1_000]

    assert (last.read_units - first.read_units) / 999 * 100 <= 105
    assert all(figures.write_units == 0 for figures in SEARCHES.values())


def test_a_recipient_of_a_campaign_costs_at_most_two_write_units_more_than_a_template() -> None:
    template, recipient = WRITTEN_DOWN["send_template"], WRITTEN_DOWN["a recipient of a campaign"]

    assert recipient.write_units <= template.write_units + 2


def test_a_difference_is_reported_with_the_written_figures() -> None:
    found = {length: wanted_at(length) for length in LENGTHS}
    assert differences(found) == []
    found[100] = found[100] | {"get_message": SEARCHES[1]}

    (line,) = differences(found)
    assert line.startswith("get_message at 100: ")


def test_the_table_has_a_row_for_each_action() -> None:
    table = markdown({length: wanted_at(length) for length in LENGTHS})

    assert f"| {SEARCH} | 0 | 14.5 | 116 | 1030 | 6 | 8 | 24 |" in table
    assert all(f"| {name} | " in table for name in WRITTEN_DOWN)
