"""The event on `conversations-replies.fifo`: a conversation needs a reply."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from typing import Final, Literal

from shared.aws.sqs_fifo import to_json
from shared.events.versions import VERSION
from shared.runtime import clock

TYPE: Final = "reply_trigger"


@dataclass(frozen=True, slots=True, kw_only=True)
class ReplyTrigger:
    """
    The conversation *ref* needs a reply; *message_sk* is the sort key of the message to reply to.

    *waiting_since*: the time since which the reply waits for a slot of its project, if it was postponed. *due_at*: the
    time before which the customer may still write more, if it is later than the delay of the queue. *shows_typing*: the
    customer sees meanwhile that an answer follows; in the first trigger of a burst only.
    """

    type: Literal["reply_trigger"] = "reply_trigger"
    v: int = VERSION
    ref: str
    message_sk: str
    waiting_since: str | None = None
    due_at: str | None = None
    shows_typing: bool | None = None

    def body(self) -> str:
        """Serialise the event as a queue message body."""
        fields = asdict(self)
        return to_json({name: value for name, value in fields.items() if value is not None})


def due_ms(body: str) -> int:
    """Return when the event in a queue message is due (ms since 1970); 0 if it names no such time."""
    try:
        return clock.from_text(json.loads(body)["due_at"])
    except (ValueError, LookupError, TypeError, RecursionError):
        return 0  # The worker parks a body that it cannot read.
