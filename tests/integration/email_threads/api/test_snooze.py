"""Threads are snoozed until a time, until the customer writes, or until a person wakes them or sets another status."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from shared.runtime import clock
from tests.integration.email_threads.api.thread_calls import refused, result, thread_of
from tests.simulation.email_threads.system import ANN, MAILBOX, mail

if TYPE_CHECKING:
    from tests.simulation.email_threads.system import System


def ahead(system: System, hours: int) -> str:
    return clock.to_text(system.clock.ms + hours * clock.HOUR_MS)


def snoozed(system: System, path: str, hours: int = 24) -> str:
    """Snooze a thread; returns the end."""
    until = ahead(system, hours)
    result(system.call("PATCH", path, {"snoozed_until": until}))
    return until


def shown(system: System, path: str) -> str | None:
    found: str | None = result(system.call("GET", path)).get("snoozed_until")
    return found


def test_a_snooze_ends_by_itself(system: System) -> None:
    path = thread_of(system, mail("a@x"))

    until = snoozed(system, path, hours=2)

    assert shown(system, path) == until
    (listed,) = result(system.call("GET", "/email-threads"))["threads"]
    assert listed["snoozed_until"] == until
    system.clock.ms += 2 * clock.HOUR_MS
    assert shown(system, path) is None
    assert "snoozed_until" not in result(system.call("GET", "/email-threads"))["threads"][0]


def test_a_new_mail_of_the_customer_wakes_a_thread(system: System) -> None:
    path = thread_of(system, mail("a@x"))
    snoozed(system, path)

    thread_of(system, mail("b@x", in_reply_to="a@x"))

    assert shown(system, path) is None
    assert "snoozed_until" not in system.threads()[0]


def test_an_automatic_answer_and_a_mail_of_the_company_leave_a_thread_snoozed(
    system: System,
) -> None:
    path = thread_of(system, mail("a@x"))
    until = snoozed(system, path)

    thread_of(system, mail("b@x", in_reply_to="a@x", more="Auto-Submitted: auto-replied"))
    thread_of(system, mail("c@x", in_reply_to="a@x", sender=MAILBOX, to=ANN))

    assert system.threads()[0]["email_count"] == 3
    assert shown(system, path) == until


def test_a_person_wakes_a_thread(system: System) -> None:
    path = thread_of(system, mail("a@x"))
    snoozed(system, path)

    for _ in range(2):
        result(system.call("PATCH", path, {"snoozed_until": None}))

    assert shown(system, path) is None


def test_a_new_status_ends_a_snooze(system: System) -> None:
    path = thread_of(system, mail("a@x"))
    snoozed(system, path)

    result(system.call("PATCH", path, {"status": "completed"}))
    result(system.call("PATCH", path, {"status": "active"}))

    assert shown(system, path) is None


def test_other_changes_and_notes_leave_a_thread_snoozed(system: System) -> None:
    path = thread_of(system, mail("a@x"))
    until = snoozed(system, path)

    result(system.call("PATCH", path, {"assigned_to": "ada", "add_tags": ["oak"]}))
    result(system.call("POST", f"{path}/notes", {"text": "Prefers oak."}))

    assert shown(system, path) == until


@pytest.mark.parametrize("status", ["completed", "archived"])
def test_only_an_open_thread_can_be_snoozed(system: System, status: str) -> None:
    path = thread_of(system, mail("a@x"))
    result(system.call("PATCH", path, {"status": status}))
    until = {"snoozed_until": ahead(system, 24)}

    assert refused(system.call("PATCH", path, until))[:2] == (409, "invalid_transition")
    assert shown(system, path) is None

    result(system.call("PATCH", path, until | {"status": "active"}))
    assert shown(system, path) == until["snoozed_until"]


def test_a_thread_cannot_be_completed_and_snoozed_at_once(system: System) -> None:
    path = thread_of(system, mail("a@x"))

    both = {"status": "completed", "snoozed_until": ahead(system, 24)}

    assert refused(system.call("PATCH", path, both))[:2] == (409, "invalid_transition")
    assert result(system.call("GET", path))["status"] == "active"


def test_a_thread_cannot_be_snoozed_beyond_its_deletion(system: System) -> None:
    path = thread_of(system, mail("a@x"))
    days = int(result(system.call("GET", path))["data_retention_policy"].removesuffix("d"))

    status, body = system.call("PATCH", path, {"snoozed_until": ahead(system, 24 * (days + 1))})

    (problem,) = body["error"]["details"]
    assert (status, problem["field"]) == (400, "snoozed_until")
    assert "is deleted" in problem["problem"]
    snoozed(system, path, hours=24 * (days - 1))


def test_a_snooze_based_on_an_older_state_is_refused(system: System) -> None:
    path = thread_of(system, mail("a@x"))
    seen = result(system.call("GET", path))["last_seq"]
    thread_of(system, mail("b@x", in_reply_to="a@x"))

    body = {"snoozed_until": ahead(system, 24), "expected_seq": seen}

    assert refused(system.call("PATCH", path, body))[:2] == (409, "conflict")


def test_a_snooze_is_recorded_with_its_author_and_its_end(system: System) -> None:
    path = thread_of(system, mail("a@x"))

    until = snoozed(system, path)
    result(system.call("PATCH", path, {"snoozed_until": None}))

    woken, snooze = result(system.call("GET", f"{path}/changes"))["changes"]
    assert snooze["detail"] == f"snoozed_until={until[:19]}Z"
    assert woken["detail"] == "snoozed_until"
    assert snooze["actor"] == woken["actor"]


def test_a_repeated_snooze_is_made_once(system: System) -> None:
    path = thread_of(system, mail("a@x"))
    body: dict[str, Any] = {"snoozed_until": ahead(system, 24)}

    first, again = (system.call("PATCH", path, body, key="the-same-snooze") for _ in range(2))

    assert result(first) == result(again)
    assert len(result(system.call("GET", f"{path}/changes"))["changes"]) == 1


def test_a_merge_leaves_the_snooze_of_the_other_thread_behind(system: System) -> None:
    first = thread_of(system, mail("a@x", subject="One"))
    second = thread_of(system, mail("b@x", subject="Two", sender="bob@orchard.example"))
    snoozed(system, second)

    system.call("POST", f"{second}/merge", {"into": first.rpartition("/")[2]})
    system.drain()

    assert shown(system, first) is None
