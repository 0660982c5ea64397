"""The report of a mailbox's targets by day, and the settings of targets and business hours."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from tests.integration.email_threads.api.thread_calls import refused, result
from tests.integration.email_threads.mailboxes.test_service_levels import (
    OFFICE,
    REPORT,
    TARGETS,
    answered,
    counts,
    receive,
    until,
)
from tests.simulation.email_threads.system import ASSISTED, MAILBOX

if TYPE_CHECKING:
    from tests.simulation.email_threads.system import System


@pytest.fixture
def office(system: System) -> System:
    """A mailbox with targets in business hours."""
    given = {**TARGETS, "business_hours": OFFICE}
    result(system.call("PUT", f"/email-mailboxes/{MAILBOX}", given))
    return system


def test_a_breach_of_another_time_zone_is_counted_on_its_day(system: System) -> None:
    hours = {**OFFICE, "time_zone": "Pacific/Auckland", "holidays": []}
    given = {**TARGETS, "business_hours": hours}
    result(system.call("PUT", f"/email-mailboxes/{MAILBOX}", given))
    receive(system, "a@x")  # at 02:00 on Friday
    until(system, "2026-01-01T23:00:00.000Z")

    assert counts(system) == {"2026-01-02": (0, 1, 0, 0)}


def test_a_report_has_the_mailbox_of_its_path_only(office: System) -> None:
    receive(office, "a@x")
    answered(office)
    query = {"from": "2026-01-01", "to": "2026-01-31"}
    other = f"/email-mailboxes/{ASSISTED}/service-levels"

    assert result(office.call("GET", other, query=query)) == {"days": []}
    assert refused(office.call("GET", REPORT, company="globex"))[:2] == (404, "not_found")
    with_default = result(office.call("GET", REPORT))["days"]
    assert [day["date"] for day in with_default] == ["2026-01-01"]


@pytest.mark.parametrize(
    ("given", "field"),
    [
        ({"first_response_minutes": 0}, "first_response_minutes"),
        ({"resolution_minutes": 86_401}, "resolution_minutes"),
        ({"resolution_minutes": "60"}, "resolution_minutes"),
        ({"business_hours": {**OFFICE, "time_zone": "Berlin"}}, "business_hours.time_zone"),
        ({"business_hours": {**OFFICE, "time_zone": "Europe"}}, "business_hours.time_zone"),
        ({"business_hours": {**OFFICE, "open": True}}, "business_hours.open"),
        ({"business_hours": {**OFFICE, "periods": []}}, "business_hours.periods"),
        ({"business_hours": {**OFFICE, "holidays": ["2026-02-30"]}}, "business_hours.holidays.0"),
        (
            {
                "business_hours": {
                    **OFFICE,
                    "periods": [{"days": ["monday"], "start": "09:00", "end": "09:01"}],
                },
                "first_response_minutes": 27,
            },
            "body",
        ),
    ],
)
def test_settings_that_break_a_rule_name_the_field(
    system: System, given: dict[str, Any], field: str
) -> None:
    answer = system.call("PUT", f"/email-mailboxes/{MAILBOX}", given)

    assert refused(answer)[0] == 400
    assert field in refused(answer)[2]


@pytest.mark.parametrize(
    "query", [{"from": "2026-01-31", "to": "2026-01-01"}, {"from": "2025-01-01"}, {"to": "x"}]
)
def test_a_period_out_of_order_or_too_long_is_refused(
    system: System, query: dict[str, str]
) -> None:
    assert refused(system.call("GET", REPORT, query=query))[0] == 400
