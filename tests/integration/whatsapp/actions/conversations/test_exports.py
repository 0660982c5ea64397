"""Exports of messages: their parts, repetitions, owners and erasure."""

import csv
import io
import json
import urllib.parse
from typing import Any

import boto3
import pytest

from shared.runtime.failures import Permanent
from tests.integration.whatsapp.actions.conftest import ADA, GLOBEX, Actions
from tests.integration.whatsapp.conftest import PHONE, T0, text
from whatsapp.inbound.event import Outcome
from whatsapp.privacy.jobs import Inventory
from whatsapp.privacy.subjects import Contact
from whatsapp.store.items import Conversation
from whatsapp.worker import message_exports
from whatsapp.worker.dispatcher import process_file

ADAS = Conversation.key(PHONE, ADA)


def queued(actions: Actions) -> list[str]:
    """The bodies that the action put on the queue of jobs."""
    sqs = boto3.client("sqs")
    url = actions.module.settings.whatsapp_jobs_queue_url
    answer = sqs.receive_message(QueueUrl=url, MaxNumberOfMessages=10)
    return [message["Body"] for message in answer.get("Messages", [])]


def work(actions: Actions, bodies: list[str]) -> list[Outcome]:
    """Run jobs until none queues another one."""
    outcomes = []
    while bodies:
        outcomes.append(process_file(actions.harness.resources, bodies.pop(0)).outcome)
        bodies += [
            entry.body for entry in actions.harness.outbox.entries if '"export_page"' in entry.body
        ]
        actions.harness.outbox.entries.clear()
    return outcomes


def parts(actions: Actions, job_id: str) -> list[bytes]:
    """The content behind the links of a job."""
    links = actions.run("get_action", {"actionId": job_id}).result["links"]
    bucket = actions.harness.resources.bucket
    paths = [urllib.parse.urlsplit(link).path for link in links]
    return [bucket.get(path[path.index("exports/") :]) for path in paths]


def export(actions: Actions, **body: Any) -> str:
    answer = actions.run("export_messages", {"conversationPk": ADAS, **body}, key="export-1")
    assert (answer.status, answer.result["state"]) == (202, "running")
    return str(answer.result["jobId"])


def test_an_export_has_the_messages_and_calls_oldest_first(actions: Actions) -> None:
    ring = {"id": "wacid.1", "from": ADA, "to": "15550783881", "event": "connect", "direction": "USER_INITIATED",
            "timestamp": str(T0 + 40)}  # fmt: skip
    actions.harness.take({"field": "calls", "calls": [ring]})
    sent = actions.send("send_text", {"text": "Your bike is ready."}).result
    job_id = export(actions)

    assert actions.run("get_action", {"actionId": job_id}).result["state"] == "running"
    assert work(actions, queued(actions)) == [Outcome.PERSISTED]

    done = actions.run("get_action", {"actionId": job_id}).result
    assert (done["state"], done["kind"], done["exported"]) == ("done", "export", 3)
    rows = [json.loads(line) for line in parts(actions, job_id)[0].splitlines()]
    assert [row["id"] for row in rows] == ["wamid.ada.1", "wacid.1", sent["messageId"]]
    job = actions.item(f"EXPORT#{job_id}")
    assert job.keys().isdisjoint({"conversation", "positions"})


def test_a_long_export_is_written_in_parts_and_ends_at_its_limit(
    actions: Actions, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(message_exports, "PART_MESSAGES", 2)
    for number in range(5):
        actions.harness.take({"messages": [text(f"wamid.e{number}", at=T0 + 1 + number)]})
    job_id = export(actions, limit=5)

    assert work(actions, queued(actions)) == [Outcome.PERSISTED] * 3

    lines = [part.splitlines() for part in parts(actions, job_id)]
    assert [len(each) for each in lines] == [2, 2, 1]


def test_events_that_come_twice_write_nothing_twice(
    actions: Actions, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(message_exports, "PART_MESSAGES", 1)
    actions.harness.take(
        {
            "messages": [
                text("wamid.e1", at=T0 + 1),
            ]
        }
    )
    job_id = export(actions)
    (first,) = queued(actions)

    process_file(actions.harness.resources, first)
    again = work(actions, [first, first])

    assert again[0] is Outcome.DUPLICATE
    assert actions.item(f"EXPORT#{job_id}")["exported"] == 2
    assert [len(part.splitlines()) for part in parts(actions, job_id)] == [1, 1]


def test_a_run_that_dies_before_it_queues_the_next_part_is_continued_by_its_redelivery(
    actions: Actions, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(message_exports, "PART_MESSAGES", 1)
    actions.harness.take({"messages": [text("wamid.e1", at=T0 + 1)]})
    job_id = export(actions)
    (body,) = queued(actions)

    def die(*_: Any) -> None:
        raise RuntimeError("died")

    with monkeypatch.context() as patch:
        patch.setattr(message_exports, "_enqueue", die)
        with pytest.raises(RuntimeError):
            process_file(actions.harness.resources, body)
    work(actions, [body])

    assert actions.item(f"EXPORT#{job_id}")["state"] == "done"


def test_the_same_call_again_is_the_same_job(actions: Actions) -> None:
    job_id = export(actions)
    again = actions.run("export_messages", {"conversationPk": ADAS}, key="export-1")

    assert (again.result["jobId"], again.body["replayed"]) == (job_id, True)


def test_csv_has_a_header_and_no_formulas(actions: Actions) -> None:
    actions.harness.take({"messages": [text("wamid.formula", "=1+1", at=T0 + 5)]})
    job_id = export(actions, format="csv", since="2026-01-01T11:00:01Z")
    work(actions, queued(actions))

    (content,) = parts(actions, job_id)
    (row,) = csv.DictReader(io.StringIO(content.decode()))
    assert (row["text"], row["from"], row["direction"]) == ("'=1+1", ADA, "INBOUND")


def test_an_empty_export_has_one_empty_file(actions: Actions) -> None:
    job_id = export(actions, since="2026-01-01T11:30:00Z")
    work(actions, queued(actions))

    assert parts(actions, job_id) == [b""]


def test_an_export_of_another_company_is_not_found(actions: Actions) -> None:
    job_id = export(actions)
    body = {"conversationPk": ADAS}

    assert actions.run("export_messages", body, caller=GLOBEX).status == 404
    assert actions.run("get_action", {"actionId": job_id}, caller=GLOBEX).status == 404
    assert actions.run("export_messages", body | {"s3Key": "x"}).status == 400
    assert actions.run("export_messages", body | {"limit": 1_000_001}).status == 400


def test_a_number_that_is_not_in_use_exports_nothing(actions: Actions) -> None:
    actions.register(enabled=False)

    assert actions.run("export_messages", {"conversationPk": ADAS}).status == 404
    assert queued(actions) == []


def test_an_erasure_deletes_the_exports_of_the_contact(actions: Actions) -> None:
    job_id = export(actions)
    work(actions, queued(actions))
    resources = actions.harness.resources
    assert resources.bucket.keys_under("exports/acme/messages/")

    contact = Contact(keys=[ADA], links=[], aliases=[], heads=[], ids=[ADA], hashes=[])
    listed = Inventory(
        table=resources.table, bucket=resources.bucket, company="acme", contact=contact, until=""
    )
    exports = [key for prefix in listed.exported for key in resources.bucket.keys_under(prefix)]

    assert exports == resources.bucket.keys_under("exports/acme/messages/")
    for key in exports:
        resources.bucket.delete(key)
    assert actions.run("get_action", {"actionId": job_id}).result["links"] == []


def test_an_event_without_a_job_is_parked(actions: Actions) -> None:
    export(actions)
    (body,) = queued(actions)
    unknown = json.loads(body) | {"id": "no-such-job"}

    with pytest.raises(Permanent, match="no_export_job"):
        process_file(actions.harness.resources, json.dumps(unknown))
