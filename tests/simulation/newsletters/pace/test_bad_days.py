"""A day of a new domain with many bounces, complaints or delays: the next day has a lower limit, and says why."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from newsletters.issues.pace import days
from newsletters.store.items import WarmUp
from tests.cases import each
from tests.simulation.crashes.recorded_run import RecordedRun
from tests.simulation.newsletters.final_state import state_of
from tests.simulation.newsletters.pace.test_warm_up import a_day_passes, begun, of_today
from tests.simulation.newsletters.steps.issues import ONE, addressed, mails, ordered, reported, sent

if TYPE_CHECKING:
    from tests.simulation.newsletters.system import System

READERS = [f"reader{number}@orchard.example" for number in range(20)]


def warm_up(day: str | None = "2026-01-05", **fields: Any) -> WarmUp:
    known = {"limits": [1_000, 2_000, 4_000], "step": 1, "total": 2_000, **fields}
    key = WarmUp.key("acme", "shop.example")
    return WarmUp(**key, company_id="acme", domain="shop.example", day=day, **known)


def next_step(**fields: Any) -> tuple[int, str | None]:
    found = warm_up(**fields)
    return days.step_on(found, "2026-01-06"), days.reason_on(found, "2026-01-06")


@each(
    ("fields", "expected"),
    [
        ({}, (2, None)),
        ({"total": 999}, (1, None)),
        ({"bounced": 99}, (2, None)),
        ({"bounced": 100}, (0, "bounces")),
        ({"complained": 1}, (2, None)),
        ({"complained": 2}, (0, "complaints")),
        ({"total": 4_000, "complained": 3}, (2, None)),
        ({"total": 4_000, "complained": 4}, (0, "complaints")),
        ({"delayed": 199}, (2, None)),
        ({"delayed": 200}, (1, "delays")),
        ({"delayed": 200, "bounced": 100}, (0, "bounces")),
        # Few mails of this day: the events are those of the day before.
        ({"total": 50, "total_before": 1_000, "bounced": 49}, (1, None)),
        ({"total": 50, "total_before": 1_000, "bounced": 50}, (0, "bounces")),
        ({"total": 10, "bounced": 4}, (1, None)),
        ({"total": 10, "bounced": 5}, (0, "bounces")),
        # Before the first step: halves of the first limit, and back again.
        ({"step": 0, "bounced": 100}, (-1, "bounces")),
        ({"step": -3, "complained": 2}, (-3, "complaints")),
        ({"step": -1, "total": 250}, (0, None)),
        ({"step": -1, "total": 249}, (-1, None)),
        # The last step: a bad day does not end the plan.
        ({"step": 2, "total": 4_000}, (3, None)),
        ({"step": 2, "total": 4_000, "bounced": 200}, (1, "bounces")),
        ({"step": 3, "bounced": 2_000}, (3, "bounces")),
    ],
)
def test_the_step_of_a_day_follows_from_what_the_day_before_was_like(
    fields: dict[str, Any], expected: tuple[int, str | None]
) -> None:
    assert next_step(**fields) == expected


@each(("step", "limit"), [(0, 1_000), (-1, 500), (-2, 250), (-3, 125)])
def test_before_the_first_step_a_day_has_a_part_of_the_first_limit(step: int, limit: int) -> None:
    assert days.limit_on(warm_up(), step) == limit
    assert days.limit_on(warm_up(), step, "google") == (limit + 1) // 2
    assert days.limit_on(warm_up(limits=[1]), step) == 1


def bad_day(system: System, event: str, count: int, **detail: Any) -> None:
    """The first day of an issue to all readers, with *count* events of its mails."""
    begun(*READERS, limits=(6, 10, 20))(system)
    sent(system)
    system.drain()
    for mail in mails(system)[:count]:
        for _ in range(2):  # The provider may repeat itself.
            reported(system, mail, event, **detail)
    system.drain()


def listed(system: System) -> dict[str, Any]:
    (found,) = system.read("/newsletters/warm-ups")["warm_ups"]
    return {name: found.get(name) for name in ("limit", "sent_today", "reason", "bounced")}


def test_a_day_with_many_bounces_lowers_the_limit_of_the_next_one_and_says_so(
    system: System,
) -> None:
    bad_day(system, "Bounce", 5, bounceType="Permanent", bounceSubType="General")
    assert listed(system) == {"limit": 6, "sent_today": 6, "reason": None, "bounced": 5}
    assert system.read(f"{ONE}/stats")["warm_up"]["ends_on"] == "2026-01-04"

    assert len(a_day_passes(system)) == 3
    assert of_today(system) == {"step": -1, "total": 3, "other": 3}
    assert listed(system) == {"limit": 3, "sent_today": 3, "reason": "bounces", "bounced": 0}
    found = system.read(f"{ONE}/stats")["warm_up"]
    assert (found["limit"], found["reason"]) == (3, "bounces")
    # A good day leads back to the plan.
    assert len(a_day_passes(system)) == 6
    assert listed(system)["reason"] is None
    assert len(a_day_passes(system)) == 5


def test_complaints_of_yesterdays_mails_lower_the_limit_of_tomorrow(system: System) -> None:
    bad_day(system, "Complaint", 1, complaintFeedbackType="abuse")
    assert len(a_day_passes(system)) == 10  # One complaint is within the bound.
    reported(system, mails(system)[1], "Complaint", complaintFeedbackType="abuse")
    reported(system, mails(system)[2], "Complaint", complaintFeedbackType="not-spam")
    system.drain()
    assert listed(system)["limit"] == 10
    reported(system, mails(system)[3], "Complaint", complaintFeedbackType="abuse")
    system.drain()

    found = system.read(f"{ONE}/stats")
    assert found["complained"] == 3
    assert system.read(ONE)["pause_reason"] == "complaint_rate"
    system.clock.ms += 24 * 3_600_000
    assert listed(system) == {"limit": 6, "sent_today": 0, "reason": "complaints", "bounced": 0}
    ordered("resume")(system)
    system.settle()
    assert len(addressed(system)) == len(set(addressed(system)))


def test_the_checklist_says_why_the_limit_is_lower(system: System) -> None:
    bad_day(system, "Bounce", 5, bounceType="Permanent", bounceSubType="General")
    system.clock.ms += 24 * 3_600_000
    ordered("pause")(system)
    checks = system.read(f"{ONE}/checklist")
    (text,) = (one["problem"] for one in checks["checks"] if one["code"] == "warm_up")

    assert "3 mails today (UTC), of which 0 are sent, no more because of bounces before" in text
    assert checks["warm_up"]["reason"] == "bounces"


def test_events_of_a_warm_domain_are_counted_on_no_day(system: System) -> None:
    begun(*READERS[:4], limits=(4,))(system)
    sent(system)
    system.settle()
    system.clock.ms += 24 * 3_600_000
    for mail in mails(system):
        reported(system, mail, "Bounce", bounceType="Permanent", bounceSubType="General")
    system.settle()

    assert listed(system) == {"limit": None, "sent_today": 0, "reason": None, "bounced": 0}
    assert system.read(f"{ONE}/stats")["bounced"] == 4


def test_an_event_counts_once_for_its_day_wherever_its_worker_dies(system: System) -> None:
    begun(*READERS[:3], limits=(30, 40, 50))(system)
    sent(system)
    system.settle()

    def bounced(on: System) -> None:
        reported(on, mails(on)[0], "Bounce", bounceType="Permanent", bounceSubType="General")

    def check() -> None:
        assert listed(system)["bounced"] == 1
        assert system.read(f"{ONE}/stats")["bounced"] == 1
        assert not system.parked()

    run = RecordedRun(system, state_of, system.settle, [bounced])
    run.record()
    check()
    assert run.deaths
    for _ in run.kills():
        check()
