"""The inbound endpoint for AWS SMS: SNS notifications into the handler, events on the queues out."""

from __future__ import annotations

from typing import Any

import pytest

from events.conversations.aws_sms import TOPIC_ARN, delivery, notification, text
from events.proxy import made_up_id
from shared.aws.sqs_fifo import NotEnqueued
from tests.integration.conversations.door import Door

OTHER_TOPIC = TOPIC_ARN + "-2"


def test_a_customers_message_is_enqueued(door: Door) -> None:
    door.aws_sms.handler(notification("n", text("t", "Hi")), None)

    [put] = door.inbound.taken()
    assert (put.body["provider"], put.body["text"]) == ("aws_sms", "Hi")
    assert put.body["account"] == TOPIC_ARN
    assert put.body["received_at"] == "2026-01-01T12:00:01.000Z"
    assert door.statuses.taken() == []


def test_a_delivery_is_enqueued_on_the_other_queue(door: Door) -> None:
    door.aws_sms.handler(notification("n", delivery("d", "TEXT_DELIVERED", "action-1")), None)

    [put] = door.statuses.taken()
    assert (put.body["status"], put.body["action_id"]) == ("TEXT_DELIVERED", "action-1")
    assert put.body["occurred_at"] == "2026-01-01T12:00:00.470Z"
    assert door.inbound.taken() == []


def test_a_repeated_notification_is_enqueued_once(door: Door) -> None:
    for _ in range(2):
        door.aws_sms.handler(notification("n", text("t")), None)
        door.aws_sms.handler(notification("d", delivery("d", "TEXT_DELIVERED", "a")), None)

    assert len(door.inbound.taken()) == 1
    assert len(door.statuses.taken()) == 1


def test_an_event_of_unknown_shape_is_enqueued_for_intake_to_park(door: Door) -> None:
    for number, published in enumerate(["no JSON", "[]", {"eventType": "VOICE_INITIATED"}]):
        door.aws_sms.handler(notification(f"{number}", published), None)  # type: ignore[arg-type] # also invalid notifications

    puts = door.inbound.taken()
    assert [put.body["kind"] for put in puts] == ["unknown"] * 3
    assert puts[0].body["provider_message_id"] == made_up_id("sns 0 1767268801")


@pytest.mark.parametrize("topic", [OTHER_TOPIC, "", "*", TOPIC_ARN.upper(), None])
def test_a_topic_that_is_not_listed_is_dropped_and_counted(door: Door, topic: Any) -> None:
    event = notification("n", text("t"))
    event["Records"][0]["Sns"]["TopicArn"] = topic

    door.aws_sms.handler(event, None)

    assert door.inbound.taken() == []
    assert door.counted == ["Received", "TopicRejected"]


def test_notifications_of_all_listed_topics_are_accepted_and_an_invalid_record_stops_no_other(
    door: Door,
) -> None:
    door.listens_to(TOPIC_ARN, OTHER_TOPIC)
    strange = notification("x", text("x"), topic="arn:aws:sns:us-east-1:1:other")["Records"]
    first = notification("a", text("a"))["Records"]
    second = notification("b", text("b"), topic=OTHER_TOPIC)["Records"]

    door.aws_sms.handler({"Records": first + strange + second}, None)

    assert [put.body["account"] for put in door.inbound.taken()] == [TOPIC_ARN, OTHER_TOPIC]


def test_an_error_of_the_queue_is_raised_so_that_lambda_retries(door: Door) -> None:
    door.inbound.refuses = door.statuses.refuses = True

    with pytest.raises(NotEnqueued):
        door.aws_sms.handler(notification("n", text("t")), None)
    with pytest.raises(NotEnqueued):
        door.aws_sms.handler(notification("d", delivery("d", "TEXT_DELIVERED", "a")), None)
