"""Events that Parley queues itself, which ask the worker to check a conversation for unfinished work."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from richpanel.channels import Channel
from richpanel.event import RichpanelEvent
from richpanel.inbound.webhook import Lanes
from shared import clock
from shared.aws.sqs_fifo import Entry


@dataclass(frozen=True, slots=True, kw_only=True)
class Nudge:
    """*deduplication*, hex digits: the queue drops a second nudge with the same value within five minutes."""

    conversation_id: str
    channel: Channel
    source: Literal["sweep", "replay"]
    deduplication: str

    def as_entry(self) -> Entry:
        """Return the nudge as a queue entry."""
        now = clock.now_ms()
        event = RichpanelEvent(
            conversation_id=self.conversation_id,
            event_id=None,
            adopts=None,
            message_id=None,
            source=self.source,
            channel=self.channel,
            trigger=self.source,
            created_at=None,
            received_at=now,
            accepted_at=now,
            text="",
            attachments=0,
        )
        return event.entry(self.deduplication)


def send(lanes: Lanes, nudges: Iterable[Nudge]) -> None:
    """
    Put nudges on their queues. Raises NotEnqueued.

    Safe to repeat: the worker decides only on messages that are not handled yet.
    """
    entries: dict[Channel, list[Entry]] = {}
    for nudge in nudges:
        entries.setdefault(nudge.channel, []).append(nudge.as_entry())
    for channel, waiting in entries.items():
        lanes.of(channel).send(waiting)
