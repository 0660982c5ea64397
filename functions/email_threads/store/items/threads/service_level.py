"""Targets for the first response and the resolution: of a mailbox, of a thread, their next time, and counts by day."""

from __future__ import annotations

from enum import StrEnum
from typing import ClassVar, Final

from pydantic import BaseModel, ConfigDict, Field

from email_threads.store.items.item import ThreadItem
from shared.runtime import clock

KEPT_SECONDS: Final = (
    30 * clock.DAY_SECONDS
)  # after its time, should the scheduled function not run
KEPT_DAYS: Final = 400  # counts of a day


class TargetName(StrEnum):
    """The subject of a target."""

    FIRST_RESPONSE = "first_response"
    RESOLUTION = "resolution"


class TargetState(StrEnum):
    """
    Whether a target was reached.

        open --reached--> met
        open --due time passes--> overdue --reached--> late
    """

    OPEN = "open"
    OVERDUE = "overdue"
    MET = "met"
    LATE = "late"


class Outcome(StrEnum):
    """A counted outcome of a target."""

    MET = "met"
    BREACHED = "breached"


class Target(BaseModel):
    """A due time and the time of the alarm before it. *alarmed*: the alarm was given. *reached_at*: when it ended."""

    model_config = ConfigDict(extra="allow")

    due_at: str
    alarm_at: str
    state: TargetState = TargetState.OPEN
    alarmed: bool | None = None
    reached_at: str | None = None

    @property
    def is_unreached(self) -> bool:
        """Whether the target is still to be reached, in time or late."""
        return self.state in {TargetState.OPEN, TargetState.OVERDUE}

    @property
    def next_at(self) -> str | None:
        """The time at which the target changes by itself: of its alarm, then of its breach."""
        if self.state is not TargetState.OPEN:
            return None
        return self.due_at if self.alarmed else self.alarm_at

    @property
    def outcome(self) -> tuple[Outcome, str] | None:
        """The counted outcome and its time: of the answer, or the due time that was missed."""
        if self.state is TargetState.MET:
            return Outcome.MET, self.reached_at or self.due_at
        return None if self.state is TargetState.OPEN else (Outcome.BREACHED, self.due_at)


class ServiceLevel(BaseModel):
    """
    The targets of a thread since a customer opened or reopened it; each time is another *round*.

    *started_at* is the time of the customer's first mail in it. While the thread is not active (*paused_at*) the
    resolution is not due. *time_zone* decides on which day it is counted.
    """

    model_config = ConfigDict(extra="allow")

    round: int = 1
    started_at: str
    paused_at: str | None = None
    was_paused: bool | None = None
    time_zone: str | None = None
    first_response: Target | None = None
    resolution: Target | None = None

    @property
    def targets(self) -> dict[TargetName, Target]:
        """The targets that exist, by name."""
        found = {
            TargetName.FIRST_RESPONSE: self.first_response,
            TargetName.RESOLUTION: self.resolution,
        }
        return {name: target for name, target in found.items() if target is not None}

    @property
    def running(self) -> dict[TargetName, Target]:
        """The targets that are still to be reached and whose time runs."""
        return {
            name: target
            for name, target in self.targets.items()
            if target.is_unreached and (name is TargetName.FIRST_RESPONSE or self.paused_at is None)
        }


class Deadline(ThreadItem):
    """
    Names a thread that changes at *look_at*: an alarm, a breach, a reminder or its end. Written with the head (its
    number *seq*), which decides.

    TTLIndex lists all of them in one partition by time.
    """

    pattern: ClassVar[str] = "{conversation_id}#due"
    PARTITION: ClassVar[str] = "due"

    conversation_id: str  # the item's key
    look_at: str
    seq: int
    ttl: int
    ttl_date: str

    @classmethod
    def of(cls, conversation_id: str, look_at: str, seq: int) -> Deadline:
        """Return the item of a thread."""
        return cls(
            conversation_id=cls.key(conversation_id)["conversation_id"],
            look_at=look_at,
            seq=seq,
            ttl=cls.lifetime_at(clock.from_text(look_at) // clock.SECOND_MS),
            ttl_date=cls.PARTITION,
        )

    @staticmethod
    def lifetime_at(seconds: int) -> int:
        """Return the `ttl` (epoch seconds) of a deadline at this time (the same)."""
        return seconds + KEPT_SECONDS

    @staticmethod
    def time_of(ttl: int) -> str:
        """Return the time of a deadline with this `ttl`, in whole seconds."""
        return clock.to_text((ttl - KEPT_SECONDS) * clock.SECOND_MS)


class ServiceLevelDay(ThreadItem):
    """Counts of targets met and breached in a mailbox on a day of its time zone, and of customers' answers."""

    pattern: ClassVar[str] = "service#{company_id}#{address}#{date}"

    conversation_id: str  # the item's key
    date: str
    first_response_met: int = 0
    first_response_breached: int = 0
    resolution_met: int = 0
    resolution_breached: int = 0
    questions_asked: int = 0  # how satisfied a customer is
    score_1: int = 0  # answers, by the number of stars
    score_2: int = 0
    score_3: int = 0
    score_4: int = 0
    score_5: int = 0
    ttl: int | None = Field(default=None, repr=False)

    @staticmethod
    def counter(name: TargetName, outcome: Outcome) -> str:
        """Return the field that counts an outcome."""
        return f"{name}_{outcome}"
