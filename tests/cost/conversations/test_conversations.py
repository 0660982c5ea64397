"""The costs of a conversation's event, compared with the written figures: none may grow with its length."""

from __future__ import annotations

import pytest

from tests.cost.conversations.conversations import (
    KINDS,
    LENGTHS,
    WRITTEN_DOWN,
    Kind,
    Table,
    differences,
    markdown,
    measure,
)
from tests.simulation.conversations.system import System
from tests.simulation.kernel import running

ANSWERS = [name for name in WRITTEN_DOWN if name.startswith("its answer")]
MESSAGE = WRITTEN_DOWN["a message of the customer"]
# Each is a log line, too.
MODEL_CALLS = {
    "its first message": 1,
    "its answer": 1,
    "its answer, in the largest item": 1,
    "an answer in three messages": 2,
    "three fragments, one answer": 1,
    "a picture, and its answer": 1,
    "a voice note, and its answer": 1,
    "an answer, and a new memory": 2,
    "an answer, and one in shadow": 2,
    # The call of the API, and the model of vectors.
    "suggestions of two questions, by meaning": 2,
    "suggestions of ten questions, by meaning": 2,
    "these ten again": 1,
}


@pytest.fixture(scope="module")
def measured() -> Table:
    with running(System) as system:
        return measure(system, LENGTHS)


@pytest.mark.long
def test_an_event_costs_the_written_figures_at_any_length_of_its_conversation(
    measured: Table,
) -> None:
    assert list(measured) == [1, 10, 100]
    assert all(table.keys() == WRITTEN_DOWN.keys() for table in measured.values())
    assert differences(measured) == []


@pytest.mark.parametrize("name", ANSWERS)
def test_a_turn_writes_the_item_for_32_units_at_most_and_all_else_for_18(name: str) -> None:
    """The message that is answered is part of its turn; three units count it against the bounds of outsiders."""
    assert WRITTEN_DOWN[name].item <= 32
    assert WRITTEN_DOWN[name].rest + MESSAGE.rest <= 18


def test_a_first_message_costs_a_turn_and_its_index_records() -> None:
    """Its item is written twice: before all other records, and after the send."""
    assert WRITTEN_DOWN["its first message"].item <= 32
    assert WRITTEN_DOWN["its first message"].rest <= 16


@pytest.mark.parametrize("name", ["a message of the customer", "status: sent", "status again"])
def test_only_turns_and_changes_of_status_write_the_item(name: str) -> None:
    assert WRITTEN_DOWN[name].item == 0


def test_a_question_of_suggestions_costs_one_write_and_four_requests_at_most() -> None:
    """What is read at once is bounded (`MOST_COMPARED`), so a reading of suggestions is, too."""
    two, ten = (kind for kind in KINDS if kind.name.startswith("suggestions of"))

    assert ten.figures.rest - two.figures.rest == 8
    assert ten.most_reads - two.most_reads <= 3.5 * 8
    assert ten.figures.requests - two.figures.requests <= 3.5 * 8
    assert WRITTEN_DOWN["these ten again"].rest == 0


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.name)
def test_each_record_and_call_of_a_model_writes_one_log_line_and_each_run_one_metrics_line(
    kind: Kind,
) -> None:
    """A request runs the router alone; every other run processes one record of a queue."""
    figures, of_models = kind.figures, MODEL_CALLS.get(kind.name, 0)
    assert figures.log_lines <= figures.metric_lines + of_models
    assert figures.log_bytes <= 600 * (figures.metric_lines + of_models)


@pytest.mark.long
def test_the_table_has_a_row_for_each_kind(measured: Table) -> None:
    rows = [line for line in markdown(measured).splitlines() if line.startswith("|")]

    assert "| its answer | 16 | 14 | 14 | 14 | 26 | 36 | 2 | 2 | 1 |" in "\n".join(rows)
    assert len(rows) == len(KINDS) + 2
