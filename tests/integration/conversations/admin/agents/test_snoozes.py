"""Agents snooze conversations; a message of the customer, or time, wakes them."""

from __future__ import annotations

from typing import Any

import pytest

from conversations.lifecycle.status import Status
from conversations.store import states
from conversations.store.annotations import agent_changes
from conversations.store.annotations.agent_changes import Change
from shared.runtime import clock
from tests.integration.conversations.admin.agents.annotations import kept_until, shown
from tests.integration.conversations.harness import CAROL, DAN, Harness


def ahead(harness: Harness, **units: int) -> str:
    """A time after now: `days`, `hours`."""
    hours = units.get("days", 0) * 24 + units.get("hours", 0)
    return clock.to_text(harness.now[0] + hours * clock.HOUR_MS)


def snoozed(harness: Harness, ref: str, until: str) -> None:
    answer = harness.on(ref, "snooze", CAROL | {"snoozed_until": until})
    assert answer.status == 200, answer.body


def test_a_snooze_ends_by_itself(harness: Harness) -> None:
    ref = harness.begin()
    until = ahead(harness, hours=3)

    snoozed(harness, ref, until)

    assert shown(harness, ref) == ([], until, 1)
    harness.later(3 * clock.HOUR_MS)
    assert shown(harness, ref) == ([], None, 1)


def test_a_snooze_is_given_in_any_time_zone(harness: Harness) -> None:
    ref = harness.begin()

    snoozed(harness, ref, "2026-06-01T14:00:00+02:00")

    assert shown(harness, ref)[1] == "2026-06-01T12:00:00.000Z"


def test_a_new_message_of_the_customer_wakes_a_conversation(harness: Harness) -> None:
    ref = harness.begin()
    snoozed(harness, ref, ahead(harness, days=2))

    harness.says(ref, "Hello?")

    assert shown(harness, ref)[1] is None


def test_a_message_that_came_while_another_was_sent_wakes_a_conversation(harness: Harness) -> None:
    """The sent message is newer, so only the time of the customer's message moves."""
    ref = harness.begin()
    at = harness.later()
    states.note(harness.resources.log, ref, last_message_at=harness.later())
    snoozed(harness, ref, ahead(harness, days=2))

    states.take_inbound(harness.resources.log, ref, at, window_until=None)

    assert shown(harness, ref)[1] is None


def test_a_message_that_is_delivered_again_does_not_end_a_later_snooze(harness: Harness) -> None:
    ref = harness.begin()
    message = harness.says(ref, "Hello?")
    until = ahead(harness, days=2)
    snoozed(harness, ref, until)

    states.take_inbound(harness.resources.log, ref, message.message_timestamp, window_until=None)

    assert shown(harness, ref)[1] == until


def test_an_answer_of_an_agent_leaves_a_conversation_snoozed(harness: Harness) -> None:
    ref = harness.begin(status=Status.HANDOFF_ACTIVE, owner="carol")
    until = ahead(harness, days=2)
    snoozed(harness, ref, until)

    harness.on(ref, "messages", CAROL | {"text": "I will ask."})
    harness.says(ref, "I will ask.", author="human:carol")

    assert shown(harness, ref)[1] == until


def test_an_agent_wakes_a_conversation_once(harness: Harness) -> None:
    ref = harness.begin()
    snoozed(harness, ref, ahead(harness, days=2))

    assert harness.on(ref, "wake", CAROL).result == {"ref": ref, "revision": 2}
    assert harness.on(ref, "wake", DAN).result == {"ref": ref, "revision": 2}
    assert shown(harness, ref) == ([], None, 2)


def test_the_later_of_two_snoozes_without_a_revision_wins(harness: Harness) -> None:
    ref = harness.begin()
    snoozed(harness, ref, ahead(harness, days=2))
    until = ahead(harness, hours=1)

    snoozed(harness, ref, until)

    assert shown(harness, ref)[1:] == (until, 2)


def test_a_snooze_based_on_an_older_revision_is_refused(harness: Harness) -> None:
    ref = harness.begin()
    harness.on(ref, "labels", CAROL | {"labels": ["vip"], "revision": 0})

    body = DAN | {"snoozed_until": ahead(harness, days=1), "revision": 0}
    answer = harness.on(ref, "snooze", body)

    assert (answer.status, answer.error) == (409, "state_conflict")


@pytest.mark.parametrize("status", [Status.CLOSED, Status.OPTED_OUT])
def test_a_conversation_that_is_over_cannot_be_snoozed(harness: Harness, status: Status) -> None:
    ref = harness.begin(status=status)

    answer = harness.on(ref, "snooze", CAROL | {"snoozed_until": ahead(harness, days=1)})

    assert (answer.status, answer.error) == (409, "not_open")
    assert harness.state(ref).snoozed_until is None


def test_a_conversation_that_was_closed_is_not_snoozed_when_it_is_reopened(
    harness: Harness,
) -> None:
    ref = harness.begin()
    snoozed(harness, ref, ahead(harness, days=2))

    harness.on(ref, "close", CAROL)
    harness.on(ref, "reopen", CAROL)

    assert shown(harness, ref)[1] is None


def test_a_snooze_meets_a_close(harness: Harness, monkeypatch: pytest.MonkeyPatch) -> None:
    """The conversation is closed between the check and the write: it is not snoozed."""
    ref = harness.begin()
    change = agent_changes.change

    def closes_first(*arguments: Any) -> Any:
        monkeypatch.setattr(agent_changes, "change", change)
        harness.on(ref, "close", DAN)
        return change(*arguments)

    monkeypatch.setattr(agent_changes, "change", closes_first)
    answer = harness.on(ref, "snooze", CAROL | {"snoozed_until": ahead(harness, days=1)})

    assert (answer.status, answer.error) == (409, "not_open")
    assert harness.state(ref).snoozed_until is None


def test_labels_and_a_snooze_at_once_are_both_set(harness: Harness) -> None:
    ref = harness.begin()
    log, seen = harness.resources.log, harness.state(ref)
    labels = Change(fields={"labels": {"vip"}}, cause="1", by="carol")
    assert agent_changes.change(log, ref, seen, labels) is not None
    until = ahead(harness, days=1)

    stale = Change(fields={"snoozed_until": until}, cause="2", by="dan")
    assert agent_changes.change(log, ref, seen, stale) is None
    snoozed(harness, ref, until)

    assert shown(harness, ref) == (["vip"], until, 2)


def test_a_conversation_cannot_be_snoozed_beyond_its_deletion(harness: Harness) -> None:
    ref = harness.begin()
    kept_until(harness, ref, harness.now[0] // clock.SECOND_MS + clock.DAY_SECONDS)

    late = harness.on(ref, "snooze", CAROL | {"snoozed_until": ahead(harness, days=2)})

    assert list(late.problems) == ["snoozed_until"]
    assert "is deleted" in late.problems["snoozed_until"]
    snoozed(harness, ref, ahead(harness, hours=12))
