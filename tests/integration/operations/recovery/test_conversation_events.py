"""`python -m operations recovery --context conversations`: an operator lists and replays parked events."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import boto3
import pytest

from conversations.recovery import parking
from conversations.store import routes
from conversations.store.items.routes import BusinessAddress
from events.conversations.twilio import SMS_NUMBER
from operations.command_line import arguments
from operations.recovery import cli, contexts
from shared.access.ownership import claims
from shared.access.ownership.claims import Proof
from shared.access.ownership.ids import ProviderId
from shared.aws.dynamodb import Table
from shared.aws.s3 import Bucket
from shared.events.exchange import (
    DeliveryStatus,
    InboundMessage,
    body_of,
    inbound_entry,
    status_entry,
)
from shared.events.recovery import quota
from tests.template import create_queue, create_table, template

if TYPE_CHECKING:
    from shared.aws.sqs_fifo import Entry

STACK, BUCKET = "parley-dev", "media"
FLOODED = "+12025550177"
LOG, INBOUND, DEAD_LETTERS = (
    "ConversationLogTableName",
    "ConversationsInboundQueueUrl",
    "ConversationsDeadLettersUrl",
)
STATUSES = "ConversationsStatusesQueueUrl"
QUEUES = {
    INBOUND: "ConversationsInboundQueue",
    STATUSES: "ConversationsStatusesQueue",
    "ConversationsRepliesQueueUrl": "ConversationsRepliesQueue",
    "ConversationsWhatsAppQueueUrl": "ConversationsWhatsAppQueue",
    "ConversationsSmsQueueUrl": "ConversationsSmsQueue",
    "ConversationsEmailQueueUrl": "ConversationsEmailQueue",
    "ConversationsMediaQueueUrl": "ConversationsMediaQueue",
    DEAD_LETTERS: "ConversationsDeadLetters",
    "ConversationsMediaDeadLettersUrl": "ConversationsMediaDeadLetters",
}
MESSAGE = InboundMessage(
    provider="twilio", provider_message_id="SM1", account="AC1", channel_method="sms",
    business_address=SMS_NUMBER, customer_address="+447700900123", kind="text", text="Hello",
    received_at="2026-01-01T12:00:00.000Z",
)  # fmt: skip


@pytest.fixture
def outputs(keys: Table, monkeypatch: pytest.MonkeyPatch) -> dict[str, str]:
    """A stack on moto, by its outputs; `keys` has started moto."""
    del keys
    boto3.client("s3").create_bucket(Bucket=BUCKET)
    sqs, dynamodb = boto3.client("sqs"), boto3.client("dynamodb")
    known = {
        LOG: create_table(dynamodb, "ConversationLogTable"),
        contexts.BUCKET: BUCKET,
        **{output: create_queue(sqs, queue) for output, queue in QUEUES.items()},
    }
    monkeypatch.setattr(arguments, "outputs_of", lambda *_: known)
    return known


def run(command: str, *given: str) -> int:
    return cli.main([command, "--stack", STACK, "--context", "conversations", *given])


def park(outputs: dict[str, str], body: str, reason: str = "UNKNOWN_ADDRESS") -> None:
    log = Table(boto3.client("dynamodb"), outputs[LOG])
    parking.park(log, Bucket(lambda: boto3.client("s3"), BUCKET), "intake", body, reason)


def put_dead_letter(outputs: dict[str, str], entry: Entry) -> None:
    boto3.client("sqs").send_message(
        QueueUrl=outputs[DEAD_LETTERS], MessageBody=entry.body,
        MessageGroupId=entry.group, MessageDeduplicationId=entry.deduplication,
    )  # fmt: skip


def on_queue(outputs: dict[str, str], output: str) -> list[dict[str, Any]]:
    answer = boto3.client("sqs").receive_message(QueueUrl=outputs[output], MaxNumberOfMessages=10)
    return [json.loads(message["Body"]) for message in answer.get("Messages", [])]


def lines(capsys: pytest.CaptureFixture[str]) -> list[list[str]]:
    """The rows that the command printed, without the metrics of earlier function runs."""
    printed = capsys.readouterr().out.splitlines()
    return [line.split("\t") for line in printed if not line.startswith('{"_aws"')]


def test_parked_events_are_listed_with_their_reasons_and_replayed_by_id(
    outputs: dict[str, str], capsys: pytest.CaptureFixture[str]
) -> None:
    park(outputs, body_of(MESSAGE))
    assert run("parked") == 0
    ((event_id, state, reason, kind, _, source, *_),) = lines(capsys)
    assert (state, reason, kind, source) == ("open", "UNKNOWN_ADDRESS", "inbound_message", "intake")

    assert run("replay", event_id) == 0

    assert [event["provider_message_id"] for event in on_queue(outputs, INBOUND)] == ["SM1"]
    assert lines(capsys) == [[event_id, "replayed", "UNKNOWN_ADDRESS", ""]]
    assert run("parked") == 0
    assert lines(capsys) == []
    assert run("parked", "--state", "all", "--json") == 0
    assert json.loads(capsys.readouterr().out)["state"] == "replayed"


def test_all_of_a_reason_are_replayed_and_the_others_stay(
    outputs: dict[str, str], capsys: pytest.CaptureFixture[str]
) -> None:
    park(outputs, body_of(MESSAGE))
    park(outputs, "{", "unreadable")

    assert run("replay", "--reason", "UNKNOWN_ADDRESS") == 0
    assert len(on_queue(outputs, INBOUND)) == 1
    assert run("replay", "--all") == 1

    assert "refused: unreadable" in capsys.readouterr().out


def test_dead_letters_are_listed_with_their_errors_and_redriven(
    outputs: dict[str, str], capsys: pytest.CaptureFixture[str]
) -> None:
    entry = inbound_entry(MESSAGE)
    status = DeliveryStatus(
        provider="twilio", provider_message_id="SM2", account="AC1", channel_method="sms",
        status="sent", occurred_at="2026-01-01T12:00:00.000Z",
    )  # fmt: skip
    log = Table(boto3.client("dynamodb"), outputs[LOG])
    parking.note_dead_letter(log, "intake", entry.body, "throttled", 5)
    put_dead_letter(outputs, entry)
    put_dead_letter(outputs, status_entry(status))

    assert run("dead-letters") == 0
    shown = sorted(line[2:7] for line in lines(capsys))
    assert shown == [
        ["no_error_reported", "delivery_status", "", "", ""],
        ["throttled", "inbound_message", "intake", "", "5 attempts"],
    ]
    assert run("redrive", "--all") == 0

    assert len(on_queue(outputs, INBOUND)) == 1
    assert len(on_queue(outputs, STATUSES)) == 1
    assert "about 0 in the queue `conversations`" in capsys.readouterr().err


@pytest.mark.long
def test_a_company_sees_its_parked_events_among_any_number_of_others(
    outputs: dict[str, str],
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    log = Table(boto3.client("dynamodb"), outputs[LOG])
    for company, number in (("acme", SMS_NUMBER), ("flood", FLOODED)):
        give(log, number, company)
    for n in range(20):
        many = replace(MESSAGE, provider_message_id=f"SM{n}", business_address=FLOODED)
        park(outputs, body_of(many), "conflict")
    park(outputs, body_of(MESSAGE), "conflict")
    read: list[object] = []
    get_many = Table.get_many

    def watched(self: Table, keys: Any) -> Any:
        read.extend(keys)
        return get_many(self, keys)

    monkeypatch.setattr(Table, "get_many", watched)

    assert run("parked", "--company", "acme") == 0

    ((event_id, *_),) = lines(capsys)
    assert len(read) == 1
    assert run("replay", event_id, "--company", "flood") == 2
    assert on_queue(outputs, INBOUND) == []


def test_events_that_an_account_signs_for_another_companys_number_are_not_in_that_companys_list(
    outputs: dict[str, str], capsys: pytest.CaptureFixture[str]
) -> None:
    log = Table(boto3.client("dynamodb"), outputs[LOG])
    give(log, SMS_NUMBER, "acme")
    park(outputs, body_of(replace(MESSAGE, account="ACforeign")), "TENANT_MISMATCH")

    assert run("parked", "--company", "acme") == 0
    assert lines(capsys) == []
    assert run("parked") == 0
    assert len(lines(capsys)) == 1


def give(log: Table, number: str, company: str) -> None:
    """Assign a number to a company and its project."""
    claims.claim(log, ProviderId("sms", number), claims.new(company, Proof.GRANTED))
    routes.add_address(log, "sms", number, owner(company))


def owner(company: str) -> BusinessAddress:
    return BusinessAddress(company_id=company, project_id="p", provider="twilio", account="AC1")


@pytest.mark.usefixtures("outputs")
def test_over_quota_takes_no_ids_and_no_other_filter(capsys: pytest.CaptureFixture[str]) -> None:
    for more in (["--all"], ["--reason", "conflict"]):
        assert run("replay", "--over-quota", *more) == 2
        assert "--over-quota" in capsys.readouterr().err


def test_events_over_the_quota_are_in_no_list_and_are_replayed_once(
    outputs: dict[str, str],
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(quota, "EVENTS_PER_DAY", 1)
    log = Table(boto3.client("dynamodb"), outputs[LOG])
    give(log, SMS_NUMBER, "acme")
    give(log, FLOODED, "flood")
    for n in range(3):
        many = replace(MESSAGE, provider_message_id=f"SM{n}", business_address=FLOODED)
        park(outputs, body_of(replace(many, customer_user_id="GB.20417733968512046377")))
    park(outputs, body_of(MESSAGE))
    assert run("parked", "--company", "flood") == 0
    assert run("parked", "--company", "acme") == 0
    assert len(lines(capsys)) == 2

    assert run("replay", "--over-quota", "--company", "acme") == 0
    assert lines(capsys) == []
    assert run("replay", "--over-quota", "--company", "flood") == 0

    assert {line[1] for line in lines(capsys)} == {"replayed"}
    again = [event["provider_message_id"] for event in on_queue(outputs, INBOUND)]
    assert sorted(again) == ["SM1", "SM2"]
    assert run("replay", "--over-quota") == 0
    assert lines(capsys) == []
    objects = boto3.client("s3").list_objects_v2(Bucket=BUCKET)["Contents"]
    assert [one["Key"] for one in objects if "over-quota" in one["Key"]] == []


@pytest.mark.usefixtures("outputs")
def test_an_unknown_event_is_named(capsys: pytest.CaptureFixture[str]) -> None:
    event_id = "2026-01-01T12:00:00.000Z.0123456789abcdef01234567"

    assert run("replay", event_id) == 1

    assert event_id in capsys.readouterr().err


@pytest.mark.parametrize(("output", "queue"), QUEUES.items())
def test_the_template_has_the_outputs_that_the_command_looks_up(output: str, queue: str) -> None:
    assert template()["Outputs"][output]["Value"] == {"Ref": queue}
    assert set(contexts.OUTPUTS["conversations"]) <= set(template()["Outputs"])
