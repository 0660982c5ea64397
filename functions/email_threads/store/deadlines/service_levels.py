"""
Access patterns of due times: what a changed head writes with it, threads whose time comes, and counts by day.

A head, its deadline and the counts of its outcomes are one transaction. So the deadline always belongs to the newest
head, and each outcome is counted once, whichever write of the head causes it.
"""

from __future__ import annotations

from collections import Counter
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Final
from zoneinfo import ZoneInfo

from boto3.dynamodb.conditions import Key

from email_threads.store.items import Deadline, ServiceLevelDay, Status, Thread
from email_threads.store.items.item import PARTITION_KEY
from email_threads.store.items.threads.service_level import KEPT_DAYS
from email_threads.store.items.threads.thread import TTL_INDEX
from shared.aws.dynamodb import ConditionFailed
from shared.runtime import clock

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from email_threads.store.items.threads.service_level import ServiceLevel, Target, TargetName
    from shared.aws.dynamodb import Attributes, Table

OPEN: Final = frozenset({Status.ACTIVE, Status.PENDING_INFO})


def running(thread: Thread) -> dict[TargetName, Target]:
    """Return the targets of a thread whose time runs: none of a closed one."""
    level = thread.service_level
    return level.running if level is not None and is_open(thread) else {}


def is_open(thread: Thread) -> bool:
    """Whether people work on a thread."""
    return thread.status in OPEN and thread.merged_into is None


def reminding_at(thread: Thread) -> str | None:
    """Return the time of a reminder that was not given yet."""
    found = thread.reminder if is_open(thread) else None
    return found.remind_at if found is not None and found.given_at is None else None


def closing_at(thread: Thread) -> str | None:
    """Return when an answered thread is closed: a snooze and a reminder defer it."""
    if thread.closes_at is None or not is_open(thread):
        return None
    return max(thread.closes_at, thread.snoozed_until or "", reminding_at(thread) or "")


def asking_at(thread: Thread) -> str | None:
    """Return when the customer of a completed thread is asked how satisfied they are."""
    found = thread.satisfaction
    is_completed = thread.status is Status.COMPLETED and thread.merged_into is None
    return found.ask_at if found is not None and is_completed else None


def next_look(thread: Thread, *, closes: bool = True) -> str | None:
    """
    Return the time at which a thread changes next without a call or a mail: alarm, breach, reminder, end or
    question.

    *closes*: its end counts.
    """
    times = [target.next_at for target in running(thread).values()]
    times += [reminding_at(thread), closing_at(thread) if closes else None, asking_at(thread)]
    return min((one for one in times if one is not None), default=None)


def writes(table: Table, before: Thread | None, after: Thread) -> list[Attributes]:
    """Return the writes that go with a changed head in one transaction: of its deadline, and of what is counted."""
    found: list[Attributes] = []
    was, look_at = next_look(before) if before is not None else None, next_look(after)
    if look_at is not None and look_at != was:
        deadline = Deadline.of(after.conversation_id, look_at, after.seq)
        found.append(table.to_put(deadline.attributes()))
    elif look_at is None and was is not None:
        found.append(table.to_delete(Deadline.key(after.conversation_id)))
    counted = _counted(before, after)
    for date, counts in sorted(counted.items()):
        found.append(
            table.to_update(
                ServiceLevelDay.key(after.company_id, after.mailbox, date),
                put={
                    ServiceLevelDay.name_of("date"): date,
                    ServiceLevelDay.name_of("ttl"): clock.expires_in(KEPT_DAYS * clock.DAY_SECONDS),
                },
                add=ServiceLevelDay.named(**counts),
            )
        )
    return found


def due(table: Table) -> Iterator[list[tuple[str, str]]]:
    """Yield pages of the threads with a deadline whose time has come, and that time, the earliest first."""
    latest = Deadline.lifetime_at(clock.now_ms() // clock.SECOND_MS)
    condition = Key("ttl_date").eq(Deadline.PARTITION) & Key("ttl").lte(latest)
    start: Attributes | None = None
    while True:
        rows, start = table.query(TTL_INDEX, condition, start=start)
        yield [
            (str(row[PARTITION_KEY]).partition("#")[0], Deadline.time_of(int(row["ttl"])))
            for row in rows
        ]
        if start is None:
            break


def deadline_of(table: Table, conversation_id: str) -> Deadline | None:
    """Return the deadline of a thread."""
    item = table.get(Deadline.key(conversation_id))
    return Deadline.read(item) if item else None


def replace(table: Table, deadline: Deadline, look_at: str | None) -> None:
    """Move a deadline to another time, None removes it, unless a later head has written it since it was read."""
    conversation_id = deadline.conversation_id.partition("#")[0]
    is_as_read = Deadline.attr("seq").eq(deadline.seq) & Deadline.attr("look_at").eq(
        deadline.look_at
    )
    try:
        if look_at is None:
            table.delete(Deadline.key(conversation_id), when=is_as_read)
        else:
            moved = Deadline.of(conversation_id, look_at, deadline.seq)
            table.put(moved.attributes(), when=is_as_read)
    except ConditionFailed:
        return


def days(
    table: Table, company_id: str, address: str, dates: Sequence[str]
) -> list[ServiceLevelDay]:
    """Return the counts of a mailbox on these dates, in their order; days without any are left out."""
    keys = [ServiceLevelDay.key(company_id, address, date) for date in dates]
    found = [ServiceLevelDay.read(item) for item in table.get_many(keys)]
    return sorted(found, key=lambda day: day.date)


def _counted(before: Thread | None, after: Thread) -> dict[str, Counter[str]]:
    """Return by date what is to be added to the counts: an outcome that has changed is taken back."""
    found: dict[str, Counter[str]] = {}
    was, level = before.service_level if before is not None else None, after.service_level
    is_same_round = was is not None and level is not None and was.round == level.round
    counted = _outcomes(was) if was is not None and is_same_round else {}
    now = _outcomes(level) if level is not None else counted
    counted |= _scores(before) if before is not None else {}
    now = now | _scores(after)
    for name, (date, counter) in now.items():
        if counted.get(name) != (date, counter):
            found.setdefault(date, Counter())[counter] += 1
    for name, (date, counter) in counted.items():
        if now.get(name) != (date, counter):
            found.setdefault(date, Counter())[counter] -= 1
    return {date: counts for date, counts in found.items() if any(counts.values())}


def _outcomes(level: ServiceLevel) -> dict[str, tuple[str, str]]:
    """Return the date and the counter of each target that has an outcome."""
    found: dict[str, tuple[str, str]] = {}
    for name, target in level.targets.items():
        if target.outcome is not None:
            outcome, at = target.outcome
            date = _date_of(at, level.time_zone)
            found[name] = date, ServiceLevelDay.counter(name, outcome)
    return found


def _scores(thread: Thread) -> dict[str, tuple[str, str]]:
    """Return the date and the counter of a question that was asked, and of its newest answer."""
    found, level = thread.satisfaction, thread.service_level
    zone = level.time_zone if level is not None else None
    counted: dict[str, tuple[str, str]] = {}
    if found is not None and found.asked_at is not None:
        counted["asked"] = (
            _date_of(found.asked_at, zone),
            ServiceLevelDay.name_of("questions_asked"),
        )
    if found is not None and found.score is not None and found.answered_at is not None:
        date = _date_of(found.answered_at, zone)
        counted["score"] = date, ServiceLevelDay.name_of(f"score_{found.score}")
    return counted


def _date_of(at: str, time_zone: str | None) -> str:
    zone = ZoneInfo(time_zone) if time_zone is not None else UTC
    return datetime.fromtimestamp(clock.from_text(at) / clock.SECOND_MS, zone).date().isoformat()
