"""The inbound endpoint for AWS SMS: SNS notifications into the handler, events on the queues out."""

from __future__ import annotations

from typing import Any

import pytest

from events.conversations.aws_sms import TOPIC_ARN, delivery, notification, text
from events.proxy import made_up_id
from shared.aws.sqs_fifo import NotEnqueued
from tests.integration.conversations.inbound.ingress import Ingress

OTHER_TOPIC = TOPIC_ARN + "-2"


def test_a_customers_message_is_enqueued(ingress: Ingress) -> None:
    ingress.aws_sms.handler(notification("n", text("t", "Hi")), None)

    [put] = ingress.inbound.taken()
    assert (put.body["provider"], put.body["text"]) == ("aws_sms", "Hi")
    assert put.body["account"] == TOPIC_ARN
    assert put.body["received_at"] == "2026-01-01T12:00:01.000Z"
    assert ingress.statuses.taken() == []


def test_a_delivery_is_enqueued_on_the_other_queue(ingress: Ingress) -> None:
    ingress.aws_sms.handler(notification("n", delivery("d", "TEXT_DELIVERED", "action-1")), None)

    [put] = ingress.statuses.taken()
    assert (put.body["status"], put.body["action_id"]) == ("TEXT_DELIVERED", "action-1")
    assert put.body["occurred_at"] == "2026-01-01T12:00:00.470Z"
    assert ingress.inbound.taken() == []


def test_a_repeated_notification_is_enqueued_once(ingress: Ingress) -> None:
    for _ in range(2):
        ingress.aws_sms.handler(notification("n", text("t")), None)
        ingress.aws_sms.handler(notification("d", delivery("d", "TEXT_DELIVERED", "a")), None)

    assert len(ingress.inbound.taken()) == 1
    assert len(ingress.statuses.taken()) == 1


def test_an_event_of_unknown_shape_is_enqueued_for_intake_to_park(ingress: Ingress) -> None:
    for number, published in enumerate(["no JSON", "[]", {"eventType": "VOICE_INITIATED"}]):
        ingress.aws_sms.handler(notification(f"{number}", published), None)  # type: ignore[arg-type] # also invalid notifications

    puts = ingress.inbound.taken()
    assert [put.body["kind"] for put in puts] == ["unknown"] * 3
    assert puts[0].body["provider_message_id"] == made_up_id("sns 0 1767268801")


@pytest.mark.parametrize("topic", [OTHER_TOPIC, "", "*", TOPIC_ARN.upper(), None])
def test_a_topic_that_is_not_listed_is_dropped_and_counted(ingress: Ingress, topic: Any) -> None:
    event = notification("n", text("t"))
    event["Records"][0]["Sns"]["TopicArn"] = topic

    ingress.aws_sms.handler(event, None)

    assert ingress.inbound.taken() == []
    assert ingress.counted == ["Received", "TopicRejected"]


def test_notifications_of_all_listed_topics_are_accepted_and_an_invalid_record_stops_no_other(
    ingress: Ingress,
) -> None:
    ingress.listens_to(TOPIC_ARN, OTHER_TOPIC)
    strange = notification("x", text("x"), topic="arn:aws:sns:us-east-1:1:other")["Records"]
    first = notification("a", text("a"))["Records"]
    second = notification("b", text("b"), topic=OTHER_TOPIC)["Records"]

    ingress.aws_sms.handler({"Records": first + strange + second}, None)

    assert [put.body["account"] for put in ingress.inbound.taken()] == [TOPIC_ARN, OTHER_TOPIC]


def test_an_error_of_the_queue_is_raised_so_that_lambda_retries(ingress: Ingress) -> None:
    ingress.inbound.refuses = ingress.statuses.refuses = True

    with pytest.raises(NotEnqueued):
        ingress.aws_sms.handler(notification("n", text("t")), None)
    with pytest.raises(NotEnqueued):
        ingress.aws_sms.handler(notification("d", delivery("d", "TEXT_DELIVERED", "a")), None)
