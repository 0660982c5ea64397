"""Events that Parley queues itself, which ask the worker to check a conversation for unfinished work."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from richpanel.inbound.channels import Channel
from richpanel.inbound.event import RichpanelEvent
from richpanel.inbound.webhook import EventQueues
from shared.aws.sqs_fifo import Entry
from shared.runtime import clock


@dataclass(frozen=True, slots=True, kw_only=True)
class WakeupEvent:
    """
    *deduplication*, hex digits: the queue drops a second event with the same value within five minutes.

    *event_id*, of a backfill only: the event of the message that was decided in dry run.
    """

    conversation_id: str
    channel: Channel
    source: Literal["sweep", "replay", "backfill"]
    deduplication: str
    event_id: str | None = None

    def as_entry(self) -> Entry:
        """Return the event as a queue entry."""
        now = clock.now_ms()
        event = RichpanelEvent(
            conversation_id=self.conversation_id,
            event_id=self.event_id,
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


def send(queues: EventQueues, wakeups: Iterable[WakeupEvent]) -> None:
    """
    Put wake-up events on their queues. Raises NotEnqueued.

    Safe to repeat: the worker decides only on messages that are not handled yet.
    """
    entries: dict[Channel, list[Entry]] = {}
    for wakeup in wakeups:
        entries.setdefault(wakeup.channel, []).append(wakeup.as_entry())
    for channel, waiting in entries.items():
        queues.of(channel).send(waiting)
