"""Bursts of messages: one answer, a bounded wait, and no unanswered message."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.integration.conversations.acts import queue_name, texts_by

if TYPE_CHECKING:
    from tests.simulation.conversations.world import World


def write(world: World, count: int, every_ms: int, begin: int = 0) -> list[int]:
    """The candidate writes so many messages; returns their times."""
    written = []
    for number in range(begin, begin + count):
        written.append(world.clock.ms)
        world.text(f"m{number}", f"This is number {number}")
        world.let_pass(every_ms)
    return written


def answers(world: World, ref: str) -> list[str]:
    return texts_by(world, ref)[1:]  # The first one began the conversation.


def test_one_message_is_answered_after_a_moment(world: World) -> None:
    ref = world.begin("sms")
    world.text("a", "Which shift is it?")

    world.let_pass(9_000)
    assert answers(world, ref) == []

    world.let_pass(1_000)
    assert len(answers(world, ref)) == 1


def test_thirty_messages_in_twenty_seconds_are_stored_singly_and_answered_once(
    world: World,
) -> None:
    ref = world.begin("sms")

    write(world, 30, 667)
    world.work_off()

    messages = world.log(ref)
    assert [m["content"] for m in messages if m["author"] == "customer"] == [
        f"This is number {n}" for n in range(30)
    ]
    assert len(answers(world, ref)) == 1
    assert len(world.sent()) == 2


def test_the_window_shows_the_newest_of_a_burst_and_its_answer_in_order(world: World) -> None:
    ref = world.begin("sms")

    write(world, 30, 667)
    world.work_off()

    entries = world.conversation(ref)["messages"]
    assert [entry["content"] for entry in entries[:-1]] == [
        f"This is number {n}" for n in range(21, 30)
    ]
    assert entries[-1]["role"] == "assistant"
    assert world.state(ref)["answered_up_to"] == world.log(ref)[-2]["sk"]


def test_a_customer_who_keeps_writing_is_answered_within_a_minute_of_the_oldest_message(
    world: World,
) -> None:
    """Every nine seconds for five minutes: each trigger finds something newer, until the oldest waits too long."""
    ref = world.begin("sms")
    begun = world.clock.ms

    write(world, 33, 9_000)
    world.work_off()

    waits = _longest_waits(world, ref)
    assert len(waits) >= 5
    # 45 s, and then at most until the next trigger: 9 s to the message and 10 s in the queue.
    assert max(waits) <= 55_000
    assert begun + 33 * 9_000 <= world.clock.ms


def _longest_waits(world: World, ref: str) -> list[int]:
    """How long the oldest message of each answer had waited, in milliseconds."""
    from shared.runtime import clock  # noqa: PLC0415 - the world has one of its own

    waits, oldest = [], None
    for message in world.log(ref)[1:]:
        sent_at = clock.from_text(message["message_timestamp"])
        if message["author"] == "customer":
            oldest = oldest or sent_at
        elif oldest is not None:
            waits.append(sent_at - oldest)
            oldest = None
    assert oldest is None, "a message was not answered"
    return waits


def test_every_message_has_one_trigger_and_a_late_trigger_does_nothing(world: World) -> None:
    ref = world.begin("sms")
    world.text("a", "Which shift is it?")
    world.take_in()
    (trigger,) = world.lanes.queues[queue_name(world, "replies")].messages

    world.work_off()
    world.clock.ms += 3_600_000
    world.lanes.queues[queue_name(world, "replies")]._append(trigger.body, trigger.group, "again")
    world.work_off()

    assert len(answers(world, ref)) == 1


def test_a_message_that_arrives_during_a_turn_gets_an_answer_of_its_own(world: World) -> None:
    ref = world.begin("sms")
    world.text("a", "Which shift is it?")
    world.take_in()
    was_written = False

    def writes(call: str) -> bool:
        nonlocal was_written
        if not was_written and call.startswith("HTTP.POST"):
            was_written = True
            world.lanes.queues[queue_name(world, "inbound")].clock.ms += 500
            _say(world, "b", "And which job?")
        return False

    world.wire.fails_if = writes
    world.work_off()

    assert [m["author"] for m in world.log(ref)] == ["ai", "customer", "ai", "customer", "ai"]
    assert "Healthcare Assistant" in answers(world, ref)[1]


def _say(world: World, name: str, text: str) -> None:
    """A message of the candidate on the queue, without going through the webhook."""
    from conversations.inbound.webhooks import twilio_events  # noqa: PLC0415 - what Twilio's function does
    from events.conversations import twilio  # noqa: PLC0415 - as above

    fields = twilio.text(name, text)
    world.tell(twilio_events.inbound_message(fields, twilio.ACCOUNT, world.clock.ms))
