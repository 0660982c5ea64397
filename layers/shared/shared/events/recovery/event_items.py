"""The items of parked events and of notes about dead letters, for contexts whose queued events are JSON bodies."""

from __future__ import annotations

from abc import abstractmethod
from typing import TYPE_CHECKING

from shared.aws.tables.items import Item
from shared.events.recovery import states

if TYPE_CHECKING:
    from shared.aws.dynamodb import Attributes


class ParkedEvent(Item):
    """
    A parked event: the reason, and the whole event as JSON.

    A context adds its keys and the attributes of its indexes.
    """

    event_id: str
    company_id: str | None = None
    parked_at: str
    ttl: int
    reason: str
    kind: str | None = None
    correlation_id: str | None = None
    received_at: str | None = None
    body: str
    replay_count: int | None = None  # number of the last replay that is known to be queued
    replayed_at: str | None = None
    replayed_by: str | None = None
    returned: int | None = None  # number of the last replay that was parked again
    parked_again_at: str | None = None
    replaced_by: str | None = None  # id of the event under which that replay was parked
    resolved_at: str | None = None

    @classmethod
    @abstractmethod
    def key(cls, event_id: str, /) -> Attributes:
        """Return the key of an event; its first attribute is the partition key."""

    @classmethod
    @abstractmethod
    def listed(cls, event_id: str, company: str | None, parked_at: str, ttl: int) -> Attributes:
        """Return the attributes by which the indexes list an event."""

    @property
    def state(self) -> str:
        """State of a parked event."""
        return states.state_of(self)

    @property
    def next_replay(self) -> int:
        """Number of the next replay."""
        return states.next_replay(self)


class DeadLetterNote(Item):
    """The reason of an event's last failed attempt: the dead letter itself does not contain its error."""

    reason: str
    attempts: int
    failed_at: str
    ttl: int
    redriven_at: str | None = None
    redriven_by: str | None = None

    @classmethod
    @abstractmethod
    def key(cls, letter_id: str, /) -> Attributes:
        """Return the key of a note; its first attribute is the partition key."""

    @classmethod
    def identity(cls, letter_id: str) -> Attributes:
        """Return the key of a note, and its id if the context stores that too."""
        return cls.key(letter_id)
