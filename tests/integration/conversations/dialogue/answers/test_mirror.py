"""The copy of a conversation at OpenAI: each finished turn is added to it, and no outcome depends on it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from conversations.lifecycle.records.commands import HumanMessage
from events.conversations import sample_data
from tests.integration.conversations.steps import (
    MINUTE_MS,
    OPENAI_SECRET_ID,
    enqueue,
    model_answer,
    model_says,
    status_of,
    texts_by,
)
from tests.integration.conversations.steps import with_model as with_any_model
from tests.simulation.interceptor import When

if TYPE_CHECKING:
    from tests.simulation.conversations.system import System

pytestmark = pytest.mark.long

FIRST = model_answer("Hello Ann, can you start in May?")
LATER = model_answer("You start at nine.")
HINT = "\nReply STOP to opt out."


def with_model(system: System, *texts: str) -> None:
    """Make OpenAI the project's model, with the copy, which is off by default."""
    with_any_model(system, *texts, keep_thread=True)


def write(system: System, text: str = "When do I start?", name: str = "m") -> None:
    system.text(name, text)
    system.drain()


def copied(system: System, ref: str) -> list[tuple[str, str]]:
    """Role and text of each item of the copy at OpenAI."""
    items = system.sandbox.openai.conversations[system.conversation(ref)["thread_id"]]
    return [(item["role"], item["content"]) for item in items]


def test_each_finished_turn_is_added_with_the_messages_that_it_answers(system: System) -> None:
    with_model(system, FIRST, LATER)
    ref = system.begin("sms")

    system.text("one", "Hello")
    system.text("two", "when do I start?")
    system.drain()

    assert copied(system, ref) == [
        ("assistant", f"Hello Ann, can you start in May?{HINT}"),
        ("user", "Hello"),
        ("user", "when do I start?"),
        ("assistant", "You start at nine."),
    ]
    assert len(system.sandbox.openai.conversations) == 1


def test_agents_messages_are_added_as_well(system: System) -> None:
    with_model(system, FIRST)
    ref = system.begin("sms")

    enqueue(system, HumanMessage(ref=ref, cause="c", agent_id="eve", text="Eve here"), ref, "human")

    assert copied(system, ref)[1:] == [("assistant", "Eve here")]


def test_a_conversation_over_whatsapp_has_a_copy_too(system: System) -> None:
    with_model(system, model_answer("", variables={"question": "Can you start in May?"}))

    ref = system.begin("whatsapp")

    (only,) = copied(system, ref)
    assert only[1].endswith("Can you start in May?")


def test_a_conversation_that_a_customer_begins_has_a_copy_from_its_first_answer(
    system: System,
) -> None:
    system.set_up(sample_data.project(accept_inbound=True))
    with_model(system, FIRST, LATER)
    bob = {"recipient_first_name": "Bob", "recipient_tel": "+447700900456", "comms_consent": True}
    of_bob = system.begin("sms", recipient_data=bob)  # Now the number matches the conversation.

    write(system)

    refs = {key[1].removeprefix("CONV#") for key in system.rows() if key[2:] == ("STATE",)}
    (ref,) = refs - {of_bob}
    assert copied(system, ref) == [
        ("user", "When do I start?"),
        ("assistant", "You start at nine."),
    ]


def test_an_unsent_message_is_not_added(system: System) -> None:
    with_model(system, FIRST, "prose", "more prose")
    ref = system.begin("sms")
    system.change(policy={})

    write(system)

    assert status_of(system, ref)[0] == "handoff_pending"
    assert len(copied(system, ref)) == 1


@pytest.mark.parametrize("times", [1, 100])
def test_a_failed_copy_changes_no_outcome(system: System, times: int) -> None:
    with_model(system, FIRST, LATER)
    ref = system.begin("sms")
    system.sandbox.faults.add(
        kind="status", provider="openai", operation="create_items", status=409, times=times
    )

    write(system)

    assert texts_by(system, ref)[-1] == "You start at nine."
    assert status_of(system, ref) == ("reply_sent", None)
    assert len(copied(system, ref)) == 1
    assert system.fifo_queues.dead_letters == []
    copies = [e for e in system.sandbox.sent if e.operation == "create_items"]
    assert len(copies) <= 2  # Once for each turn: a duplicate is worse than a gap.


def test_a_copy_that_could_not_be_created_is_created_with_the_next_turn(system: System) -> None:
    system.sandbox.faults.add(
        kind="status", provider="openai", operation="create_conversation", status=503
    )
    with_model(system, FIRST, LATER)
    ref = system.begin("sms")
    assert "thread_id" not in system.conversation(ref)

    write(system)

    assert copied(system, ref) == [
        ("user", "When do I start?"),
        ("assistant", "You start at nine."),
    ]


def test_a_missing_model_key_does_not_prevent_agents_messages(system: System) -> None:
    with_model(system, FIRST)
    ref = system.begin("sms")
    system.put_secret(OPENAI_SECRET_ID, None)
    system.clock.ms += 10 * MINUTE_MS

    enqueue(system, HumanMessage(ref=ref, cause="c", agent_id="eve", text="Eve here"), ref, "human")

    assert texts_by(system, ref, "human:eve") == ["Eve here"]
    assert len(copied(system, ref)) == 1


def test_the_copy_is_neither_read_nor_used_by_a_model_call(system: System) -> None:
    with_model(system, FIRST, LATER)
    system.begin("sms")
    write(system)

    model_requests = [e.body for e in system.sandbox.sent if e.operation == "create_response"]
    assert all("conversation" not in body for body in model_requests if isinstance(body, dict))
    operations = {e.operation for e in system.sandbox.sent if e.provider == "openai"}
    assert operations == {"create_response", "create_conversation", "create_items"}


def test_a_project_that_does_not_enable_the_copy_has_none(system: System) -> None:
    with_any_model(system, FIRST, LATER)
    ref = system.begin("sms")
    write(system)

    assert "thread_id" not in system.conversation(ref)
    assert system.sandbox.openai.conversations == {}


def test_a_crash_at_any_call_adds_no_turn_twice(system: System) -> None:
    with_model(system, FIRST)
    ref = system.begin("sms")
    system.text("m", "When do I start?")
    start = system.snapshot()
    copies = {name: list(items) for name, items in system.sandbox.openai.conversations.items()}
    model_says(system, LATER)
    system.new_process()
    system.interceptor.rewind()
    system.settle()
    names = list(system.interceptor.calls)
    last = max(n for n, name in enumerate(names, 1) if name.startswith("HTTP.POST /v1/conv"))

    # From the provider's answer to the end: calls after the release of the lease are not repeated.
    for number in range(last - 6, len(names) + 1):
        for when in When:
            system.restore(start)
            system.sandbox.openai.conversations = {n: list(i) for n, i in copies.items()}
            model_says(system, *[LATER] * 3)
            system.interceptor.die_at = (number, when)
            system.settle()
            what = f"died {when} {number} {names[number - 1]}"
            assert texts_by(system, ref)[1:] == ["You start at nine."], what
            texts = [text for _, text in copied(system, ref)]
            assert texts.count("You start at nine.") <= 1, what
            assert status_of(system, ref)[0] == "reply_sent", what
