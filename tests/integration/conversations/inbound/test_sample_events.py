"""The sample events of conversations, each given to its function: they are current and have the documented effect."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from events import generated_files
from events.conversations.direct import Direct, direct_events
from events.conversations.generated_files import files
from events.conversations.samples import Sample, sample, samples
from tests.simulation.invocations import Invocation
from tests.simulation.processes import quiet
from tests.template import ACCOUNT

if TYPE_CHECKING:
    from tests.simulation.conversations.system import System

LANES = {
    "first message": {"whatsapp", "sms", "email"},
    "message": {"inbound"},
    "status": {"statuses"},
    "": set(),
}
DIRECT = {direct.name: direct for direct in direct_events()}
QUEUED = [direct for direct in direct_events() if direct.name.startswith("queue_")]


def invoke(system: System, event: dict[str, Any], function: str) -> Any:
    """The answer of a function to an event, at the time of the event."""
    context = event.get("requestContext") or {}
    system.clock.ms = context.get("requestTimeEpoch", system.clock.ms)
    in_this_account = json.loads(json.dumps(event).replace(":000000000000:", f":{ACCOUNT}:"))
    with quiet():
        handler = system.functions[function].handler
        return handler(in_this_account, Invocation(system.clock))


def work(system: System, direct: Direct) -> None:
    """A worker processes the records on its queue."""
    (record,) = direct.event["Records"]
    queue = record["eventSourceARN"].rpartition(":")[2]
    with quiet():
        answer = system.workers[queue].handler(direct.event, Invocation(system.clock))
    assert answer == {"batchItemFailures": []}


def waiting(system: System) -> dict[str, list[Any]]:
    """The records on the queues of conversations, by the queues' short names."""
    return {
        name.removeprefix("parley-local-conversations-").removesuffix(".fifo"): [
            json.loads(message.body) for message in queue.messages
        ]
        for name, queue in system.fifo_queues.queues.items()
        if queue.messages
    }


def body_of(direct: Direct) -> Any:
    (record,) = direct.event["Records"]
    return json.loads(record["body"])


def test_the_files_are_current_output_of_the_generator() -> None:
    assert generated_files.outdated(files()) == [], "run python -m events"
    # Each name is used once; one more is the README.
    assert len(files()) == len(samples()) + len(direct_events()) + 1


@pytest.mark.parametrize("sample_event", samples(), ids=lambda sample_event: sample_event.name)
def test_each_sample_is_answered_and_enqueued_as_documented(
    system: System, sample_event: Sample
) -> None:
    answer = invoke(system, sample_event.event, sample_event.function)

    status = answer["statusCode"] if answer else None
    refused = json.loads(answer["body"])["error"]["code"] if sample_event.code else ""
    assert (status, refused) == (sample_event.status, sample_event.code)
    found = waiting(system)
    assert set(found) <= LANES[sample_event.enqueues]
    assert sum(map(len, found.values())) == bool(sample_event.enqueues)


@pytest.mark.parametrize("channel", ["whatsapp", "sms", "email"])
def test_a_processors_sample_is_the_routers_record_of_the_request(
    system: System, channel: str
) -> None:
    sample_event = sample(f"initiate_{channel}")

    invoke(system, sample_event.event, sample_event.function)

    assert waiting(system) == {channel: [body_of(DIRECT[f"queue_first_{channel}"])]}


@pytest.mark.parametrize(
    ("name", "queued"), [("twilio_text", "queue_message"), ("twilio_delivered", "queue_status")]
)
def test_a_workers_sample_is_the_webhooks_record_of_the_call(
    system: System, name: str, queued: str
) -> None:
    sample_event = sample(name)

    invoke(system, sample_event.event, sample_event.function)

    (found,) = waiting(system).values()
    assert found == [body_of(DIRECT[queued])]


def test_the_samples_of_the_queues_form_a_conversation(system: System) -> None:
    """A first message, an answer, and the reply that the sample of the trigger requests."""
    work(system, DIRECT["queue_first_sms"])
    work(system, DIRECT["queue_message"])

    # The sample is due at once, so that it can be used alone.
    due = {"due_at": "2026-01-01T12:20:06.000Z"}
    assert waiting(system) == {"replies": [body_of(DIRECT["queue_trigger"]) | due]}
    work(system, DIRECT["queue_trigger"])
    assert [sent["Body"].partition("?")[0] for sent in system.sent()] == [
        "Hello Ann, this is Carol from Cucumber Recruitment. May I ask: Do you have a driving licence",
        "Thank you, I have noted that. May I ask: Can you start in May",
    ]


@pytest.mark.parametrize("direct", QUEUED, ids=lambda direct: direct.name)
def test_a_sample_without_its_conversation_succeeds_too(system: System, direct: Direct) -> None:
    work(system, direct)

    assert system.fifo_queues.dead_letters == []


def test_the_sweep_finds_nothing_due_in_an_empty_table(system: System) -> None:
    direct = DIRECT["sweep_minute"]

    assert invoke(system, direct.event, direct.function) is None
    assert waiting(system) == {}
