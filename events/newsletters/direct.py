"""Events for the functions of newsletters; see `events.direct`."""

from pathlib import Path
from typing import ClassVar

from events import direct
from events.direct import api_call, schedule
from events.proxy import Json
from events.sqs import message_of_body

FOLDER = Path(__file__).parent
START = 1_767_261_600  # 2026-01-01T10:00:00Z
CODE = "NL-20260101-7K3Q"
JOB = "0123456789abcdef0123456789abcdef"
_STEPS = "parley-local-newsletter-steps.fifo"
_EXPORTS = "parley-local-newsletter-exports.fifo"


class Direct(direct.Direct):
    """An event of the context of newsletters."""

    folder: ClassVar[Path] = FOLDER


def direct_events() -> list[Direct]:
    """Return all events."""
    return [
        Direct(
            "step",
            "NewslettersWorker",
            "The outline of a newsletter is to be generated. Without the job nothing is done.",
            queue_batch("step", step_body(), _STEPS),
        ),
        Direct(
            "purge",
            "NewslettersWorker",
            "A newsletter was deleted; what is left of it is to be removed.",
            queue_batch("purge", purge_body(), _STEPS),
        ),
        Direct(
            "export",
            "NewslettersExports",
            "A draft is to be rendered as PDF. Without the job nothing is done.",
            queue_batch("export", export_body(), _EXPORTS),
        ),
        Direct(
            "schedule",
            "NewslettersScheduled",
            "A run that looks for due work and dead letters.",
            schedule("schedule", START, "NewslettersScheduledMinutes"),
        ),
        Direct(
            "list_newsletters",
            "NewslettersApi",
            "A request for the caller's newsletters, with the context of the authorizer.",
            api_call("list_newsletters", START, "/newsletters", "newsletters:read"),
        ),
    ]


# Written by hand, since new code must read what older code enqueued.


def step_body() -> Json:
    """Return the body of a message about a step."""
    return {
        "code": CODE,
        "job_id": JOB,
        "replay": 0,
        "replay_of": None,
        "step": "outline",
        "turn": 0,
        "type": "newsletter.step",
        "v": 1,
    }


def purge_body() -> Json:
    """Return the body of a message about a deleted newsletter."""
    return {
        "code": CODE,
        "replay": 0,
        "replay_of": None,
        "turn": 0,
        "type": "newsletter.purge",
        "v": 1,
    }


def export_body() -> Json:
    """Return the body of a message about an export."""
    return {
        "code": CODE,
        "format": "pdf",
        "job_id": JOB,
        "replay": 0,
        "replay_of": None,
        "turn": 0,
        "type": "newsletter.export",
        "v": 1,
    }


def queue_batch(name: str, body: Json, queue: str) -> Json:
    """Return an SQS batch with one message."""
    return message_of_body(name, START, body, queue=queue)
