"""
Due times of the first response and the resolution of a thread. Pure; times are texts as items have them.

    customer's mail opens or reopens the thread    both targets begin with its time
    our first answer                               the first response is reached
    thread not active                              the resolution pauses
    thread active again                            it is due later by the business hours of the pause
    thread completed                               the resolution is reached
    completed by mistake, active again             it is open again

A mail counts at the time at which it was received, in any order of arrival: an earlier mail of the customer moves both
due times back, and an earlier answer may turn a breach into a met target. The alarm is given when a quarter of a
target is left.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from email_threads.store.deadlines.service_levels import OPEN
from email_threads.store.items import Mailbox, Status, Thread
from email_threads.store.items.threads.service_level import ServiceLevel, Target, TargetState
from email_threads.store.items.threads.thread import Direction
from shared.runtime import clock

if TYPE_CHECKING:
    from email_threads.store.items import Mail
    from shared.policy.business_hours import BusinessHours

_MINUTE: Final = 60  # seconds
_ALARM_SHARE: Final = 0.75  # of a target


@dataclass(frozen=True, slots=True, kw_only=True)
class Targets:
    """The targets of a mailbox in minutes of its business hours; without *hours* each hour is one."""

    hours: BusinessHours | None = None
    first_response_minutes: int | None = None
    resolution_minutes: int | None = None


def targets_of(mailbox: Mailbox) -> Targets | None:
    """Return the targets of a mailbox, None if it has none."""
    if mailbox.first_response_minutes is None and mailbox.resolution_minutes is None:
        return None
    return Targets(
        hours=mailbox.business_hours,
        first_response_minutes=mailbox.first_response_minutes,
        resolution_minutes=mailbox.resolution_minutes,
    )


def after_mail(thread: Thread, mail: Mail, targets: Targets | None) -> ServiceLevel | None:
    """
    Return the service level of a thread after a mail that counts, before the mail's change of the status.

    *thread* is the head before the mail, or the one that the mail opens. *targets*: of its mailbox; an answer
    needs none.
    """
    level = thread.service_level
    if mail.direction is Direction.OUTBOUND:
        return _answered(level, mail.received_at) if level is not None else None
    if level is None or thread.status not in OPEN:
        return _begun(thread, mail.received_at, targets)
    if mail.received_at < level.started_at and targets is not None:
        level = _begun_earlier(level, mail.received_at, targets)
    return _resumed(level, mail.received_at, targets.hours if targets is not None else None)


def after_status(
    thread: Thread, status: Status, at: str, hours: BusinessHours | None = None
) -> ServiceLevel | None:
    """
    Return the service level of a thread that gets another status without a mail.

    *hours*: of its mailbox, which only a thread that becomes active needs.
    """
    level = thread.service_level
    if level is None or status is thread.status:
        return level
    resolution = level.resolution
    if thread.status is Status.ACTIVE and level.paused_at is None:
        level = level.model_copy(update={"paused_at": at, "was_paused": True})
    if status is Status.COMPLETED and resolution is not None:
        resolution = _reached(resolution, at, counts_at=level.paused_at)
    elif status is Status.ACTIVE and thread.status is Status.COMPLETED and resolution is not None:
        resolution = _unreached(resolution)
    level = level.model_copy(update={"resolution": resolution})
    return _resumed(level, at, hours) if status is Status.ACTIVE else level


def joined(thread: Thread, other: Thread) -> ServiceLevel | None:
    """Return the service level of an open thread that another one becomes part of: of two open targets the earlier."""
    own, theirs = thread.service_level, other.service_level
    if theirs is None or other.status not in OPEN or thread.status not in OPEN:
        return own
    joins = {
        name.value: target
        for name, target in theirs.running.items()
        if target.state is TargetState.OPEN
    }
    if own is None:
        paused = None if thread.status is Status.ACTIVE else theirs.paused_at
        return theirs.model_copy(
            update={"round": 1, "paused_at": paused, "first_response": None, "resolution": None}
            | joins
        )
    present = {name.value: target for name, target in own.targets.items()}
    earlier = {
        name: target
        for name, target in joins.items()
        if name not in present
        or (present[name].state is TargetState.OPEN and target.due_at < present[name].due_at)
    }
    return own.model_copy(update=earlier)


def without(thread: Thread) -> ServiceLevel | None:
    """Return the service level of a thread without a mail of the customer that counts: what was reached stays."""
    level = thread.service_level
    if level is None:
        return None
    kept = {
        name.value: None if target.is_unreached else target
        for name, target in level.targets.items()
    }
    return level.model_copy(update=kept)


def looked_at(level: ServiceLevel, now: str) -> tuple[ServiceLevel, list[str]]:
    """Return a service level at the time *now*, and what has happened since: alarms and breaches of its targets."""
    happened: list[str] = []
    changed: dict[str, Target] = {}
    for name, target in level.running.items():
        if target.state is not TargetState.OPEN:
            continue
        if target.due_at <= now:
            changed[name.value] = target.model_copy(
                update={"state": TargetState.OVERDUE, "alarmed": True}
            )
            happened.append(f"{name}=breached")
        elif target.alarm_at <= now and not target.alarmed:
            changed[name.value] = target.model_copy(update={"alarmed": True})
            happened.append(f"{name}=at_risk")
    return (level.model_copy(update=changed) if changed else level), happened


def _begun(thread: Thread, at: str, targets: Targets | None) -> ServiceLevel | None:
    """Return a new round. An answer that was stored before the mail that it answers counts too."""
    if targets is None:
        return None
    earlier = thread.service_level
    level = ServiceLevel(
        round=earlier.round + 1 if earlier is not None else 1,
        started_at=at,
        time_zone=targets.hours.time_zone if targets.hours is not None else None,
        first_response=_target(at, targets.first_response_minutes, targets.hours),
        resolution=_target(at, targets.resolution_minutes, targets.hours),
    )
    answers = (
        entry.timestamp
        for entry in thread.email_history
        if entry.direction is Direction.OUTBOUND and entry.timestamp >= at
    )
    answered_at = min(answers, default=None)
    return _answered(level, answered_at) if answered_at is not None else level


def _begun_earlier(level: ServiceLevel, at: str, targets: Targets) -> ServiceLevel:
    """Return a round that has begun earlier: an older mail of the customer arrives late."""
    first = _moved(level.first_response, at, targets.first_response_minutes, targets.hours)
    resolution = level.resolution
    if not level.was_paused:
        resolution = _moved(resolution, at, targets.resolution_minutes, targets.hours)
    update = {"started_at": at, "first_response": first, "resolution": resolution}
    return level.model_copy(update=update)


def _moved(
    target: Target | None, at: str, minutes: int | None, hours: BusinessHours | None
) -> Target | None:
    moved = _target(at, minutes, hours)
    if target is None or moved is None:
        return target
    moved = target.model_copy(update={"due_at": moved.due_at, "alarm_at": moved.alarm_at})
    return _reached(moved, moved.reached_at) if moved.reached_at is not None else moved


def _target(at: str, minutes: int | None, hours: BusinessHours | None) -> Target | None:
    if minutes is None:
        return None
    due_at = _due_at(at, minutes * _MINUTE, hours)
    alarm_at = _due_at(at, int(minutes * _MINUTE * _ALARM_SHARE), hours)
    if due_at is None or alarm_at is None:
        return None
    return Target(due_at=due_at, alarm_at=alarm_at)


def _answered(level: ServiceLevel, at: str) -> ServiceLevel:
    """Return the service level after an answer: the earliest one of the round reaches the first response."""
    target = level.first_response
    if target is None or at < level.started_at:
        return level
    if target.reached_at is not None and target.reached_at <= at:
        return level
    return level.model_copy(update={"first_response": _reached(target, at)})


def _reached(target: Target, at: str, counts_at: str | None = None) -> Target:
    """Return a target that was reached at a time. *counts_at*: the begin of a pause, whose time does not count."""
    is_met = (counts_at or at) <= target.due_at
    state = TargetState.MET if is_met else TargetState.LATE
    return target.model_copy(update={"state": state, "reached_at": at})


def _unreached(target: Target) -> Target:
    is_late = target.state in {TargetState.LATE, TargetState.OVERDUE}
    state = TargetState.OVERDUE if is_late else TargetState.OPEN
    return target.model_copy(update={"state": state, "reached_at": None})


def _resumed(level: ServiceLevel, at: str, hours: BusinessHours | None) -> ServiceLevel:
    """Return the service level of a thread that is active again: the time of the pause is added."""
    paused_at, target = level.paused_at, level.resolution
    if paused_at is None:
        return level
    if target is not None and target.state is TargetState.OPEN:
        start = max(at, paused_at)
        target = target.model_copy(
            update={
                "due_at": _later(target.due_at, paused_at, start, hours),
                "alarm_at": _later(target.alarm_at, paused_at, start, hours),
            }
        )
    return level.model_copy(update={"paused_at": None, "resolution": target})


def _later(moment: str, paused_at: str, resumed_at: str, hours: BusinessHours | None) -> str:
    """Return a time after a pause; one before the pause stays."""
    if moment <= paused_at:
        return moment
    left = _seconds_between(clock.from_text(paused_at), clock.from_text(moment), hours)
    return _due_at(resumed_at, left, hours) or moment


def _seconds_between(start_ms: int, end_ms: int, hours: BusinessHours | None) -> int:
    if hours is None:
        return (end_ms - start_ms) // clock.SECOND_MS
    return hours.seconds_between(start_ms, end_ms)


def _due_at(at: str, seconds: int, hours: BusinessHours | None) -> str | None:
    start_ms = clock.from_text(at)
    if hours is None:
        return clock.to_text(start_ms + seconds * clock.SECOND_MS)
    due_ms = hours.due_at(start_ms, seconds)
    return clock.to_text(due_ms) if due_ms is not None else None
