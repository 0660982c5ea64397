"""The port of `operations recovery` to the parked events and dead letters of one context."""

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from shared.recovery.over_quota import Kept


@dataclass(frozen=True, slots=True)
class Shown:
    """An event for display: *columns* of a text line, *facts* for JSON output."""

    columns: Sequence[object]
    facts: dict[str, Any]


@dataclass(frozen=True, slots=True)
class PutBack:
    """Result of putting an event back: *columns* of a text line, the event's *id*, and why it was *refused*, if so."""

    id: str
    columns: Sequence[object]
    refused: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """Filter of parked events: by company and reason if given; *is_waiting*: only those still to be handled."""

    company: str | None = None
    reason: str | None = None
    is_waiting: bool = True


def put_back_of(kept: Kept, refused: str | None) -> PutBack:
    """What became of a parked event above the quota."""
    return PutBack(kept.key, (kept.key, f"refused: {refused}" if refused else "replayed"), refused)


type Tell = Callable[[PutBack], None]


class Unhandled(Protocol):
    """The parked events and dead letters of one context in one deployment."""

    def parked(self, wanted: Wanted) -> Iterator[Shown]:
        """Yield parked events, newest first. Raises Refused for a filter that this context does not support."""
        ...

    def replay(self, event_id: str, company: str | None, tell: Tell) -> None:
        """Put one parked event back; a missing or unreplayable one is passed to *tell* as refused."""
        ...

    def replay_all(self, wanted: Wanted, tell: Tell) -> None:
        """Put all open events that match *wanted* back."""
        ...

    def replay_over_quota(self, company: str | None, tell: Tell) -> None:
        """Put the parked events above the quota back, all or those of one company. They are in no list."""
        ...

    def letters(self, limit: int) -> list[Shown]:
        """Return up to *limit* dead letters of each queue, without removing them."""
        ...

    def redrive(self, ids: Collection[str] | None, tell: Tell) -> None:
        """Put the letters with these ids, or all if None, back on the queues they came from."""
        ...

    def waiting(self) -> dict[str, int]:
        """Return the approximate number of letters in each dead-letter queue."""
        ...
