"""Erasure of a person: all personal data are deleted, and opt-outs stay in force."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from conversations.inbound import number_changes
from conversations.store import messages, routes, states
from conversations.store.items import identifiers
from conversations.store.items.routes import Outbound
from events.conversations import sample_data
from events.conversations.twilio import SMS_NUMBER
from shared.aws.sqs_fifo import Entry, digest
from shared.events.exchange import DeliveryStatus
from shared.events.recovery import quota
from shared.policy.consent.records import Consents
from shared.policy.consent.withdrawals import Withdrawal
from shared.runtime import clock
from shared.runtime.failures import Transient
from tests.integration.conversations.inbound.test_sender_matching import at_aws
from tests.integration.conversations.privacy.erasure import (
    ANN,
    ANN_DIGITS,
    MAIL,
    PERSONAL_DATA,
    STRANGER,
    USER_ID,
    answered_conversation,
    inbound_text,
)
from tests.integration.conversations.second_company import set_up_second_company
from tests.integration.conversations.steps import (
    MINUTE_MS,
    direct_resources,
    queue_name,
    start_conversation,
    status_of,
)
from tests.simulation.conversations.erasure import erase, traces

if TYPE_CHECKING:
    from tests.simulation.conversations.system import System


def now(system: System) -> str:
    return clock.to_text(system.clock.ms)


@pytest.mark.parametrize("channel", ["sms", "whatsapp"])
def test_erasure_deletes_all_personal_data(system: System, channel: str) -> None:
    ref = answered_conversation(system, channel)
    system.text("long", "night shift " * 2_000)
    system.drain()
    of_agents = {
        "labels": {"labels": ["knows Ann"], "revision": 0},
        "notes": {"text": "Ann prefers the night shift"},
    }
    for what, body in of_agents.items():
        system.call_admin_api(f"POST /conversations/{{ref}}/{what}", body, ref=ref)
    assert traces(system, "knows Ann", "prefers the night")

    done = erase(system)

    assert traces(system, *PERSONAL_DATA, "knows", "prefers") == []
    assert done.counts["conversations"] == 1
    assert done.counts["messages"] >= 3
    state = system.state(ref)
    assert set(state) == {"pk", "sk", "item_type", "erased_at", "ttl"}
    assert [
        key
        for key in system.rows()
        if key[1].startswith(("OPEN#", "ENDED#", "ROUTE#", "IN#", "OUT#"))
    ] == []


def test_a_long_text_and_files_are_deleted_from_the_bucket(system: System) -> None:
    start_conversation(system)
    system.text("long", "night shift " * 2_000)
    system.drain()
    before = len(system.objects())

    done = erase(system)

    assert (before, done.counts["files"], system.objects()) == (1, 1, {})


def test_all_channels_of_the_person_are_erased_by_one_address(system: System) -> None:
    sms, mail = (
        start_conversation(system, recipient_email=MAIL),
        start_conversation(system, "email", "req-2"),
    )

    done = erase(system)

    assert (done.counts["addresses"], done.counts["conversations"]) == (2, 2)
    assert traces(system, ANN_DIGITS, MAIL) == []
    assert states.is_erased(direct_resources(system).log, sms)
    assert states.is_erased(direct_resources(system).log, mail)


def test_a_whatsapp_user_is_erased_by_their_number_under_both_ids(system: System) -> None:
    start_conversation(system, "whatsapp")
    system.whatsapp("a", "Is there a night shift?", ExternalUserId=f"whatsapp:{USER_ID}")
    system.drain()

    done = erase(system)

    assert done.counts["addresses"] == 3  # the request contains their email address
    assert traces(system, *PERSONAL_DATA) == []


def test_no_other_person_is_erased(system: System) -> None:
    start_conversation(system)
    other = start_conversation(
        system, request_id="req-2", recipient_tel=STRANGER, recipient_email="bob@example.com"
    )
    set_up_second_company(system)
    of_second_company = {"company_id": "ci-bbb-001", "project_id": sample_data.PROJECT}
    status, answer = system.ask(
        sample_data.request("sms", "req-3", company_data=of_second_company), company="ci-bbb-001"
    )
    system.drain()

    erase(system)

    assert status == 200
    assert status_of(system, other)[0] == "initial_message_sent"
    assert status_of(system, str(answer["conversation_ref"]))[0] == "initial_message_sent"


def test_an_opt_out_stays_in_force(system: System) -> None:
    answered_conversation(system)
    system.text("s", "STOP")
    system.drain()

    erase(system)

    assert (
        Consents(direct_resources(system).log)
        .standing(sample_data.COMPANY, [ANN], "sms")
        .is_opted_out
    )
    ref = start_conversation(system, request_id="req-2")
    assert status_of(system, ref) == ("blocked", "opted_out")


def test_the_ledger_loses_the_recipient_and_keeps_the_action(system: System) -> None:
    answered_conversation(system)

    erase(system)

    actions = [row for key, row in system.rows().items() if key[1].startswith("ACTION#")]
    assert actions
    assert all(row["state"] in {"sent", "confirmed"} for row in actions)
    assert not any({"recipientHash", "bodyHash", "providerId"} & set(row) for row in actions)


def test_unmatched_messages_are_erased(system: System) -> None:
    bob = {"recipient_first_name": "Bob", "recipient_email": "bob@example.com"}
    start_conversation(system, recipient_tel=STRANGER, **bob)
    system.text("a", "Is there a night shift?")
    system.text("b", "Hello", From="+447700900789")
    system.drain()

    done = erase(system)

    assert done.counts["unmatched"] == 1
    assert traces(system, *PERSONAL_DATA) == []
    assert len(traces(system, "447700900789")) == 1


def test_parked_events_with_the_persons_address_are_erased_with_their_text(system: System) -> None:
    ref = answered_conversation(system)
    for record in ({"type": "dance", "ref": ref}, {"type": "dance", "ref": "another"}):
        system.fifo_queues.put(
            queue_name(system, "sms"),
            Entry(json.dumps(record), digest("g"), digest(json.dumps(record))),
        )
    system.fifo_queues.put(
        queue_name(system, "sms"), Entry(f'{{"tel": "{ANN}', digest("g"), digest("broken"))
    )
    system.forward(inbound_text(system, "x", "2026-01-01T12:00:00.000Z"))  # at an unused address
    system.remove("log", f"ADDR#sms#{SMS_NUMBER}", f"{sample_data.COMPANY}#{sample_data.PROJECT}")
    system.drain()
    assert len(system.parked()) == 4

    done = erase(system)

    assert (done.counts["parked"], len(system.parked()), len(system.objects())) == (3, 1, 1)
    assert traces(system, *PERSONAL_DATA) == []


def test_parked_events_over_the_quota_are_erased_too(
    system: System, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(quota, "EVENTS_PER_DAY", 1)
    answered_conversation(system)
    system.remove("log", f"ADDR#sms#{SMS_NUMBER}", f"{sample_data.COMPANY}#{sample_data.PROJECT}")
    for name in ("x", "y"):
        theirs = inbound_text(system, name, "2026-01-01T12:00:00.000Z")
        system.forward(replace(theirs, customer_user_id=USER_ID))
        other = replace(theirs, customer_address=STRANGER, text="spam")
        system.forward(replace(other, provider_message_id=f"SM{name}"))
    system.drain()
    assert len([key for key in system.objects() if "over-quota" in key]) >= 3

    erase(system)

    assert traces(system, *PERSONAL_DATA) == []
    assert [key for key in system.objects() if "over-quota" in key]


@pytest.mark.long
def test_erasure_does_not_read_parked_or_unmatched_events_of_other_senders(system: System) -> None:
    """A sender may fill both lists with thousands of events; erasing another person must not take longer for it."""
    answered_conversation(system)
    before = calls_of_erasing(system)
    answered_conversation(system.reset())
    for number in range(30):
        system.text(f"u{number}", "spam", From="+447700900789")
        unaddressed = inbound_text(system, f"p{number}", "2026-01-01T12:00:00.000Z")
        system.forward(
            replace(unaddressed, customer_address="+447700900789", business_address="+12025550199")
        )
    system.drain()
    assert len(system.parked()) == 30

    assert calls_of_erasing(system) == before

    assert len(traces(system, "447700900789")) == 60


def calls_of_erasing(system: System) -> int:
    """How many AWS calls the erasure of the candidate takes."""
    first = len(system.interceptor.calls)
    erase(system)
    return len(system.interceptor.calls) - first


def test_a_parked_status_of_the_persons_message_is_erased_with_it(system: System) -> None:
    ref = answered_conversation(system)
    sid = next(m["provider_message_id"] for m in system.log(ref) if m["author"] != "customer")
    system.remove("log", f"OUT#twilio#{sid}", "#")
    system.status(sid, "delivered")
    system.drain()
    assert system.parked() == ["unknown_message"]

    done = erase(system)

    assert (done.counts["parked"], system.parked(), system.objects()) == (1, [], {})


def test_the_stored_answer_to_the_request_no_longer_names_the_person(system: System) -> None:
    start_conversation(system)

    erase(system)

    status, answer = system.ask(sample_data.request("sms", "req-1"))
    assert status == 200
    assert "conversation_id" not in answer
    system.drain()
    assert traces(system, *PERSONAL_DATA) == []


def test_an_erasure_fails_while_new_conversations_keep_appearing(
    system: System, monkeypatch: pytest.MonkeyPatch
) -> None:
    start_conversation(system)
    numbers = iter(range(2, 10))

    def start_another(ms: int) -> None:
        system.clock.ms += ms
        start_conversation(system, request_id=f"req-{next(numbers)}")

    monkeypatch.setattr("shared.runtime.clock.sleep_ms", start_another)

    with pytest.raises(Transient, match="written_to_all_the_time"):
        erase(system)


def test_a_write_of_a_worker_that_started_before_the_erasure_is_erased_too(
    system: System, monkeypatch: pytest.MonkeyPatch
) -> None:
    ref = answered_conversation(system)
    resources = direct_resources(system)
    late = messages.newest(resources.log, ref, 1)[0].model_copy(
        update={"message_timestamp": now(system)}
    )

    def worker_goes_on(ms: int) -> None:
        system.clock.ms += ms
        messages.add(resources.log, ref, late)
        marker = Outbound(ref=ref, message_sk="-", action_id="-")
        messages.link(resources.log, "twilio", str(late.provider_message_id), marker)

    monkeypatch.setattr("shared.runtime.clock.sleep_ms", worker_goes_on)

    erase(system)

    assert traces(system, *PERSONAL_DATA) == []
    assert [key for key in system.rows() if key[1].startswith("OUT#")] == []


def test_every_id_that_leads_to_a_message_is_deleted(system: System) -> None:
    at_aws(system)
    ref = start_conversation(system, "whatsapp")
    mail = start_conversation(system, "email", "req-2")
    message = system.log(ref)[0]
    status = DeliveryStatus(
        provider="aws_social", provider_message_id="wamid.of-meta", account="102290129340398",
        channel_method="whatsapp", action_id=identifiers.action_id(ref, message["turn_id"]),
        status="delivered", occurred_at=now(system),
    )  # fmt: skip
    system.forward(status)
    system.drain()
    assert len([key for key in system.rows() if key[1].startswith("OUT#")]) == 3
    assert status_of(system, mail)[0] == "initial_message_sent"

    erase(system)

    assert [key for key in system.rows() if key[1].startswith("OUT#")] == []
    system.forward(replace(status, action_id=None, status="read"))
    system.drain()
    assert system.parked() == ["erased"]
    assert system.objects() == {}


def test_a_number_is_erased_under_every_spelling(system: System) -> None:
    numbers = ("+525512345678", "+5215512345678")
    ref = start_conversation(system, recipient_tel=numbers[0])
    item = system.conversation(ref)
    other = item["conversation_id"].replace("req-1", "req-7")
    imported = {
        "primary_channel": numbers[1],
        "recipient_tel": numbers[1],
        "conversation_id": other,
    }
    system.write("conversations", item | imported)

    done = erase(system, numbers[0])

    assert done.counts["conversations"] == 2
    assert [key for key in system.rows() if key[0] == "conversations"] == []


def test_an_unreachable_address_is_deleted(system: System) -> None:
    ref = start_conversation(system)
    system.status(str(system.log(ref)[0]["provider_message_id"]), "undelivered", ErrorCode="21211")
    system.drain()
    assert [key for key in system.rows() if key[1].startswith("UNREACHABLE#")]

    erase(system)

    assert [key for key in system.rows() if key[1].startswith("UNREACHABLE#")] == []


def test_an_erased_alias_matches_no_conversation(system: System) -> None:
    start_conversation(system, "whatsapp")
    system.whatsapp("a", "Hello", ExternalUserId=f"whatsapp:{USER_ID}")
    system.drain()

    erase(system)

    assert routes.aliases(direct_resources(system).log, sample_data.COMPANY, ANN) == []
    assert (
        routes.aliases(direct_resources(system).log, sample_data.COMPANY, f"bsuid:{USER_ID}") == []
    )


@pytest.mark.parametrize(("named", "erased"), [(f"{ANN}~", 0), (ANN, 1)])
def test_of_a_number_with_two_owners_only_the_conversations_of_the_one_that_is_named_are_erased(
    system: System, named: str, erased: int
) -> None:
    """The number alone names its present owner."""
    refs = [start_conversation(system)]
    system.clock.ms += MINUTE_MS
    change = Withdrawal.of(now(system), "wamid.1", USER_ID)
    number_changes.record(direct_resources(system), sample_data.COMPANY, ANN, change)
    system.clock.ms += MINUTE_MS
    refs.append(system.begin("sms", request_id="req-2"))

    done = erase(system, named)

    assert done.counts["conversations"] == 1
    log = direct_resources(system).log
    assert [states.is_erased(log, ref) for ref in refs] == [place == erased for place in (0, 1)]
