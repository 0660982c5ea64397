"""Parked events and dead letters of conversations over HTTP: access to them, their replay and redrive."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import boto3
import pytest

from conversations.recovery import parking
from conversations.store import routes
from conversations.store.items.routes import BusinessAddress
from events.conversations.twilio import SMS_NUMBER
from shared.api.auth import Scope
from shared.events.exchange import InboundMessage, body_of
from shared.runtime import clock
from tests.integration.conversations.harness import (
    COMPANY,
    PROJECT,
    SECOND_COMPANY,
    Harness,
    caller,
)
from tests.template import create_queue

if TYPE_CHECKING:
    from shared.api.auth import Caller

PARKED = "GET /conversations/parked"
REPLAY = "POST /conversations/parked/{event_id}/replay"
REPLAY_ALL = "POST /conversations/parked/replay"
LETTERS = "GET /conversations/dead-letters"
REDRIVE = "POST /conversations/dead-letters/redrive"
ADMIN = caller(COMPANY, Scope.CONVERSATIONS_ADMIN)
THEIR_ADMIN = caller(SECOND_COMPANY, Scope.CONVERSATIONS_ADMIN)
OPERATOR = caller("hosting", Scope.OPERATOR)
DAY_MS = clock.DAY_SECONDS * clock.SECOND_MS
MESSAGE = InboundMessage(
    provider="twilio", provider_message_id="SM1", account="AC1", channel_method="sms",
    business_address=SMS_NUMBER, customer_address="+447700900123", kind="text", text="Hello",
    received_at="2026-01-01T12:00:00.000Z",
)  # fmt: skip


@pytest.fixture(autouse=True)
def number_of_the_company(harness: Harness) -> None:
    """Register the number, so that a message to it belongs to the company."""
    owner = BusinessAddress(
        company_id=COMPANY, project_id=PROJECT, provider="twilio", account="AC1"
    )
    routes.add_address(harness.resources.log, "sms", SMS_NUMBER, owner)


def park(harness: Harness, name: str, number: str = SMS_NUMBER, reason: str = "conflict") -> None:
    """Park a message to a number: the company's, or an unclaimed one."""
    message = replace(MESSAGE, provider_message_id=name, business_address=number)
    resources = harness.resources
    parking.park(resources.log, resources.bucket, "intake", body_of(message), reason)


def shown(harness: Harness, who: Caller, **query: Any) -> list[dict[str, Any]]:
    answer = harness.call(PARKED, who=who, query=query)
    assert answer.status == 200, answer.body
    events: list[dict[str, Any]] = answer.result["events"]
    return events


def test_parked_events_are_listed_for_their_company_and_all_of_them_for_operators(
    harness: Harness,
) -> None:
    park(harness, "SM1")
    park(harness, "SM2", "+12025550177", "UNKNOWN_ADDRESS")

    assert [(e["company"], e["reason"]) for e in shown(harness, ADMIN)] == [(COMPANY, "conflict")]
    assert shown(harness, THEIR_ADMIN) == []
    assert len(shown(harness, OPERATOR)) == 2
    assert len(shown(harness, OPERATOR, company=COMPANY)) == 1
    assert len(shown(harness, OPERATOR, reason="UNKNOWN_ADDRESS")) == 1
    assert harness.call(PARKED, who=ADMIN, query={"company": SECOND_COMPANY}).error == "forbidden"


@pytest.mark.parametrize(
    "who",
    [
        caller(COMPANY, Scope.CONVERSATIONS_READ, Scope.CONVERSATIONS_MANAGE),
        caller(COMPANY, Scope.CONVERSATIONS_ADMIN, projects=PROJECT),
    ],
)
def test_parked_events_belong_to_the_company_and_not_to_a_project(
    harness: Harness, who: Caller
) -> None:
    park(harness, "SM1")

    assert harness.call(PARKED, who=who).error == "forbidden"
    assert harness.call(REPLAY_ALL, {}, who=who).error == "forbidden"
    assert harness.sqs.put == []


def test_an_event_is_replayed_by_its_company_and_marked_as_replayed(harness: Harness) -> None:
    park(harness, "SM1")
    (event,) = shown(harness, ADMIN)
    names = {"event_id": event["eventId"]}
    assert (event["kind"], event["source"], event["state"]) == ("inbound_message", "intake", "open")

    assert harness.call(REPLAY, {}, names=names, who=THEIR_ADMIN).error == "not_found"
    answer = harness.call(REPLAY, {}, names=names, who=ADMIN)

    assert (answer.status, answer.result["state"]) == (202, "replayed")
    assert [one["provider_message_id"] for one in harness.queued("ConversationsInboundQueue")] == [
        "SM1"
    ]
    assert shown(harness, ADMIN) == []
    (again,) = shown(harness, ADMIN, state="all")
    assert (again["state"], again["replayCount"]) == ("replayed", 1)
    ((_, row),) = [
        one for one in harness.rows()["ConversationLogTable"].items() if "PARK#" in one[0][0]
    ]
    assert ADMIN.principal in str(row)


def test_the_same_call_under_its_key_replays_once(harness: Harness) -> None:
    park(harness, "SM1")
    (event,) = shown(harness, ADMIN)
    names = {"event_id": event["eventId"]}

    first = harness.call(REPLAY, {}, names=names, who=ADMIN, key="replay-it-once")
    second = harness.call(REPLAY, {}, names=names, who=ADMIN, key="replay-it-once")

    assert first.result == second.result
    assert len(harness.sqs.put) == 1


@pytest.mark.parametrize("who", [ADMIN, OPERATOR])
def test_pages_list_the_events_of_all_days_once_each(harness: Harness, who: Caller) -> None:
    for number in range(6):
        park(harness, f"SM{number}")
        harness.later(DAY_MS * (1 + number % 3))
    newest_first = [event["eventId"] for event in shown(harness, who)]
    seen: list[str] = []
    cursor: dict[str, Any] = {}
    while True:
        answer = harness.call(PARKED, who=who, query={"limit": 2, **cursor})
        seen += [event["eventId"] for event in answer.result["events"]]
        if "cursor" not in answer.body:
            break
        cursor = {"cursor": answer.body["cursor"]}

    assert seen == newest_first == sorted(newest_first, reverse=True)
    assert len(seen) == 6


def test_all_open_events_are_replayed_and_failed_replays_are_named(harness: Harness) -> None:
    park(harness, "SM1")
    resources = harness.resources
    parking.park(resources.log, resources.bucket, "intake", "{", "unreadable")

    answer = harness.call(REPLAY_ALL, {}, who=OPERATOR)

    assert answer.status == 202
    assert [one["replay"] for one in answer.result["replayed"]] == [1]
    assert [one["why"] for one in answer.result["refused"]] == ["unreadable"]
    assert len(harness.sqs.put) == 1


def test_dead_letters_are_listed_for_operators_and_redriven_to_the_queue_of_their_type(
    harness: Harness,
) -> None:
    sqs = boto3.client("sqs")
    url = create_queue(sqs, "ConversationsDeadLetters")
    create_queue(sqs, "ConversationsMediaDeadLetters")
    sqs.send_message(
        QueueUrl=url, MessageBody=body_of(MESSAGE), MessageGroupId="g", MessageDeduplicationId="1"
    )
    resources = harness.resources
    parking.note_dead_letter(resources.log, "intake", body_of(MESSAGE), "throttled", 5)
    for line, body in ((LETTERS, None), (REDRIVE, {})):
        assert harness.call(line, body, who=ADMIN).error == "forbidden"

    (letter,) = harness.call(LETTERS, who=OPERATOR).result["letters"]
    assert (letter["reason"], letter["source"], letter["attempts"]) == ("throttled", "intake", 5)
    result = harness.call(REDRIVE, {"ids": [letter["id"], "not there"]}, who=OPERATOR).result

    assert [one["id"] for one in result["letters"]] == [letter["id"]]
    assert (result["missing"], result["waiting"]) == (
        ["not there"],
        {"conversations": 0, "media": 0},
    )
    assert len(harness.queued("ConversationsInboundQueue")) == 1
