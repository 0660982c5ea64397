"""Replay of parked events and redrive of dead letters on the deployed stack: by the routes and by the command."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pytest
import urllib3

from events.whatsapp import gateway, payloads
from events.whatsapp.payloads import text
from events.whatsapp.sample_data import ADA, COMPANY, STRANGER, WORKSHOP
from local.demo.webhook_sender import wait_until_empty
from local.stack.cli import Stack
from local.stack.seed import operate
from tests.e2e import webhooks
from tests.e2e.conftest import Deployed

pytestmark = [pytest.mark.e2e, pytest.mark.long]
http = urllib3.PoolManager(retries=False, timeout=180)


@dataclass(frozen=True)
class RecoveryClient:
    """The stack, and keys of an operator and of a test company."""

    stack: Stack
    operator: str
    company: str

    def call(
        self, method: str, path: str, body: dict[str, Any] | None = None, *, key: str | None = None
    ) -> tuple[int, dict[str, Any]]:
        headers = {"x-api-key": key or self.operator}
        answer = http.request(method, self.stack.api_url + path, json=body, headers=headers)
        return answer.status, answer.json()

    def parked(self, reason: str) -> dict[str, dict[str, Any]]:
        """Parked events that are open, by id."""
        status, page = self.call("GET", f"/whatsapp/parked?reason={reason}&limit=100")
        assert status == 200
        return {event["eventId"]: event for event in page["result"]["events"]}

    def write(self, message_id: str, body: str) -> None:
        """A message of Ada's to the unregistered number, in Meta's format."""
        at = int(time.time()) - 60
        message = payloads.message(ADA, message_id, at, text(body))
        change = payloads.messages_change(STRANGER, [message], [ADA])
        raw = gateway.meta_bytes(payloads.webhook(payloads.entry(STRANGER.waba, change)))
        webhooks.send(self.stack, raw)
        assert wait_until_empty(self.stack)

    def inbox(self) -> list[str]:
        """Texts of all messages to that number."""
        _, page = self.call(
            "GET", f"/whatsapp/conversations?phone={STRANGER.phone}", key=self.company
        )
        found = []
        for conversation in page["result"]["conversations"]:
            path = f"/whatsapp/conversations/{conversation['key']}/messages"
            _, messages = self.call("GET", path, key=self.company)
            found += [message["text"] for message in messages["result"]["messages"]]
        return sorted(found)

    def register(self) -> None:
        operate(
            self.stack, "phones", "register", "--company", COMPANY, "--phone", STRANGER.phone,
            "--display-phone", STRANGER.display, "--waba", STRANGER.waba, "--provider", "graph",
            "--app", "1029384756", "--token-ref", COMPANY,
        )  # fmt: skip


@pytest.fixture(scope="module")
def client(deployed: Deployed) -> Iterator[RecoveryClient]:
    """The stack; data of these tests are deleted after them, since other tests count all data."""
    stack = deployed.stack
    before = _keys(stack)
    operator = operate(stack, "api-keys", "create", "--company", "hosting", "--scopes", "operator")
    listed = _phone_list(stack)
    yield RecoveryClient(stack, operator, deployed.api_key)
    table = stack.client("dynamodb")
    for key in _keys(stack) - before:
        table.delete_item(TableName=stack.tables["whatsapp"], Key={"pk": {"S": key}})
    table.put_item(TableName=stack.tables["whatsapp"], Item=listed)


def _keys(stack: Stack) -> set[str]:
    pages = (
        stack.client("dynamodb").get_paginator("scan").paginate(TableName=stack.tables["whatsapp"])
    )
    return {item["pk"]["S"] for page in pages for item in page["Items"]}


def _phone_list(stack: Stack) -> dict[str, Any]:
    return stack.client("dynamodb").get_item(
        TableName=stack.tables["whatsapp"], Key={"pk": {"S": "CONFIG#PHONES#acme"}}
    )["Item"]


def test_a_message_to_an_unknown_number_is_parked_and_replayed_once_it_is_registered(
    client: RecoveryClient,
) -> None:
    before = client.parked("unknown_phone").keys()
    stamp = time.time_ns()
    client.write(f"wamid.replay.1.{stamp}", "first")
    client.write(f"wamid.replay.2.{stamp}", "second")
    waiting = client.parked("unknown_phone").keys() - before
    assert len(waiting) == 2
    first, second = waiting

    status, refused = client.call("POST", f"/whatsapp/parked/{first}/replay", key=client.company)
    assert (status, refused["error"]["code"]) == (403, "forbidden")

    # Too early: it is parked again, with a higher count.
    status, answer = client.call("POST", f"/whatsapp/parked/{first}/replay")
    assert (status, answer["result"]["state"]) == (202, "replayed")
    assert wait_until_empty(client.stack)
    back = client.parked("unknown_phone")[first]
    assert (back["state"], back["replayCount"], "parkedAgainAt" in back) == ("open", 1, True)

    client.register()
    # By the route ...
    status, _ = client.call("POST", f"/whatsapp/parked/{first}/replay")
    assert status == 202
    assert wait_until_empty(client.stack)
    assert client.parked("unknown_phone").keys() - before == {second}
    assert len(client.inbox()) == 1

    # ... and by the command.
    listed = operate(client.stack, "recovery", "parked", "--reason", "unknown_phone")
    assert f"{second}\topen\tunknown_phone\tmessage" in listed
    assert f"{second}\treplayed" in operate(client.stack, "recovery", "replay", second)
    assert wait_until_empty(client.stack)
    assert client.parked("unknown_phone").keys() == before
    assert client.inbox() == ["first", "second"]
    _, everything = client.call("GET", "/whatsapp/parked?state=all&limit=100")
    states = {event["eventId"]: event["state"] for event in everything["result"]["events"]}
    assert (states[first], states[second]) == ("resolved", "resolved")


def test_all_events_of_a_reason_are_replayed_and_those_parked_again_are_open(
    client: RecoveryClient,
) -> None:
    client.register()
    before = client.parked("conflict").keys()
    stamp = time.time_ns()
    for body in ("one", "another"):
        client.write(f"wamid.conflict.{stamp}", body)
    [event_id] = client.parked("conflict").keys() - before

    status, answer = client.call(
        "POST", "/whatsapp/parked/replay", {"reason": "conflict", "company": COMPANY, "limit": 100}
    )

    assert status == 202
    assert event_id in [replayed["eventId"] for replayed in answer["result"]["replayed"]]
    assert wait_until_empty(client.stack)
    event = client.parked("conflict")[event_id]
    assert (event["state"], event["replayCount"]) == ("open", 1)


def test_dead_letters_of_both_queues_are_listed_and_redriven(client: RecoveryClient) -> None:
    client.register()
    sqs, queues = client.stack.client("sqs"), client.stack.queues
    body, social = _lost_message(), _lost_notification(client.stack)
    sqs.send_message(
        QueueUrl=queues["whatsapp_dead_letters"], MessageBody=body, MessageGroupId="lost",
        MessageDeduplicationId=str(time.time_ns()),
    )  # fmt: skip
    sqs.send_message(QueueUrl=queues["whatsapp_social_dead_letters"], MessageBody=social)

    status, answer = client.call("GET", "/whatsapp/dead-letters")
    assert (status, answer["result"]["waiting"]) == (
        200,
        {"events": 1, "media": 0, "social": 1, "campaigns": 0},
    )
    letters = {letter["queue"]: letter for letter in answer["result"]["letters"]}
    assert (letters["events"]["kind"], letters["events"]["reason"]) == (
        "message",
        "no_error_reported",
    )
    assert letters["social"]["reason"] == "NotEnqueued"

    status, answer = client.call(
        "POST", "/whatsapp/dead-letters/redrive", {"ids": [letters["events"]["id"]]}
    )
    assert (status, answer["result"]["missing"]) == (202, [])
    assert "redriven" in operate(client.stack, "recovery", "redrive", "--all")
    assert wait_until_empty(client.stack)
    _, answer = client.call("GET", "/whatsapp/dead-letters")
    assert answer["result"] == {
        "letters": [],
        "waiting": {"events": 0, "media": 0, "social": 0, "campaigns": 0},
    }
    assert "lost" in client.inbox()


def _lost_message() -> str:
    at = int(time.time()) - 60
    return json.dumps(
        {
            "v": 1, "kind": "message", "id": f"wamid.lost.{time.time_ns()}", "source": "meta",
            "app": "1029384756", "acceptedAt": at * 1_000, "waba": STRANGER.waba,
            "phone": STRANGER.phone, "displayPhone": STRANGER.display, "field": "messages",
            "at": at, "index": 0, "contact": None, "hash": "0" * 64, "claim": None,
            "payload": {
                "from": ADA.wa_id, "timestamp": str(at), "type": "text", "text": {"body": "lost"},
            },
        }
    )  # fmt: skip


def _lost_notification(stack: Stack) -> str:
    """
    The dead letter that Lambda makes of an SNS message after the social function failed: a status of an unknown
    message.
    """
    status = payloads.status(ADA, f"wamid.nobody.{time.time_ns()}", "sent", int(time.time()) - 60)
    entry = payloads.entry(WORKSHOP.waba, payloads.statuses_change(WORKSHOP, [status]))
    message = gateway.social_message("lost", int(time.time()), WORKSHOP, json.dumps(entry))
    sns = {"TopicArn": stack.topics["whatsapp_social"], "Message": json.dumps(message)}
    return json.dumps(
        {
            "requestContext": {"condition": "RetriesExhausted", "approximateInvokeCount": 3},
            "requestPayload": {"Records": [{"EventSource": "aws:sns", "Sns": sns}]},
            "responsePayload": {"errorType": "NotEnqueued"},
        }
    )
