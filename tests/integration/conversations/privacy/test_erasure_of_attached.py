"""Erasure of a person with a message that agents attached from a second address: either address erases all of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from conversations.store import states
from events.conversations import sample_data
from tests.integration.conversations.steps import (
    DAY_MS,
    direct_resources,
    messages_of,
    model_answer,
    start_conversation,
    unmatched,
    with_model,
)
from tests.simulation.conversations.erasure import erase, traces
from tests.simulation.conversations.invocations import Refused

if TYPE_CHECKING:
    from tests.simulation.conversations.system import System

pytestmark = pytest.mark.long

ANN, MAIL = sample_data.CANDIDATE, sample_data.CANDIDATE_EMAIL
SECOND, THIRD = "+447700900456", "+447700900789"
WORDS = ("night shift", MAIL, *(number.removeprefix("+") for number in (ANN, SECOND, THIRD)))
LINE = "POST /unmatched/{unmatched_id}/attach"


def store_unmatched(system: System, sender: str = SECOND, name: str = "second") -> str:
    """Store an unmatched text; returns the id that agents see."""
    system.text(name, "Is there a night shift?", From=sender)
    system.run_intake()
    (waiting,) = system.call_admin_api("GET /unmatched")["messages"]
    return str(waiting["id"])


def attach_new(system: System, ref: str, sender: str = SECOND, name: str = "second") -> None:
    """Store an unmatched text, which an agent attaches to the conversation."""
    system.call_admin_api(LINE, {"ref": ref}, unmatched_id=store_unmatched(system, sender, name))


def attached_conversation(system: System) -> str:
    """A conversation with messages of a second address: one attached by an agent, one matched by that."""
    ref = start_conversation(system)
    attach_new(system, ref)
    system.drain()
    system.text("next", "A night shift would do", From=SECOND)
    system.drain()
    assert len(messages_of(system, ref)) == 2
    return ref


def remaining_routes(system: System) -> list[str]:
    return [key[1] for key in system.rows() if key[1].startswith(("ROUTE#", "PLACED#", "IN#"))]


@pytest.mark.parametrize("address", [ANN, SECOND])
def test_erasure_by_either_address_deletes_all_data(system: System, address: str) -> None:
    ref = attached_conversation(system)
    mail = start_conversation(system, "email", "req-2")

    done = erase(system, address)

    assert done.counts["conversations"] == 2
    assert traces(system, *WORDS) == []
    assert all(states.is_erased(direct_resources(system).log, one) for one in (ref, mail))
    assert remaining_routes(system) == []


@pytest.mark.parametrize("address", [ANN, SECOND])
def test_repeated_messages_of_both_addresses_are_dropped(system: System, address: str) -> None:
    attached_conversation(system)
    erase(system, address)
    system.clock.ms += DAY_MS

    for name in ("second", "next"):
        system.text(name, "Is there a night shift?", From=SECOND)
    system.drain()

    assert traces(system, *WORDS) == []
    assert (unmatched(system), system.parked()) == ([], [])


@pytest.mark.parametrize("address", [ANN, SECOND])
def test_an_attached_message_still_on_the_queue_is_dropped(system: System, address: str) -> None:
    ref = start_conversation(system)
    attach_new(system, ref)

    erase(system, address)
    system.drain()

    assert traces(system, *WORDS) == []


def test_a_message_attached_during_its_senders_erasure_is_erased(
    system: System, monkeypatch: pytest.MonkeyPatch
) -> None:
    ref = start_conversation(system)
    waiting = store_unmatched(system)
    log = direct_resources(system).log
    buried: list[str] = []

    def attach_message(ms: int) -> None:
        """A call that began before: it does not see that the sender is being erased."""
        system.clock.ms += ms
        if not buried:
            (tombstone,) = [key for key in system.rows() if key[1].startswith("ERASED#")]
            item = log.get({"pk": tombstone[1], "sk": tombstone[2]})
            system.remove(*tombstone)
            system.call_admin_api(LINE, {"ref": ref}, unmatched_id=waiting)
            system.run_intake()
            log.put(item or {})
            buried.append(tombstone[1])

    monkeypatch.setattr("shared.runtime.clock.sleep_ms", attach_message)

    erase(system, SECOND)
    system.drain()

    assert buried
    assert traces(system, *WORDS) == []


def test_a_message_of_a_person_being_erased_is_not_attached(
    system: System, monkeypatch: pytest.MonkeyPatch
) -> None:
    ref = start_conversation(system)
    waiting = store_unmatched(system)
    refused: list[int] = []

    def attach_message(ms: int) -> None:
        system.clock.ms += ms
        with pytest.raises(Refused) as refusal:
            system.call_admin_api(LINE, {"ref": ref}, unmatched_id=waiting)
        refused.append(refusal.value.status)

    monkeypatch.setattr("shared.runtime.clock.sleep_ms", attach_message)

    erase(system, SECOND)

    assert set(refused) == {404}
    assert messages_of(system, ref) == []
    assert traces(system, SECOND.removeprefix("+")) == []
    assert not states.is_erased(direct_resources(system).log, ref)


def test_a_third_address_in_the_same_conversation_is_deleted_with_it(system: System) -> None:
    ref = attached_conversation(system)
    attach_new(system, ref, THIRD, "third")
    system.drain()

    erase(system, SECOND)

    assert traces(system, *WORDS) == []
    assert remaining_routes(system) == []


def test_of_two_people_who_share_a_telephone_only_one_is_erased(system: System) -> None:
    ref = attached_conversation(system)
    bob = {"recipient_first_name": "Bob", "recipient_email": "bob@example.com"}
    other = start_conversation(system, request_id="req-2", recipient_tel=THIRD, **bob)
    system.clock.ms += 8 * DAY_MS
    for one in (ref, other):
        system.call_admin_api("POST /conversations/{ref}/close", ref=one)
    system.clock.ms += 8 * DAY_MS
    attach_new(system, other, name="of-bob")
    system.drain()

    erase(system, ANN)

    log = direct_resources(system).log
    assert (states.is_erased(log, ref), states.is_erased(log, other)) == (True, False)
    assert messages_of(system, other) == ["Is there a night shift?"]
    erase(system, SECOND)
    assert states.is_erased(log, other)
    assert traces(system, *WORDS) == []


def test_the_second_address_is_known_as_long_as_the_conversation_is_stored(system: System) -> None:
    system.change(retention_days=30)
    ref = attached_conversation(system)
    with_model(system, *[model_answer(f"This is answer {number}.") for number in range(4)])
    for number in range(4):
        system.clock.ms += 20 * DAY_MS
        system.text(f"later{number}", f"And now, {number}?", From=SECOND)
        system.drain()
    assert len(messages_of(system, ref)) == 6

    erase(system, SECOND)

    assert states.is_erased(direct_resources(system).log, ref)
    assert set(traces(system, *WORDS)) <= {"log IDEMPOTENCY"}  # its retention period is over
    assert remaining_routes(system) == []
