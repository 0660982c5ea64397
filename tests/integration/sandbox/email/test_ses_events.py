"""SES's events of sent e-mails: published for mails with a configuration set, and understood by Parley."""

from __future__ import annotations

from queue import Empty
from typing import TYPE_CHECKING, Any

import boto3
import pytest

from conversations.outbound.providers.status_codes import Verdict, meaning, verdict
from conversations.store.items.log import Delivery
from local.sandbox import Config, Sandbox, running
from shared.events.exchange import DeliveryStatus
from tests.integration.sandbox.client import Client
from tests.integration.sandbox.topic import Topic

if TYPE_CHECKING:
    from collections.abc import Iterator

TOPIC = "arn:aws:sns:us-east-1:123456789012:ses"
ANN = "ann@example.com"


@pytest.fixture
def topic() -> Topic:
    return Topic(TOPIC)


@pytest.fixture
def ses(topic: Topic) -> Iterator[Sandbox]:
    with running(Config(ses_topic_arn=TOPIC, publish=topic.publish)) as sandbox:
        yield sandbox


def send(sandbox: Sandbox, to: str = ANN, **more: Any) -> str:
    client = boto3.client("sesv2", endpoint_url=sandbox.url, region_name="us-east-1")
    sent = client.send_email(
        FromEmailAddress="Acme <jobs@example.com>",
        Destination={"ToAddresses": [to]},
        Content={"Simple": {"Subject": {"Data": "Hello"}, "Body": {"Text": {"Data": "Hi"}}}},
        EmailTags=[{"Name": "action", "Value": "a1"}],
        **more,
    )
    client.close()
    return str(sent["MessageId"])


def status_of(event: dict[str, Any]) -> DeliveryStatus:
    """The status as its reader forwards it: SES's word, and SES's detail in `extra`."""
    part = str(event["eventType"]).lower()
    return DeliveryStatus(
        provider="ses",
        provider_message_id=event["mail"]["messageId"],
        action_id=event["mail"]["tags"]["action"][0],
        account="-",
        channel_method="email",
        status=event["eventType"],
        occurred_at=event["mail"]["timestamp"],
        is_final=True,
        extra={part: event[part]} if part in event else {},
    )


@pytest.mark.parametrize(
    ("ending", "delivery", "consequence"),
    [
        ({"event": "Delivery"}, Delivery.DELIVERED, None),
        ({"event": "Bounce"}, Delivery.FAILED, Verdict.UNREACHABLE),
        ({"event": "Bounce", "bounce_type": "Transient"}, Delivery.FAILED, None),
        ({"event": "Reject"}, Delivery.FAILED, None),
        ({"event": "Rendering Failure"}, Delivery.FAILED, None),
        ({"event": "DeliveryDelay"}, None, None),
    ],
)
def test_a_mail_has_a_send_event_and_its_ending(
    ses: Sandbox,
    topic: Topic,
    ending: dict[str, str],
    delivery: Delivery | None,
    consequence: Verdict | None,
) -> None:
    client = Client(ses.url)
    assert client.post("/_mail_endings", {"to": ANN, **ending}).status == 201
    client.close()

    message_id = send(ses, ConfigurationSetName="all")

    first, last = topic.next(), topic.next()
    assert (first["eventType"], last["eventType"]) == ("Send", ending["event"])
    assert first["mail"]["messageId"] == last["mail"]["messageId"] == message_id
    expected_tags = {"action": ["a1"], "ses:configuration-set": ["all"]}
    assert first["mail"]["tags"] == expected_tags
    status = status_of(last)
    assert verdict(status) is consequence
    assert meaning(status) is delivery


@pytest.mark.parametrize(
    ("kind", "consequence"), [("abuse", Verdict.COMPLAINED), ("not-spam", None)]
)
def test_a_complaint_follows_a_delivery(
    ses: Sandbox, topic: Topic, kind: str, consequence: Verdict | None
) -> None:
    client = Client(ses.url)
    client.post("/_mail_endings", {"to": ANN, "event": "Complaint", "complaint_type": kind})
    client.close()

    send(ses, ConfigurationSetName="all")

    events = [topic.next() for _ in range(3)]
    assert [event["eventType"] for event in events] == ["Send", "Delivery", "Complaint"]
    assert verdict(status_of(events[-1])) is consequence


def test_addresses_of_the_mailbox_simulator_bounce_and_complain(ses: Sandbox, topic: Topic) -> None:
    send(ses, "bounce+1@simulator.amazonses.com", ConfigurationSetName="all")
    send(ses, "success@simulator.amazonses.com", ConfigurationSetName="all")

    kinds = [topic.next()["eventType"] for _ in range(4)]
    assert sorted(kinds) == ["Bounce", "Delivery", "Send", "Send"]


def test_events_contain_all_headers_of_the_mail(ses: Sandbox, topic: Topic) -> None:
    client = boto3.client("sesv2", endpoint_url=ses.url, region_name="eu-west-1")
    headers = [{"Name": "X-Parley-Loop", "Value": "v1"}, {"Name": "Auto-Submitted", "Value": "no"}]
    ses_id = client.send_email(
        FromEmailAddress="Acme <jobs@example.com>",
        Destination={"ToAddresses": [ANN], "CcAddresses": ["bob@example.com"]},
        ReplyToAddresses=["desk@example.com"],
        Content={
            "Simple": {
                "Subject": {"Data": "Hello"},
                "Body": {"Text": {"Data": "Hi"}},
                "Headers": headers,
            }
        },
        ConfigurationSetName="all",
    )["MessageId"]
    client.close()

    mail = topic.next()["mail"]

    named = {header["name"]: header["value"] for header in mail["headers"]}
    assert named.items() >= {
        ("From", "Acme <jobs@example.com>"),
        ("To", ANN),
        ("Cc", "bob@example.com"),
        ("Reply-To", "desk@example.com"),
        ("Subject", "Hello"),
        ("Message-ID", f"<{ses_id}@eu-west-1.amazonses.com>"),
        ("MIME-Version", "1.0"),
        ("X-Parley-Loop", "v1"),
        ("Auto-Submitted", "no"),
    }
    assert mail["destination"] == [ANN, "bob@example.com"]
    assert mail["commonHeaders"] == {
        "from": ["Acme <jobs@example.com>"],
        "replyTo": ["desk@example.com"],
        "to": [ANN],
        "cc": ["bob@example.com"],
        "date": named["Date"],
        "messageId": ses_id,
        "subject": "Hello",
    }


def test_a_mail_without_a_configuration_set_has_no_events(ses: Sandbox, topic: Topic) -> None:
    send(ses)

    with pytest.raises(Empty):
        topic.published.get(timeout=0.3)


def test_an_unknown_ending_is_refused_by_its_field(ses: Sandbox) -> None:
    client = Client(ses.url)
    refused = client.post("/_mail_endings", {"to": ANN, "event": "Lost"})
    client.close()

    assert refused.status == 400
    assert refused.json()["errors"][0]["field"] == "event"
