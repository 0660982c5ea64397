"""The port of `operations.recovery.cli` to the parked events and dead letters of one context."""

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from shared.recovery.over_quota import Kept


@dataclass(frozen=True, slots=True)
class Shown:
    """An event for people: *columns* of a line, *facts* as JSON has them."""

    columns: Sequence[object]
    facts: dict[str, Any]


@dataclass(frozen=True, slots=True)
class PutBack:
    """What became of an event that was to be put back: *columns* of a line. *id* is its own, *refused* says why not."""

    id: str
    columns: Sequence[object]
    refused: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """Which parked events: by company and reason, where given; those that wait only, or all."""

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
        """Parked events, newest first. Raises Refused for what this context cannot filter by."""
        ...

    def replay(self, event_id: str, company: str | None, tell: Tell) -> None:
        """Put one parked event back; what is not there, or never can be, is told as refused."""
        ...

    def replay_all(self, wanted: Wanted, tell: Tell) -> None:
        """Put all open ones back that are wanted."""
        ...

    def replay_over_quota(self, company: str | None, tell: Tell) -> None:
        """Put the parked events above the quota back, all or those of one company. They are in no list."""
        ...

    def letters(self, limit: int) -> list[Shown]:
        """Up to *limit* dead letters of each queue; all of them stay."""
        ...

    def redrive(self, ids: Collection[str] | None, tell: Tell) -> None:
        """Put the letters with these ids, or all, back where they come from."""
        ...

    def waiting(self) -> dict[str, int]:
        """About how many letters each queue holds."""
        ...
