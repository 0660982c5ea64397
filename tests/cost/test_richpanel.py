"""What an event of the help desk costs, held against the figures written down: no write may grow with the ticket."""

from __future__ import annotations

import pytest

from tests.cost.richpanel import (
    KINDS,
    LENGTHS,
    WRITTEN_DOWN,
    Kind,
    Table,
    differences,
    markdown,
    measure,
)
from tests.simulation.richpanel.stage import running_world

# Of a reply: its slot in the conversation's state, and the count of the customer's automatic replies over all tickets.
MORE_OF_A_REPLY = 2
ACTIONS = {
    "routed only": 0,
    "flagged, assigned": 1,
    "asked for the number": 1,
    "answered with the order": 1,
    "asked, assigned": 2,
    "answered and closed": 2,
    "the same again": 0,
}


@pytest.fixture(scope="module")
def measured() -> Table:
    with running_world() as world:
        return measure(world, LENGTHS)


def test_an_event_costs_what_is_written_down_however_long_its_ticket(measured: Table) -> None:
    assert list(measured) == [1, 10, 100]
    assert all(table.keys() == WRITTEN_DOWN.keys() for table in measured.values())
    assert differences(measured) == []


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.name)
def test_routing_costs_four_units_and_each_action_three_more_with_exceptions_that_have_names(
    kind: Kind,
) -> None:
    replies = kind.name.startswith(("asked", "answered"))
    assert kind.figures.route <= 4 + kind.name.startswith("flagged")
    assert kind.figures.actions <= 3 * ACTIONS[kind.name] + replies * MORE_OF_A_REPLY


@pytest.mark.parametrize("name", WRITTEN_DOWN)
def test_an_event_leaves_one_log_line_and_at_most_1_2_kilobytes(name: str) -> None:
    """Beside it each run of a function, of the webhook and of the worker, leaves one line of metrics."""
    assert WRITTEN_DOWN[name].log_lines == 1
    assert WRITTEN_DOWN[name].metric_lines == 2
    assert WRITTEN_DOWN[name].log_bytes <= 1_200


@pytest.mark.parametrize("name", WRITTEN_DOWN)
def test_an_event_makes_three_requests_to_its_queue(name: str) -> None:
    """One that sends it, and since the worker takes one at a time, one that receives and one that deletes it."""
    assert WRITTEN_DOWN[name].sqs == 3


def test_the_table_has_a_row_for_each_kind(measured: Table) -> None:
    lines = markdown(measured).splitlines()

    assert "| routed only | 4 | 0 | 4 | 2 | 7 | 11 | 36 | 2 | 17 | 3 | 1 | 2 |" in "\n".join(lines)
    assert len([line for line in lines if line.startswith("|")]) == len(KINDS) + 2
