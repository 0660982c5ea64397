"""
Events for the functions of the inbox that no provider calls; see `events.direct`.

They are no part of the day, so nothing is expected of them there.
"""

import hashlib
import json
from pathlib import Path
from typing import ClassVar

from events import direct
from events.direct import schedule
from events.sqs import sqs_event
from events.whatsapp import gateway
from events.whatsapp.cast import APP_ID, COMPANY, COUNTER
from events.whatsapp.payloads import Json
from events.whatsapp.samples import sample
from events.whatsapp.story import FOLDER, Sample, Story

CONVERSATIONS = "/whatsapp/conversations"
PARKED = "/whatsapp/parked"
UNKNOWN_KEY = "pk_0123456789abcdef_" + "A" * 43  # shaped like a key, and nobody's

_QUEUE = "parley-local-whatsapp.fifo"
_METHOD_ARN = f"arn:aws:execute-api:us-east-1:000000000000:parleylocal/local/GET{CONVERSATIONS}"
_MINUTE = 600


class Direct(direct.Direct):
    """One of the inbox's."""

    folder: ClassVar[Path] = FOLDER


def direct_events() -> list[Direct]:
    """All of them."""
    at = Story().at(_MINUTE)
    return [
        Direct(
            "queue_text",
            "WhatsAppWorker",
            "The text of `text.json` as the webhook puts it on the queue.",
            queue_batch(sample("text"), at),
        ),
        Direct(
            "api_conversations",
            "WhatsAppApi",
            "A call for the conversations of a number, with what the authorizer vouches for.",
            _api_call("api_conversations", at, CONVERSATIONS, phone=COUNTER.phone, limit="20"),
        ),
        Direct(
            "admin_parked",
            "WhatsAppAdmin",
            "A call for the parked events of a company that wait.",
            _api_call("admin_parked", at, PARKED, state="waiting", limit="20"),
        ),
        Direct(
            "authorizer_unknown_key",
            "ApiAuthorizer",
            "A call with a key that nobody has: `Unauthorized`. Put a key of your stack in for a policy.",
            _authorizer_request(),
        ),
        Direct(
            "scheduled_minute",
            "WhatsAppScheduled",
            "A minute of the day at which the last hours are counted.",
            schedule("scheduled_minute", at, "WhatsAppScheduledMinute"),
        ),
        Direct(
            "canary_run",
            "WhatsAppCanary",
            "The canary's turn: it writes to the webhook and looks for its message.",
            schedule("canary_run", at, "WhatsAppCanarySchedule"),
        ),
    ]


def direct_event(name: str) -> Direct:
    """The one of this name. ValueError when there is none."""
    (found,) = [one for one in direct_events() if one.name == name]
    return found


def queue_batch(told: Sample, at: int) -> Json:
    """
    The SQS batch that brings the one message of a webhook to the worker; `at` is when it was accepted.

    Written here by hand, not by the code that it goes to: entries that wait while a new version is deployed must stay
    readable.
    """
    (message,) = told.items("messages")
    contact = told.entries[0]["changes"][0]["value"]["contacts"][0]
    fingerprint = _digest(_compact(message))
    body = {
        "v": 1,
        "kind": "message",
        "id": message["id"],
        "source": "meta",
        "app": APP_ID,
        "acceptedAt": at * 1_000,
        "waba": COUNTER.waba,
        "phone": COUNTER.phone,
        "displayPhone": COUNTER.display,
        "field": "messages",
        "at": int(message["timestamp"]),
        "index": 0,
        "contact": contact,
        "payload": message,
        "hash": fingerprint,
        "claim": None,
        "replay": 0,
        "replayOf": None,
    }
    return sqs_event(
        told.name,
        at,
        _compact(body),
        queue=_QUEUE,
        group=_digest(COUNTER.phone, message["from"]),
        once=_digest("message", COUNTER.phone, message["id"], fingerprint),
    )


def _api_call(name: str, at: int, route: str, **query: str) -> Json:
    """A call that the authorizer let through."""
    headers = {"Accept": "application/json", "x-api-key": UNKNOWN_KEY}
    event = gateway.called(name, at, "GET", headers, route=route)
    vouched = {
        "company": COMPANY,
        "scopes": "whatsapp:read",
        "principal": "api-key:0123456789abcdef",
        "projects": "*",
        "principalId": "api-key:0123456789abcdef",
        "integrationLatency": 12,
    }
    return event | {
        "queryStringParameters": query,
        "multiValueQueryStringParameters": {key: [value] for key, value in query.items()},
        "requestContext": event["requestContext"] | {"authorizer": vouched},
        "body": None,
        "isBase64Encoded": False,
    }


def _authorizer_request() -> Json:
    return {"type": "TOKEN", "methodArn": _METHOD_ARN, "authorizationToken": UNKNOWN_KEY}


def _compact(value: Json) -> str:
    return json.dumps(value, separators=(",", ":"), sort_keys=True)


def _digest(*parts: str) -> str:
    return hashlib.sha256(json.dumps(parts).encode()).hexdigest()
