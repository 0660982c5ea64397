"""Parked events and dead letters of conversations, replayed in any order: the final state is that without failures."""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING, Any

import pytest

from events.conversations import cast
from events.conversations.twilio import SMS_NUMBER
from shared.events import File, FileStored, body_of
from shared.recovery import dead_letters
from shared.recovery.port import NotFound, NotReplayable
from tests.integration.conversations.acts import queue_name, stands, start_conversation
from tests.simulation.conversations.erasing import erase
from tests.simulation.conversations.letters import parked, recovery, redriven, replay
from tests.simulation.wire import Died, When

if TYPE_CHECKING:
    from tests.simulation.conversations.world import World

ADDRESS = ("log", f"ADDR#sms#{SMS_NUMBER}", f"{cast.COMPANY}#{cast.PROJECT}")
BOB = {"recipient_first_name": "Bob", "recipient_tel": "+447700900456", "comms_consent": True}


def without_address(world: World, *texts: str) -> dict[str, Any]:
    """Messages received while the number was not registered, and so parked; the missing item."""
    item = world.row(*ADDRESS)
    assert item is not None
    world.remove(*ADDRESS)
    for number, text in enumerate(texts):
        world.text(f"m{number}", text)
        world.clock.ms += 1_000
    world.work_off()
    return item


def facts(world: World, ref: str) -> tuple[Any, ...]:
    """The final state of a conversation, independent of the order of its events."""
    customer_texts = sorted(m["content"] for m in world.log(ref) if m["author"] == "customer")
    newest = max(m["sk"] for m in world.log(ref) if m["author"] == "customer")
    ours = [m.get("delivery_status") for m in world.log(ref) if m.get("turn_kind") == "initial"]
    is_answered = world.state(ref)["answered_up_to"] >= newest
    return stands(world, ref), customer_texts, is_answered, ours, "turn" in world.state(ref)


@pytest.mark.parametrize("seed", range(4))
def test_parked_messages_replayed_in_any_order_are_all_stored_and_answered(
    world: World, seed: int
) -> None:
    ref = start_conversation(world)
    item = without_address(world, "Yes I do", "a full one", "for ten years")
    assert world.parked() == ["UNKNOWN_ADDRESS"] * 3
    world.write("log", item)

    found = parked(world)
    Random(seed).shuffle(found)  # noqa: S311 - an order, not a secret
    for one in found:
        replay(world, one.event_id)
    world.settle()

    customer_texts = sorted(["Yes I do", "a full one", "for ten years"])
    assert facts(world, ref) == (("reply_sent", None), customer_texts, True, ["accepted"], False)
    assert parked(world) == []
    assert world.lanes.dead_letters == []


def test_an_event_that_still_fails_is_parked_again_and_listed(world: World) -> None:
    start_conversation(world)
    without_address(world, "Yes I do")
    (before,) = parked(world)
    world.clock.ms += 1_000

    replay(world, before.event_id)
    world.work_off()

    (after,) = parked(world)
    assert after.event_id != before.event_id
    assert after.event_id.rpartition(".")[2] == before.event_id.rpartition(".")[2]
    everything = [one.state for one in parked(world, is_waiting=False)]
    assert everything == ["open", "replayed"]


def test_a_replay_that_crashes_before_it_is_recorded_is_repeated_and_handled_once(
    world: World,
) -> None:
    ref = start_conversation(world)
    item = without_address(world, "Yes I do")
    world.write("log", item)
    (found,) = parked(world)
    start = world.remember()
    world.wire.rewind()
    replay(world, found.event_id)
    calls = list(world.wire.calls)

    for number in range(1, len(calls) + 1):
        world.begin_again(start)
        world.wire.die_at = (number, When.AFTER)
        with pytest.raises(Died):
            replay(world, found.event_id)
        world.new_process()
        world.settle()
        replay(world, found.event_id)
        world.settle()
        assert facts(world, ref)[:2] == (("reply_sent", None), ["Yes I do"]), calls[number - 1]
        assert parked(world) == []


def _everything_dies(world: World, ref: str) -> None:
    """The project settings are unreadable: two messages, a status and a request become dead letters."""
    sid = world.log(ref)[0]["provider_message_id"]
    good = world.row("company", cast.COMPANY, cast.PROJECT) or {}
    status, _ = world.ask(cast.request("sms", "req-2", recipient_data=BOB))
    assert status == 200
    world.change(timezone="Nowhere/Land")
    world.text("a", "Yes I do")
    world.text("b", "a full one")
    world.status(str(sid), "delivered")
    world.work_off()
    world.set_up(good)


@pytest.mark.parametrize("seed", range(4))
def test_dead_letters_redriven_in_any_order_end_in_the_state_without_failures(
    world: World, seed: int
) -> None:
    ref = start_conversation(world)
    _everything_dies(world, ref)
    letters = dead_letters.listed(recovery(world).dead_letters, limit=100).letters
    assert {dead.kind for dead in letters} == {"inbound_message", "delivery_status", "context"}
    assert {(dead.reason, dead.attempts) for dead in letters} == {("configuration_invalid", 5)}

    ids = [dead.id for dead in letters]
    Random(seed).shuffle(ids)  # noqa: S311 - an order, not a secret
    for one in ids:
        assert [done.refused for done in redriven(world, [one])] == [None]
    world.settle()

    customer_texts = sorted(["Yes I do", "a full one"])
    assert facts(world, ref) == (("reply_sent", None), customer_texts, True, ["delivered"], False)
    begun = [key for key in world.rows() if key[0] == "conversations"]
    assert len(begun) == 2
    assert len(world.sent()) in {3, 4}  # two first messages, and an answer to both, or to each
    assert world.lanes.dead_letters == []


def test_each_dead_letter_is_redriven_to_its_source_queue(world: World) -> None:
    ref = start_conversation(world)
    _everything_dies(world, ref)

    done = redriven(world)

    names = sorted(str(one.destination).rpartition("-")[2] for one in done)
    assert names == ["inbound.fifo", "inbound.fifo", "sms.fifo", "statuses.fifo"]


def test_dead_letters_of_triggers_and_records_are_redriven_to_their_queues(world: World) -> None:
    ref = start_conversation(world)
    for name, body in (
        ("replies", f'{{"type":"reply_trigger","v":1,"ref":"{ref}","message_sk":"MSG#x"}}'),
        ("sms", f'{{"type":"resume","ref":"{ref}"}}'),
    ):
        queue = world.lanes.queues[queue_name(world, name)]
        queue._append(body, "g", "d")
        queue.dead_letters.append(queue.messages.pop())

    done = {str(one.destination).rpartition("-")[2]: one.refused for one in redriven(world)}

    assert done == {"replies.fifo": None, "sms.fifo": None}
    assert world.lanes.dead_letters == []


def test_a_dead_letter_of_a_file_event_is_redriven_to_the_inbound_queue(world: World) -> None:
    queue = world.lanes.queues[queue_name(world, "inbound")]
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

    done = {str(one.destination).rpartition("-")[2]: one.refused for one in redriven(world)}

    assert done == {"inbound.fifo": None}


def test_unreadable_dead_letters_and_those_of_missing_conversations_are_refused_and_kept(
    world: World,
) -> None:
    queue = world.lanes.queues[queue_name(world, "sms")]
    for body in ("{", '{"type":"resume","ref":"nobody"}'):
        queue._append(body, "g", "d")
        queue.dead_letters.append(queue.messages.pop())

    assert sorted(str(one.refused) for one in redriven(world)) == ["gone", "unreadable"]
    assert len(world.lanes.dead_letters) == 2


def test_a_parked_event_of_an_erased_person_cannot_be_replayed(world: World) -> None:
    start_conversation(world)
    world.text("a", "Yes I do")
    world.take_in()
    erase(world)
    world.work_off()
    (found,) = parked(world)
    assert found.reason == "erased"

    with pytest.raises(NotReplayable, match="erased"):
        replay(world, found.event_id)


def test_an_event_that_was_never_parked_is_not_found(world: World) -> None:
    for name in ("", "x", "2026-01-01T12:00:00.000Z.0123456789abcdef01234567"):
        with pytest.raises(NotFound):
            replay(world, name)
