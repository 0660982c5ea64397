"""A webhook is accepted completely or repeated by the provider; no event is lost or duplicated before the queue."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from events.whatsapp import payloads
from events.whatsapp.payloads import text
from events.whatsapp.sample_data import ADA, COUNTER, JUERGEN, Customer
from events.whatsapp.samples import sample
from tests.simulation.crashes.disturbances import deaths, failures
from tests.simulation.interceptor import Fault
from tests.simulation.whatsapp.event_builders import (
    EVENT_MINUTE,
    TIMELINE,
    Event,
    ada_message,
    post,
    webhook_of,
)
from tests.simulation.whatsapp.final_state import (
    FinalState,
    check_at_rest,
    differences,
    final_state_of,
    without_acceptance,
)
from tests.simulation.whatsapp.system import System

if TYPE_CHECKING:
    from collections.abc import Callable

LARGE = "A very long story. " * 60_000  # over a megabyte
LONG_NAMED = replace(ADA, name="Ada " * 100_000)
MANY = 11


def many() -> Event:
    """One webhook with more events than a queue call takes."""
    return webhook_of(*(ada_message(f"many {n}", text(str(n)), 700 + n) for n in range(MANY)))


REQUESTS: dict[str, Callable[[], Event]] = {
    "one message": lambda: sample("text").event,
    "three customers": lambda: sample("batch").event,
    "more than one queue call": many,
    "a message over the queue's bound": lambda: webhook_of(ada_message("large", text(LARGE))),
    "not JSON": lambda: sample("malformed").event,
    "a notification of AWS": lambda: sample("sns_text").event,
    "a broken notification of AWS": lambda: sample("sns_broken_entry").event,
}
requests = pytest.mark.parametrize("name", REQUESTS)


@requests
def test_a_crash_at_any_call_loses_no_event_once_the_provider_repeats(
    system: System, name: str
) -> None:
    clean, calls = undisturbed(system, REQUESTS[name]())
    for death in deaths(calls):
        system.reset()
        system.interceptor.die_at = death
        assert not system.deliver(REQUESTS[name]())
        system.interceptor.rewind()
        assert_same_in_the_end(system, name, clean)


@requests
def test_a_failing_call_is_not_reported_as_success(system: System, name: str) -> None:
    clean, calls = undisturbed(system, REQUESTS[name]())
    for number, fault in failures(calls):
        system.reset()
        system.interceptor.fault_at = (number, fault)
        # The SDK repeats a call whose response is lost; the provider must repeat after all other failures.
        assert system.deliver(REQUESTS[name]()) == (fault is Fault.LOST_ANSWER)
        system.interceptor.rewind()
        assert_same_in_the_end(system, name, clean)


@pytest.mark.parametrize("refused", [{0}, {2}, {0, 1, 2}])
def test_a_partly_refused_batch_is_503_and_accepted_when_repeated(
    system: System, refused: set[int]
) -> None:
    clean, _ = undisturbed(system, sample("batch").event)
    system.reset()
    system.queue.refuse_next = refused
    answer = system.webhook.handler(sample("batch").event, None)
    assert answer["statusCode"] == 503
    differing = differences(clean, drained(system, sample("batch").event))
    assert differing == []


def test_a_message_repeated_within_one_webhook_is_one_message(system: System) -> None:
    hello = ada_message("hello", text("Hello"))
    clean, _ = undisturbed(system, webhook_of(hello))
    system.reset()
    twice = post(
        payloads.messages_change(COUNTER, [hello], [ADA]),
        payloads.messages_change(COUNTER, [hello], [ADA]),
    )
    assert differences(clean, drained(system, twice)) == []


@pytest.mark.parametrize("minutes_later", [1, 6, 6 * 24 * 60])
def test_a_message_repeated_in_a_later_webhook_is_one_message(
    system: System, minutes_later: int
) -> None:
    clean, _ = undisturbed(system, sample("text").event)
    system.clock.sleep(60 * minutes_later)
    assert differences(clean, drained(system, sample("text").event)) == []


def test_a_repeated_message_at_another_place_of_its_webhook_is_the_same_message(
    system: System,
) -> None:
    hello, other = (
        ada_message("hello", text("Hello")),
        ada_message("other", text("Hm"), EVENT_MINUTE - 5),
    )
    clean, _ = undisturbed(system, webhook_of(hello))
    system.clock.sleep(600)
    regrouped = drained(system, webhook_of(other, hello))
    key = f"MSG#{hello['id']}"
    assert regrouped.items[key] == clean.items[key]
    head = f"CONV#{COUNTER.phone}#{ADA.wa_id}"
    assert regrouped.items[head]["unreadCount"] == 2
    assert regrouped.items[head]["lastMessagePk"] == key


def test_messages_beside_a_claim_check_message_are_handled(system: System) -> None:
    system.deliver_until_accepted(
        post(
            payloads.messages_change(COUNTER, [ada_message("large", text(LARGE))], [ADA]),
            payloads.messages_change(
                COUNTER,
                [payloads.message(JUERGEN, "wamid.j", TIMELINE.at(EVENT_MINUTE), text("hi"))],
                [JUERGEN],
            ),
        )
    )
    system.run_worker()
    assert system.queue.messages == []
    items = system.items()
    large = items[f"MSG#{ada_message('large', text(''))['id']}"]
    assert json.loads(system.objects()[large["contentS3Key"]])["textBody"] == LARGE
    assert "MSG#wamid.j" in items


@pytest.mark.parametrize(
    ("sender", "body"),
    [
        pytest.param(LONG_NAMED, text(LARGE[:800_000]), id="a very long name"),
        pytest.param(ADA, {f"part {n}": "-" for n in range(60_000)}, id="very many parts"),
    ],
)
def test_a_message_of_maximum_size_fits_on_the_queue(
    system: System, sender: Customer, body: payloads.Json
) -> None:
    large = payloads.messages_change(COUNTER, [ada_message("large", body)], [sender])
    final = drained(system, post(large))
    assert f"MSG#{ada_message('large', body)['id']}" in final.items


def undisturbed(system: System, request: Event) -> tuple[FinalState, list[str]]:
    """The final state of one undisturbed delivery, and the calls of the ingress."""
    assert system.deliver(request)
    calls = list(system.interceptor.calls)
    system.drain()
    final = final_state_of(system)
    check_at_rest(system, final.items)
    return final, calls


def assert_same_in_the_end(system: System, name: str, clean: FinalState) -> None:
    system.clock.sleep(400)
    final = drained(system, REQUESTS[name]())
    assert differences(without_acceptance(clean), without_acceptance(final)) == []


def drained(system: System, request: Event) -> FinalState:
    """The final state after the provider has repeated *request* until it was accepted."""
    system.deliver_until_accepted(request)
    system.drain()
    final = final_state_of(system)
    check_at_rest(system, final.items)
    return final
