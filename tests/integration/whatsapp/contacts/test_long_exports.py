"""The export of a contact with a long history: every message once, in steps that do not grow with the history."""

from __future__ import annotations

import json
from collections import Counter
from typing import Any

import pytest

from shared.privacy.jobs import get
from shared.runtime import clock
from tests.integration.whatsapp.conftest import T0, Harness, text
from tests.simulation import stored
from whatsapp.inbound.event import Outcome
from whatsapp.privacy import jobs
from whatsapp.store.items.privacy import PrivacyJob

NUMBER = "447700900101"
CALL_MS = 20
MOST_CALLS = jobs.RUN_MS // CALL_MS + 150  # the step that ends after the time of a run
MOST_BYTES = 500_000


def write_history(harness: Harness, count: int) -> set[str]:
    """Let a customer write a message, and copy its item as often as needed, without calls; returns all keys."""
    harness.take({"messages": [text("wamid.0", at=T0) | {"from": NUMBER}]})
    table = harness.resources.table.name
    (first,) = [item for item in stored.items_of(table) if item["pk"]["S"].startswith("MSG#")]
    keys = {first["pk"]["S"]}
    for number in range(1, count):
        before = clock.to_text(clock.from_text(first["receivedAt"]["S"]) - number)
        body = json.dumps(first).replace("wamid.0", f"wamid.{number}")
        item: dict[str, Any] = json.loads(body) | {"receivedAt": {"S": before}}
        stored.put(table, item)
        keys.add(item["pk"]["S"])
    return keys


def run(harness: Harness, monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Run an export to its end, each call of DynamoDB in 20 ms; returns the calls of each of its events."""
    resources, made, ends = harness.resources, [], []
    begin = clock.now_ms()
    resources.table._client.meta.events.register(
        "before-call.dynamodb", lambda model, **_: made.append(model.name)
    )
    monkeypatch.setattr(clock, "now_ms", lambda: begin + CALL_MS * len(made))
    jobs.start(
        resources.table, resources.queue, company="acme", kind="export", named=NUMBER, by="an agent"
    )
    while harness.outbox.entries:
        began = len(made)
        assert harness.handle(harness.outbox.entries.pop(0).body).outcome is Outcome.PERSISTED
        ends.append(len(made) - began)
    return ends


@pytest.mark.parametrize("number", [500, pytest.param(4_000, marks=pytest.mark.long)])
def test_an_export_has_every_message_of_a_long_history_once(
    harness: Harness, monkeypatch: pytest.MonkeyPatch, number: int
) -> None:
    keys = write_history(harness, number)
    calls = run(harness, monkeypatch)
    bucket, table = harness.resources.bucket, harness.resources.table
    job = get(table, PrivacyJob, PrivacyJob.id_of("export", "acme", NUMBER))
    assert job is not None
    folder = jobs.folder_of(bucket, job)
    sizes = [one.size for one in bucket.objects_under(f"{folder.prefix}parts/")]
    lines = bucket.get(f"{folder.prefix}{folder.lines}").splitlines()
    found = [json.loads(line)["item"]["pk"] for line in lines]

    assert job.state == "done"
    assert Counter(key for key in found if key.startswith("MSG#")) == Counter(keys)
    # Neither an event nor an object grows with the history.
    assert max(calls) <= MOST_CALLS
    assert max(sizes) <= MOST_BYTES
