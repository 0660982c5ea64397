"""The canary over the real webhook and the real worker: it arrives, or reports the step that failed."""

from __future__ import annotations

import importlib
import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from types import ModuleType
from typing import Any

import boto3
import pytest

from events.whatsapp.sample_data import APP_ID, APP_SECRET
from shared.aws.secrets import JsonSecret
from shared.aws.sqs_fifo import FifoQueue
from shared.runtime import clock
from tests.integration.logs import counted, recorded
from tests.integration.sandbox.receiver import Received, Receiver, receiving
from tests.integration.whatsapp.conftest import NOW, Harness, text
from tests.template import environment
from whatsapp.inbound.event import Outcome
from whatsapp.jobs import canary

CUSTOMERS_MESSAGE = {"messages": [text("wamid.1")]}
CONVERSATION = "CONV#canary#12025550199"


@dataclass
class CanaryHarness:
    """A webhook behind a port, and the worker behind its queue. `pause` runs the worker in place of waiting."""

    harness: Harness
    webhook: ModuleType
    port: Receiver
    deps: canary.CanaryDependencies
    now: list[int]
    entries: list[dict[str, Any]] = field(default_factory=list)
    answers: list[int] = field(default_factory=list)
    outcomes: list[Outcome] = field(default_factory=list)

    def send_message_batch(self, *, QueueUrl: str, Entries: list[dict[str, Any]]) -> dict[str, Any]:
        self.entries += Entries
        return {}

    def pause(self, milliseconds: int) -> None:
        self.now[0] += milliseconds
        while len(self.answers) < self.port.taken:
            self.answers.append(self.post(self.port.next()))
        while self.entries:
            self.outcomes.append(self.harness.handle(self.entries.pop(0)["MessageBody"]).outcome)

    def post(self, request: Received) -> int:
        event = {
            "httpMethod": request.method,
            "headers": dict(request.headers.items()),
            "body": request.body.decode(),
            "isBase64Encoded": False,
        }
        return int(self.webhook.handler(event, None)["statusCode"])


@pytest.fixture
def canary_harness(harness: Harness, monkeypatch: pytest.MonkeyPatch) -> Iterator[CanaryHarness]:
    now = [NOW]
    monkeypatch.setattr(clock, "now_ms", lambda: now[0])
    for name, value in (environment("WhatsAppWebhook") | environment("WhatsAppCanary")).items():
        monkeypatch.setenv(name, value)
    webhook = importlib.import_module("whatsapp.handlers.webhooks.graph")
    secrets = boto3.client("secretsmanager")
    apps = json.dumps({"verify_token": "v", "apps": {APP_ID: [APP_SECRET]}})
    secrets.create_secret(Name="apps", SecretString=apps)
    secrets.create_secret(Name="canary", SecretString='{"app_secret": "of the canary"}')
    own = JsonSecret(lambda: secrets, "canary")
    monkeypatch.setattr(webhook, "secret", JsonSecret(lambda: secrets, "apps"))
    monkeypatch.setattr(webhook, "canary_secret", own)
    with receiving() as port:
        deps = canary.CanaryDependencies(
            webhook_url=f"{port.url}/hook", secret=own, table=harness.resources.table
        )
        canary_harness = CanaryHarness(harness, webhook, port, deps, now)
        monkeypatch.setattr(clock, "sleep_ms", canary_harness.pause)
        monkeypatch.setattr(webhook, "queue", FifoQueue(lambda: canary_harness, "url"))  # type: ignore[arg-type, return-value] # has the one method that is used
        yield canary_harness


def test_the_canary_arrives_over_webhook_and_worker_without_manual_configuration(
    canary_harness: CanaryHarness,
) -> None:
    result = canary.run(canary_harness.deps)

    assert result == canary.Result(f"canary-{NOW}", None)
    assert (canary_harness.answers, canary_harness.outcomes) == ([200], [Outcome.PERSISTED])
    stored = canary_harness.harness.item(f"MSG#canary-{NOW}")
    assert (stored["company"], stored["textBody"]) == ("parley-canary", "chirp")
    # A metric that has data in every hour costs $0.30 a month; CanarySuccess says as much.
    assert counted("Accepted") == 0


def test_the_canarys_messages_expire_after_a_day_and_no_message_is_sent_to_it(
    canary_harness: CanaryHarness,
) -> None:
    canary.run(canary_harness.deps)

    stored = canary_harness.harness.item(f"MSG#canary-{NOW}")
    assert NOW // 1000 + 86_400 <= stored["ttl"] <= NOW // 1000 + 86_410
    assert canary_harness.harness.outbox.entries == []


def test_the_canary_changes_no_inbox_and_is_not_listed(canary_harness: CanaryHarness) -> None:
    canary_harness.harness.take(CUSTOMERS_MESSAGE)
    before = {key: canary_harness.harness.item(key) for key in canary_harness.harness.keys()}

    for _ in range(3):
        canary_harness.now[0] += 300_000
        assert canary.run(canary_harness.deps).failure is None

    after = {key: canary_harness.harness.item(key) for key in canary_harness.harness.keys()}
    new = set(after) - set(before)
    assert {key: after[key] for key in before} == before
    assert {after[key]["company"] for key in new} == {"parley-canary"}
    assert {key for key in new if not key.startswith("MSG#canary-")} == {
        "PHONE#canary",
        "ALIAS#WAID#canary#12025550199",
        CONVERSATION,
    }


def test_a_number_that_an_older_version_registered_is_updated(
    canary_harness: CanaryHarness,
) -> None:
    old = canary.PHONE.model_copy(update={"message_ttl_days": None})
    canary_harness.harness.resources.table.put(old.attributes())

    canary.run(canary_harness.deps)

    assert canary_harness.harness.item("PHONE#canary")["messageTtlDays"] == 1


@pytest.mark.parametrize("status", [403, 429, 500, 503])
def test_a_webhook_that_refuses_the_canary_is_reported_with_its_answer(
    canary_harness: CanaryHarness, status: int
) -> None:
    canary_harness.port.statuses = [status]

    assert canary.run(canary_harness.deps).failure == f"answer_{status}"


def test_an_address_that_refuses_connections_is_reported_as_no_connection(
    canary_harness: CanaryHarness,
) -> None:
    deps = canary.CanaryDependencies(
        webhook_url="http://127.0.0.1:9/hook",
        secret=canary_harness.deps.secret,
        table=canary_harness.deps.table,
    )

    assert canary.run(deps).failure == "no_connection"


def test_a_message_that_no_worker_stores_is_reported_after_20_seconds(
    canary_harness: CanaryHarness, monkeypatch: pytest.MonkeyPatch
) -> None:
    def wait(milliseconds: int) -> None:
        canary_harness.now[0] += milliseconds

    monkeypatch.setattr(clock, "sleep_ms", wait)

    assert canary.run(canary_harness.deps).failure == "not_stored"
    assert canary_harness.now[0] == NOW + 20_000


def test_a_signature_of_an_app_is_refused_for_the_canary_and_the_canarys_for_any_other_number(
    canary_harness: CanaryHarness,
) -> None:
    """An app's signature is invalid for the canary's number, and the canary's is invalid for any other number."""
    canary.run(canary_harness.deps)
    facts = {"id": "x", "from": "12025550199", "timestamp": str(NOW // 1000), "type": "text"}

    (forged,) = canary_harness.harness.take(
        {"metadata": {"phone_number_id": "canary"}, "messages": [facts]}, app=APP_ID
    )
    (foreign,) = canary_harness.harness.take({"messages": [text("wamid.2")]}, app="canary")

    assert (forged.outcome, forged.reason) == (Outcome.PARKED, "app_mismatch")
    assert (foreign.outcome, foreign.reason) == (Outcome.PARKED, "app_mismatch")


def test_a_wrong_signature_is_still_refused_with_the_canary_deployed(
    canary_harness: CanaryHarness, monkeypatch: pytest.MonkeyPatch
) -> None:
    secrets = boto3.client("secretsmanager")
    secrets.create_secret(Name="other", SecretString='{"app_secret": "of somebody"}')
    own = JsonSecret(lambda: secrets, "other")
    deps = canary.CanaryDependencies(
        webhook_url=canary_harness.deps.webhook_url, secret=own, table=canary_harness.deps.table
    )

    assert canary.run(deps).failure == "not_stored"
    assert canary_harness.answers == [403]
    monkeypatch.setattr(canary_harness.webhook, "canary_secret", None)
    canary.run(canary_harness.deps)
    assert canary_harness.answers == [403, 403], "without a canary its signature must be refused"


@pytest.mark.parametrize(("lost", "success"), [(None, 1), ("not_stored", 0)])
def test_the_function_counts_whether_the_canary_arrived_and_reports_the_step_that_failed(
    canary_harness: CanaryHarness, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str],
    lost: str | None, success: int,
) -> None:  # fmt: skip
    handler = importlib.import_module("whatsapp.handlers.canary")
    log = recorded(monkeypatch)
    monkeypatch.setattr(canary, "run", lambda _: canary.Result("canary-1", lost))
    counted("CanarySuccess")

    handler.handler({}, None)

    emitted = json.loads(capsys.readouterr().out.splitlines()[-1])
    assert (emitted["CanarySuccess"], emitted["service"]) == ([success], "whatsapp")
    said = json.loads(log.getvalue())
    assert (said["level"], said.get("reason")) == (("ERROR", lost) if lost else ("INFO", None))
