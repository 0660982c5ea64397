"""
Port that a context implements, so that `shared.events.recovery` can list, replay and redrive its events.

A context says how its items are read and marked, and to which queue and message group an event goes. Everything else
is the same for all contexts: `parked_events` and `dead_letters`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from shared.aws.stored_objects import GONE, ObjectUnusable, Pointer, record

if TYPE_CHECKING:
    from collections.abc import Sequence

    from shared.aws.dead_letters import DeadLetters, Letter
    from shared.aws.dynamodb import Attributes
    from shared.aws.sqs_fifo import Entry, FifoQueue
    from shared.aws.stored_objects import Folder
    from shared.events.recovery.views import DeadLetter, ParkedEvent, Redriven

COMMAND_LINE = "operations"  # the caller name of `operations recovery`, authenticated by AWS
NO_ERROR_REPORTED = "no_error_reported"  # killed, timed out, or failed to report

# A key of an index at which a listing continues.
type Position = Attributes | None


class NotFound(Exception):
    """There is no such parked event, or it belongs to another company: the response does not distinguish them."""

    def __init__(self) -> None:
        super().__init__("event_id: parked event not found")


class NotReplayable(Exception):
    """
    An event cannot be queued again. *why* is one of these codes:

    `unreadable`: the text is no event; `malformed`: the provider's body held no event; `gone`: the body or the
    conversation no longer exists; `damaged`: the stored body is not the one that was parked; `erased`: the person was
    erased; `unknown_topic`: the notification is of a topic that this deployment does not read.
    """

    def __init__(self, why: str) -> None:
        super().__init__(f"event_id: cannot be replayed: {why}")
        self.why = why


class Unsupported(Exception):
    """The context has no such operation; the text gives the reason."""


@dataclass(frozen=True, slots=True)
class Parked[Item]:
    """A parked event: its view, the number of its next replay, and the context's own item."""

    view: ParkedEvent
    next_replay: int
    item: Item


@dataclass(frozen=True, slots=True, kw_only=True)
class Filter:
    """Selects parked events. *company* None: of all companies and of none; *states* None: in any state."""

    company: str | None = None
    reason: str | None = None
    states: frozenset[str] | None = None

    def includes(self, event: ParkedEvent) -> bool:
        """Whether an event of the right company matches."""
        is_in_state = self.states is None or event.state in self.states
        return self.reason in {None, event.reason} and is_in_state


class ParkedStore[Item](Protocol):
    """The parked events of a context. *company* None stands for all companies, and for events without one."""

    @property
    def waiting(self) -> frozenset[str]:
        """The states of events that are not handled yet, as far as the context knows."""
        ...

    @property
    def over_quota(self) -> Folder:
        """The folder with the events above the quota. Raises Unsupported if the context has no quota."""
        ...

    def page(
        self, company: str | None, *, limit: int, start: Position
    ) -> tuple[list[Parked[Item]], Position]:
        """Return up to *limit* parked events, newest first, and the position of the next page, None at the end."""
        ...

    def position_of(self, parked: Parked[Item], company: str | None) -> Attributes:
        """Return the position after an event in the list of `page`."""
        ...

    def one(self, event_id: str, company: str | None) -> Parked[Item] | None:
        """Return one parked event; None if it does not exist or is not of this company."""
        ...

    def message(self, parked: Parked[Item]) -> tuple[FifoQueue, Entry]:
        """
        Return the queue of an event, and its entry in its original message group. Raises NotReplayable.

        May prepare the item for its replay: repeated without the message being sent, that has no effect.
        """
        ...

    def message_of(self, body: bytes) -> tuple[FifoQueue, Entry]:
        """Return the same for the stored body of an event above the quota. Raises NotReplayable."""
        ...

    def mark_replayed(self, parked: Parked[Item], *, at: str, by: str) -> None:
        """Record that replay `next_replay` was queued, and its caller *by*. Idempotent."""
        ...


class DeadLetterQueue(Protocol):
    """One dead-letter queue of a context; *name* is its name in the API."""

    @property
    def name(self) -> str:
        """The name in the API."""
        ...

    @property
    def letters(self) -> DeadLetters:
        """The queue itself."""
        ...

    def views(self, letters: Sequence[Letter]) -> list[DeadLetter]:
        """Return the views of letters, with the recorded reason of each."""
        ...

    def send_again(self, letter: Letter, deduplication: str, by: str) -> Redriven:
        """
        Send a letter back to its source under this deduplication id, and record the caller *by*.

        Raises NotReplayable and NotEnqueued.
        """
        ...


@dataclass(slots=True, kw_only=True, eq=False)
class Recovery[Item]:
    """The parked events and dead letters of one context in one deployment."""

    context: str
    parked: ParkedStore[Item]
    dead_letters: Sequence[DeadLetterQueue]


def stored_body(folder: Folder, pointer: object) -> bytes:
    """Return the body of a parked event, as it was parked. Raises NotReplayable (`gone`, `damaged`)."""
    try:
        return folder.get(Pointer.read(pointer))
    except ObjectUnusable as fault:
        if fault.reason in GONE:
            raise NotReplayable("gone") from None
        record(fault, "parked event")
        raise NotReplayable("damaged") from None
