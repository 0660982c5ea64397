"""`python -m operations recovery`: an operator lists and replays parked events and dead letters."""

import json
from typing import Any

import boto3
import pytest

from operations.command_line import arguments
from operations.recovery import cli, contexts
from shared.aws.dynamodb import Table
from shared.aws.s3 import Bucket
from shared.aws.sqs_fifo import Entry, digest
from shared.events.recovery import over_quota
from tests.integration.operations.conftest import NOW
from tests.template import create_queue, properties, resolved, template
from whatsapp.configuration.folders import parked_events
from whatsapp.inbound.splitter import Delivery, events_of
from whatsapp.store.items import WebhookEvent

STACK = "parley-dev"
QUEUES = {
    "WhatsAppQueueUrl": "WhatsAppQueue",
    "WhatsAppJobsQueueUrl": "WhatsAppJobsQueue",
    "WhatsAppJobsDeadLettersUrl": "WhatsAppJobsDeadLetters",
    "WhatsAppCampaignsQueueUrl": "WhatsAppCampaignsQueue",
    "WhatsAppCampaignsDeadLettersUrl": "WhatsAppCampaignsDeadLetters",
    "WhatsAppDeadLettersUrl": "WhatsAppDeadLetters",
    "WhatsAppSocialDeadLettersUrl": "WhatsAppSocialDeadLetters",
}


@pytest.fixture
def outputs(inbox: Table, monkeypatch: pytest.MonkeyPatch) -> dict[str, str]:
    """A stack on moto, by its outputs."""
    bucket = str(properties("MediaBucket")["BucketName"])
    boto3.client("s3").create_bucket(Bucket=bucket)
    sqs = boto3.client("sqs")
    known = {
        "WhatsAppTableName": inbox.name,
        "MediaBucketName": bucket,
        "WhatsAppSocialTopicArn": resolved({"Ref": "WhatsAppSocialTopic"}),
        **{output: create_queue(sqs, queue) for output, queue in QUEUES.items()},
    }

    def outputs_of(stack: str, *wanted: str) -> dict[str, str]:
        assert stack == STACK
        return {name: known[name] for name in wanted}

    monkeypatch.setattr(arguments, "outputs_of", outputs_of)
    return known


def run(*given: str) -> int:
    return cli.main([*given, "--stack", STACK])


def park(
    inbox: Table, outputs: dict[str, str], identity: str, reason: str = "unknown_phone"
) -> str:
    """Park one event as the worker does; returns its id."""
    message = {"id": identity, "from": "447700900101", "type": "text", "text": {"body": "hello"}}
    change = {"field": "messages", "value": {"messages": [message]}}
    delivery = Delivery(source="meta", app="1", accepted_at=NOW - 60_000)
    [event] = events_of({"entry": [{"id": "102290129340398", "changes": [change]}]}, delivery)
    event_id = digest("parked", reason, identity)
    bucket = Bucket(lambda: boto3.client("s3"), outputs["MediaBucketName"])
    whole = parked_events(bucket).put(event_id, event.to_json().encode())
    item = WebhookEvent(
        pk=WebhookEvent.key(event_id), event_id=event_id, webhook_event_type="parked",
        event_type="message", processed_at="2026-01-01T12:00:00.000Z",
        received_at="2026-01-01T11:59:00.000Z", reason=reason, full_event=whole.attributes(),
        correlation_id=event.correlation_id,
    )  # fmt: skip
    inbox.put(item.attributes())
    return event_id


def on_queue(outputs: dict[str, str]) -> list[dict[str, Any]]:
    """The messages enqueued since the previous call."""
    sqs, url = boto3.client("sqs"), outputs["WhatsAppQueueUrl"]
    messages = sqs.receive_message(QueueUrl=url, MaxNumberOfMessages=10).get("Messages", [])
    for message in messages:
        sqs.delete_message(QueueUrl=url, ReceiptHandle=message["ReceiptHandle"])
    return [json.loads(message["Body"]) for message in messages]


def put_dead_letter(outputs: dict[str, str], entry: Entry) -> None:
    boto3.client("sqs").send_message(
        QueueUrl=outputs["WhatsAppDeadLettersUrl"], MessageBody=entry.body,
        MessageGroupId=entry.group, MessageDeduplicationId=entry.deduplication,
    )  # fmt: skip


def test_parked_events_are_listed_one_a_line(
    inbox: Table, outputs: dict[str, str], capsys: pytest.CaptureFixture[str]
) -> None:
    event_id = park(inbox, outputs, "wamid.1")
    park(inbox, outputs, "wamid.2", "conflict")

    assert run("parked", "--reason", "unknown_phone") == 0

    assert capsys.readouterr().out.splitlines() == [
        f"{event_id}\topen\tunknown_phone\tmessage\t\t\t2026-01-01T11:59:00.000Z\t\t"
    ]
    assert run("parked", "--json") == 0
    shown = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert sorted(event["reason"] for event in shown) == ["conflict", "unknown_phone"]


def test_events_are_replayed_by_id_by_reason_or_all(
    inbox: Table, outputs: dict[str, str], capsys: pytest.CaptureFixture[str]
) -> None:
    first = park(inbox, outputs, "wamid.1")
    for n in range(3):
        park(inbox, outputs, f"wamid.c{n}", "conflict")
    park(inbox, outputs, "wamid.2", "phone_disabled")

    assert run("replay", first) == 0
    assert [event["replayOf"] for event in on_queue(outputs)] == [first]
    assert run("replay", "--reason", "conflict") == 0
    assert {event["id"] for event in on_queue(outputs)} == {"wamid.c0", "wamid.c1", "wamid.c2"}
    assert run("replay", "--all") == 0
    assert [event["id"] for event in on_queue(outputs)] == ["wamid.2"]
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == 5
    assert lines[0] == f"{first}\treplayed\tunknown_phone\t{digest('wamid.1')[:26]}"


def test_events_that_cannot_be_replayed_are_named_and_the_others_are_replayed(
    inbox: Table, outputs: dict[str, str], capsys: pytest.CaptureFixture[str]
) -> None:
    gone = park(inbox, outputs, "wamid.1")
    s3, bucket = boto3.client("s3"), outputs["MediaBucketName"]
    (stored,) = s3.list_objects_v2(Bucket=bucket, Prefix=f"parked/{gone}")["Contents"]
    s3.delete_object(Bucket=bucket, Key=stored["Key"])
    good = park(inbox, outputs, "wamid.2")

    assert run("replay", gone, "0" * 64, good) == 1

    out, err = capsys.readouterr()
    assert [line.split("\t")[:2] for line in out.splitlines()] == [[good, "replayed"]]
    assert err.splitlines() == [
        f"error: {gone}: event_id: cannot be replayed: gone",
        f"error: {'0' * 64}: event_id: parked event not found",
    ]
    assert run("replay", "--all") == 1
    assert f"{gone}\trefused: gone" in capsys.readouterr().out


def test_events_over_the_quota_are_replayed(
    outputs: dict[str, str], capsys: pytest.CaptureFixture[str]
) -> None:
    delivery = Delivery(source="meta", app="1", accepted_at=NOW - 60_000)
    message = {"id": "wamid.1", "from": "447700900101", "type": "text", "text": {"body": "hello"}}
    change = {"field": "messages", "value": {"messages": [message]}}
    [event] = events_of({"entry": [{"id": "102290129340398", "changes": [change]}]}, delivery)
    folder = parked_events(Bucket(lambda: boto3.client("s3"), outputs["MediaBucketName"]))
    for name, body in (("0", event.to_json().encode()), ("1", b"{")):
        over_quota.keep(folder, None, digest(name), body, reason="unknown_phone")

    assert run("replay", "--over-quota") == 1

    assert [event["id"] for event in on_queue(outputs)] == ["wamid.1"]
    outcomes = [line.split("\t")[1] for line in capsys.readouterr().out.splitlines()]
    assert sorted(outcomes) == ["refused: unreadable", "replayed"]


def test_dead_letters_are_listed_and_redriven(
    outputs: dict[str, str], capsys: pytest.CaptureFixture[str]
) -> None:
    put_dead_letter(outputs, Entry('{"n": 1}', "g", "1"))
    put_dead_letter(outputs, Entry('{"n": 2}', "g", "2"))

    assert run("dead-letters") == 0
    out, err = capsys.readouterr()
    letters = [line.split("\t") for line in out.splitlines()]
    assert [letter[1:4] for letter in letters] == [
        ["events", "no_error_reported", "unreadable"],
        ["events", "no_error_reported", "unreadable"],
    ]
    assert "about 2 in the queue `events`" in err

    assert run("redrive", letters[0][0]) == 0
    assert [event["n"] for event in on_queue(outputs)] == [1]
    assert run("redrive", "0" * 36) == 1
    assert f"error: {'0' * 36}: dead letter not found" in capsys.readouterr().err
    assert run("redrive", "--all") == 0
    capsys.readouterr()
    assert run("dead-letters") == 0
    assert capsys.readouterr().out == ""


@pytest.mark.parametrize(
    "given",
    [
        ["replay"],
        ["replay", "0" * 64, "--all"],
        ["replay", "0" * 64, "--reason", "x"],
        ["redrive"],
        ["redrive", "0" * 36, "--all"],
    ],
)
def test_replay_and_redrive_require_exactly_one_selection(
    outputs: dict[str, str], capsys: pytest.CaptureFixture[str], given: list[str]
) -> None:
    assert run(*given) == 2

    *usage, line = capsys.readouterr().err.splitlines()
    assert usage[0].startswith(f"usage: python -m operations recovery {given[0]}")
    assert line.startswith("error: ")
    assert "--all" in line


@pytest.mark.parametrize(
    ("given", "argument"),
    [
        (["parked", "--reason", "a b"], "--reason"),
        (["parked", "--state", "open"], "--state"),
        (["replay", "x"], "event_id"),
        (["redrive", "x"], "letter_id"),
        (["dead-letters", "--limit", "0"], "--limit"),
        (["dead-letters", "--limit", "101"], "--limit"),
    ],
)
def test_a_wrong_argument_is_named(
    capsys: pytest.CaptureFixture[str], given: list[str], argument: str
) -> None:
    with pytest.raises(SystemExit) as stop:
        run(*given)

    assert stop.value.code == 2
    assert argument in capsys.readouterr().err.splitlines()[-1]


@pytest.mark.parametrize(("output", "queue"), QUEUES.items())
def test_the_template_has_the_outputs_that_the_command_looks_up(output: str, queue: str) -> None:
    assert template()["Outputs"][output]["Value"] == {"Ref": queue}
    assert set(contexts.OUTPUTS["whatsapp"]) <= set(template()["Outputs"])
