"""Parked events and dead letters of conversations, replayed in any order: the final state is that without failures."""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING, Any

import pytest

from events.conversations import sample_data
from events.conversations.twilio import SMS_NUMBER
from shared.events.exchange import File, FileStored, body_of
from shared.events.recovery import dead_letters
from shared.events.recovery.port import NotFound, NotReplayable
from tests.integration.conversations.steps import queue_name, start_conversation, status_of
from tests.simulation.conversations.erasure import erase
from tests.simulation.conversations.recovery import parked, recovery, redriven, replay
from tests.simulation.effort import long_except
from tests.simulation.interceptor import Died, When

if TYPE_CHECKING:
    from tests.simulation.conversations.system import System

ADDRESS = ("log", f"ADDR#sms#{SMS_NUMBER}", f"{sample_data.COMPANY}#{sample_data.PROJECT}")
BOB = {"recipient_first_name": "Bob", "recipient_tel": "+447700900456", "comms_consent": True}


def without_address(system: System, *texts: str) -> dict[str, Any]:
    """Messages received while the number was not registered, and so parked; the missing item."""
    item = system.row(*ADDRESS)
    assert item is not None
    system.remove(*ADDRESS)
    for number, text in enumerate(texts):
        system.text(f"m{number}", text)
        system.clock.ms += 1_000
    system.drain()
    return item


def facts(system: System, ref: str) -> tuple[Any, ...]:
    """The final state of a conversation, independent of the order of its events."""
    customer_texts = sorted(m["content"] for m in system.log(ref) if m["author"] == "customer")
    newest = max(m["sk"] for m in system.log(ref) if m["author"] == "customer")
    ours = [m.get("delivery_status") for m in system.log(ref) if m.get("turn_kind") == "initial"]
    is_answered = system.state(ref)["answered_up_to"] >= newest
    return status_of(system, ref), customer_texts, is_answered, ours, "turn" in system.state(ref)


@pytest.mark.parametrize("seed", long_except(range(4), [0]))
def test_parked_messages_replayed_in_any_order_are_all_stored_and_answered(
    system: System, seed: int
) -> None:
    ref = start_conversation(system)
    item = without_address(system, "Yes I do", "a full one", "for ten years")
    assert system.parked() == ["UNKNOWN_ADDRESS"] * 3
    system.write("log", item)

    found = parked(system)
    Random(seed).shuffle(found)  # noqa: S311 - an order, not a secret
    for one in found:
        replay(system, one.event_id)
    system.settle()

    customer_texts = sorted(["Yes I do", "a full one", "for ten years"])
    assert facts(system, ref) == (("reply_sent", None), customer_texts, True, ["accepted"], False)
    assert parked(system) == []
    assert system.fifo_queues.dead_letters == []


def test_an_event_that_still_fails_is_parked_again_and_listed(system: System) -> None:
    start_conversation(system)
    without_address(system, "Yes I do")
    (before,) = parked(system)
    system.clock.ms += 1_000

    replay(system, before.event_id)
    system.drain()

    (after,) = parked(system)
    assert after.event_id != before.event_id
    assert after.event_id.rpartition(".")[2] == before.event_id.rpartition(".")[2]
    everything = [one.state for one in parked(system, is_waiting=False)]
    assert everything == ["open", "replayed"]


@pytest.mark.long
def test_a_replay_that_crashes_before_it_is_recorded_is_repeated_and_handled_once(
    system: System,
) -> None:
    ref = start_conversation(system)
    item = without_address(system, "Yes I do")
    system.write("log", item)
    (found,) = parked(system)
    start = system.snapshot()
    system.interceptor.rewind()
    replay(system, found.event_id)
    calls = list(system.interceptor.calls)

    for number in range(1, len(calls) + 1):
        system.restore(start)
        system.interceptor.die_at = (number, When.AFTER)
        with pytest.raises(Died):
            replay(system, found.event_id)
        system.new_process()
        system.settle()
        replay(system, found.event_id)
        system.settle()
        assert facts(system, ref)[:2] == (("reply_sent", None), ["Yes I do"]), calls[number - 1]
        assert parked(system) == []


def _everything_dies(system: System, ref: str) -> None:
    """The project settings are unreadable: two messages, a status and a request become dead letters."""
    sid = system.log(ref)[0]["provider_message_id"]
    good = system.row("company", sample_data.COMPANY, sample_data.PROJECT) or {}
    status, _ = system.ask(sample_data.request("sms", "req-2", recipient_data=BOB))
    assert status == 200
    system.change(timezone="Nowhere/Land")
    system.text("a", "Yes I do")
    system.text("b", "a full one")
    system.status(str(sid), "delivered")
    system.drain()
    system.set_up(good)


@pytest.mark.parametrize("seed", long_except(range(4), [0]))
@pytest.mark.long
def test_dead_letters_redriven_in_any_order_end_in_the_state_without_failures(
    system: System, seed: int
) -> None:
    ref = start_conversation(system)
    _everything_dies(system, ref)
    letters = dead_letters.listed(recovery(system).dead_letters, limit=100).letters
    assert {dead.kind for dead in letters} == {"inbound_message", "delivery_status", "context"}
    assert {(dead.reason, dead.attempts) for dead in letters} == {("configuration_invalid", 5)}

    ids = [dead.id for dead in letters]
    Random(seed).shuffle(ids)  # noqa: S311 - an order, not a secret
    for one in ids:
        assert [done.refused for done in redriven(system, [one])] == [None]
    system.settle()

    customer_texts = sorted(["Yes I do", "a full one"])
    assert facts(system, ref) == (("reply_sent", None), customer_texts, True, ["delivered"], False)
    begun = [key for key in system.rows() if key[0] == "conversations"]
    assert len(begun) == 2
    assert len(system.sent()) in {3, 4}  # two first messages, and an answer to both, or to each
    assert system.fifo_queues.dead_letters == []


def test_each_dead_letter_is_redriven_to_its_source_queue(system: System) -> None:
    ref = start_conversation(system)
    _everything_dies(system, ref)

    done = redriven(system)

    names = sorted(str(one.destination).rpartition("-")[2] for one in done)
    assert names == ["inbound.fifo", "inbound.fifo", "sms.fifo", "statuses.fifo"]


def test_dead_letters_of_triggers_and_records_are_redriven_to_their_queues(system: System) -> None:
    ref = start_conversation(system)
    for name, body in (
        ("replies", f'{{"type":"reply_trigger","v":1,"ref":"{ref}","message_sk":"MSG#x"}}'),
        ("sms", f'{{"type":"resume","ref":"{ref}"}}'),
    ):
        queue = system.fifo_queues.queues[queue_name(system, name)]
        queue._append(body, "g", "d")
        queue.dead_letters.append(queue.messages.pop())

    done = {str(one.destination).rpartition("-")[2]: one.refused for one in redriven(system)}

    assert done == {"replies.fifo": None, "sms.fifo": None}
    assert system.fifo_queues.dead_letters == []


def test_a_dead_letter_of_a_file_event_is_redriven_to_the_inbound_queue(system: System) -> None:
    queue = system.fifo_queues.queues[queue_name(system, "inbound")]
    event = FileStored(
        provider="meta",
        provider_message_id="wamid.p",
        account="102290129340398",
        channel_method="whatsapp",
        business_address="+447700900001",
        file=File(url="s3://a-bucket/media/77.jpg", provider_id="77"),
    )
    queue._append(body_of(event), "g", "d")
    queue.dead_letters.append(queue.messages.pop())

    done = {str(one.destination).rpartition("-")[2]: one.refused for one in redriven(system)}

    assert done == {"inbound.fifo": None}


def test_unreadable_dead_letters_and_those_of_missing_conversations_are_refused_and_kept(
    system: System,
) -> None:
    queue = system.fifo_queues.queues[queue_name(system, "sms")]
    for body in ("{", '{"type":"resume","ref":"nobody"}'):
        queue._append(body, "g", "d")
        queue.dead_letters.append(queue.messages.pop())

    assert sorted(str(one.refused) for one in redriven(system)) == ["gone", "unreadable"]
    assert len(system.fifo_queues.dead_letters) == 2


def test_a_parked_event_of_an_erased_person_cannot_be_replayed(system: System) -> None:
    start_conversation(system)
    system.text("a", "Yes I do")
    system.run_intake()
    erase(system)
    system.drain()
    (found,) = parked(system)
    assert found.reason == "erased"

    with pytest.raises(NotReplayable, match="erased"):
        replay(system, found.event_id)


def test_an_event_that_was_never_parked_is_not_found(system: System) -> None:
    for name in ("", "x", "2026-01-01T12:00:00.000Z.0123456789abcdef01234567"):
        with pytest.raises(NotFound):
            replay(system, name)
