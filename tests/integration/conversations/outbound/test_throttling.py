"""Throttling by a provider: the message and all other messages of its sender wait."""

from __future__ import annotations

import heapq
from typing import TYPE_CHECKING

import pytest

from conversations.outbound.policy.sender_throttle import Throttles
from events.conversations import sample_data
from events.conversations.twilio import SMS_NUMBER
from shared.aws.workers.sqs_worker import LONGEST_WAIT_SECONDS
from shared.identity.keyed_hashes import keyed_hash
from shared.providers.outcomes import NotSent
from tests.integration.conversations.steps import MINUTE_MS, direct_resources, status_of

if TYPE_CHECKING:
    from tests.simulation.conversations.system import System

CONFIRMATION = (
    "You will get no more messages from Cucumber Recruitment. Reply START to get them again."
)
NUMBERS = [f"+4477009001{n:02}" for n in range(20)]


def too_fast(system: System, times: int = 1, retry_after: str | None = None) -> None:
    system.sandbox.faults.add(
        kind="status", provider="twilio", status=429, times=times, retry_after=retry_after
    )


def ask_all(system: System, count: int) -> list[str]:
    """Request so many first messages at once; returns the conversations."""
    refs = []
    for number, tel in enumerate(NUMBERS[:count]):
        person = {"recipient_first_name": "Ann", "recipient_tel": tel, "comms_consent": True}
        payload = sample_data.request("sms", f"req-{number}", recipient_data=person)
        status, answer = system.ask(payload)
        assert status == 200, answer
        refs.append(str(answer["conversation_ref"]))
    return refs


def attempts(system: System) -> int:
    return len([call for call in system.interceptor.calls if call.startswith("HTTP.POST /2010")])


def throttled(system: System) -> bool:
    return system.row("log", f"THROTTLED#{keyed_hash('sender', SMS_NUMBER)}", "#") is not None


def test_a_message_waits_as_long_as_the_provider_requests_and_is_sent_once(system: System) -> None:
    too_fast(system, retry_after="90")
    began = system.clock.ms

    (ref,) = ask_all(system, 1)
    system.advance(89_000)
    assert system.sent() == []
    system.drain()

    assert 90_000 <= system.clock.ms - began <= 121_000
    assert len(system.sent()) == 1
    assert status_of(system, ref) == ("initial_message_sent", None)


def test_other_messages_of_a_throttled_sender_make_no_attempt(system: System) -> None:
    too_fast(system, retry_after="60")

    ask_all(system, 5)
    system.advance(59_000)

    assert attempts(system) == 1
    assert throttled(system)


@pytest.mark.long
def test_after_a_throttle_messages_are_sent_one_by_one_and_none_is_lost(system: System) -> None:
    too_fast(system, times=3, retry_after="10")

    refs = ask_all(system, len(NUMBERS))
    system.drain()

    assert len(system.sent()) == len(NUMBERS)
    assert len({body["To"] for body in system.sent()}) == len(NUMBERS)
    assert {status_of(system, ref)[0] for ref in refs} == {"initial_message_sent"}
    assert system.fifo_queues.dead_letters == []


def test_another_sender_is_not_delayed(system: System) -> None:
    too_fast(system, retry_after="200")
    ask_all(system, 1)
    system.advance(1_000)

    _, answer = system.ask(sample_data.request("whatsapp", "req-w"))
    system.advance(1_000)

    assert status_of(system, answer["conversation_ref"])[0] == "initial_message_sent"
    assert len(system.sent()) == 1


def test_a_sender_is_no_longer_paced_a_while_after_a_throttle(system: System) -> None:
    too_fast(system)
    ask_all(system, 1)
    system.drain()
    assert throttled(system)
    system.clock.ms += 15 * MINUTE_MS
    system.interceptor.rewind()

    person = {
        "recipient_first_name": "Bob",
        "recipient_tel": "+447700900456",
        "comms_consent": True,
    }
    system.begin("sms", request_id="req-b", recipient_data=person)

    assert not [call for call in system.interceptor.calls if "UpdateItem THROTTLED#" in call]
    assert len(system.sent()) == 2


def test_a_stop_cancels_an_answer_that_waits_for_a_throttle(system: System) -> None:
    ref = system.begin("sms")
    too_fast(system, retry_after="90")
    system.text("m", "Which shift is it?")
    system.advance(30_000)
    assert attempts(system) == 2

    system.text("s", "STOP")
    system.drain()

    assert attempts(system) == 3
    assert [body["Body"] for body in system.sent()[1:]] == [CONFIRMATION]
    assert status_of(system, ref)[0] == "opted_out"
    assert "turn" not in system.state(ref)


def test_a_throttled_message_is_not_sent_once_safe_mode_is_on(system: System) -> None:
    too_fast(system, retry_after="90")
    (ref,) = ask_all(system, 1)
    system.advance(1_000)

    system.switch(safe_mode="true")
    system.drain()
    assert status_of(system, ref) == ("deferred", "safe_mode")
    assert system.sent() == []

    system.switch(safe_mode="false")
    system.settle()
    assert len(system.sent()) == 1
    assert status_of(system, ref) == ("initial_message_sent", None)


@pytest.mark.long
def test_of_many_messages_that_wait_for_one_sender_none_exhausts_its_retries(
    system: System,
) -> None:
    throttles = Throttles(direct_resources(system).log)
    throttles.hold(SMS_NUMBER, None)
    waiting = [(system.clock.ms, name, 1) for name in range(200)]  # time, name, attempt
    left: dict[int, int] = {}

    while waiting:
        system.clock.ms, name, attempt = heapq.heappop(waiting)
        try:
            throttles.admit(SMS_NUMBER)
        except NotSent as refusal:
            assert attempt < 5
            wait_ms = min(refusal.wait_ms or 0, LONGEST_WAIT_SECONDS * 1_000)
            heapq.heappush(waiting, (system.clock.ms + wait_ms, name, attempt + 1))
        else:
            left[name] = system.clock.ms

    assert len(left) == 200
    moments = sorted(left.values())
    assert all(later - earlier >= 5_000 for earlier, later in zip(moments, moments[8:]))  # noqa: B905 - pairs
