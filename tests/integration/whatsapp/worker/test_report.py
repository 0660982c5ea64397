"""The worker's report of an event: one short log line, and metrics."""

from __future__ import annotations

import importlib
import json
from collections.abc import Iterator
from dataclasses import replace
from types import ModuleType
from typing import Any

import pytest
from aws_lambda_powertools.utilities.typing import LambdaContext

from shared.aws.workers.sqs_worker import Record
from tests import keyring
from tests.integration.logs import counted, recorded
from tests.integration.whatsapp.conftest import NOW, Harness, text
from tests.template import environment
from whatsapp.inbound.event import CANARY_APP

LONGEST_LINE_BYTES = 1_200
METRICS = ("Persisted", "ConsumedWRU", "PersistLatencyMs", "EndToEndMs")
RECORD = Record(
    message_id="b5c7a1de",
    body="",
    queue="whatsapp.fifo",
    attempt=2,
    is_last=False,
    sent_at_ms=NOW,
    context=LambdaContext(),
)


@pytest.fixture
def worker(monkeypatch: pytest.MonkeyPatch) -> Iterator[ModuleType]:
    for name, value in environment("WhatsAppWorker").items():
        monkeypatch.setenv(name, value)
    module = importlib.import_module("whatsapp.handlers.worker")
    # At its first import the module configures the secret of its environment, which does not exist here.
    with keyring.held(keyring.Keys(keyring.KEY)):
        yield module


def reported(
    harness: Harness, worker: ModuleType, monkeypatch: pytest.MonkeyPatch, value: dict[str, Any]
) -> str:
    """The log line of the one event in *value*."""
    log = recorded(monkeypatch)
    for metric in ("EndToEndMs", "Persisted", "FollowUp"):
        counted(metric)
    (handled,) = harness.take(value, accepted_at=NOW - 3_000)
    worker.worker.report(RECORD, handled)
    return log.getvalue()


def test_a_log_line_has_the_company_and_the_outcome_of_an_event_in_few_bytes(
    harness: Harness, worker: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    line = reported(harness, worker, monkeypatch, {"messages": [text("wamid." + "x" * 900)]})

    said = json.loads(line)
    assert len(line.encode()) <= LONGEST_LINE_BYTES
    assert {
        name: said[name] for name in ("outcome", "attempt", "age_ms", "company", "channel")
    } == {
        "outcome": "persisted",
        "attempt": 2,
        "age_ms": 3_000,
        "company": "acme",
        "channel": "whatsapp",
    }
    assert said["wru"] >= 0
    assert len(said["correlation_id"]) == 26


def test_the_end_to_end_latency_starts_at_the_providers_timestamp(
    harness: Harness, worker: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    value = {"messages": [text("wamid.1", at=NOW // 1000 - 7)]}
    reported(harness, worker, monkeypatch, value)

    assert counted("EndToEndMs") == 7_000
    assert counted("Persisted") == 1

    reported(harness, worker, monkeypatch, value)
    assert counted("EndToEndMs") == 0, "the latency of a repeated delivery must not be measured"


def test_a_message_of_an_old_history_counts_as_persisted_and_not_as_late(
    harness: Harness, worker: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    old = text("wamid.old", at=NOW // 1000 - 90 * 86_400)
    history = {"field": "history", "history": [{"threads": [{"id": "1", "messages": [old]}]}]}
    reported(harness, worker, monkeypatch, history)

    assert counted("Persisted") == 1
    assert counted("EndToEndMs") == 0


def test_an_event_of_the_canary_is_logged_and_counts_in_no_metric(
    harness: Harness, worker: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    reported(harness, worker, monkeypatch, {"messages": [text("wamid.1")]})
    (handled,) = harness.take({"messages": [text("wamid.2")]}, accepted_at=NOW - 3_000)
    assert handled.event is not None
    for name in METRICS:
        counted(name)
    log = recorded(monkeypatch)

    worker.worker.report(RECORD, replace(handled, event=replace(handled.event, app=CANARY_APP)))

    assert json.loads(log.getvalue())["outcome"] == "persisted"
    assert {name: counted(name) for name in METRICS} == dict.fromkeys(METRICS, 0)
