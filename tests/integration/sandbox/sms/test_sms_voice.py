"""SMS of AWS as the sandbox simulates it: requests under the service's rules, and events on the topic."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest

from local.sandbox import Config, Sandbox, running
from tests.integration.sandbox.client import SIGNED, Client, Reply
from tests.integration.sandbox.topic import Topic

TOPIC = "arn:aws:sns:us-east-1:000000000000:parley-local-sms"
NUMBER = Config().sms_numbers[0]
CUSTOMER = "+447700900124"
TARGET = "PinpointSMSVoiceV2.SendTextMessage"


@pytest.fixture
def topic() -> Topic:
    return Topic(TOPIC)


@pytest.fixture
def telling(topic: Topic) -> Iterator[Sandbox]:
    with running(Config(sms_topic_arn=TOPIC, publish=topic.publish)) as sandbox:
        yield sandbox


@pytest.fixture
def teller(telling: Sandbox) -> Iterator[Client]:
    client = Client(telling.url)
    yield client
    client.close()


def send(
    client: Client, *, target: str = TARGET, authorization: str = SIGNED, **asked: Any
) -> Reply:
    request = {
        "DestinationPhoneNumber": CUSTOMER,
        "OriginationIdentity": NUMBER,
        "MessageBody": "Hi",
    }
    body = json.dumps(request | asked).encode()
    headers = {"X-Amz-Target": target, "Content-Type": "application/x-amz-json-1.0"}
    return client.send("POST", "/", body, authorization=authorization, headers=headers)


def test_a_message_is_accepted_and_recorded(client: Client, sandbox: Sandbox) -> None:
    reply = send(client, Context={"action": "1"}, TimeToLive=5)

    [sent] = sandbox.sent
    assert (reply.status, sent.operation) == (200, "SendTextMessage")
    assert sent.answer == reply.json()
    assert sent.body == {
        "DestinationPhoneNumber": CUSTOMER,
        "OriginationIdentity": NUMBER,
        "MessageBody": "Hi",
        "MessageType": "TRANSACTIONAL",
        "TimeToLive": 5,
        "Context": {"action": "1"},
    }


@pytest.mark.parametrize(
    ("asked", "error"),
    [
        ({"DestinationPhoneNumber": "Ann"}, "ValidationException"),
        ({"DestinationPhoneNumber": None}, "ValidationException"),
        ({"MessageBody": " \n "}, "ValidationException"),
        ({"MessageBody": "a" * 1_601}, "ValidationException"),
        ({"MessageType": "MARKETING"}, "ValidationException"),
        ({"TimeToLive": 4}, "ValidationException"),
        ({"TimeToLive": 259_201}, "ValidationException"),
        ({"Context": {str(n): "x" for n in range(6)}}, "ValidationException"),
        ({"Context": {"a": ""}}, "ValidationException"),
        ({"Body": "Hi"}, "ValidationException"),
        ({"OriginationIdentity": "+12025550199"}, "ResourceNotFoundException"),
        ({"OriginationIdentity": None}, "ResourceNotFoundException"),
        ({"target": "PinpointSMSVoiceV2.SendVoiceMessage"}, "UnknownOperationException"),
        ({"authorization": "Bearer a-token"}, "MissingAuthenticationTokenException"),
    ],
)
def test_a_request_that_breaks_a_rule_is_refused_with_the_services_error(
    client: Client, sandbox: Sandbox, asked: dict[str, Any], error: str
) -> None:
    reply = send(client, **asked)

    assert reply.json()["__type"] == error
    assert reply.status >= 400
    assert sandbox.sent == []


def test_a_body_that_is_no_json_is_refused(client: Client) -> None:
    reply = client.send("POST", "/", b"{", authorization=SIGNED, headers={"X-Amz-Target": TARGET})

    assert reply.json()["__type"] == "SerializationException"


def test_a_message_with_a_configuration_set_is_reported_until_it_is_delivered(
    teller: Client, topic: Topic
) -> None:
    message_id = send(
        teller, ConfigurationSetName="parley", Context={"action": "1"}, MessageBody="a" * 154
    ).json()["MessageId"]

    events = [topic.next() for _ in range(3)]
    assert [event["eventType"] for event in events] == [
        "TEXT_QUEUED",
        "TEXT_SUCCESSFUL",
        "TEXT_DELIVERED",
    ]
    assert [event["isFinal"] for event in events] == [False, False, True]
    assert {event["messageId"] for event in events} == {message_id}
    assert events[0]["context"] == {"action": "1"}
    assert events[0]["totalMessageParts"] == 2


def test_a_message_ends_in_the_staged_status(teller: Client, topic: Topic) -> None:
    teller.post("/_endings", {"to": CUSTOMER, "status": "failed"})

    send(teller, ConfigurationSetName="parley")

    words = [topic.next()["eventType"] for _ in range(3)]
    assert words == ["TEXT_QUEUED", "TEXT_SUCCESSFUL", "TEXT_BLOCKED"]


def test_a_customers_message_is_published_and_stop_opts_them_out(
    teller: Client, topic: Topic
) -> None:
    said = {"sender": CUSTOMER, "to": NUMBER, "body": "stop"}

    answer = teller.post("/_texts", said).json()
    refused = send(teller)

    message = topic.next()
    assert answer == {"published": 1}
    assert (message["originationNumber"], message["destinationNumber"]) == (CUSTOMER, NUMBER)
    assert (message["messageBody"], message["messageKeyword"]) == ("stop", "STOP")
    assert message["inboundMessageId"]
    assert refused.json()["Reason"] == "DESTINATION_PHONE_NUMBER_OPTED_OUT"


def test_a_sandbox_without_a_topic_publishes_no_reports(client: Client) -> None:
    answer = client.post("/_texts", {"sender": CUSTOMER, "to": NUMBER}).json()

    assert answer == {"published": 0}


def test_an_unreachable_topic_does_not_fail_the_send(
    caplog: pytest.LogCaptureFixture,
) -> None:
    def fail(*_: str) -> None:
        raise OSError

    with running(Config(sms_topic_arn=TOPIC, publish=fail)) as sandbox:
        client = Client(sandbox.url)
        reply = send(client, ConfigurationSetName="parley")
        client.close()

    assert reply.status == 200
    assert "the topic cannot be reached: OSError" in caplog.text
