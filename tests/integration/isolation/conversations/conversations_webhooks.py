"""Attacks on the webhooks and topics of AI conversations."""

from __future__ import annotations

from http import HTTPStatus
from typing import TYPE_CHECKING, Any

from events.conversations import aws_sms, twilio
from shared.inbox.satisfaction.links import CONVERSATIONS, PATHS, Link, token_of
from tests.integration.isolation.attacks.events_under_attack import EventAttack
from tests.integration.isolation.conversations.conversations_events import (
    FOREIGN,
    STATUS_OF_OTHERS,
    TWILIO,
    TWILIO_STATUS,
    Attack,
)
from tests.integration.isolation.conversations.conversations_setup import (
    ACCOUNT_B,
    ANN,
    SMS_B,
    TOKEN_B,
    TwoCompanies,
)
from tests.simulation.invocations import Invocation

if TYPE_CHECKING:
    from collections.abc import Callable

# Webhooks and topics


def texted(companies: TwoCompanies, key: str, **fields: str) -> int:
    """Post a message webhook signed with a key; returns the status of the response."""
    return posted(companies, twilio.post(twilio.text("attack", "Hello", **fields), key=key))


def posted(companies: TwoCompanies, event: dict[str, Any]) -> int:
    """Post to any of Twilio's webhooks."""
    answer = companies.system.functions["ConversationsTwilio"].handler(event, None)
    return int(answer["statusCode"])


def called_back(companies: TwoCompanies, word: str, sid: str, action: str | None, key: str) -> int:
    """A status callback of B's account."""
    event = twilio.status("-", word) | {"MessageSid": sid, "SmsSid": sid, "AccountSid": ACCOUNT_B}
    return posted(companies, twilio.callback(event, action, key=key))


def deliver_notification(
    companies: TwoCompanies, body: dict[str, Any], *, known_topic: bool
) -> None:
    """A record of an SNS topic: the deployment's own topic or another one."""
    module = companies.system.functions["ConversationsAwsSms"]
    topic = "arn:aws:sns:us-east-1:999999999999:of-company-b"
    if known_topic:
        topic = module.settings.sms_topic_arns[0]
    companies.system.deliver_notification(aws_sms.notification("attack", body, topic=topic))


def of_topics(source: str) -> list[Attack]:
    """Attacks by the topics of AWS End User Messaging SMS."""
    text = aws_sms.text("attack", destinationNumber=twilio.SMS_NUMBER, originationNumber=ANN)

    def delivery(companies: TwoCompanies, *, known_topic: bool) -> None:
        event = aws_sms.delivery("attack", "TEXT_BLOCKED", companies.names["action_id"])
        deliver_notification(companies, event, known_topic=known_topic)

    surface = f"ConversationsAwsSms <- {source}"
    return [
        EventAttack(
            surface=surface,
            type="text",
            names="A's number, by an unknown topic",
            make=lambda c: deliver_notification(c, text, known_topic=False),
        ),
        EventAttack(
            surface=surface,
            type="text",
            names="A's number, which is at another provider",
            make=lambda c: deliver_notification(c, text, known_topic=True),
            parked=FOREIGN,
        ),
        EventAttack(
            surface=surface,
            type="delivery",
            names="A's action, by an unknown topic",
            make=lambda c: delivery(c, known_topic=False),
        ),
        EventAttack(
            surface=surface,
            type="delivery",
            names="A's action, which is at another provider",
            make=lambda c: delivery(c, known_topic=True),
            parked=STATUS_OF_OTHERS,
        ),
    ]


def _answer_with_the_proof_of_b(method: str) -> Callable[[TwoCompanies], object]:
    """The link of a question to Ben of B, changed to the conversation of A."""

    def make(companies: TwoCompanies) -> None:
        link = Link(
            channel=CONVERSATIONS,
            conversation_id=companies.names["ref_of_b"],
            language="en",
            expires_at=companies.system.clock.ms // 1_000 + 60,
        )
        token = token_of(link).replace(link.conversation_id, companies.names["ref"])
        event = {
            "resource": f"{PATHS[CONVERSATIONS]}/{{token}}",
            "httpMethod": method,
            "pathParameters": {"token": token},
            "body": "score=5",
        }
        admin = companies.system.functions["ConversationsAdmin"]
        answer = admin.handler(event, Invocation(companies.system.clock))
        assert answer["statusCode"] == HTTPStatus.NOT_FOUND

    return make


FROM_PROVIDERS: list[Attack] = [
    *(
        EventAttack(
            surface=f"{method} /satisfaction/conversations/{{}}",
            type="answer",
            names="a conversation of A, with the proof of a link to one of B",
            make=_answer_with_the_proof_of_b(method),
        )
        for method in ("GET", "POST")
    ),
    EventAttack(
        surface=TWILIO,
        type="message",
        names="A's number, signed by B's account",
        make=lambda c: texted(c, TOKEN_B, AccountSid=ACCOUNT_B),
        parked=FOREIGN,
    ),
    EventAttack(
        surface=TWILIO,
        type="message",
        names="A's number and account, signed with B's token",
        make=lambda c: texted(c, TOKEN_B),
    ),
    EventAttack(
        surface=TWILIO,
        type="message",
        names="A's number and account, with a forged signature",
        make=lambda c: texted(c, "not a token of anyone"),
    ),
    EventAttack(
        surface=TWILIO,
        type="message",
        names="the id of A's message, at B's number",
        make=lambda c: texted(
            c,
            TOKEN_B,
            AccountSid=ACCOUNT_B,
            To=SMS_B,
            MessageSid=c.names["customers_message_id"],
            SmsMessageSid=c.names["customers_message_id"],
        ),
    ),
    *(
        EventAttack(
            surface=TWILIO_STATUS,
            type="status",
            names=f"{named}, signed by B's account",
            make=make,
            parked=STATUS_OF_OTHERS,
        )
        for named, make in (
            (
                "A's message",
                lambda c: called_back(c, "failed", c.names["provider_message_id"], None, TOKEN_B),
            ),
            (
                "A's action",
                lambda c: called_back(c, "failed", "SM-of-b", c.names["action_id"], TOKEN_B),
            ),
        )
    ),
    EventAttack(
        surface=TWILIO_STATUS,
        type="status",
        names="A's message, with a forged signature",
        make=lambda c: called_back(c, "failed", c.names["provider_message_id"], None, "forged"),
    ),
    *of_topics("Inbound"),
    *of_topics("Delivery"),
]
