"""Due times of threads, the alarm before a breach, and the counts of met and breached targets."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from email_threads.inbound.events import EmailDue, entry
from shared.runtime import clock
from tests.integration.email_threads.api.thread_calls import result
from tests.integration.email_threads.desk import changes
from tests.simulation.email_threads.system import ANN, MAILBOX, mail

if TYPE_CHECKING:
    from tests.simulation.email_threads.system import System

HOUR_MS = clock.HOUR_MS
# 9 to 17 in Berlin, where it is 14:00 on a Thursday when a test begins; the day after is a holiday.
OFFICE = {
    "time_zone": "Europe/Berlin",
    "periods": [
        {
            "days": ["monday", "tuesday", "wednesday", "thursday", "friday"],
            "start": "09:00",
            "end": "17:00",
        }
    ],
    "holidays": ["2026-01-02"],
}
TARGETS = {"first_response_minutes": 120, "resolution_minutes": 480}
REPORT = f"/email-mailboxes/{MAILBOX}/service-levels"
COUNTED = (
    "first_response_met",
    "first_response_breached",
    "resolution_met",
    "resolution_breached",
)
ALARM, BREACH = "first_response=at_risk", "first_response=breached"


@pytest.fixture
def office(system: System) -> System:
    """A mailbox with business hours: 2 hours for the first response, 8 for the resolution."""
    result(system.call("PUT", f"/email-mailboxes/{MAILBOX}", {**TARGETS, "business_hours": OFFICE}))
    return system


def receive(system: System, message_id: str, *, late_ms: int = 0, **more: Any) -> str:
    """A mail arrives; it was received *late_ms* before. Returns the path of its thread."""
    system.clock.ms -= late_ms
    system.deliver(mail(message_id, **more), name=message_id, address=MAILBOX)
    system.clock.ms += late_ms
    system.drain()
    return f"/email-threads/{system.threads()[0]['conversation_id']}"


def answered(system: System, message_id: str = "our@shop", *, late_ms: int = 0) -> None:
    """A colleague answers with a mail client."""
    receive(system, message_id, late_ms=late_ms, sender=MAILBOX, to=ANN, in_reply_to="a@x")


def level(system: System, path: str) -> dict[str, Any]:
    found: dict[str, Any] = result(system.call("GET", path)).get("service_level", {})
    return found


def first(system: System, path: str) -> tuple[str, str]:
    """State and due time of the first response."""
    target = level(system, path)["first_response"]
    return target["state"], target["due_at"]


def resolution(system: System, path: str) -> tuple[str, str]:
    target = level(system, path)["resolution"]
    return target["state"], target["due_at"]


def until(system: System, moment: str) -> None:
    """The time passes; the schedule runs every five minutes."""
    end = clock.from_text(moment)
    while system.clock.ms < end:
        system.clock.ms = min(end, system.clock.ms + 300_000)
        system.run_schedule()
        system.drain()


def set_status(system: System, path: str, status: str) -> None:
    result(system.call("PATCH", path, {"status": status}))


def alarms(system: System) -> list[str | None]:
    """The recorded alarms and breaches."""
    return [detail for _, action, detail in changes(system) if action == "service_level"]


def counts(system: System) -> dict[str, tuple[int, ...]]:
    """First responses met and breached, resolutions met and breached, by day."""
    query = {"from": "2026-01-01", "to": "2026-01-31"}
    days = result(system.call("GET", REPORT, query=query))["days"]
    return {day["date"]: tuple(day[name] for name in COUNTED) for day in days}


def deadlines(system: System) -> list[str]:
    return [row["look_at"] for key, row in system.rows().items() if key.endswith("#due")]


def test_a_mail_of_a_customer_is_due_after_the_targets_in_business_hours(office: System) -> None:
    path = receive(office, "a@x")

    found = level(office, path)
    assert found == {
        "started_at": "2026-01-01T13:00:00.000Z",
        "first_response": {
            "due_at": "2026-01-01T15:00:00.000Z",
            "alarm_at": "2026-01-01T14:30:00.000Z",
            "state": "open",
            "running": True,
        },
        "resolution": {
            "due_at": "2026-01-05T13:00:00.000Z",  # 3 hours today, the rest on Monday
            "alarm_at": "2026-01-05T11:00:00.000Z",
            "state": "open",
            "running": True,
        },
    }
    assert deadlines(office) == ["2026-01-01T14:30:00.000Z"]


def test_without_business_hours_every_hour_counts_and_without_targets_nothing_is_due(
    system: System,
) -> None:
    path = receive(system, "a@x")
    assert level(system, path) == {}
    system.register(MAILBOX, first_response_minutes=24 * 60)
    receive(system, "b@x", in_reply_to="a@x")

    assert first(system, path) == ("open", "2026-01-02T13:00:00.000Z")
    assert "resolution" not in level(system, path)


@pytest.mark.parametrize("kind", ["Auto-Submitted: auto-replied", "List-Id: <l.example>"])
def test_a_mail_that_needs_no_answer_is_not_due(office: System, kind: str) -> None:
    path = receive(office, "a@x", more=kind)

    assert level(office, path) == {}
    assert not deadlines(office)


def test_the_alarm_is_given_once_and_then_the_breach_is_counted_once(office: System) -> None:
    path = receive(office, "a@x")
    until(office, "2026-01-01T14:25:00.000Z")
    assert alarms(office) == []
    until(office, "2026-01-01T14:55:00.000Z")
    assert alarms(office) == [ALARM]
    assert counts(office) == {}
    thread = office.threads()[0]["conversation_id"]
    for moment in ("2026-01-01T14:30:00.000Z", "2026-01-01T15:00:00.000Z"):
        office.fifo_queues.put(
            office.queue, entry(EmailDue(conversation_id=thread, look_at=moment))
        )
        office.drain()
    assert alarms(office) == [ALARM]

    until(office, "2026-01-01T18:00:00.000Z")

    assert alarms(office) == [ALARM, BREACH]
    assert first(office, path) == ("overdue", "2026-01-01T15:00:00.000Z")
    assert counts(office) == {"2026-01-01": (0, 1, 0, 0)}
    assert deadlines(office) == ["2026-01-05T11:00:00.000Z"]


def test_an_alarm_moves_a_thread_in_no_list(office: System) -> None:
    path = receive(office, "a@x")
    before = result(office.call("GET", path))
    until(office, "2026-01-01T14:35:00.000Z")
    after = result(office.call("GET", path))

    assert (after["updated_at"], after["expires_at"]) == (
        before["updated_at"],
        before["expires_at"],
    )
    assert after["last_seq"] == before["last_seq"] + 1


def test_an_answer_in_time_is_met_and_ends_the_alarm(office: System) -> None:
    path = receive(office, "a@x")
    office.clock.ms += HOUR_MS
    answered(office)
    answered(office)  # again
    until(office, "2026-01-01T16:00:00.000Z")

    assert first(office, path)[0] == "met"
    assert alarms(office) == []
    assert counts(office) == {"2026-01-01": (1, 0, 0, 0)}


def test_a_late_answer_is_counted_as_the_breach_that_it_is_once(office: System) -> None:
    path = receive(office, "a@x")
    until(office, "2026-01-01T15:05:00.000Z")
    answered(office)

    assert first(office, path)[0] == "late"
    assert counts(office) == {"2026-01-01": (0, 1, 0, 0)}


def test_an_answer_that_is_late_before_the_schedule_runs_is_a_breach(office: System) -> None:
    path = receive(office, "a@x")
    office.clock.ms += 2 * HOUR_MS + 1
    answered(office)

    assert first(office, path)[0] == "late"
    assert counts(office) == {"2026-01-01": (0, 1, 0, 0)}


def test_an_answer_in_time_that_is_stored_after_the_breach_takes_it_back(office: System) -> None:
    path = receive(office, "a@x")
    until(office, "2026-01-01T15:05:00.000Z")
    assert counts(office) == {"2026-01-01": (0, 1, 0, 0)}
    answered(office, late_ms=10 * 60_000)

    assert first(office, path)[0] == "met"
    assert counts(office) == {"2026-01-01": (1, 0, 0, 0)}


def test_an_answer_that_is_stored_before_the_mail_that_it_answers_counts(office: System) -> None:
    office.clock.ms += HOUR_MS
    answered(office)
    path = receive(office, "a@x", late_ms=HOUR_MS)

    assert level(office, path)["started_at"] == "2026-01-01T13:00:00.000Z"
    assert first(office, path) == ("met", "2026-01-01T15:00:00.000Z")
    assert counts(office) == {"2026-01-01": (1, 0, 0, 0)}


def test_an_earlier_mail_that_arrives_late_moves_the_due_times_back(office: System) -> None:
    office.clock.ms += HOUR_MS
    receive(office, "b@x", in_reply_to="a@x", references="a@x")
    path = receive(office, "a@x", late_ms=HOUR_MS)

    assert first(office, path) == ("open", "2026-01-01T15:00:00.000Z")
    assert resolution(office, path) == ("open", "2026-01-05T13:00:00.000Z")
    assert deadlines(office) == ["2026-01-01T14:30:00.000Z"]


def test_further_mails_of_the_customer_change_no_due_time(office: System) -> None:
    path = receive(office, "a@x")
    before = level(office, path)
    office.clock.ms += HOUR_MS
    receive(office, "b@x", in_reply_to="a@x")

    assert level(office, path) == before


@pytest.mark.long
def test_a_resolution_is_due_later_by_the_hours_that_the_thread_waited_for_the_customer(
    office: System,
) -> None:
    path = receive(office, "a@x")
    office.clock.ms += HOUR_MS
    set_status(office, path, "pending_info")
    assert level(office, path)["resolution"]["running"] is False
    until(office, "2026-01-05T09:00:00.000Z")  # 2 hours of Thursday, 1 of Monday

    receive(office, "b@x", in_reply_to="a@x")

    assert resolution(office, path) == ("open", "2026-01-05T16:00:00.000Z")
    assert deadlines(office) == ["2026-01-05T14:00:00.000Z"]
    set_status(office, path, "pending_info")
    office.clock.ms += HOUR_MS
    set_status(office, path, "active")
    assert resolution(office, path) == ("open", "2026-01-06T09:00:00.000Z")


def test_a_completed_thread_is_resolved_and_a_mistake_is_taken_back(office: System) -> None:
    path = receive(office, "a@x")
    answered(office)
    set_status(office, path, "completed")
    assert resolution(office, path)[0] == "met"
    assert counts(office) == {"2026-01-01": (1, 0, 1, 0)}
    assert not deadlines(office)

    set_status(office, path, "active")

    assert resolution(office, path) == ("open", "2026-01-05T13:00:00.000Z")
    assert counts(office) == {"2026-01-01": (1, 0, 0, 0)}
    assert deadlines(office) == ["2026-01-05T11:00:00.000Z"]


def test_a_thread_that_the_customer_reopens_has_new_due_times_and_keeps_its_counts(
    office: System,
) -> None:
    path = receive(office, "a@x")
    answered(office)
    set_status(office, path, "completed")
    office.clock.ms += HOUR_MS

    receive(office, "b@x", in_reply_to="a@x")

    assert first(office, path) == ("open", "2026-01-01T16:00:00.000Z")
    assert resolution(office, path)[0] == "open"
    assert counts(office) == {"2026-01-01": (1, 0, 1, 0)}
    answered(office, "our2@shop")
    assert counts(office) == {"2026-01-01": (2, 0, 1, 0)}


def test_an_archived_thread_is_not_due(office: System) -> None:
    path = receive(office, "a@x")
    result(office.call("POST", f"{path}/archive"))
    until(office, "2026-01-01T18:00:00.000Z")

    assert alarms(office) == []
    assert counts(office) == {}
    assert level(office, path)["first_response"]["running"] is False


def test_the_first_response_of_threads_that_are_merged_is_due_at_the_earlier_time(
    office: System,
) -> None:
    receive(office, "a@x")
    (old,) = [one["conversation_id"] for one in office.threads()]
    office.clock.ms += HOUR_MS
    receive(office, "b@x", subject="Tables")
    (new,) = [one["conversation_id"] for one in office.threads() if one["conversation_id"] != old]
    result(office.call("POST", f"/email-threads/{old}/merge", {"into": new}))
    office.drain()

    assert first(office, f"/email-threads/{new}") == ("open", "2026-01-01T15:00:00.000Z")
    until(office, "2026-01-01T16:00:00.000Z")
    assert alarms(office) == [ALARM, BREACH]
    assert counts(office) == {"2026-01-01": (0, 1, 0, 0)}


def test_an_admitted_mail_is_due_from_its_time_and_one_that_is_withheld_again_is_not(
    office: System,
) -> None:
    path = receive(office, "a@x", body="Your verification code is 123456")
    assert level(office, path) == {}
    result(office.call("POST", f"{path}/emails/1/admit"))
    assert first(office, path) == ("open", "2026-01-01T15:00:00.000Z")

    result(office.call("POST", f"{path}/emails/1/withhold"))

    assert "first_response" not in level(office, path)
    assert not deadlines(office)


def test_a_deadline_of_a_removed_thread_is_removed(office: System) -> None:
    receive(office, "a@x")
    thread = office.threads()[0]["conversation_id"]
    office.dynamodb.delete_item(TableName=office.table, Key={"conversation_id": {"S": thread}})
    until(office, "2026-01-01T14:35:00.000Z")

    assert not deadlines(office)
