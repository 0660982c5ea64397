"""A local time of an issue means one moment, also where clocks change."""

from __future__ import annotations

from newsletters.issues.local_times import moment_of
from shared.runtime import clock
from tests.cases import each


@each(
    ("local", "zone", "moment"),
    [
        ("2026-07-01T09:00", "Europe/Berlin", "2026-07-01T07:00:00.000Z"),
        ("2026-03-29T02:30", "Europe/Berlin", "2026-03-29T01:30:00.000Z"),  # 03:30: in the gap
        ("2026-10-25T02:30", "Europe/Berlin", "2026-10-25T00:30:00.000Z"),  # the first of two
        ("2026-01-01T09:00", "Pacific/Kiritimati", "2025-12-31T19:00:00.000Z"),
    ],
)
def test_a_time_in_a_gap_moves_forward_and_of_one_that_occurs_twice_the_first_counts(
    local: str, zone: str, moment: str
) -> None:
    assert clock.to_text(moment_of(local, zone)) == moment
