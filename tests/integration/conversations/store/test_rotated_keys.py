"""Rotation of the identifier keys while conversations exist: no message is sent twice, and all records are found."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

import pytest

from conversations.store.items import identifiers
from events.conversations import sample_data
from shared.aws.sqs_fifo import digest
from tests import keyring
from tests.simulation.conversations.erasure import erase, traces
from tests.simulation.conversations.invocations import PERSON, Refused
from tests.simulation.interceptor import When

if TYPE_CHECKING:
    from tests.simulation.conversations.system import System

pytestmark = pytest.mark.long

OLD, NEW = keyring.KEY, "another identifier key of the tests"
ANN = sample_data.CANDIDATE
USER_ID = "US.13491208655302741918"
SECRET_READ = "secrets-manager.GetSecretValue"


def rotate(system: System) -> None:
    system.put_identifier_keys(NEW, OLD)


def refs_by(*keys: str) -> list[str]:
    """The `ref` of the usual request by each key."""
    conversation_id = identifiers.conversation_id(
        sample_data.COMPANY, sample_data.PROJECT, "req-1", ANN.removeprefix("+")
    )
    with keyring.held(keyring.Keys(*keys)):
        return identifiers.refs_of(conversation_id)


def dies_after_sending(system: System) -> None:
    """The worker that sends next crashes as soon as the provider has accepted the message."""
    sent = len(system.sent())

    def between() -> None:
        if len(system.sent()) > sent:
            rotate(system)

    numbers = [
        n
        for n, call in enumerate(system.interceptor.calls, 1)
        if call.startswith("HTTP.POST /2010")
    ]
    assert numbers
    system.interceptor.rewind()
    system.interceptor.die_at = (numbers[-1], When.AFTER)
    system.drain(between)


def test_a_first_message_whose_worker_crashed_is_not_sent_again_after_a_rotation(
    system: System,
) -> None:
    system.request(sample_data.request("sms"))
    system.interceptor.rewind()
    system.drain()  # to find the call that sends
    calls = [*system.interceptor.calls]
    system.reset()
    ref = str(system.request(sample_data.request("sms"))["conversation_ref"])
    system.interceptor.rewind()
    system.interceptor.calls += calls

    dies_after_sending(system)
    system.settle()

    assert len(system.sent()) == 1
    assert len(system.log(ref)) == 1
    assert [ref] == refs_by(OLD)


def test_an_answer_whose_worker_crashed_is_not_sent_again_after_a_rotation(system: System) -> None:
    ref = system.begin("sms")
    system.text("a", "Which shift is it?")
    snapshot = system.snapshot()
    system.interceptor.rewind()
    system.drain()
    calls = [*system.interceptor.calls]
    system.restore(snapshot)
    system.interceptor.calls += calls

    dies_after_sending(system)
    system.settle()

    assert [m["role"] for m in system.log(ref)] == ["assistant", "user", "assistant"]
    assert len(system.sent()) == 1


def test_a_customer_is_found_after_a_rotation_and_new_records_use_the_new_key(
    system: System,
) -> None:
    ref = system.begin("sms")
    rotate(system)

    system.text("a", "Which shift is it?")
    system.settle()

    assert [m["role"] for m in system.log(ref)] == ["assistant", "user", "assistant"]
    assert (
        str(system.request(sample_data.request("sms", request_id="req-2"))["conversation_ref"])[:2]
        == refs_by(NEW)[0][:2]
    )


def test_a_customer_with_another_spelling_of_their_address_is_found_after_a_rotation(
    system: System,
) -> None:
    ref = system.begin("whatsapp")
    system.whatsapp("a", "Hello", ExternalUserId=f"whatsapp:{USER_ID}")
    system.settle()
    rotate(system)

    system.whatsapp("b", "Hello?", From=f"whatsapp:{USER_ID}", ExternalUserId=f"whatsapp:{USER_ID}")
    system.settle()

    assert [m["role"] for m in system.log(ref)].count("user") == 2


def test_a_request_repeated_after_a_rotation_has_the_ref_of_its_conversation(
    system: System,
) -> None:
    ref = system.begin("sms")
    forget_answers(system)
    rotate(system)

    again = system.request(sample_data.request("sms"))
    system.settle()

    assert again["conversation_ref"] == ref
    assert len(system.sent()) == 1


def test_of_two_records_of_one_request_with_refs_by_two_keys_one_begins_the_conversation(
    system: System,
) -> None:
    first = system.request(sample_data.request("sms"))
    forget_answers(system)
    rotate(system)
    second = system.request(sample_data.request("sms"))
    system.settle()

    assert [first["conversation_ref"], second["conversation_ref"]] == refs_by(OLD, NEW)
    assert len(system.sent()) == 1
    states = [key for key in system.rows() if key[0] == "log" and key[2] == "STATE"]
    assert len(states) == 1


def test_an_opt_out_before_a_rotation_blocks_messages_and_a_start_lifts_it(system: System) -> None:
    system.begin("sms")
    system.text("a", "STOP")
    system.settle()
    sent = len(system.sent())
    rotate(system)

    blocked = system.begin("sms", request_id="req-2")
    assert system.conversation(blocked)["conversation_status"] == "blocked"
    assert len(system.sent()) == sent

    system.clock.ms += 60_000
    system.text("b", "START")
    system.settle()
    system.begin("sms", request_id="req-3")
    assert len(system.sent()) > sent


def test_a_person_is_erased_by_all_keys(system: System) -> None:
    system.begin("whatsapp")
    system.whatsapp("a", "Hello", ExternalUserId=f"whatsapp:{USER_ID}")
    system.settle()
    rotate(system)
    system.begin("sms", request_id="req-2")
    with keyring.held(keyring.Keys(NEW, OLD)):
        erase(system)

    kinds = {str(key[1]).split("#")[0] for key in system.rows() if key[0] == "log"}
    assert not kinds & {"ALIAS", "ROUTE"}
    assert traces(system, ANN, ANN.removeprefix("+"), USER_ID) == []


def test_a_request_queued_before_an_erasure_is_not_begun_after_a_rotation(system: System) -> None:
    system.begin("sms")
    system.request(sample_data.request("sms", request_id="req-2"))  # on the queue, not begun
    erase(system)
    rotate(system)

    system.settle()

    assert len(system.sent()) == 1
    assert traces(system, ANN.removeprefix("+")) == []


def test_no_key_in_the_tables_is_a_plain_hash_of_addresses_or_ids(system: System) -> None:
    system.begin("whatsapp")
    system.whatsapp("a", "Hello", ExternalUserId=f"whatsapp:{USER_ID}")
    system.whatsapp("b", "STOP")
    system.settle()

    row = next(row for key, row in system.rows().items() if key[0] == "conversations")
    business = str(row["gsi_company_whatsapp_number"])
    guesses = [
        digest(ANN),
        digest("pair", "whatsapp", business, ANN),
        digest("pair", business, ANN),
    ]
    guesses += [digest("person", sample_data.COMPANY, ANN), digest("sender", business)]
    guesses += [digest("recipient", ANN), hashlib.sha256(ANN.encode()).hexdigest()]
    text = str(system.rows())
    assert [guess for guess in guesses if guess in text] == []


# Errors of the secret


def test_a_router_that_cannot_read_the_keys_asks_the_caller_to_retry(system: System) -> None:
    system.interceptor.fails_if = lambda call: call == SECRET_READ

    status, body = system.ask(sample_data.request("sms"))

    assert (status, body["error"]["code"]) == (503, "INTERNAL_ERROR")
    system.interceptor.rewind()
    assert system.request(sample_data.request("sms"))["status"] == "success"


def test_a_worker_that_cannot_read_the_keys_retries_its_record(system: System) -> None:
    ref = system.begin("sms")
    system.text("a", "Which shift is it?")
    system.new_process()
    system.interceptor.fails_if = lambda call: call == SECRET_READ
    system.run_intake()
    assert len(system.log(ref)) == 1

    system.interceptor.rewind()
    system.settle()

    assert [m["role"] for m in system.log(ref)] == ["assistant", "user", "assistant"]


def test_agents_do_not_find_a_conversation_without_the_key_of_its_ref(system: System) -> None:
    ref = system.begin("sms")
    system.put_identifier_keys(NEW)

    with pytest.raises(Refused) as caught:
        system.call_admin_api(
            "POST /conversations/{ref}/messages", {"text": "Hi", PERSON: "bo"}, ref=ref
        )
    assert caught.value.status == 404
    assert len(system.sent()) == 1


def forget_answers(system: System) -> None:
    """Expire the stored answers."""
    for key in list(system.rows()):
        if key[0] == "log" and str(key[1]).startswith("IDEMPOTENCY#"):
            system.remove(*key)


def test_lists_and_opt_outs_work_without_the_key_of_one_conversation(system: System) -> None:
    system.begin("sms")
    system.put_identifier_keys(NEW)
    ref = system.begin("sms", request_id="req-2")

    found = system.call_admin_api("POST /conversations/search", {"recipient": ANN})["conversations"]
    assert [one["ref"] for one in found] == [ref]
    body = {"recipient": ANN, "evidence": "a letter", "channels": ["*"]}
    assert system.call_admin_api("POST /opt-outs", body)["recorded"]
