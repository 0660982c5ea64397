"""Samples of business hours in several zones, and when the first response to a mail is due."""

from __future__ import annotations

from typing import Any, Final

from shared.runtime import clock
from tests.integration.email_threads.api.thread_calls import result
from tests.integration.email_threads.mailboxes.test_service_levels import first, receive, resolution
from tests.simulation.email_threads.system import MAILBOX, System

WEEK: Final = ["monday", "tuesday", "wednesday", "thursday", "friday"]
BERLIN, NEW_YORK = "Europe/Berlin", "America/New_York"


def hours(zone: str, *spans: str, days: list[str] = WEEK, holidays: str = "") -> dict[str, Any]:
    """Business hours with spans such as `09:00-17:00` on the same days."""
    times = [span.split("-") for span in spans]
    return {
        "time_zone": zone,
        "periods": [{"days": days, "start": start, "end": end} for start, end in times],
        "holidays": holidays.split(),
    }


OFFICE: Final = hours(BERLIN, "09:00-17:00", holidays="2026-01-06")
# Business hours, minutes of both targets, when the mail was received, and when its first answer and its end are due.
SAMPLES: Final[dict[str, tuple[dict[str, Any], tuple[int, int], str, str, str]]] = {
    "before the hours": (OFFICE, (60, 480), "01-12T05:00", "01-12T09:00", "01-12T16:00"),
    "to the end of the hours": (OFFICE, (60, 120), "01-09T15:00", "01-09T16:00", "01-12T09:00"),
    "on a holiday": (OFFICE, (60, 480), "01-06T09:00", "01-07T09:00", "01-07T16:00"),
    "over a break": (
        hours(BERLIN, "09:00-12:00", "13:00-17:00"), (60, 420), "01-07T10:30", "01-07T12:30", "01-08T10:30",
    ),
    "over a weekend on which clocks change": (
        hours(NEW_YORK, "09:00-17:00"), (60, 480), "03-06T21:30", "03-09T13:30", "03-09T20:30",
    ),
    "half an hour beside the full one": (
        hours("Asia/Kolkata", "10:00-18:30", days=[*WEEK, "saturday"]),
        (120, 180), "01-10T12:00", "01-12T05:30", "01-12T06:30",
    ),
    "a day ahead": (
        hours("Pacific/Auckland", "08:00-16:00", holidays="2026-02-06"),
        (60, 120), "02-05T02:30", "02-08T19:30", "02-08T20:30",
    ),
    "a night that ends on a holiday": (
        hours(BERLIN, "22:00-06:00", days=["friday"], holidays="2026-01-10"),
        (120, 480), "01-09T20:00", "01-09T23:00", "01-10T05:00",
    ),
    "day and night while clocks change": (
        hours("Europe/London", "00:00-00:00", days=[*WEEK, "saturday", "sunday"]),
        (120, 1_440), "10-25T00:30", "10-25T02:30", "10-26T00:30",
    ),
}  # fmt: skip


def test_a_mail_is_due_within_the_hours_of_its_mailbox(system: System) -> None:
    start = system.snapshot()
    for name, (given, targets, received, *due) in SAMPLES.items():
        system.restore(start)
        both = dict(zip(("first_response_minutes", "resolution_minutes"), targets, strict=True))
        settings = {"business_hours": given, "retention_days": 400, **both}
        result(system.call("PUT", f"/email-mailboxes/{MAILBOX}", settings))
        system.clock.ms = clock.from_text(f"2026-{received}:00.000Z")

        path = receive(system, "a@x")

        found = [first(system, path), resolution(system, path)]
        assert found == [("open", f"2026-{moment}:00.000Z") for moment in due], name
