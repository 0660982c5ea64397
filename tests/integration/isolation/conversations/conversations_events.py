"""Attacks on the queues of AI conversations: events of B name A's numbers, messages, files and conversations."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from conversations.lifecycle.records.file_download import FileDownload
from conversations.lifecycle.records.reply_trigger import ReplyTrigger
from events.conversations import sample_data, twilio
from shared.aws.sqs_fifo import Entry, digest
from shared.events.exchange import DeliveryStatus, File, FileStored, InboundMessage, NumberReleased
from shared.runtime import clock
from tests import template
from tests.integration.isolation import surfaces
from tests.integration.isolation.attacks.events_under_attack import EventAttack
from tests.integration.isolation.conversations.conversations_setup import (
    ACCOUNT_B,
    ANN,
    BEN,
    FILE_A,
    PICTURE_A,
    PICTURE_B,
    SMS_B,
    WABA_B,
    WHATSAPP_B,
    TwoCompanies,
    request_of,
)

if TYPE_CHECKING:
    from collections.abc import Callable

type Attack = EventAttack[TwoCompanies]

INBOUND = "ConversationsIntake <- ConversationsInboundQueue"
STATUSES = "ConversationsStatuses <- ConversationsStatusesQueue"
FILES = "ConversationsMedia <- ConversationsMediaQueue"
REPLIES = "ConversationsReplies <- ConversationsRepliesQueue"
AGENTS = "agents"
CHANNELS = {
    "whatsapp": "ConversationsWhatsApp <- ConversationsWhatsAppQueue",
    "sms": "ConversationsSms <- ConversationsSmsQueue",
    "email": "ConversationsEmail <- ConversationsEmailQueue",
    AGENTS: "ConversationsReplies <- ConversationsAgentsQueue",  # of all channels
}
TWILIO, TWILIO_STATUS = "POST /webhooks/twilio", "POST /webhooks/twilio/status"
FOREIGN = frozenset({"TENANT_MISMATCH", "UNKNOWN_ADDRESS"})
BUCKET = template.environment("ConversationsIntake", Stage="local")["MEDIA_BUCKET_NAME"]
STATUS_OF_OTHERS = frozenset({"unknown_message", "TENANT_MISMATCH", "tenant_mismatch"})


# Queues of events that are defined in shared.events.exchange


def inbound(companies: TwoCompanies, **facts: Any) -> InboundMessage:
    """Ann's message, as B's Twilio account would report it."""
    known: dict[str, Any] = {
        "provider": "twilio",
        "provider_message_id": "SM-of-b",
        "account": ACCOUNT_B,
        "channel_method": "sms",
        "business_address": SMS_B,
        "customer_address": ANN,
        "received_at": clock.to_text(companies.system.clock.ms),
        "kind": "text",
        "text": "Hello",
    }
    return InboundMessage(**known | facts)


def arrives(names: str, parked: frozenset[str] = frozenset(), **facts: Any) -> list[Attack]:
    """An inbound message, and the same message as a human reply from outside Parley."""

    def make(type_: str) -> Callable[[TwoCompanies], None]:
        def put(companies: TwoCompanies) -> None:
            given = {
                name: value.format(**companies.names) if isinstance(value, str) else value
                for name, value in facts.items()
            }
            companies.system.forward(inbound(companies, type=type_, **given))

        return put

    return [
        EventAttack(
            surface=INBOUND,
            type=type_,
            names=names,
            make=make(type_),
            parked=parked,
        )
        for type_ in ("inbound_message", "human_reply")
    ]


def file_stored(companies: TwoCompanies, message_id: str) -> None:
    """The inbox reports a stored file of B's account, with the URL of a file of A."""
    file = File(url=f"s3://{BUCKET}/{FILE_A}", provider_id="77")
    event = FileStored(
        provider="meta",
        provider_message_id=message_id,
        account=WABA_B,
        channel_method="whatsapp",
        business_address=WHATSAPP_B,
        file=file,
    )
    companies.system.forward(event)


def released(names: str, parked: frozenset[str] = frozenset(), **facts: str) -> Attack:
    """The notice that A's customer gave the number up, at B's account."""
    known: dict[str, Any] = {
        "provider": "meta",
        "provider_message_id": "wamid.of-b",
        "account": WABA_B,
        "channel_method": "whatsapp",
        "business_address": WHATSAPP_B,
        "customer_address": ANN,
    }

    def put(companies: TwoCompanies) -> None:
        at = clock.to_text(companies.system.clock.ms)
        companies.system.forward(NumberReleased(**known | facts, received_at=at))

    return EventAttack(
        surface=INBOUND, type="number_released", names=names, make=put, parked=parked
    )


def status(companies: TwoCompanies, word: str, **facts: Any) -> None:
    """A delivery status of B's Twilio account."""
    known: dict[str, Any] = {
        "provider": "twilio",
        "provider_message_id": "SM-of-b",
        "account": ACCOUNT_B,
        "channel_method": "sms",
        "status": word,
        "is_final": True,
        "occurred_at": clock.to_text(companies.system.clock.ms),
    }
    companies.system.forward(DeliveryStatus(**known | facts))


def tells(names: str, word: str, **facts: str) -> Attack:
    """A delivery status that names a message or an action of A."""
    return EventAttack(
        surface=STATUSES,
        type="delivery_status",
        names=names,
        make=lambda c: status(
            c, word, **{name: value.format(**c.names) for name, value in facts.items()}
        ),
        parked=STATUS_OF_OTHERS,
    )


def trigger(companies: TwoCompanies) -> None:
    """Request a reply in B's conversation to a message of A."""
    names = companies.names
    wanted = ReplyTrigger(ref=names["ref_of_b"], message_sk=names["customers_sk"])
    put(companies, "replies", wanted.body())


def download(companies: TwoCompanies) -> None:
    """Request the file of A's message in B's conversation."""
    names = companies.names
    wanted = FileDownload(ref=names["ref_of_b"], message_sk=names["customers_sk"], position=0)
    name = next(n for n in companies.system.workers if n.endswith("-media"))
    companies.system.fifo_queues.put(name, wanted.entry())


def put(companies: TwoCompanies, channel: str, body: str) -> None:
    """Enqueue a record of B's conversation."""
    entry = Entry(body, digest(companies.names["ref_of_b"]), digest(body))
    name = next(n for n in companies.system.workers if n.endswith(f"{channel}.fifo"))
    companies.system.fifo_queues.put(name, entry)


# Channels' queues: records name a conversation only, so records of B's conversation name parts of A's, and A's
# records are on the queue of another channel.


def record_of(type_: str, ref: str, a: dict[str, str]) -> str:
    """A record of this type about a conversation, with A's ids in every other id field."""
    known: dict[str, dict[str, Any]] = {
        "resume": {},
        "resolve": {},
        "human_message": {"cause": a["action_id"], "agent_id": "mallory", "text": "Hello"},
        "release": {"cause": a["key"], "agent_id": "mallory", "function_sk": a["message_sk"]},
        "notice": {"notice": "help", "cause": a["action_id"]},
        "follow_up": {"message_sk": a["customers_sk"], "step": 0},
        "ask_satisfaction": {},
        "shadow": {"trial_id": a["trial"], "asked": a["customers_sk"], "once_in": a["action_id"]},
        "fetch_files": {"message_sk": a["customers_sk"]},
        "lengthen": {"ttl": 1_900_000_000, "after": a["message_sk"]},
        "close": {},
    }
    return json.dumps({"type": type_, "ref": ref, **known[type_]})


def context(companies: TwoCompanies, channel: str) -> None:
    """A first message of B's project, under the id of A's conversation."""
    request_id, of_request = companies.names["request_id"], "sms" if channel == AGENTS else channel
    payload = request_of("ci-bbb-001", "pi-bbb-001", request_id, BEN, of_request)
    project = companies.system.row("company", "ci-bbb-001", "pi-bbb-001") or {}
    made = {
        "type": "context",
        "frontend_payload": payload,
        "company_data_payload": json.loads(json.dumps(project, default=float)),
        "conversation_data": {"conversation_id": companies.names["conversation_id"]},
        "metadata": {"router_version": "1", "queued_at": "-", "correlation_id": "-"},
    }
    put(companies, channel, json.dumps(made))


def on_channel(channel: str, type_: str) -> list[Attack]:
    """The attacks with one type of record on one queue."""
    surface = CHANNELS[channel]
    if type_ == "context":
        names = "A's conversation id, in B's project"
        return [
            EventAttack(
                surface=surface,
                type=type_,
                names=names,
                make=lambda c: context(c, channel),
                parked=frozenset({"wrong_queue"} if channel == AGENTS else ()),
            )
        ]
    attacks: list[Attack] = [
        EventAttack(
            surface=surface,
            type=type_,
            names="A's message, action and key, in B's conversation",
            make=lambda c: put(c, channel, record_of(type_, c.names["ref_of_b"], dict(c.names))),
        )
    ]
    if channel not in {"sms", AGENTS}:  # the channel of A's conversation
        attacks.append(
            EventAttack(
                surface=surface,
                type=type_,
                names="A's conversation, on another channel's queue",
                make=lambda c: put(c, channel, record_of(type_, c.names["ref"], dict(c.names))),
                parked=frozenset({"wrong_queue"}),
            )
        )
    return attacks


ON_QUEUES: list[Attack] = [
    *arrives("A's number, by B's account", FOREIGN, business_address=twilio.SMS_NUMBER),
    *arrives(
        "A's number, by another provider",
        FOREIGN,
        business_address=twilio.SMS_NUMBER,
        provider="aws_sms",
        account="arn:aws:sns:us-east-1:000000000000:topic",
    ),
    *arrives(
        "A's number, by A's account at another provider",
        FOREIGN,
        business_address=twilio.SMS_NUMBER,
        provider="meta",
        account=twilio.ACCOUNT,
    ),
    *arrives("A's customer and the message that they reply to", reply_to="{provider_message_id}"),
    *arrives("the id of A's message", provider_message_id="{customers_message_id}"),
    *arrives("A's customer, who says STOP", text="STOP"),
    *arrives(
        "a file of A in our bucket",
        provider="meta",
        account=WABA_B,
        channel_method="whatsapp",
        business_address=WHATSAPP_B,
        customer_address=BEN,
        kind="media",
        media=[File(url=f"s3://{BUCKET}/{FILE_A}", provider_id="77")],
    ),
    EventAttack(
        surface=INBOUND,
        type="file_stored",
        names="A's message, by B's account",
        make=lambda c: file_stored(c, PICTURE_A),
        parked=FOREIGN,
    ),
    EventAttack(
        surface=INBOUND,
        type="file_stored",
        names="a file of A, for B's message",
        make=lambda c: file_stored(c, PICTURE_B),
    ),
    released("A's number, by B's account", FOREIGN, business_address=sample_data.WHATSAPP_SENDER),
    released("A's customer, at B's number"),
    tells("A's message, which failed", "failed", provider_message_id="{provider_message_id}"),
    tells("A's message, which arrived", "delivered", provider_message_id="{provider_message_id}"),
    tells("A's action, which failed", "failed", action_id="{action_id}"),
    tells("A's action, which arrived", "delivered", action_id="{action_id}"),
    tells(
        "A's message, whose customer opted out",
        "failed",
        provider_message_id="{provider_message_id}",
        error_code="21610",
    ),
    EventAttack(
        surface=REPLIES,
        type="reply_trigger",
        names="A's message, in B's conversation",
        make=trigger,
    ),
    EventAttack(
        surface=FILES, type="file_download", names="A's message, in B's conversation", make=download
    ),
    *(
        attack
        for channel in CHANNELS
        for type_ in sorted(surfaces.channel_records())
        for attack in on_channel(channel, type_)
    ),
]
# Where the workers of these queues declare their event types: the function, and the name in its handler.
TAKEN = {
    INBOUND: ("ConversationsIntake", "events"),
    STATUSES: ("ConversationsStatuses", "statuses"),
    REPLIES: ("ConversationsReplies", "triggers"),
}
