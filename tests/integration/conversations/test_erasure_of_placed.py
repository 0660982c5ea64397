"""Erasure of a person with a message that agents attached from a second address: either address erases all of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from conversations.store import states
from events.conversations import cast
from tests.integration.conversations.acts import (
    DAY_MS,
    aside,
    messages_of,
    start_conversation,
    unmatched,
)
from tests.simulation.conversations.erasing import erase, traces
from tests.simulation.conversations.invocations import Refused

if TYPE_CHECKING:
    from tests.simulation.conversations.world import World

ANN, MAIL = cast.CANDIDATE, cast.CANDIDATE_EMAIL
SECOND, THIRD = "+447700900456", "+447700900789"
WORDS = ("night shift", MAIL, *(number.removeprefix("+") for number in (ANN, SECOND, THIRD)))
LINE = "POST /unmatched/{unmatched_id}/attach"


def unplaced(world: World, sender: str = SECOND, name: str = "second") -> str:
    """Store an unmatched text; returns the id that agents see."""
    world.text(name, "Is there a night shift?", From=sender)
    world.take_in()
    (waiting,) = world.call_admin_api("GET /unmatched")["messages"]
    return str(waiting["id"])


def place(world: World, ref: str, sender: str = SECOND, name: str = "second") -> None:
    """Store an unmatched text, which an agent attaches to the conversation."""
    world.call_admin_api(LINE, {"ref": ref}, unmatched_id=unplaced(world, sender, name))


def placed(world: World) -> str:
    """A conversation with messages of a second address: one attached by an agent, one matched by that."""
    ref = start_conversation(world)
    place(world, ref)
    world.work_off()
    world.text("next", "A night shift would do", From=SECOND)
    world.work_off()
    assert len(messages_of(world, ref)) == 2
    return ref


def routes_left(world: World) -> list[str]:
    return [key[1] for key in world.rows() if key[1].startswith(("ROUTE#", "PLACED#", "IN#"))]


@pytest.mark.parametrize("address", [ANN, SECOND])
def test_erasure_by_either_address_deletes_all_data(world: World, address: str) -> None:
    ref = placed(world)
    mail = start_conversation(world, "email", "req-2")

    done = erase(world, address)

    assert done.conversations == 2
    assert traces(world, *WORDS) == []
    assert all(states.is_erased(aside(world).log, one) for one in (ref, mail))
    assert routes_left(world) == []


@pytest.mark.parametrize("address", [ANN, SECOND])
def test_repeated_messages_of_both_addresses_are_dropped(world: World, address: str) -> None:
    placed(world)
    erase(world, address)
    world.clock.ms += DAY_MS

    for name in ("second", "next"):
        world.text(name, "Is there a night shift?", From=SECOND)
    world.work_off()

    assert traces(world, *WORDS) == []
    assert (unmatched(world), world.parked()) == ([], [])


@pytest.mark.parametrize("address", [ANN, SECOND])
def test_an_attached_message_still_on_the_queue_is_dropped(world: World, address: str) -> None:
    ref = start_conversation(world)
    place(world, ref)

    erase(world, address)
    world.work_off()

    assert traces(world, *WORDS) == []


def test_a_message_attached_during_its_senders_erasure_is_erased(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    ref = start_conversation(world)
    waiting = unplaced(world)
    log = aside(world).log
    buried: list[str] = []

    def attach_message(ms: int) -> None:
        """A call that began before: it does not see that the sender is being erased."""
        world.clock.ms += ms
        if not buried:
            (tombstone,) = [key for key in world.rows() if key[1].startswith("ERASED#")]
            item = log.get({"pk": tombstone[1], "sk": tombstone[2]})
            world.remove(*tombstone)
            world.call_admin_api(LINE, {"ref": ref}, unmatched_id=waiting)
            world.take_in()
            log.put(item or {})
            buried.append(tombstone[1])

    monkeypatch.setattr("shared.runtime.clock.sleep_ms", attach_message)

    erase(world, SECOND)
    world.work_off()

    assert buried
    assert traces(world, *WORDS) == []


def test_a_message_of_a_person_being_erased_is_not_attached(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    ref = start_conversation(world)
    waiting = unplaced(world)
    refused: list[int] = []

    def attach_message(ms: int) -> None:
        world.clock.ms += ms
        with pytest.raises(Refused) as refusal:
            world.call_admin_api(LINE, {"ref": ref}, unmatched_id=waiting)
        refused.append(refusal.value.status)

    monkeypatch.setattr("shared.runtime.clock.sleep_ms", attach_message)

    erase(world, SECOND)

    assert set(refused) == {404}
    assert messages_of(world, ref) == []
    assert traces(world, SECOND.removeprefix("+")) == []
    assert not states.is_erased(aside(world).log, ref)


def test_a_third_address_in_the_same_conversation_is_deleted_with_it(world: World) -> None:
    ref = placed(world)
    place(world, ref, THIRD, "third")
    world.work_off()

    erase(world, SECOND)

    assert traces(world, *WORDS) == []
    assert routes_left(world) == []


def test_of_two_people_who_share_a_telephone_only_one_is_erased(world: World) -> None:
    ref = placed(world)
    bob = {"recipient_first_name": "Bob", "recipient_email": "bob@example.com"}
    other = start_conversation(world, request_id="req-2", recipient_tel=THIRD, **bob)
    world.clock.ms += 8 * DAY_MS
    for one in (ref, other):
        world.call_admin_api("POST /conversations/{ref}/close", ref=one)
    world.clock.ms += 8 * DAY_MS
    place(world, other, name="of-bob")
    world.work_off()

    erase(world, ANN)

    log = aside(world).log
    assert (states.is_erased(log, ref), states.is_erased(log, other)) == (True, False)
    assert messages_of(world, other) == ["Is there a night shift?"]
    erase(world, SECOND)
    assert states.is_erased(log, other)
    assert traces(world, *WORDS) == []


def test_the_second_address_is_known_as_long_as_the_conversation_is_stored(world: World) -> None:
    world.change(retention_days=30)
    ref = placed(world)
    for number in range(4):
        world.clock.ms += 20 * DAY_MS
        world.text(f"later{number}", "And now?", From=SECOND)
        world.work_off()
    assert len(messages_of(world, ref)) == 6

    erase(world, SECOND)

    assert states.is_erased(aside(world).log, ref)
    assert set(traces(world, *WORDS)) <= {"log IDEMPOTENCY"}  # its retention period is over
    assert routes_left(world) == []
