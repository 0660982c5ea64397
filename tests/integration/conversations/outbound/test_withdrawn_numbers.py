"""Numbers that another person has now: answers do not go there, and the person is another customer."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from conversations.inbound import withdrawals
from conversations.lifecycle import conversation
from conversations.outbound.providers import payloads
from conversations.store import states
from conversations.store.items.log import Message
from events.conversations import sample_data
from events.conversations.twilio import ACCOUNT
from shared.events.exchange import NumberReleased
from shared.runtime.failures import Permanent
from tests.integration.conversations.steps import (
    MINUTE_MS,
    before_call,
    direct_resources,
    messages_of,
    status_of,
)

if TYPE_CHECKING:
    from tests.simulation.conversations.system import System

FIRST, NEXT = "US.13491208655302741918", "US.90000000000000000001"


def write(system: System, name: str, user_id: str, text: str = "Which shift is it?") -> None:
    """A person with this user id writes from the candidate's number."""
    system.whatsapp(name, text, ExternalUserId=f"whatsapp:{user_id}" if user_id else "")


def released(
    user_id: str | None = FIRST, at: str = "2099-01-01T00:00:00.000Z", **facts: Any
) -> NumberReleased:
    known: dict[str, Any] = {
        "provider": "twilio", "provider_message_id": "notice", "account": ACCOUNT,
        "channel_method": "whatsapp", "business_address": sample_data.WHATSAPP_SENDER,
        "customer_address": sample_data.CANDIDATE, "customer_user_id": user_id, "received_at": at,
    }  # fmt: skip
    return NumberReleased(**known | facts)


def test_an_answer_does_not_reach_the_next_owner_of_the_number(system: System) -> None:
    ref = system.begin("whatsapp")
    write(system, "a", FIRST)
    system.clock.ms += MINUTE_MS
    write(system, "b", NEXT, "Who is this?")
    system.drain()

    assert messages_of(system, ref) == ["Which shift is it?"]
    assert status_of(system, ref) == ("handoff_pending", "address_withdrawn:number")
    assert len(system.sandbox.texts.messages) == 1  # the first message


def test_the_number_is_checked_right_before_the_call(system: System) -> None:
    ref = system.begin("whatsapp")
    resources = direct_resources(system)
    write(system, "a", FIRST)
    at = "2099-01-01T00:00:00.000Z"
    before_call(
        system, "dynamodb.PutItem ACTION#", lambda _: states.note_withdrawal(resources.log, ref, at)
    )
    system.drain()

    assert status_of(system, ref)[1] == "address_withdrawn:number"


def test_the_first_owner_who_writes_again_from_the_number_is_answered(system: System) -> None:
    ref = system.begin("whatsapp")
    for place, user_id in enumerate([FIRST, NEXT, FIRST]):
        system.clock.ms += MINUTE_MS
        write(system, f"m{place}", user_id)
    system.drain()

    assert len(messages_of(system, ref)) == 2
    assert conversation.load(direct_resources(system), ref).state.has_number


@pytest.mark.parametrize(("user_id", "is_theirs"), [(FIRST, True), (None, True), (NEXT, False)])
def test_a_notice_withdraws_the_number_of_its_customer(
    system: System, user_id: str | None, is_theirs: bool
) -> None:
    ref = system.begin("whatsapp")
    write(system, "a", FIRST)
    system.drain()
    resources = direct_resources(system)
    for _ in range(2):
        assert withdrawals.take(resources, released(user_id)) == "released"
    opened = conversation.load(resources, ref)
    (first, *_) = system.log(ref)
    sent = payloads.for_meta(opened, Message.read(first), "action")

    assert opened.state.has_number is not is_theirs
    expected = (
        {"recipient": FIRST} if is_theirs else {"to": sample_data.CANDIDATE.removeprefix("+")}
    )
    assert expected.items() <= sent.items()


def test_a_number_that_changed_hands_at_whatsapp_gets_no_text_message_either(
    system: System,
) -> None:
    system.begin("whatsapp")
    ref = system.begin("sms", request_id="req-2")
    write(system, "a", FIRST)
    system.drain()
    system.clock.ms += MINUTE_MS
    system.text("b", "Which shift is it?")
    system.clock.ms += MINUTE_MS
    write(system, "c", NEXT, "Who is this?")
    system.drain()

    assert status_of(system, ref) == ("handoff_pending", "address_withdrawn:number")


@pytest.mark.parametrize(
    ("at", "is_sent"), [("2099-01-01T00:00:00.000Z", False), ("2020-01-01T00:00:00.000Z", True)]
)
def test_a_notice_stops_text_messages_of_conversations_from_before(
    system: System, at: str, is_sent: bool
) -> None:
    system.begin("whatsapp")
    ref = system.begin("sms", request_id="req-2")
    withdrawals.take(direct_resources(system), released(at=at))
    system.text("b", "Which shift is it?")
    system.drain()

    withdrawn = ("handoff_pending", "address_withdrawn:number")
    assert (status_of(system, ref) != withdrawn) is is_sent


def test_a_number_that_was_given_up_gets_no_first_message_until_a_person_wrote_from_it(
    system: System,
) -> None:
    system.begin("whatsapp")
    withdrawals.take(direct_resources(system), released(at="2020-01-01T00:00:00.000Z"))
    sent = len(system.sandbox.texts.messages)
    ref = system.begin("sms", request_id="req-2")
    refused = status_of(system, ref), len(system.sandbox.texts.messages)
    known = released(at="2020-01-02T00:00:00.000Z", next_user_id=NEXT)
    withdrawals.take(direct_resources(system), known)
    system.clock.ms += 3 * 24 * 60 * MINUTE_MS  # beyond the cap of the customer
    system.begin("sms", request_id="req-3")

    assert refused[0][1] == "address_withdrawn:number"
    assert refused[1] == sent
    assert system.sandbox.texts.messages[-1].to == sample_data.CANDIDATE


@pytest.mark.parametrize(
    "elsewhere", [{"business_address": "+15005550006"}, {"account": "AC-of-no-project"}]
)
def test_a_company_takes_note_of_a_change_at_a_number_without_a_project(
    system: System, elsewhere: dict[str, str]
) -> None:
    ref = system.begin("sms")
    resources = direct_resources(system)
    withdrawals.take(resources, released(company=sample_data.COMPANY, **elsewhere))
    system.text("b", "Which shift is it?")
    system.drain()
    with pytest.raises(Permanent):
        withdrawals.take(resources, released(**elsewhere))

    assert status_of(system, ref) == ("handoff_pending", "address_withdrawn:number")


def test_the_next_owner_is_written_to_from_another_number_however_often_they_write(
    system: System,
) -> None:
    system.begin("whatsapp")
    write(system, "a", FIRST)
    system.drain()
    system.clock.ms += MINUTE_MS
    write(system, "b", NEXT, "Who is this?")
    system.drain()
    system.clock.ms += MINUTE_MS
    ref = system.begin("sms", request_id="req-2")  # with the next owner
    system.clock.ms += MINUTE_MS
    system.text("c", "Which shift is it?")
    write(system, "d", NEXT, "And who is this?")
    system.drain()

    assert status_of(system, ref)[1] != "address_withdrawn:number"
    assert len(system.sandbox.texts.messages) == 4
