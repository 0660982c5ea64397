"""
Events for the functions of conversations that no external system calls; see `events.direct`.

The queue records are written by hand, not by the code that reads them: a new version must be able to read records that
an older version enqueued.
"""

import hashlib
import json
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import ClassVar

from events import direct
from events.conversations import sample_data, twilio
from events.conversations.samples import ACTION, FOLDER, START
from events.direct import schedule
from events.proxy import Json, made_up_id, proxy_event
from events.sqs import sqs_event

REF = "ddgprnleoamlbopgqmao5ujntz"
"""The ref of the conversation that `initiate_sms` starts, made with `sample_data.IDENTIFIER_KEYS`."""
_REF_OF_EMAIL = "ddexihioasev2snnhqizrizlcr"
LIST = "/conversations"
_QUEUE = "parley-local-conversations-{name}.fifo"
_PROCESSORS = {
    "whatsapp": "ConversationsWhatsApp",
    "sms": "ConversationsSms",
    "email": "ConversationsEmail",
}


class Direct(direct.Direct):
    """An event of the conversations context."""

    folder: ClassVar[Path] = FOLDER


def direct_events() -> list[Direct]:
    """Return all events."""
    return [
        Direct(
            "queue_message",
            "ConversationsIntake",
            "The message of `twilio_text.json` as the webhook enqueues it.",
            _queued("queue_message", "inbound", 20, inbound_message()),
        ),
        Direct(
            "queue_file",
            "ConversationsMedia",
            "The file of `twilio_picture.json` as the intake enqueues it.",
            sqs_event(
                "queue_file",
                START + 60 * 22,
                json.dumps(_file_download()),
                queue="parley-local-conversations-media",
            ),
        ),
        *_first_messages(),
        Direct(
            "queue_trigger",
            "ConversationsReplies",
            "A message of a conversation is due for a reply.",
            _queued("queue_trigger", "replies", 20, _trigger()),
        ),
        Direct(
            "queue_status",
            "ConversationsStatuses",
            "The status of `twilio_delivered.json` as the webhook enqueues it.",
            _queued("queue_status", "statuses", 27, delivery_status()),
        ),
        Direct(
            "sweep_minute",
            "ConversationsSweeper",
            "A minute at which the sweeper also lists Twilio's messages, to find missed webhooks.",
            schedule("sweep_minute", START, "ConversationsSweeperMinute"),
        ),
        Direct(
            "admin_list",
            "ConversationsAdmin",
            "A request for a project's open conversations, with the context of the authorizer.",
            _api_call("admin_list", START),
        ),
    ]


def _first_messages() -> Iterator[Direct]:
    for minute, (channel, function) in enumerate(_PROCESSORS.items()):
        name = f"queue_first_{channel}"
        yield Direct(
            name,
            function,
            f"The request of `initiate_{channel}.json`, with a copy of the project settings.",
            _queued(name, channel, minute, context_object(channel, START + 60 * minute)),
        )


def inbound_message() -> Json:
    """Return the event of `twilio_text.json`."""
    return {
        "type": "inbound_message",
        "v": 1,
        "provider": "twilio",
        "provider_message_id": twilio.sid_of("text"),
        "account": twilio.ACCOUNT,
        "channel_method": "sms",
        "business_address": twilio.SMS_NUMBER,
        "customer_address": twilio.CUSTOMER,
        "received_at": "2026-01-01T12:20:00.000Z",
        "kind": "text",
        "text": "Yes I do",
        "extra": {
            "SmsStatus": "received",
            "NumSegments": "1",
            "ApiVersion": "2010-04-01",
            "ToCountry": "US",
            "FromCity": "",
        },
    }


def context_object(channel: str, at: int) -> Json:
    """Return the context object that the router builds for a request at *at*, in seconds since 1970."""
    customer = (
        sample_data.CANDIDATE_EMAIL
        if channel == "email"
        else sample_data.CANDIDATE.removeprefix("+")
    )
    return {
        "type": "context",
        "v": 1,
        "frontend_payload": sample_data.request(channel),
        "company_data_payload": sample_data.project(),
        "conversation_data": {
            "conversation_id": f"{sample_data.COMPANY}#{sample_data.PROJECT}#req-1#{customer}",
            "conversation_ref": _REF_OF_EMAIL if channel == "email" else REF,
            "fallback": 0,
            "conversation_status": "initiated",
        },
        "metadata": {
            "router_version": "1.0.0",
            "queued_at": f"{datetime.fromtimestamp(at, UTC):%Y-%m-%dT%H:%M:%S}.000Z",
            "correlation_id": made_up_id(f"request initiate_{channel} {at}"),
        },
    }


def delivery_status() -> Json:
    """Return the event of `twilio_delivered.json`."""
    return {
        "type": "delivery_status",
        "v": 1,
        "provider": "twilio",
        "provider_message_id": twilio.sid_of("ours"),
        "account": twilio.ACCOUNT,
        "channel_method": "sms",
        "business_address": twilio.SMS_NUMBER,
        "action_id": ACTION,
        "status": "delivered",
        "occurred_at": "2026-01-01T12:27:00.000Z",
        "extra": {"ApiVersion": "2010-04-01"},
    }


def _trigger() -> Json:
    sk = "MSG#2026-01-01T12:20:00.000Z#c06303c5-9ce8-55e6-8178-c696f537c36b"
    return {"type": "reply_trigger", "v": 1, "ref": REF, "message_sk": sk}


def _file_download() -> Json:
    sk = "MSG#2026-01-01T12:22:00.000Z#3f33daae-fa84-5a2d-bf5a-a5454a60a4bc"
    return {"type": "file_download", "v": 1, "ref": REF, "message_sk": sk, "position": 0}


def _api_call(name: str, at: int) -> Json:
    event = proxy_event(LIST, name, at, method="GET", headers={}, agent="curl/8.5.0")
    authorizer_context = {
        "company": sample_data.COMPANY,
        "scopes": "conversations:read",
        "projects": sample_data.PROJECT,
        "principal": "api-key:0123456789abcdef",
    }
    context = {**event["requestContext"], "authorizer": authorizer_context}
    query = {"project_id": sample_data.PROJECT}
    multi_value_query = {field: [value] for field, value in query.items()}
    return event | {
        "requestContext": context,
        "queryStringParameters": query,
        "multiValueQueryStringParameters": multi_value_query,
        "body": None,
    }


def _queued(name: str, queue: str, minute: int, body: Json) -> Json:
    text = json.dumps(body)
    deduplication = hashlib.sha256(text.encode()).hexdigest()
    group = hashlib.sha256(f"group {name}".encode()).hexdigest()
    at = START + 60 * minute
    return sqs_event(
        name, at, text, queue=_QUEUE.format(name=queue), group=group, deduplication=deduplication
    )
