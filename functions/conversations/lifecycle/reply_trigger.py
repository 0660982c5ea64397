"""The event on `conversations-replies.fifo`: a conversation needs a reply."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Final, Literal

from shared.aws.sqs_fifo import to_json
from shared.events.versions import VERSION

TYPE: Final = "reply_trigger"


@dataclass(frozen=True, slots=True, kw_only=True)
class ReplyTrigger:
    """
    The conversation *ref* needs a reply; *message_sk* is the sort key of the message to reply to.

    *waiting_since*: the time since which the reply waits for a slot of its project, if it was postponed.
    """

    type: Literal["reply_trigger"] = "reply_trigger"
    v: int = VERSION
    ref: str
    message_sk: str
    waiting_since: str | None = None

    def body(self) -> str:
        """Serialise the event as a queue message body."""
        fields = asdict(self)
        return to_json({name: value for name, value in fields.items() if value is not None})
