"""Events for the functions that the help desk does not call; see `events.direct`."""

from pathlib import Path
from typing import ClassVar

from events import direct
from events.direct import api_call, schedule
from events.proxy import Json
from events.richpanel.samples import FOLDER, START
from events.sqs import message_of_body

TICKET = "70412"
SWITCHES = "/admin/richpanel/switches"
_QUEUE = "parley-local-richpanel.fifo"


class Direct(direct.Direct):
    """An event of the help desk context."""

    folder: ClassVar[Path] = FOLDER


def direct_events() -> list[Direct]:
    """Return all events."""
    return [
        Direct(
            "queue_minimal",
            "RichpanelWorker",
            "The event of `minimal.json` as the webhook enqueues it.",
            queue_batch("queue_minimal", START),
        ),
        Direct(
            "sweep_hour",
            "RichpanelSweep",
            "A run at the full hour, which also checks that teams and tags exist.",
            schedule("sweep_hour", START, "RichpanelSweepSchedule"),
        ),
        Direct(
            "admin_switches",
            "RichpanelAdmin",
            "A request for the switches, with the context of the authorizer.",
            api_call("admin_switches", START, SWITCHES, "richpanel:read"),
        ),
    ]


def queue_batch(name: str, at: int) -> Json:
    """
    Return an SQS batch with one event of a ticket.

    Written by hand, not by the code that reads it: a new version must be able to read records that an older version
    enqueued.
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
    return message_of_body(name, at, body, queue=_QUEUE, group=TICKET)
