"""The costs of e-mail threads, compared with the written figures: none may grow with the length of the thread."""

from __future__ import annotations

from math import ceil

import pytest

from tests.cost.email_threads import prices
from tests.cost.email_threads.acts import TEXT
from tests.cost.email_threads.kinds import KINDS, WRITTEN_DOWN, Kind
from tests.cost.email_threads.threads import LENGTHS, Table, differences, markdown, measure
from tests.cost.richpanel.model_calls import Call
from tests.simulation.email_threads.system import System
from tests.simulation.kernel import running

ANALYSES = [name for name in WRITTEN_DOWN if name.startswith("its analysis")]
LISTS = [name for name in WRITTEN_DOWN if name.startswith("a list")]


@pytest.fixture(scope="module")
def measurement() -> tuple[Table, list[Call]]:
    with running(System) as system:
        return measure(system, LENGTHS), prices.tokens(system, TEXT)


@pytest.fixture
def measured(measurement: tuple[Table, list[Call]]) -> Table:
    return measurement[0]


@pytest.mark.long
def test_an_event_costs_the_written_figures_at_any_length_of_its_thread(measured: Table) -> None:
    assert list(measured) == [1, 10, 2_000]
    assert all(costs.kinds.keys() == WRITTEN_DOWN.keys() for costs in measured.values())
    assert differences(measured) == []


@pytest.mark.long
def test_a_mail_writes_four_units_for_each_kilobyte_of_the_head_and_fifteen(
    measured: Table,
) -> None:
    """At 6 KB that are 39."""
    for costs in measured.values():
        spent = costs.kinds["a further mail"].figures.write_units
        assert spent <= 4 * ceil(costs.kilobytes_after["a further mail"]) + 15


@pytest.mark.long
@pytest.mark.parametrize("name", ANALYSES)
def test_an_analysis_with_a_draft_writes_three_units_for_each_kilobyte_of_the_head_and_fifteen(
    measured: Table, name: str
) -> None:
    for costs in measured.values():
        spent = costs.kinds[name].figures.write_units
        assert spent <= 3 * ceil(costs.kilobytes_after[name]) + 15


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.name)
def test_a_young_thread_costs_no_more_than_an_old_one(kind: Kind) -> None:
    """Apart from the first call of its model, which reads the key."""
    for figures in kind.smaller.values():
        assert figures.get("write_units", 0) <= kind.figures.write_units


@pytest.mark.parametrize("name", WRITTEN_DOWN)
def test_each_run_and_call_writes_one_short_log_line(name: str) -> None:
    """Metrics are lines of their own: one for each run of a worker, and one for a condition."""
    figures, runs = WRITTEN_DOWN[name], 2 if "two scenarios" in name or "in shadow" in name else 1

    assert figures.log_lines <= 2 * runs
    assert figures.log_bytes <= 600 * figures.log_lines + 300 * figures.metric_lines


@pytest.mark.parametrize("name", LISTS)
def test_a_list_is_read_with_one_query_and_one_batch(name: str) -> None:
    assert WRITTEN_DOWN[name].requests == 2


def test_files_cost_requests_to_the_bucket_and_no_other_request() -> None:
    with_files, without = WRITTEN_DOWN["a further mail, with files"], WRITTEN_DOWN["a further mail"]

    assert with_files.requests - without.requests == with_files.s3 - without.s3


@pytest.mark.long
def test_the_table_has_a_row_for_each_kind(measured: Table) -> None:
    rows = [line for line in markdown(measured).splitlines() if line.startswith("|")]

    assert "| a further mail | 30 | 43 | 47 | 18 | 15 | 6 | 2 | 2 | 1 |" in "\n".join(rows)
    assert len(rows) == len(KINDS) + 2 + len(prices.parts(measured[1].kinds)) + 3


@pytest.mark.long
def test_a_million_answered_mails_cost_at_most_200_dollars_besides_ses(measured: Table) -> None:
    bill = prices.parts(measured[2_000].kinds)

    assert sum(sum(part.values()) for name, part in bill.items() if name != "SES") <= 200


@pytest.mark.long
def test_the_longest_mails_cost_at_most_the_tokens_of_their_characters(
    measurement: tuple[Table, list[Call]],
) -> None:
    first, usual, longest = measurement[1]
    more = prices.MAILS * (prices.LONGEST_TEXT - len(TEXT)) / 4

    assert first.tokens_in < usual.tokens_in
    assert longest.tokens_in <= usual.tokens_in + more + 100
