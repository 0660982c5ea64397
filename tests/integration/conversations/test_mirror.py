"""The copy of a conversation at OpenAI: each finished turn is added to it, and no outcome depends on it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from conversations.lifecycle.commands import HumanMessage
from events.conversations import cast
from tests.integration.conversations.acts import (
    MINUTE_MS,
    OPENAI_SECRET_ID,
    model_says,
    put,
    says,
    stands,
    texts_by,
    with_model,
)
from tests.simulation.wire import When

if TYPE_CHECKING:
    from tests.simulation.conversations.world import World

FIRST = says("Hello Ann, can you start in May?")
LATER = says("You start at nine.")
HINT = "\nReply STOP to opt out."


def write(world: World, text: str = "When do I start?", name: str = "m") -> None:
    world.text(name, text)
    world.work_off()


def copied(world: World, ref: str) -> list[tuple[str, str]]:
    """Role and text of each item of the copy at OpenAI."""
    items = world.sandbox.openai.conversations[world.conversation(ref)["thread_id"]]
    return [(item["role"], item["content"]) for item in items]


def test_each_finished_turn_is_added_with_the_messages_that_it_answers(world: World) -> None:
    with_model(world, FIRST, LATER)
    ref = world.begin("sms")

    world.text("one", "Hello")
    world.text("two", "when do I start?")
    world.work_off()

    assert copied(world, ref) == [
        ("assistant", f"Hello Ann, can you start in May?{HINT}"),
        ("user", "Hello"),
        ("user", "when do I start?"),
        ("assistant", "You start at nine."),
    ]
    assert len(world.sandbox.openai.conversations) == 1


def test_agents_messages_are_added_as_well(world: World) -> None:
    with_model(world, FIRST)
    ref = world.begin("sms")

    put(world, HumanMessage(ref=ref, cause="c", agent_id="eve", text="Eve here"), ref, "human")

    assert copied(world, ref)[1:] == [("assistant", "Eve here")]


def test_a_conversation_over_whatsapp_has_a_copy_too(world: World) -> None:
    with_model(world, says("", variables={"question": "Can you start in May?"}))

    ref = world.begin("whatsapp")

    (only,) = copied(world, ref)
    assert only[1].endswith("Can you start in May?")


def test_a_conversation_that_a_customer_begins_has_a_copy_from_its_first_answer(
    world: World,
) -> None:
    world.set_up(cast.project(accept_inbound=True))
    with_model(world, FIRST, LATER)
    bob = {"recipient_first_name": "Bob", "recipient_tel": "+447700900456", "comms_consent": True}
    of_bob = world.begin("sms", recipient_data=bob)  # Now the number matches the conversation.

    write(world)

    refs = {key[1].removeprefix("CONV#") for key in world.rows() if key[2:] == ("STATE",)}
    (ref,) = refs - {of_bob}
    assert copied(world, ref) == [("user", "When do I start?"), ("assistant", "You start at nine.")]


def test_an_unsent_message_is_not_added(world: World) -> None:
    with_model(world, FIRST, "prose", "more prose")
    ref = world.begin("sms")
    world.change(policy={})

    write(world)

    assert stands(world, ref)[0] == "handoff_pending"
    assert len(copied(world, ref)) == 1


@pytest.mark.parametrize("times", [1, 100])
def test_a_failed_copy_changes_no_outcome(world: World, times: int) -> None:
    with_model(world, FIRST, LATER)
    ref = world.begin("sms")
    world.sandbox.faults.add(
        kind="status", provider="openai", operation="create_items", status=409, times=times
    )

    write(world)

    assert texts_by(world, ref)[-1] == "You start at nine."
    assert stands(world, ref) == ("reply_sent", None)
    assert len(copied(world, ref)) == 1
    assert world.lanes.dead_letters == []
    copies = [e for e in world.sandbox.sent if e.operation == "create_items"]
    assert len(copies) <= 2  # Once for each turn: a duplicate is worse than a gap.


def test_a_copy_that_could_not_be_created_is_created_with_the_next_turn(world: World) -> None:
    world.sandbox.faults.add(
        kind="status", provider="openai", operation="create_conversation", status=503
    )
    with_model(world, FIRST, LATER)
    ref = world.begin("sms")
    assert "thread_id" not in world.conversation(ref)

    write(world)

    assert copied(world, ref) == [("user", "When do I start?"), ("assistant", "You start at nine.")]


def test_a_missing_model_key_does_not_prevent_agents_messages(world: World) -> None:
    with_model(world, FIRST)
    ref = world.begin("sms")
    world.keep_secret(OPENAI_SECRET_ID, None)
    world.clock.ms += 10 * MINUTE_MS

    put(world, HumanMessage(ref=ref, cause="c", agent_id="eve", text="Eve here"), ref, "human")

    assert texts_by(world, ref, "human:eve") == ["Eve here"]
    assert len(copied(world, ref)) == 1


def test_the_copy_is_neither_read_nor_used_by_a_model_call(world: World) -> None:
    with_model(world, FIRST, LATER)
    world.begin("sms")
    write(world)

    model_requests = [e.body for e in world.sandbox.sent if e.operation == "create_response"]
    assert all("conversation" not in body for body in model_requests if isinstance(body, dict))
    operations = {e.operation for e in world.sandbox.sent if e.provider == "openai"}
    assert operations == {"create_response", "create_conversation", "create_items"}


def test_a_project_that_disables_the_copy_has_none(world: World) -> None:
    with_model(world, FIRST, LATER, keep_thread=False)
    ref = world.begin("sms")
    write(world)

    assert "thread_id" not in world.conversation(ref)
    assert world.sandbox.openai.conversations == {}


@pytest.mark.long
def test_a_crash_at_any_call_adds_no_turn_twice(world: World) -> None:
    with_model(world, FIRST)
    ref = world.begin("sms")
    world.text("m", "When do I start?")
    start = world.remember()
    copies = {name: list(items) for name, items in world.sandbox.openai.conversations.items()}
    model_says(world, LATER)
    world.new_process()
    world.wire.rewind()
    world.settle()
    names = list(world.wire.calls)
    last = max(n for n, name in enumerate(names, 1) if name.startswith("HTTP.POST /v1/conv"))

    # From the provider's answer to the end: calls after the release of the lease are not repeated.
    for number in range(last - 6, len(names) + 1):
        for when in When:
            world.begin_again(start)
            world.sandbox.openai.conversations = {n: list(i) for n, i in copies.items()}
            model_says(world, *[LATER] * 3)
            world.wire.die_at = (number, when)
            world.settle()
            what = f"died {when} {number} {names[number - 1]}"
            assert texts_by(world, ref)[1:] == ["You start at nine."], what
            texts = [text for _, text in copied(world, ref)]
            assert texts.count("You start at nine.") <= 1, what
            assert stands(world, ref)[0] == "reply_sent", what
