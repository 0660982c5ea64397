"""A whole day of samples through the deployed stack: HTTP and SNS in, table, bucket and API out."""

from __future__ import annotations

import json
import time
from collections import Counter
from dataclasses import dataclass
from typing import Any

import pytest
import urllib3
from boto3.dynamodb.types import TypeDeserializer

from events.whatsapp.sample_builder import Sample
from events.whatsapp.sample_data import COUNTER, WORKSHOP
from local.demo.delivery_totals import Totals
from local.demo.webhook_sender import deliver, recent_samples, wait_until_empty, wait_until_handled
from local.stack.cli import Stack
from tests.e2e.conftest import Deployed

pytestmark = pytest.mark.e2e
http = urllib3.PoolManager(retries=False, timeout=180)
deserialize = TypeDeserializer().deserialize
RUNS = 5  # of the schedule, within which all hours are counted


@dataclass(frozen=True)
class Day:
    """The requests of the day, the answers to them, and the resulting table, bucket and logs."""

    deployed: Deployed
    samples: list[Sample]
    wrong_answers: list[str]
    account: Totals
    items: dict[str, dict[str, Any]]
    before: dict[str, dict[str, Any]]

    @property
    def stack(self) -> Stack:
        return self.deployed.stack

    def of_type(self, item_type: str) -> list[dict[str, Any]]:
        return [item for item in self.items.values() if item["itemType"] == item_type]

    def get(self, path: str, **headers: str) -> tuple[int, dict[str, Any]]:
        given = headers or {"x-api-key": self.deployed.api_key}
        answer = http.request("GET", self.stack.api_url + path, headers=given)
        return answer.status, answer.json()


@pytest.fixture(scope="module")
def day(deployed: Deployed) -> Day:
    stack, samples = deployed.stack, recent_samples()
    started_ms = int(time.time() * 1_000)
    before = _items(stack)
    wrong = [sample.name for sample in samples if not deliver(stack, sample)[1]]
    account = wait_until_handled(stack, samples, started_ms, report=lambda _: None)
    items = {
        key: item
        for key, item in _items(stack).items()
        if key not in before or key.startswith("CONV#")
    }
    return Day(deployed, samples, wrong, account, items, before)


def _items(stack: Stack) -> dict[str, dict[str, Any]]:
    pages = (
        stack.client("dynamodb").get_paginator("scan").paginate(TableName=stack.tables["whatsapp"])
    )
    found = [item for page in pages for item in page["Items"]]
    return {i["pk"]["S"]: {name: deserialize(value) for name, value in i.items()} for i in found}


def test_every_sample_is_answered_as_its_provider_expects(day: Day) -> None:
    assert day.wrong_answers == []


def test_accepted_is_persisted_plus_duplicate_plus_parked(day: Day) -> None:
    account = day.account
    duplicates = account.outcomes["duplicate"] + account.dropped_by_queue

    assert account.accepted == sum(sample.expects.accepted for sample in day.samples)
    assert duplicates == sum(sample.expects.duplicate for sample in day.samples)
    assert account.outcomes["parked"] == sum(len(sample.expects.parked) for sample in day.samples)
    assert (
        account.accepted == account.outcomes["persisted"] + duplicates + account.outcomes["parked"]
    )


def test_events_are_parked_for_the_expected_reason(day: Day) -> None:
    assert day.account.reasons == Counter(
        reason for sample in day.samples for reason in sample.expects.parked
    )
    assert (
        Counter(item["reason"] for item in day.of_type("WEBHOOK_EVENT") if "reason" in item)
        == day.account.reasons
    )


def test_every_message_is_stored_once(day: Day) -> None:
    assert len(day.of_type("MESSAGE")) == sum(sample.expects.stored for sample in day.samples)


def test_every_file_ended_as_expected(day: Day) -> None:
    expected = Counter(sample.expects.media for sample in day.samples if sample.expects.media)

    assert Counter(item["mediaStatus"] for item in day.of_type("MEDIA")) == expected


def test_unread_counts_are_the_messages_and_missed_calls_since_the_last_answer(day: Day) -> None:
    messages = day.of_type("MESSAGE")
    answered = {
        m["conversationPk"]: max(
            other["receivedAt"]
            for other in messages
            if other.get("origin") == "app" and other["conversationPk"] == m["conversationPk"]
        )
        for m in messages
        if m.get("origin") == "app"
    }
    inbound = [
        (m["conversationPk"], m["receivedAt"])
        for m in messages
        if m["direction"] == "INBOUND" and m.get("origin") != "history"
    ]
    missed = [
        (call["conversationPk"], call["missedAt"])
        for call in day.of_type("CALL")
        if "missedAt" in call
    ]
    expected = Counter(pk for pk, at in (*inbound, *missed) if at > answered.get(pk, ""))

    heads = {c["pk"]: int(c.get("unreadCount", 0)) for c in day.of_type("CONVERSATION")}
    before = {pk: int(head.get("unreadCount", 0)) for pk, head in day.before.items()}
    unread = {pk: n - (0 if pk in answered else before.get(pk, 0)) for pk, n in heads.items()}
    assert {pk: n for pk, n in unread.items() if n} == dict(expected)


def test_outbound_messages_have_the_expected_statuses(day: Day) -> None:
    statuses = Counter(
        m["deliveryStatus"]
        for m in day.of_type("MESSAGE")
        if m["direction"] == "OUTBOUND" and m.get("origin") != "history"
    )

    assert statuses == {"read": 2, "failed": 1}


def test_no_message_is_in_the_dead_letters(day: Day) -> None:
    answer = day.stack.client("sqs").get_queue_attributes(
        QueueUrl=day.stack.queues["whatsapp_dead_letters"],
        AttributeNames=["ApproximateNumberOfMessages"],
    )

    assert answer["Attributes"]["ApproximateNumberOfMessages"] == "0"


def test_the_api_shows_the_conversations_and_their_messages(day: Day) -> None:
    status, page = day.get(f"/whatsapp/conversations?phone={COUNTER.phone}&limit=100")

    heads = {
        head["pk"]: head
        for head in day.of_type("CONVERSATION")
        if head["phone"] == COUNTER.phone and "listPk" in head
    }
    shown = page["result"]["conversations"]
    assert status == 200
    assert len(shown) == len(heads)
    assert [c["lastMessageAt"] for c in shown] == sorted(
        (c["lastMessageAt"] for c in shown), reverse=True
    )
    assert {"call", "group"} <= {c["lastType"] for c in shown}
    of_messages = [c for c in shown if c["lastType"] not in {"call", "group"}]
    for conversation in of_messages:
        _, messages = day.get(f"/whatsapp/conversations/{conversation['key']}/messages?limit=100")
        assert messages["result"]["messages"][0]["receivedAt"] == conversation["lastMessageAt"]


def test_a_link_to_a_file_gives_the_file(day: Day) -> None:
    _, page = day.get(f"/whatsapp/conversations?phone={WORKSHOP.phone}")
    messages = [
        message
        for conversation in page["result"]["conversations"]
        for message in day.get(f"/whatsapp/conversations/{conversation['key']}/messages")[1][
            "result"
        ]["messages"]
    ]
    (image,) = [message for message in messages if message.get("media")]

    answer = http.request("GET", image["media"]["link"])

    assert answer.status == 200
    assert answer.data.startswith(b"\x89PNG")


def test_the_counts_of_the_days_are_those_of_the_messages(day: Day) -> None:
    """
    Counted by the deployed function, which counts the hours of eight days if it has no progress.

    An hour is left to the next run if a write is refused, because the schedule's own run counts at the same time or the
    response to the write was lost: the function runs until none is left.
    """
    now = time.time()
    lately = time.strftime("%Y-%m-%dT%H:%M:00Z", time.gmtime(now - now % 300))
    dynamodb = day.stack.client("dynamodb")
    table = day.stack.tables["whatsapp"]
    dynamodb.delete_item(TableName=table, Key={"pk": {"S": "COUNTING"}})
    before = _counts_of_messages(day.stack)
    for _ in range(RUNS):
        answer = day.stack.client("lambda").invoke(
            FunctionName="parley-local-whatsapp-scheduled", Payload=json.dumps({"time": lately})
        )
        assert "FunctionError" not in answer
        counting = dynamodb.get_item(TableName=table, Key={"pk": {"S": "COUNTING"}})["Item"]
        if not counting.get("hours", {}).get("L"):
            break
    else:
        pytest.fail(f"hours are left after {RUNS} runs: {counting['hours']}")
    after = _counts_of_messages(day.stack)

    dates = [time.strftime("%Y-%m-%d", time.gmtime(now - ago * 86_400)) for ago in (7, 0)]
    status, page = day.get(f"/whatsapp/analytics?waba={COUNTER.waba}&from={dates[0]}&to={dates[1]}")

    counted: Counter[str] = Counter()
    for shown in page["result"]["analytics"]:
        counted.update({name: n for name, n in shown.items() if name.startswith("messages")})
    assert status == 200
    for name in ("messagesReceived", "messagesSent", "messagesRead"):
        assert 0 < before[name] <= counted[name] <= after[name]
    assert before["messagesFailed"] <= counted["messagesFailed"] <= after["messagesFailed"]


def _counts_of_messages(stack: Stack) -> Counter[str]:
    counts: Counter[str] = Counter()
    for item in _items(stack).values():
        if item["itemType"] != "MESSAGE" or item["phone"] != COUNTER.phone:
            continue
        if item["direction"] == "INBOUND":
            counts["messagesReceived"] += 1
        else:
            counts["messagesSent"] += 1
            counts[f"messages{item['deliveryStatus'].capitalize()}"] += 1
    return counts


@pytest.mark.parametrize(
    "headers",
    [
        {"accept": "application/json"},
        {"x-api-key": "pk_0123456789abcdef_" + "A" * 43},
        {"authorization": "Bearer x"},
    ],
)
def test_without_a_key_the_api_shows_nothing(day: Day, headers: dict[str, str]) -> None:
    status, body = day.get("/whatsapp/conversations", **headers)

    assert status == 401
    assert "result" not in body


def test_a_key_in_another_header_is_ignored(day: Day) -> None:
    status, _ = day.get(
        f"/whatsapp/conversations?phone={COUNTER.phone}",
        authorization=f"Bearer {day.deployed.api_key}",
    )

    assert status == 401


def test_repeated_messages_of_the_day_add_nothing(day: Day) -> None:
    again = [sample for sample in day.samples if sample.expects.stored and not sample.is_social]
    for sample in again:
        deliver(day.stack, sample)

    assert wait_until_empty(day.stack)
    messages = [item for item in _items(day.stack).values() if item["itemType"] == "MESSAGE"]
    assert {m["pk"] for m in day.of_type("MESSAGE")} <= {m["pk"] for m in messages}
    heads = [item for item in _items(day.stack).values() if item["itemType"] == "CONVERSATION"]
    assert _unread(heads) == _unread(day.of_type("CONVERSATION"))


def _unread(heads: list[dict[str, Any]]) -> dict[str, int]:
    """Unread messages by conversation, without the canary's: it runs on a schedule of its own."""
    return {
        head["pk"]: head["unreadCount"]
        for head in heads
        if not head["pk"].startswith("CONV#canary#")
    }


def test_no_customer_data_are_logged(day: Day) -> None:
    groups = ("webhook", "social", "worker", "api", "admin", "scheduled")
    logs = day.stack.client("logs").get_paginator("filter_log_events")
    lines = [
        event["message"]
        for group in groups
        for page in logs.paginate(logGroupName=f"/aws/lambda/parley-local-whatsapp-{group}")
        for event in page["events"]
    ]
    people = {
        message["from"]
        for sample in day.samples
        for message in sample.items("messages")
        if message.get("from")
    }
    words = {
        message["text"]["body"]
        for sample in day.samples
        for message in sample.items("messages", "message_echoes")
        if message.get("type") == "text"
    }

    assert lines
    assert people
    assert words
    everything = "\n".join(lines)
    assert not [person for person in people | words if person in everything]


# The last one: it writes a message of its own.
def test_the_canary_message_is_stored_over_the_public_address(day: Day) -> None:
    answer = day.stack.client("lambda").invoke(FunctionName="parley-local-whatsapp-canary")

    assert "FunctionError" not in answer
    lines = day.stack.client("logs").filter_log_events(
        logGroupName="/aws/lambda/parley-local-whatsapp-canary", filterPattern="CanarySuccess"
    )["events"]
    # Its own schedule may have sent it as well.
    flights = [json.loads(line["message"])["CanarySuccess"] for line in lines]
    assert flights
    assert set(map(tuple, flights)) == {(1.0,)}
