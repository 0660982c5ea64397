"""Events for the help desk's functions that it does not call itself; see `events.direct`."""

import hashlib
import json
from pathlib import Path
from typing import ClassVar

from events import direct
from events.direct import schedule
from events.proxy import Json, proxy_event
from events.richpanel.samples import FOLDER, START
from events.sqs import sqs_event

TICKET = "70412"
SWITCHES = "/admin/richpanel/switches"
_QUEUE = "parley-local-richpanel.fifo"


class Direct(direct.Direct):
    """One of the help desk's."""

    folder: ClassVar[Path] = FOLDER


def direct_events() -> list[Direct]:
    """All of them."""
    return [
        Direct(
            "queue_minimal",
            "RichpanelWorker",
            "`minimal.json` as the webhook puts it on the queue: something happened in this ticket.",
            queue_batch("queue_minimal", START),
        ),
        Direct(
            "sweep_hour",
            "RichpanelSweep",
            "A run at the full hour, which also looks for teams and tags that went missing.",
            schedule("sweep_hour", START, "RichpanelSweepSchedule"),
        ),
        Direct(
            "admin_switches",
            "RichpanelAdmin",
            "A call for the switches, with what the authorizer vouches for.",
            _api_call("admin_switches", START, SWITCHES),
        ),
    ]


def queue_batch(name: str, at: int) -> Json:
    """
    The SQS batch of one that brings a ticket to the worker.

    Written here by hand, not by the code that it goes to: entries that wait while a new version is deployed must stay
    readable.
    """
    body = {
        "v": 1,
        "conversation_id": TICKET,
        "event_id": None,
        "adopts": None,
        "message_id": None,
        "source": "webhook",
        "channel": "unknown",
        "trigger": "customer_message",
        "created_at": None,
        "received_at": at * 1_000,
        "accepted_at": at * 1_000,
        "text": "",
        "attachments": 0,
    }
    text = json.dumps(body, separators=(",", ":"), sort_keys=True)
    once = hashlib.sha256(text.encode()).hexdigest()
    return sqs_event(name, at, text, queue=_QUEUE, group=TICKET, once=once)


def _api_call(name: str, at: int, route: str) -> Json:
    """A call that the authorizer let through."""
    headers = {"Accept": "application/json"}
    event = proxy_event(route, name, at, method="GET", headers=headers, agent="sample")
    vouched = {
        "company": "acme",
        "scopes": "richpanel:read",
        "principal": "api-key:0123456789abcdef",
        "projects": "*",
        "principalId": "api-key:0123456789abcdef",
        "integrationLatency": 12,
    }
    context = event["requestContext"] | {"authorizer": vouched}
    return event | {"requestContext": context, "body": None, "isBase64Encoded": False}
