"""Rotation of the identifier keys while conversations exist: no message is sent twice, and all records are found."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

import pytest

from conversations.store.items import identifiers
from events.conversations import cast
from shared.aws.sqs_fifo import digest
from tests import keyring
from tests.simulation.conversations.erasing import erase, traces
from tests.simulation.conversations.invocations import Refused
from tests.simulation.wire import When

if TYPE_CHECKING:
    from tests.simulation.conversations.world import World

OLD, NEW = keyring.KEY, "another identifier key of the tests"
ANN = cast.CANDIDATE
USER_ID = "US.13491208655302741918"
SECRET_READ = "secrets-manager.GetSecretValue"


def rotate(world: World) -> None:
    world.keep_identifier_keys(NEW, OLD)


def refs_by(*keys: str) -> list[str]:
    """The `ref` of the usual request by each key."""
    conversation_id = identifiers.conversation_id(
        cast.COMPANY, cast.PROJECT, "req-1", ANN.removeprefix("+")
    )
    with keyring.held(keyring.Keys(*keys)):
        return identifiers.refs_of(conversation_id)


def dies_after_sending(world: World) -> None:
    """The worker that sends next crashes as soon as the provider has accepted the message."""
    sent = len(world.sent())

    def between() -> None:
        if len(world.sent()) > sent:
            rotate(world)

    numbers = [n for n, call in enumerate(world.wire.calls, 1) if call.startswith("HTTP.POST")]
    assert numbers
    world.wire.rewind()
    world.wire.die_at = (numbers[-1], When.AFTER)
    world.work_off(between)


def test_a_first_message_whose_worker_crashed_is_not_sent_again_after_a_rotation(
    world: World,
) -> None:
    world.request(cast.request("sms"))
    world.wire.rewind()
    world.work_off()  # to find the call that sends
    calls = [*world.wire.calls]
    world.reset()
    ref = str(world.request(cast.request("sms"))["conversation_ref"])
    world.wire.rewind()
    world.wire.calls += calls

    dies_after_sending(world)
    world.settle()

    assert len(world.sent()) == 1
    assert len(world.log(ref)) == 1
    assert [ref] == refs_by(OLD)


def test_an_answer_whose_worker_crashed_is_not_sent_again_after_a_rotation(world: World) -> None:
    ref = world.begin("sms")
    world.text("a", "Which shift is it?")
    moment = world.remember()
    world.wire.rewind()
    world.work_off()
    calls = [*world.wire.calls]
    world.begin_again(moment)
    world.wire.calls += calls

    dies_after_sending(world)
    world.settle()

    assert [m["role"] for m in world.log(ref)] == ["assistant", "user", "assistant"]
    assert len(world.sent()) == 1


def test_a_customer_is_found_after_a_rotation_and_new_records_use_the_new_key(
    world: World,
) -> None:
    ref = world.begin("sms")
    rotate(world)

    world.text("a", "Which shift is it?")
    world.settle()

    assert [m["role"] for m in world.log(ref)] == ["assistant", "user", "assistant"]
    assert (
        str(world.request(cast.request("sms", request_id="req-2"))["conversation_ref"])[:2]
        == refs_by(NEW)[0][:2]
    )


def test_a_customer_with_another_spelling_of_their_address_is_found_after_a_rotation(
    world: World,
) -> None:
    ref = world.begin("whatsapp")
    world.whatsapp("a", "Hello", ExternalUserId=f"whatsapp:{USER_ID}")
    world.settle()
    rotate(world)

    world.whatsapp("b", "Hello?", From=f"whatsapp:{USER_ID}", ExternalUserId=f"whatsapp:{USER_ID}")
    world.settle()

    assert [m["role"] for m in world.log(ref)].count("user") == 2


def test_a_request_repeated_after_a_rotation_has_the_ref_of_its_conversation(
    world: World,
) -> None:
    ref = world.begin("sms")
    forget_answers(world)
    rotate(world)

    again = world.request(cast.request("sms"))
    world.settle()

    assert again["conversation_ref"] == ref
    assert len(world.sent()) == 1


def test_of_two_records_of_one_request_with_refs_by_two_keys_one_begins_the_conversation(
    world: World,
) -> None:
    first = world.request(cast.request("sms"))
    forget_answers(world)
    rotate(world)
    second = world.request(cast.request("sms"))
    world.settle()

    assert [first["conversation_ref"], second["conversation_ref"]] == refs_by(OLD, NEW)
    assert len(world.sent()) == 1
    states = [key for key in world.rows() if key[0] == "log" and key[2] == "STATE"]
    assert len(states) == 1


def test_an_opt_out_before_a_rotation_blocks_messages_and_a_start_lifts_it(world: World) -> None:
    world.begin("sms")
    world.text("a", "STOP")
    world.settle()
    sent = len(world.sent())
    rotate(world)

    blocked = world.begin("sms", request_id="req-2")
    assert world.conversation(blocked)["conversation_status"] == "blocked"
    assert len(world.sent()) == sent

    world.clock.ms += 60_000
    world.text("b", "START")
    world.settle()
    world.begin("sms", request_id="req-3")
    assert len(world.sent()) > sent


def test_a_person_is_erased_by_all_keys(world: World) -> None:
    world.begin("whatsapp")
    world.whatsapp("a", "Hello", ExternalUserId=f"whatsapp:{USER_ID}")
    world.settle()
    rotate(world)
    world.begin("sms", request_id="req-2")
    with keyring.held(keyring.Keys(NEW, OLD)):
        erase(world)

    kinds = {str(key[1]).split("#")[0] for key in world.rows() if key[0] == "log"}
    assert not kinds & {"ALIAS", "ROUTE"}
    assert traces(world, ANN, ANN.removeprefix("+"), USER_ID) == []


def test_a_request_queued_before_an_erasure_is_not_begun_after_a_rotation(world: World) -> None:
    world.begin("sms")
    world.request(cast.request("sms", request_id="req-2"))  # on the queue, not begun
    erase(world)
    rotate(world)

    world.settle()

    assert len(world.sent()) == 1
    assert traces(world, ANN.removeprefix("+")) == []


def test_no_key_in_the_tables_is_a_plain_hash_of_addresses_or_ids(world: World) -> None:
    world.begin("whatsapp")
    world.whatsapp("a", "Hello", ExternalUserId=f"whatsapp:{USER_ID}")
    world.whatsapp("b", "STOP")
    world.settle()

    row = next(row for key, row in world.rows().items() if key[0] == "conversations")
    business = str(row["gsi_company_whatsapp_number"])
    guesses = [
        digest(ANN),
        digest("pair", "whatsapp", business, ANN),
        digest("pair", business, ANN),
    ]
    guesses += [digest("person", cast.COMPANY, ANN), digest("sender", business)]
    guesses += [digest("recipient", ANN), hashlib.sha256(ANN.encode()).hexdigest()]
    text = str(world.rows())
    assert [guess for guess in guesses if guess in text] == []


# Errors of the secret


def test_a_router_that_cannot_read_the_keys_asks_the_caller_to_retry(world: World) -> None:
    world.wire.fails_if = lambda call: call == SECRET_READ

    status, body = world.ask(cast.request("sms"))

    assert (status, body["error"]["code"]) == (503, "INTERNAL_ERROR")
    world.wire.rewind()
    assert world.request(cast.request("sms"))["status"] == "success"


def test_a_worker_that_cannot_read_the_keys_retries_its_record(world: World) -> None:
    ref = world.begin("sms")
    world.text("a", "Which shift is it?")
    world.new_process()
    world.wire.fails_if = lambda call: call == SECRET_READ
    world.take_in()
    assert len(world.log(ref)) == 1

    world.wire.rewind()
    world.settle()

    assert [m["role"] for m in world.log(ref)] == ["assistant", "user", "assistant"]


def test_agents_do_not_find_a_conversation_without_the_key_of_its_ref(world: World) -> None:
    ref = world.begin("sms")
    world.keep_identifier_keys(NEW)

    with pytest.raises(Refused) as caught:
        world.call_admin_api(
            "POST /conversations/{ref}/messages", {"text": "Hi", "agent_id": "bo"}, ref=ref
        )
    assert caught.value.status == 404
    assert len(world.sent()) == 1


def forget_answers(world: World) -> None:
    """Expire the stored answers."""
    for key in list(world.rows()):
        if key[0] == "log" and str(key[1]).startswith("IDEMPOTENCY#"):
            world.remove(*key)


def test_lists_and_opt_outs_work_without_the_key_of_one_conversation(world: World) -> None:
    world.begin("sms")
    world.keep_identifier_keys(NEW)
    ref = world.begin("sms", request_id="req-2")

    found = world.call_admin_api("POST /conversations/search", {"recipient": ANN})["conversations"]
    assert [one["ref"] for one in found] == [ref]
    body = {"recipient": ANN, "evidence": "a letter", "channels": ["*"]}
    assert world.call_admin_api("POST /opt-outs", body)["recorded"]
