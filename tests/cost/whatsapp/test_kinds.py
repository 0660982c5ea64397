"""
The costs of an event, compared with the figures in `kinds.py`: they may not grow, neither over time nor with the length
of the conversation.

`make cost` does the same with 1,000 and 10,000 messages.
"""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.cost.report import WRITTEN_DOWN, differences, dollars_per_million, markdown
from tests.cost.whatsapp.kinds import KINDS
from tests.cost.whatsapp.measure import Measured, measure
from tests.simulation.kernel import running
from tests.simulation.whatsapp.system import System

STATUSES = ("status: sent", "status: delivered", "status: read")


@pytest.fixture(scope="module")
def measured() -> Measured:
    with running(System) as system:
        return measure(system, (1, 100))


@pytest.mark.long
def test_an_event_costs_the_written_figures_at_any_length_of_its_conversation(
    measured: Measured,
) -> None:
    assert list(measured) == [1, 100]
    assert all(figures.keys() == WRITTEN_DOWN.keys() for figures in measured.values())
    assert differences(measured) == []


def test_a_text_costs_at_most_twelve_units_and_three_writes() -> None:
    """Every eighth text also trims the counted keys of its head, which its list holds too: two units more."""
    assert WRITTEN_DOWN["message: text"].most_expensive <= 12
    assert WRITTEN_DOWN["message: text"].most_writes <= 3


def test_the_first_text_of_a_customer_also_writes_an_alias_for_each_id() -> None:
    """Two units each, with the entry that lists it under its contact; once per customer."""
    usual, first = WRITTEN_DOWN["message: text"], WRITTEN_DOWN["message: text, new customer"]
    assert first.most_expensive <= usual.write_units + 2 * 2
    assert first.most_writes <= 4


@pytest.mark.parametrize("name", STATUSES)
def test_a_status_costs_at_most_four_units_with_its_history(name: str) -> None:
    assert WRITTEN_DOWN[name].most_expensive <= 4


def test_a_repeated_status_costs_at_most_one_unit() -> None:
    assert WRITTEN_DOWN["status again"].most_expensive <= 1


HANDED_OVER = ", handed over"
SIMPLE = [kind for kind in KINDS if kind.follow_up is None]


@pytest.mark.parametrize("name", [kind.name for kind in SIMPLE if not kind.is_automated])
def test_an_event_without_a_follow_up_makes_at_most_1_2_requests_to_the_queue(name: str) -> None:
    """One to send it, and a tenth of those that receive and delete its batch of ten."""
    assert WRITTEN_DOWN[name].sqs <= 1.2


@pytest.mark.parametrize("name", [kind.name for kind in SIMPLE if HANDED_OVER in kind.name])
def test_an_event_for_another_context_costs_one_request_to_a_queue_and_nothing_else(
    name: str,
) -> None:
    kept_here = WRITTEN_DOWN[name.removesuffix(HANDED_OVER)]
    one_more = replace(kept_here, requests=kept_here.requests + 1, sqs=kept_here.sqs + 1)

    assert WRITTEN_DOWN[name] == one_more


@pytest.mark.parametrize("name", WRITTEN_DOWN)
def test_an_event_writes_one_log_line_and_at_most_1_2_kilobytes(name: str) -> None:
    """
    Metrics are lines of their own: one for each run of a function.

    A message alone in its webhook has all of the ingress's line and a tenth of the worker's; only the bytes bound
    those. A parked event needs attention, which is counted in a line that names the condition.
    """
    condition_lines = 1 if name.startswith("parked") else 0
    assert WRITTEN_DOWN[name].log_lines <= 2
    assert WRITTEN_DOWN[name].metric_lines <= 1.1 + condition_lines
    assert WRITTEN_DOWN[name].log_bytes <= 1_200


def test_a_million_inbound_texts_cost_at_most_twelve_and_a_half_dollars() -> None:
    text = WRITTEN_DOWN["message: text"]
    assert dollars_per_million(10, 2) == pytest.approx(5.35 + 6.25 + 0.25)
    usual, trimming = (
        dollars_per_million(units, text.read_units)
        for units in (text.write_units, text.most_expensive)
    )
    assert (7 * usual + trimming) / 8 <= 12.5


@pytest.mark.parametrize("figure", ["write_units", "most_expensive", "requests", "log_bytes"])
def test_a_figure_that_grows_at_one_length_is_reported(figure: str) -> None:
    text = WRITTEN_DOWN["message: text"]
    grown = WRITTEN_DOWN | {"message: text": replace(text, **{figure: getattr(text, figure) + 1})}

    found = differences({10: dict(WRITTEN_DOWN), 100: grown})

    assert len(found) == 1
    assert figure in found[0]


def test_the_table_has_a_row_for_each_kind_and_a_column_for_each_length() -> None:
    lines = markdown({1: dict(WRITTEN_DOWN), 10_000: dict(WRITTEN_DOWN)}).splitlines()

    head = "| event | 1 | 10,000 | at most | writes | RRU | requests | SQS | log lines | EMF lines | log bytes |"
    assert head in lines
    assert "| message: text | 10 | 10 | 12 | 3 | 2 | 4.2 | 1.2 | 1 | 1.1 | 700 |" in lines
