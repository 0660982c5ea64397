"""Bursts of messages: one answer, a bounded wait, and no unanswered message."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.integration.conversations.steps import model_answer, queue_name, texts_by, with_model
from tests.integration.logs import recorded
from tests.simulation.conversations.scenarios import sends_pictures

if TYPE_CHECKING:
    from tests.simulation.conversations.system import System


def write(system: System, count: int, every_ms: int, begin: int = 0) -> list[int]:
    """The candidate writes so many messages; returns their times."""
    written = []
    for number in range(begin, begin + count):
        written.append(system.clock.ms)
        system.text(f"m{number}", f"This is number {number}")
        system.advance(every_ms)
    return written


def answers(system: System, ref: str) -> list[str]:
    return texts_by(system, ref)[1:]  # The first one began the conversation.


@pytest.mark.parametrize(
    ("text", "seconds"), [("Which shift is it?", 1), ("which shift", 6)], ids=["whole", "fragment"]
)
def test_a_message_is_answered_a_second_after_it_if_it_looks_complete_and_later_if_not(
    system: System, text: str, seconds: int
) -> None:
    ref = system.begin("sms")
    system.text("a", text)

    system.advance(seconds * 1_000 - 1)
    assert answers(system, ref) == []

    system.advance(1)
    assert len(answers(system, ref)) == 1


def test_fragments_are_answered_once_after_the_wait_of_the_newest(system: System) -> None:
    ref = system.begin("sms")
    begun = system.clock.ms
    for name, text, pause_ms in (
        ("a", "Yes I do", 3_000),
        ("b", "a full one", 2_000),
        ("c", "for ten years.", 0),
    ):
        system.text(name, text)
        system.advance(pause_ms)

    system.advance(begun + 11_000 - 1 - system.clock.ms)
    assert answers(system, ref) == []

    system.advance(1)
    assert len(answers(system, ref)) == 1
    system.settle()
    assert len(answers(system, ref)) == 1


def test_a_reply_waits_until_the_files_of_its_message_are_stored_or_for_ten_seconds(
    system: System,
) -> None:
    ref = system.begin("sms")
    sends_pictures(system, "picture", 1)

    system.advance(9_999)
    assert answers(system, ref) == []

    system.advance(1)
    assert len(answers(system, ref)) == 1


def test_a_project_sets_the_waits_of_each_channel(system: System) -> None:
    system.change(burst_wait={"sms": {"fragment": 3}})
    ref = system.begin("sms")
    system.text("a", "which shift")

    system.advance(3_000)

    assert len(answers(system, ref)) == 1


def test_a_trigger_that_waits_for_its_time_is_no_attempt_and_no_failure(
    system: System, monkeypatch: pytest.MonkeyPatch
) -> None:
    ref = system.begin("sms")
    log = recorded(monkeypatch)
    system.text("a", "which shift")

    system.drain()

    assert len(answers(system, ref)) == 1
    assert "retry scheduled" not in log.getvalue()
    assert "dynamodb.UpdateItem parley-local-queue-attempts" not in " ".join(
        system.interceptor.calls
    )


@pytest.mark.long
def test_thirty_messages_in_twenty_seconds_are_stored_singly_and_answered_once(
    system: System,
) -> None:
    ref = system.begin("sms")

    write(system, 30, 667)
    system.drain()

    messages = system.log(ref)
    assert [m["content"] for m in messages if m["author"] == "customer"] == [
        f"This is number {n}" for n in range(30)
    ]
    assert len(answers(system, ref)) == 1
    assert len(system.sent()) == 2


@pytest.mark.long
def test_the_window_shows_the_newest_of_a_burst_and_its_answer_in_order(system: System) -> None:
    ref = system.begin("sms")

    write(system, 30, 667)
    system.drain()

    entries = system.conversation(ref)["messages"]
    shown = [entry["content"] for entry in entries[:-1]]
    assert shown
    assert shown == [f"This is number {n}" for n in range(30 - len(shown), 30)]
    assert entries[-1]["role"] == "assistant"
    assert system.state(ref)["answered_up_to"] == system.log(ref)[-2]["sk"]


@pytest.mark.long
def test_a_customer_who_keeps_writing_is_answered_within_a_minute_of_the_oldest_message(
    system: System,
) -> None:
    """Every nine seconds for five minutes: each trigger finds something newer, until the oldest waits too long."""
    with_model(system, *[model_answer(f"This is answer {number}.") for number in range(12)])
    system.change(burst_wait={"sms": {"fragment": 10}})
    ref = system.begin("sms")
    begun = system.clock.ms

    write(system, 33, 9_000)
    system.drain()

    waits = _longest_waits(system, ref)
    assert len(waits) >= 5
    # 45 s, and then at most until the next trigger: 9 s to the message and its wait of 10 s.
    assert max(waits) <= 55_000
    assert begun + 33 * 9_000 <= system.clock.ms


def _longest_waits(system: System, ref: str) -> list[int]:
    """How long the oldest message of each answer had waited, in milliseconds."""
    from shared.runtime import clock  # noqa: PLC0415 - the system has one of its own

    waits, oldest = [], None
    for message in system.log(ref)[1:]:
        sent_at = clock.from_text(message["message_timestamp"])
        if message["author"] == "customer":
            oldest = oldest or sent_at
        elif oldest is not None:
            waits.append(sent_at - oldest)
            oldest = None
    assert oldest is None, "a message was not answered"
    return waits


def test_every_message_has_one_trigger_and_a_late_trigger_does_nothing(system: System) -> None:
    ref = system.begin("sms")
    system.text("a", "Which shift is it?")
    system.run_intake()
    (trigger,) = system.fifo_queues.queues[queue_name(system, "replies")].messages

    system.drain()
    system.clock.ms += 3_600_000
    system.fifo_queues.queues[queue_name(system, "replies")]._append(
        trigger.body, trigger.group, "again"
    )
    system.drain()

    assert len(answers(system, ref)) == 1


def test_a_message_that_arrives_during_a_turn_gets_an_answer_of_its_own(system: System) -> None:
    ref = system.begin("sms")
    system.text("a", "Which shift is it?")
    system.run_intake()
    was_written = False

    def writes(call: str) -> bool:
        nonlocal was_written
        if not was_written and call.startswith("HTTP.POST /2010"):
            was_written = True
            system.fifo_queues.queues[queue_name(system, "inbound")].clock.ms += 500
            _say(system, "b", "And which job?")
        return False

    system.interceptor.fails_if = writes
    system.drain()

    assert [m["author"] for m in system.log(ref)] == ["ai", "customer", "ai", "customer", "ai"]
    assert "Healthcare Assistant" in answers(system, ref)[1]


def _say(system: System, name: str, text: str) -> None:
    """A message of the candidate on the queue, without going through the webhook."""
    from conversations.inbound.webhooks import twilio_events  # noqa: PLC0415 - what Twilio's function does
    from events.conversations import twilio  # noqa: PLC0415 - as above

    fields = twilio.text(name, text)
    system.forward(twilio_events.inbound_message(fields, twilio.ACCOUNT, system.clock.ms))
