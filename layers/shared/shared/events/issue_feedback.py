"""
Events of a mail provider about the mails of a newsletter's issue: translated where the provider's events arrive, and
queued for newsletters. They name a recipient by its keyed hash.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final, Literal

from shared.aws.sqs_fifo import Entry, digest
from shared.events import queued_events
from shared.events.queued_events import QueuedEvent

if TYPE_CHECKING:
    from collections.abc import Mapping

ISSUE, RECIPIENT = "issue", "recipient"  # the tags of these mails
USED: Final = frozenset(
    {
        "Delivery",
        "DeliveryDelay",
        "Bounce",
        "Complaint",
        "Reject",
        "Rendering Failure",
        "Click",
    }
)


@dataclass(frozen=True, slots=True, kw_only=True)
class IssueFeedback(QueuedEvent):
    """An event (`USED`) of the mail to one recipient. *detail* has codes of the provider only."""

    type: Literal["newsletter.feedback"] = "newsletter.feedback"
    issue_id: str
    recipient: str
    event: str
    at: str
    ses_id: str
    detail: dict[str, str] = field(default_factory=dict)


def feedback_entry(
    event: str, at: str, ses_id: str, tags: Mapping[str, str], detail: Mapping[str, str]
) -> Entry | None:
    """Return the entry of an event, None for one that newsletters do not use, or that names no recipient."""
    if event not in USED or not tags.get(RECIPIENT):
        return None
    feedback = IssueFeedback(
        issue_id=tags[ISSUE],
        recipient=tags[RECIPIENT],
        event=event,
        at=at,
        ses_id=ses_id,
        detail=dict(detail),
    )
    # A group for each event: they may come in any order, and one that fails holds no other back.
    group = digest(feedback.issue_id, feedback.recipient, event)
    return queued_events.entry(feedback, group)
