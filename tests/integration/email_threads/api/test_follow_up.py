"""Reminders of threads without an answer of the customer; answered threads that close, and closed ones that stay so."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from shared.runtime import clock
from tests.integration.email_threads.api.thread_calls import refused, result
from tests.integration.email_threads.desk import changes
from tests.integration.email_threads.mailboxes.test_service_levels import (
    answered,
    deadlines,
    receive,
)
from tests.simulation.email_threads.system import BOB, MAILBOX

if TYPE_CHECKING:
    from tests.simulation.email_threads.system import System

DAY_MS = clock.DAY_SECONDS * clock.SECOND_MS


def ahead(system: System, days: float) -> str:
    return clock.to_text(system.clock.ms + int(days * DAY_MS))


def pass_days(system: System, days: float) -> None:
    """The time passes; then the schedule runs twice."""
    system.clock.ms += int(days * DAY_MS)
    for _ in range(2):
        system.run_schedule()
        system.drain()


def remind(system: System, path: str, days: float = 3) -> str:
    at = ahead(system, days)
    result(system.call("PATCH", path, {"remind_at": at}))
    return at


def shown(system: System, path: str, *names: str) -> tuple[Any, ...]:
    thread = result(system.call("GET", path))
    return tuple(thread.get(name) for name in names)


def recorded(system: System, action: str) -> list[tuple[str, str | None]]:
    """Author and detail of the changes of a kind."""
    return [(actor, detail) for actor, kind, detail in changes(system) if kind == action]


def test_a_reminder_opens_a_thread_once_if_the_customer_has_not_answered(system: System) -> None:
    path = receive(system, "a@x")
    answered(system)
    result(system.call("PATCH", path, {"status": "pending_info"}))
    at = remind(system, path)
    result(system.call("PATCH", path, {"snoozed_until": ahead(system, 20)}))
    pass_days(system, 2.9)
    assert recorded(system, "reminder") == []

    pass_days(system, 0.1)

    reminder, status, snooze = shown(system, path, "reminder", "status", "snoozed_until")
    assert (reminder["remind_at"], status, snooze) == (at, "active", None)
    assert reminder["given_at"] == clock.to_text(system.clock.ms)
    assert recorded(system, "reminder") == [("reminder", None)]
    assert not deadlines(system)
    pass_days(system, 3)
    assert len(recorded(system, "reminder")) == 1


def test_a_mail_of_the_customer_cancels_a_reminder_and_one_of_the_company_does_not(
    system: System,
) -> None:
    path = receive(system, "a@x")
    at = remind(system, path)
    answered(system)
    receive(system, "auto@x", in_reply_to="a@x", more="Auto-Submitted: auto-replied")
    assert shown(system, path, "reminder") == ({"remind_at": at},)

    receive(system, "b@x", in_reply_to="a@x")

    assert shown(system, path, "reminder") == (None,)
    pass_days(system, 4)
    assert recorded(system, "reminder") == []


@pytest.mark.parametrize(
    "then",
    [{"remind_at": None}, {"status": "completed"}, {"status": "archived"}],
    ids=["taken back", "completed", "archived"],
)
def test_a_reminder_is_taken_back_or_ends_with_its_thread(
    system: System, then: dict[str, Any]
) -> None:
    path = receive(system, "a@x")
    remind(system, path)
    result(system.call("PATCH", path, then))

    assert shown(system, path, "reminder") == (None,)
    assert not deadlines(system)


def test_an_answer_after_a_given_reminder_has_followed_it_up(system: System) -> None:
    path = receive(system, "a@x")
    remind(system, path)
    pass_days(system, 3)
    answered(system)

    assert shown(system, path, "reminder") == (None,)


def test_a_reminder_is_refused_for_a_closed_thread_and_for_times_that_cannot_be(
    system: System,
) -> None:
    path = receive(system, "a@x")
    for days in (-1, 29.999 + 1, 400):
        bad = {"remind_at": ahead(system, days)}
        assert refused(system.call("PATCH", path, bad)) == (400, "invalid_input", ["remind_at"])
    result(system.call("PATCH", path, {"status": "completed"}))
    given = {"remind_at": ahead(system, 1)}

    assert refused(system.call("PATCH", path, given))[:2] == (409, "invalid_transition")


def test_an_answered_thread_is_completed_after_the_days_of_its_mailbox(system: System) -> None:
    system.register(MAILBOX, auto_close_days=7)
    path = receive(system, "a@x")
    pass_days(system, 8)
    assert shown(system, path, "status", "closes_at") == ("active", None)
    answered(system)
    assert shown(system, path, "closes_at") == (ahead(system, 7),)
    pass_days(system, 6.9)
    assert shown(system, path, "status") == ("active",)

    pass_days(system, 0.1)

    assert shown(system, path, "status", "closes_at") == ("completed", None)
    assert recorded(system, "auto_close") == [("auto-close", "days=7")]
    receive(system, "b@x", in_reply_to="a@x")
    assert shown(system, path, "status", "closes_at") == ("active", None)


def test_a_mail_of_the_customer_keeps_a_thread_open_and_waiting_for_information_closes_it(
    system: System,
) -> None:
    system.register(MAILBOX, auto_close_days=7)
    path = receive(system, "a@x")
    answered(system)
    receive(system, "b@x", in_reply_to="a@x")
    assert shown(system, path, "closes_at") == (None,)
    # An older answer that is stored late is not the last word.
    answered(system, "late@shop", late_ms=1_000)
    assert shown(system, path, "closes_at") == (None,)

    result(system.call("PATCH", path, {"status": "pending_info"}))

    assert shown(system, path, "closes_at") == (ahead(system, 7),)
    pass_days(system, 7)
    assert shown(system, path, "status") == ("completed",)


def test_a_snooze_a_reminder_and_an_open_draft_defer_the_end_of_a_thread(system: System) -> None:
    system.register(MAILBOX, auto_close_days=2)
    path = receive(system, "a@x")
    answered(system)
    remind(system, path, 4)
    pass_days(system, 3)
    assert shown(system, path, "status") == ("active",)
    pass_days(system, 1)  # The reminder leaves the thread to people.
    assert shown(system, path, "status", "closes_at") == ("active", None)
    answered(system, "our2@shop")
    result(system.call("PATCH", path, {"snoozed_until": ahead(system, 3)}))
    draft = result(system.call("POST", f"{path}/replies", {"body_text": "One more thing."}))
    pass_days(system, 3)
    assert shown(system, path, "status") == ("active",)
    rejection = {"version": 1, "reason": "not needed"}
    result(system.call("POST", f"{path}/replies/{draft['reply_id']}/reject", rejection))

    pass_days(system, 1)

    assert shown(system, path, "status") == ("completed",)


def test_a_mailbox_that_closes_none_any_more_closes_no_thread_that_was_to_be_closed(
    system: System,
) -> None:
    system.register(MAILBOX, auto_close_days=2)
    path = receive(system, "a@x")
    answered(system)
    system.register(MAILBOX)
    pass_days(system, 2)

    assert shown(system, path, "status", "closes_at") == ("active", None)
    assert not deadlines(system)


def late_reply(system: System, message_id: str, days: float, reply_to: str = "a@x") -> str:
    """A mail of the customer so many days later; returns the path of the newest thread."""
    pass_days(system, days)
    receive(system, message_id, in_reply_to=reply_to, references=f"a@x {reply_to}")
    newest = max(system.threads(), key=lambda one: str(one["updated_at"]))
    return f"/email-threads/{newest['conversation_id']}"


def test_mail_after_the_days_of_reopening_begins_a_thread_that_later_mail_joins(
    system: System,
) -> None:
    system.register(MAILBOX, reopen_days=5)
    path = receive(system, "a@x")
    result(system.call("PATCH", path, {"status": "completed"}))
    assert late_reply(system, "b@x", 4.9) == path
    result(system.call("PATCH", path, {"status": "completed"}))
    result(system.call("PATCH", path, {"status": "archived"}))

    new = late_reply(system, "c@x", 5.1, "b@x")

    assert new != path
    old_id, new_id = path.rpartition("/")[2], new.rpartition("/")[2]
    assert shown(system, path, "status", "email_count") == ("archived", 2)
    assert shown(system, path, "links")[0]["continued_in"] == new_id
    assert shown(system, new, "links")[0]["continues"] == old_id
    # Replies to either go to the new one, and merge none; a copy of the mail changes nothing.
    assert late_reply(system, "d@x", 0.1, "c@x") == new
    assert late_reply(system, "e@x", 0.1, "b@x") == new
    assert late_reply(system, "c@x", 0, "b@x") == new
    assert shown(system, new, "email_count") == (3,)
    # And after its own end, one more thread continues it.
    result(system.call("PATCH", new, {"status": "completed"}))
    third = late_reply(system, "f@x", 6, "b@x")
    assert shown(system, third, "links")[0]["continues"] == new_id
    assert late_reply(system, "g@x", 0.1, "c@x") == third


def test_automatic_mail_and_mail_received_before_the_end_join_the_closed_thread(
    system: System,
) -> None:
    system.register(MAILBOX, reopen_days=0)
    path = receive(system, "a@x")
    system.clock.ms += 1_000
    result(system.call("PATCH", path, {"status": "completed"}))
    system.clock.ms += 1_000
    receive(system, "auto@x", in_reply_to="a@x", more="Auto-Submitted: auto-replied")
    assert shown(system, path, "status", "email_count") == ("completed", 2)
    receive(system, "b@x", in_reply_to="a@x", late_ms=1_500)
    assert shown(system, path, "status", "email_count") == ("active", 3)


def test_a_stranger_is_kept_out_of_the_continuation_too(system: System) -> None:
    system.register(MAILBOX, reopen_days=1)
    path = receive(system, "a@x")
    result(system.call("PATCH", path, {"status": "completed"}))
    new = late_reply(system, "b@x", 2)
    pass_days(system, 0.1)
    receive(system, "stranger@x", sender=BOB, in_reply_to="b@x")

    assert len(system.threads()) == 3
    assert shown(system, new, "email_count") == (1,)
