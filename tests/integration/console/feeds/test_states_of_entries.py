"""What an entry of an AI conversation shows of its state: unread, resolved, snoozed."""

from __future__ import annotations

import pytest

from conversations.lifecycle import status as lifecycle
from conversations.lifecycle.status import Status
from conversations.store import states
from conversations.store.lists import inbox_heads
from shared.runtime import clock
from tests.integration.console.feeds.conversations_feed import OURS, fed, inbox, only
from tests.integration.console.system import Fed, InboxSystem
from tests.integration.conversations.harness import CAROL, Harness, _behind, harness

__all__ = ["_behind", "fed", "harness", "inbox"]  # fixtures


def test_a_message_to_people_is_unread_until_it_is_answered(
    harness: Harness,
    inbox: InboxSystem,
    fed: Fed,
) -> None:
    ref = harness.begin()
    harness.on(ref, "take-over", CAROL)
    harness.says(ref, "are you there?")
    fed.take()

    row = only(inbox, unread="true")
    state = states.read(harness.resources.log, ref)
    assert state is not None
    assert (row["assignee"], row["waitingSince"]) == ("carol", state.last_inbound_at)

    states.note(harness.resources.log, ref, last_outbound_at=harness.later())
    fed.take()

    assert inbox.rows(OURS, unread="true") == inbox.rows(OURS, waiting="true") == []


def test_a_message_that_the_model_answers_is_never_unread(
    harness: Harness,
    inbox: InboxSystem,
    fed: Fed,
) -> None:
    harness.says(harness.begin(), "hello")

    fed.take()

    assert only(inbox)["unread"] is False


@pytest.mark.parametrize("status", sorted(Status))
def test_only_conversations_that_are_over_are_resolved(
    harness: Harness,
    inbox: InboxSystem,
    fed: Fed,
    status: Status,
) -> None:
    harness.begin(status=status)
    fed.take()

    row = only(inbox)

    assert row["contextStatus"] == status
    assert row["status"] == ("resolved" if status in lifecycle.OVER else "open")


def test_the_statuses_with_people_are_those_of_the_lifecycle() -> None:
    assert {str(one) for one in lifecycle.WITH_PEOPLE} == inbox_heads._WITH_PEOPLE


def test_labels_and_a_snooze_are_shown_until_the_customer_writes(
    harness: Harness,
    inbox: InboxSystem,
    fed: Fed,
) -> None:
    ref = harness.begin()
    until = clock.to_text(harness.now[0] + 24 * clock.HOUR_MS)
    harness.on(ref, "labels", CAROL | {"labels": ["vip"], "revision": 0})
    harness.on(ref, "snooze", CAROL | {"snoozed_until": until})
    fed.take()

    row = only(inbox, label="vip", status="snoozed")
    assert (row["labels"], row["snoozedUntil"]) == (["vip"], until)

    harness.says(ref, "hello")
    fed.take()

    row = only(inbox, label="vip", status="open")
    assert "snoozedUntil" not in row


def test_a_snooze_that_is_over_is_shown_as_open_without_another_change(
    harness: Harness,
    inbox: InboxSystem,
    fed: Fed,
) -> None:
    ref = harness.begin()
    until = clock.to_text(harness.now[0] + clock.HOUR_MS)
    harness.on(ref, "snooze", CAROL | {"snoozed_until": until})
    fed.take()

    harness.later(clock.HOUR_MS)

    assert only(inbox)["status"] == "open"


def test_a_closed_conversation_is_resolved_and_not_snoozed(
    harness: Harness,
    inbox: InboxSystem,
    fed: Fed,
) -> None:
    ref = harness.begin()
    until = clock.to_text(harness.now[0] + clock.HOUR_MS)
    harness.on(ref, "snooze", CAROL | {"snoozed_until": until})
    harness.on(ref, "close", CAROL)
    fed.take()

    row = only(inbox)

    assert (row["status"], row.get("snoozedUntil")) == ("resolved", None)
