"""A file of 100,000 rows is imported over many runs, each row once, at a cost that does not grow."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from console.contacts.imports.files import MOST_ROWS
from console.contacts.imports.job import SAVED_EVERY
from tests.integration.console.contacts.exchange.imports import ADMIN, Files

if TYPE_CHECKING:
    from tests.integration.console.system import InboxSystem

EVERY = 100  # the rows between two that make a contact
STEPS_A_RUN = 150


def row(number: int) -> str:
    """Every hundredth row makes a contact, the one behind it finds it again; the others have no number."""
    if number % EVERY <= 1:
        return f"+44770{1_000_000 + number // EVERY},Person {number // EVERY}"
    return f"none,Person {number}"


@pytest.mark.long
def test_a_file_of_100_000_rows_is_imported_over_many_runs_at_a_flat_cost(
    inbox: InboxSystem,
) -> None:
    files, table = Files(inbox), inbox.module.deps.contacts
    path = files.started("phone,name\n" + "\n".join(map(row, range(MOST_ROWS))), "phone", "name")
    left, units = [0], list[float]()

    def remaining_ms() -> int:
        left[0] = (left[0] + 1) % STEPS_A_RUN
        return 29_000 if left[0] else 0

    files.runs.left_ms = remaining_ms
    handled = 0
    while inbox.get(ADMIN, path).result["stage"] == "running":
        table.forget_consumption()
        if not files.runs.started:
            files.runs.look()
        files.runs.drain_one()
        shown = inbox.get(ADMIN, path).result
        units.append(table.consumed_write_units / max(1, shown["handled"] - handled))
        handled = shown["handled"]

    made = MOST_ROWS // EVERY
    assert files.counts(path) == ("done", made, 0, made, MOST_ROWS - 2 * made)
    assert files.runs.finished > MOST_ROWS // SAVED_EVERY // STEPS_A_RUN
    whole = units[:-1]
    assert max(whole) < 1.1 * min(whole)
    assert sum(units) / len(units) < 1  # write units a row, with one contact in a hundred
