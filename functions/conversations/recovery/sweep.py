"""Enqueues due work every minute."""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING

from conversations.inbound.files import attachments
from conversations.lifecycle.records import commands
from conversations.lifecycle.records.commands import AskSatisfaction, FollowUp, Resolve, Resume
from conversations.store import messages, states
from conversations.store.items.parts.due import DueKind
from conversations.store.recovery import due
from shared.ai.spending.budget import REASON
from shared.aws.sqs_fifo import Entry, digest, messages_in
from shared.runtime import clock

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from conversations.lifecycle.records.commands import Record
    from conversations.store.items.conversation import ChannelMethod
    from conversations.store.items.parts.due import Due
    from conversations.store.recovery.due import Waiting
    from shared.aws.dynamodb import Table
    from shared.aws.secrets import JsonSecret
    from shared.aws.sqs_fifo import FifoQueue
    from shared.aws.sqs_standard import StandardQueue
    from shared.aws.workers.fair_shares import Runs
    from shared.providers.twilio.messages import Twilio

AT_ONCE = 2_000  # read and divided among companies in a run
# If the function dies between the two, so many are postponed and not sent, and wait for AGAIN_MS.
GROUP = 50
# The rest of an invocation that due work leaves: for the last group, and for accounts of the gap check.
LAST_GROUP_MS = 10 * clock.SECOND_MS
GAP_CHECK_MS = 40 * clock.SECOND_MS
# Work is enqueued again after this time and the time that its queue needs, in case its record was lost or its worker
# died. A record that still waits must not be enqueued again: the queue would grow by its own length every time.
AGAIN_MS = 15 * 60 * clock.SECOND_MS
# Per record that waits in the queue: the pace of ten workers with a slow model, see docs/performance.md.
RECORD_MS = clock.SECOND_MS // 2
LONGEST_AGAIN_MS = clock.DAY_SECONDS * clock.SECOND_MS


@dataclass(slots=True, kw_only=True, eq=False)
class SweeperDependencies:
    """The log, the queues, and Twilio with its accounts."""

    log: Table
    channels: Mapping[ChannelMethod, FifoQueue]
    inbound: FifoQueue
    statuses: FifoQueue
    files: StandardQueue
    replies: FifoQueue
    runs: Mapping[str, Runs]  # by the name of the queue
    twilio: Twilio
    accounts: JsonSecret


def enqueue_due(
    deps: SweeperDependencies, remaining_ms: Callable[[], int], reserved_ms: int
) -> int:
    """
    Enqueue due work, a round for each queue, which companies share; return the number of records.

    Idempotent: concurrent sweepers enqueue it once.
    """
    enough_ms = (remaining_ms() + reserved_ms) // 2  # half of the time is for reading the list
    waiting = due.list_due(deps.log, AT_ONCE, lambda: remaining_ms() > enough_ms)
    enqueued = 0
    for queue, works in _by_queue(deps, waiting).items():
        if queue is None:
            enqueued += sum(_hand_over(deps, work.waiting, work.seen) for work in works)
            continue
        left = messages_in(queue.client, queue.url)
        counts = Counter(work.company for work in works)
        shares = deps.runs[queue.name].hand_over(left, counts)
        before = left + sum(shares.values())
        again_at = clock.now_ms() + min(AGAIN_MS + before * RECORD_MS, LONGEST_AGAIN_MS)
        chosen = _chosen(works, shares)
        for first in range(0, len(chosen), GROUP):
            if remaining_ms() < reserved_ms:
                break
            enqueued += _enqueue(deps, queue, chosen[first : first + GROUP], again_at)
    return enqueued


@dataclass(frozen=True, slots=True)
class _Work:
    """Due work as it was read, and its company."""

    waiting: Waiting
    seen: Due
    company: str


def _by_queue(
    deps: SweeperDependencies, waiting: Sequence[Waiting]
) -> dict[FifoQueue | None, list[_Work]]:
    """Read due work and sort it by queue, None for downloads; the oldest of each company first."""
    works = due.get_many(deps.log, waiting)
    opened = states.read_many(
        deps.log, [one.ref for one in works if one.kind not in due.LEFT_A_QUEUE]
    )
    found: dict[FifoQueue | None, list[_Work]] = defaultdict(list)
    now = clock.to_text(clock.now_ms())
    for one in waiting:
        work = works.get(one)
        if work is None or work.at > now:
            continue  # The index is eventually consistent.
        if one.kind in due.LEFT_A_QUEUE:
            method = work.channel_method
            left = deps.channels[method] if method else deps.replies
            found[left].append(_Work(one, work, work.company))
            continue
        state = opened.get(one.ref)
        if state is None:
            due.done(deps.log, one.ref, one.kind)
            continue
        of_media = one.kind is DueKind.MEDIA
        queue = None if of_media else deps.channels[state.channel_method]
        found[queue].append(_Work(one, work, state.company_id))
    return found


def _chosen(works: Sequence[_Work], shares: Mapping[str, int]) -> list[_Work]:
    """Return the first works of each company, as many as its share."""
    chosen, taken = [], Counter[str]()
    for work in works:
        if taken[work.company] < shares.get(work.company, 0):
            taken[work.company] += 1
            chosen.append(work)
    return chosen


def _enqueue(
    deps: SweeperDependencies, queue: FifoQueue, works: Sequence[_Work], again_at: int
) -> int:
    """Enqueue a group of due work, which is due again if its record is lost; or records that left their queue."""
    entries: list[Entry] = []
    joined: list[_Work] = []
    for work in works:
        one, seen = work.waiting, work.seen
        if one.kind in due.LEFT_A_QUEUE:
            # Another id than before, or the queue would drop it as a duplicate.
            deduplication = digest(one.ref, one.kind, seen.due_at)
            entries.append(Entry(str(seen.body), digest(one.ref), deduplication))
            joined.append(work)
        elif due.postpone(deps.log, one, seen, again_at, work.company):
            entries.append(commands.entry(_record(one, seen), one.ref, one.kind, seen.due_at))
    queue.send(entries)
    for work in joined:
        due.taken(deps.log, work.waiting, work.seen)
    return len(entries)


def _record(waiting: Waiting, work: Due) -> Record:
    if waiting.kind is DueKind.IN_DOUBT:
        return Resolve(ref=waiting.ref)
    if waiting.kind is DueKind.FOLLOW_UP:
        return FollowUp(ref=waiting.ref, message_sk=str(work.message_sk), step=work.step or 0)
    if waiting.kind is DueKind.SATISFACTION:
        return AskSatisfaction(ref=waiting.ref)
    is_busy = work.reason == due.PROJECT_BUSY
    return Resume(ref=waiting.ref, waiting_since=work.first_due_at if is_busy else None)


def _hand_over(deps: SweeperDependencies, waiting: Waiting, work: Due) -> int:
    """
    Enqueue the downloads of a message and of later ones whose files waited for the next day's bound; or that an
    earlier release could not fetch. Safe to repeat.
    """
    sk = work.message_sk or ""
    first = messages.get(deps.log, waiting.ref, sk)
    later = messages.after(deps.log, waiting.ref, sk) if work.reason == REASON else []
    enqueued = sum(
        attachments.request_downloads(deps.files, waiting.ref, message, again=work.reason)
        for message in ([first] if first else []) + later
    )
    due.done(deps.log, waiting.ref, waiting.kind)
    return enqueued
