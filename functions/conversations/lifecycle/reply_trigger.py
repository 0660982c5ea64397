"""The event on `conversations-replies.fifo`: a conversation needs a reply."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Literal

from shared.aws.sqs_fifo import to_json
from shared.event_versions import VERSION


@dataclass(frozen=True, slots=True, kw_only=True)
class ReplyTrigger:
    """The conversation *ref* needs a reply; *message_sk* is the sort key of the message to reply to."""

    type: Literal["reply_trigger"] = "reply_trigger"
    v: int = VERSION
    ref: str
    message_sk: str

    def body(self) -> str:
        """Serialise the event as a queue message body."""
        return to_json(asdict(self))
