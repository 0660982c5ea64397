"""The built functions in AWS's own runtime: a day of samples, and events for functions without a provider."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field
from typing import Any

import pytest

from events.whatsapp import gateway
from events.whatsapp.direct import direct_event, direct_events, queue_batch
from events.whatsapp.sample_builder import Sample
from events.whatsapp.sample_data import COMPANY, COUNTER
from events.whatsapp.samples import sample, samples
from local.demo.webhook_sender import deliver
from local.invoke.rie import Runtime, running
from local.stack.processes import ROOT
from tests.e2e.apart import Apart, apart
from tests.e2e.conftest import Deployed

pytestmark = [pytest.mark.e2e, pytest.mark.long]
DAY_SECONDS = 86_400


@dataclass
class Bench:
    """Functions under the emulator of the runtime, each started at its first event."""

    apart: Apart
    api_key: str
    until_the_end: ExitStack
    _running: dict[str, Runtime] = field(default_factory=dict)

    def invoke(self, function: str, event: object) -> Any:
        if function not in self._running:
            runtime = self.until_the_end.enter_context(running(self.apart.functions[function]))
            self._running[function] = runtime
        return self._running[function].invoke(event)

    def logged(self, function: str, name: str) -> list[Any]:
        """The values of this name in the JSON log lines of a function."""
        lines = self._running[function].log.read_text().splitlines()
        entries = [json.loads(line) for line in lines if line.startswith("{")]
        return [line[name] for line in entries if name in line]


@pytest.fixture(scope="module")
def bench(deployed: Deployed) -> Iterator[Bench]:
    with apart(deployed.stack) as resources, ExitStack() as until_the_end:
        yield Bench(resources, deployed.api_key, until_the_end)


@pytest.fixture(scope="module")
def answers(bench: Bench) -> dict[str, Any]:
    """The webhook's answer to each sample; the worker has handled the accepted events and its own follow-ups."""
    token = bench.apart.stack.secret("whatsapp_apps")["verify_token"]
    events = {sample.name: sample.event for sample in day()}
    events["handshake"] = gateway.handshake("handshake", int(time.time()), token)
    given = {sample.name: bench.invoke(sample.function, events[sample.name]) for sample in day()}
    for batch in bench.apart.batches():
        assert bench.invoke("WhatsAppWorker", batch) == {"batchItemFailures": []}
    return given


def day() -> list[Sample]:
    """All samples, dated the day before yesterday: the provider still has their media."""
    return samples(int(time.time()) - 2 * DAY_SECONDS)


def test_the_webhook_answers_every_sample_as_its_provider_expects(answers: dict[str, Any]) -> None:
    statuses = {name: answer["statusCode"] for name, answer in answers.items() if answer}

    assert statuses == {
        sample.name: sample.expects.status for sample in day() if not sample.is_social
    }
    assert answers["handshake"]["body"] == gateway.CHALLENGE


def test_the_inbound_functions_accept_exactly_the_expected_samples(
    bench: Bench, answers: dict[str, Any]
) -> None:
    for function in ("WhatsAppWebhook", "WhatsAppSocial"):
        expected = sum(s.expects.accepted for s in day() if s.function == function)
        assert sum(int(count) for (count,) in bench.logged(function, "Accepted")) == expected
    assert all(answers[sample.name] is None for sample in day() if sample.is_social)


@pytest.mark.usefixtures("answers")
def test_the_worker_stores_each_message_once_and_parks_the_expected_events(bench: Bench) -> None:
    items = bench.apart.items().values()
    kept = [item for item in items if item["itemType"] == "WEBHOOK_EVENT"]
    parked = Counter(item["reason"] for item in kept if item["webhookEventType"] == "parked")

    stored = sum(item["itemType"] == "MESSAGE" for item in items)
    assert stored == sum(sample.expects.stored for sample in day())
    assert parked == Counter(reason for sample in day() for reason in sample.expects.parked)


def test_the_worker_accepts_the_sample_of_its_queue(bench: Bench) -> None:
    now = int(time.time())
    (sample,) = [sample for sample in samples(now - DAY_SECONDS) if sample.name == "text"]

    answer = bench.invoke("WhatsAppWorker", queue_batch(sample, now))

    assert answer == {"batchItemFailures": []}
    (message,) = sample.items("messages")
    assert bench.apart.items()[f"MSG#{message['id']}"]["textBody"] == message["text"]["body"]


@pytest.mark.usefixtures("answers")
def test_the_api_shows_the_conversations_of_the_number(bench: Bench) -> None:
    answer = bench.invoke("WhatsAppApi", direct_event("api_conversations").event)

    shown = json.loads(answer["body"])["result"]["conversations"]
    heads = [
        item
        for item in bench.apart.items().values()
        if item["itemType"] == "CONVERSATION" and item["phone"] == COUNTER.phone
    ]
    assert answer["statusCode"] == 200
    assert len(shown) == len(heads) > 0


@pytest.mark.usefixtures("answers")
def test_the_sending_function_lists_the_canned_replies_of_the_company(bench: Bench) -> None:
    answer = bench.invoke("WhatsAppSending", direct_event("sending_canned_replies").event)

    assert answer["statusCode"] == 200
    assert json.loads(answer["body"])["result"] == {"cannedReplies": []}


@pytest.mark.usefixtures("answers")
def test_the_admin_function_lists_the_parked_events_of_the_company(bench: Bench) -> None:
    answer = bench.invoke("WhatsAppAdmin", direct_event("admin_parked").event)

    shown = json.loads(answer["body"])["result"]["events"]
    assert answer["statusCode"] == 200
    assert {event["reason"] for event in shown} == {"conflict"}


def test_the_authorizer_denies_an_unknown_key_and_allows_a_known_one(
    bench: Bench,
) -> None:
    event = direct_event("authorizer_unknown_key").event

    refused = bench.invoke("ApiAuthorizer", event)
    allowed = bench.invoke("ApiAuthorizer", event | {"headers": {"x-api-key": bench.api_key}})

    assert refused["policyDocument"]["Statement"][0]["Effect"] == "Deny"
    assert allowed["policyDocument"]["Statement"][0]["Effect"] == "Allow"
    assert allowed["context"]["company"] == COMPANY


@pytest.mark.usefixtures("answers")
def test_the_scheduled_function_counts_the_days(bench: Bench) -> None:
    # Without progress the hours of eight days are counted.
    now = time.time()
    lately = time.strftime("%Y-%m-%dT%H:%M:00Z", time.gmtime(now - now % 300))
    event = direct_event("scheduled_minute").event | {"time": lately}

    assert bench.invoke("WhatsAppScheduled", event) is None
    days = [item for item in bench.apart.items().values() if item["itemType"] == "ANALYTICS"]
    assert sum(int(counted["messagesReceived"]) for counted in days) > 0


def test_the_canary_message_is_stored_on_the_deployed_stack(bench: Bench) -> None:
    # It waits as long as a provider would: too short a time for a cold webhook on a busy machine.
    assert deliver(bench.apart.stack, sample("handshake")) == ("200", True)

    assert bench.invoke("WhatsAppCanary", direct_event("canary_run").event) is None
    assert bench.logged("WhatsAppCanary", "CanarySuccess") == [[1.0]]


def test_every_function_of_the_inbox_has_an_event_here(bench: Bench) -> None:
    """Events of the other contexts, of actions and of streams are tested on the deployed stack only, in own files."""
    covered = {sample.function for sample in day()} | {
        direct.function for direct in direct_events()
    }
    others = (
        *(
            "Richpanel",
            "Conversations",
            "EmailThreads",
            "Newsletters",
            "Inbox",
            "Console",
            "Operations",
        ),
        *("WhatsAppActions", "WhatsAppInboxFeed"),
    )
    deployed = {name for name in bench.apart.functions if not name.startswith(others)}

    assert covered == deployed


@pytest.mark.usefixtures("deployed")
def test_one_event_can_be_sent_to_one_function_by_command() -> None:
    # An event that changes nothing.
    command = ["-m", "local.invoke.rie", "WhatsAppSocial", "events/whatsapp/sns_other_topic.json"]
    ran = subprocess.run(  # noqa: S603 - our own interpreter and module
        [sys.executable, *command], cwd=ROOT, capture_output=True, text=True, check=True
    )

    assert ran.stdout.splitlines()[-1] == "null"
