"""
Enqueues due work every minute.

Every 15 minutes the gap check enqueues messages and delivery statuses that Twilio has but no webhook delivered. A list
that is too long for one run is continued every minute.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from aws_lambda_powertools.metrics import MetricUnit

from conversations.inbound import attachments
from conversations.inbound.webhooks.twilio_events import inbound_message
from conversations.lifecycle import commands
from conversations.lifecycle.commands import FollowUp, Resolve, Resume
from conversations.recovery import lost_statuses
from conversations.store import messages, routes, states
from conversations.store.items.parts.due import DueKind
from conversations.store.items.records import ListPosition
from conversations.store.recovery import due, list_positions
from shared.ai.spending.budget import REASON
from shared.aws.sqs_fifo import Entry, digest, messages_in
from shared.events.exchange import inbound_entry
from shared.providers.outcomes import CredentialsRefused, InDoubt, NotSent, Refused
from shared.providers.twilio.api import Credentials
from shared.runtime import clock
from shared.runtime.observability import logger, metrics

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from conversations.lifecycle.commands import Record
    from conversations.store.items.conversation import ChannelMethod
    from conversations.store.items.parts.due import Due
    from conversations.store.recovery.due import Waiting
    from shared.aws.dynamodb import Table
    from shared.aws.fair_shares import Runs
    from shared.aws.secrets import JsonSecret
    from shared.aws.sqs_fifo import FifoQueue
    from shared.aws.sqs_standard import StandardQueue
    from shared.providers.twilio.messages import Listed, Page, Twilio

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
LOOKS_BACK_MS = 30 * 60 * clock.SECOND_MS
# A message is checked when it is up to half an hour old, and again a day later.
LAST_LOOK_MS = clock.DAY_SECONDS * clock.SECOND_MS
GAP_EVERY_MINUTES = 15
# An account is not started with less time than this: two lists of one page each, and their lookups.
NEEDED_MS = 20 * clock.SECOND_MS
# A run reads at most so many pages of each list of an account; the next run continues.
PAGES_A_RUN = 10
PAGE_MS = 10 * clock.SECOND_MS
# A period overlaps with the previous one, since Twilio does not document how soon a message is listed.
OVERLAP_MS = 13 * 60 * clock.SECOND_MS
FAR_BEHIND_MS = clock.DAY_SECONDS * clock.SECOND_MS
# A newer message may still be in processing by the webhook.
IS_LATE_AFTER_MS = 120 * clock.SECOND_MS
MARKERS_AT_ONCE = 100


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


def is_time_for_gaps(now_ms: int) -> bool:
    """Whether the gap check of all accounts begins in this minute."""
    minute = now_ms // (60 * clock.SECOND_MS)
    return minute % GAP_EVERY_MINUTES == 0


def close_gaps(
    deps: SweeperDependencies, remaining_ms: Callable[[], int], *, continues: bool = False
) -> int:
    """
    Enqueue messages and delivery statuses that Twilio has but no webhook delivered; return the number of messages.

    Twilio does not retry a failed webhook. Each run starts with another account. An account that cannot be listed, or
    for which no time is left, is counted as GapCheckFailed and checked in the next run. *continues*: only lists that an
    earlier run has not read to their end.
    """
    accounts: Mapping[str, Any] = deps.accounts.value().get("accounts") or {}
    enqueued = 0
    for sid, proofs in _in_turn(sorted(accounts.items())):
        tokens = proofs.get("auth_tokens") if isinstance(proofs, dict) else None
        if not tokens:
            continue
        if remaining_ms() < NEEDED_MS:
            if not continues:
                _note_failure(sid, "no_time_left")
            continue
        account = Credentials(sid, sid, str(tokens[0]))
        try:
            enqueued += _close_gaps_of(deps, account, remaining_ms, continues=continues)
        except (Refused, NotSent, InDoubt) as failure:
            _note_failure(sid, failure.code)
    return enqueued


def _in_turn[T](accounts: list[T]) -> list[T]:
    """Rotate the accounts so that each run starts with another one: a large account delays all others equally."""
    run = clock.now_ms() // (GAP_EVERY_MINUTES * 60 * clock.SECOND_MS)
    first = run % len(accounts) if accounts else 0
    return accounts[first:] + accounts[:first]


def _note_failure(account_sid: str, reason: str) -> None:
    metrics.add_metric("GapCheckFailed", MetricUnit.Count, 1)
    logger.warning("account not listed", extra={"account": account_sid, "reason": reason})


def _close_gaps_of(
    deps: SweeperDependencies,
    account: Credentials,
    remaining_ms: Callable[[], int],
    *,
    continues: bool,
) -> int:
    now, enqueued = clock.now_ms(), 0
    for late in _pages(deps, account, "new", now, remaining_ms, continues=continues):
        missing = _missing(deps, account, [message for message in late if message.is_inbound])
        deps.inbound.send(missing)
        if missing:
            metrics.add_metric("GapsFound", MetricUnit.Count, len(missing))
        enqueued += len(missing)
        _repair_statuses(deps, account, late)
    # After a day Twilio has stopped trying to deliver: a message is valid for 10 hours at most ("Messages
    # resource", ValidityPeriod).
    at_ms = now - LAST_LOOK_MS
    for day_old in _pages(deps, account, "day_old", at_ms, remaining_ms, continues=continues):
        _repair_statuses(deps, account, day_old)
    return enqueued


def _pages(
    deps: SweeperDependencies,
    account: Credentials,
    list_name: str,
    at_ms: int,
    remaining_ms: Callable[[], int],
    *,
    continues: bool,
) -> Iterator[list[Listed]]:
    """
    Yield pages of the messages up to about *at_ms* that were not checked yet; the next run continues after the last.

    The position is stored after the caller has handled a page: a page is handled again if the sweeper dies before.
    """
    sid = account.account_sid
    position = list_positions.get(deps.log, sid, list_name)
    if position is None or position.page is None:
        if continues:
            return
        position = _next_period(position, at_ms)
    if at_ms - position.until > FAR_BEHIND_MS:
        _note_failure(sid, "far_behind")
    for _ in range(PAGES_A_RUN):
        if remaining_ms() < PAGE_MS:
            return
        page = _page(deps, account, position)
        yield page.messages
        position = position.model_copy(update={"page": page.following})
        list_positions.put(deps.log, sid, list_name, position)
        if page.following is None:
            return


def _next_period(checked: ListPosition | None, at_ms: int) -> ListPosition:
    """Return a period that begins before the end of the last complete one."""
    since = at_ms - LOOKS_BACK_MS
    if checked is not None:
        since = min(since, checked.until - OVERLAP_MS)
    return ListPosition(since=since, until=at_ms - IS_LATE_AFTER_MS)


def _page(deps: SweeperDependencies, account: Credentials, position: ListPosition) -> Page:
    """Return the next page; the first one of the period if Twilio no longer knows the stored page."""
    since, until = position.since, position.until
    try:
        return deps.twilio.between(account, since, until, position.page)
    except CredentialsRefused:
        raise
    except Refused:
        if position.page is None:
            raise
        return deps.twilio.between(account, since, until)


def _missing(
    deps: SweeperDependencies, account: Credentials, received: list[Listed]
) -> list[Entry]:
    missing: list[Entry] = []
    for first in range(0, len(received), MARKERS_AT_ONCE):
        batch = received[first : first + MARKERS_AT_ONCE]
        marked = routes.are_marked(deps.log, "twilio", [message.sid for message in batch])
        missing += [_entry(deps, account, listed) for listed in batch if listed.sid not in marked]
    return missing


def _repair_statuses(deps: SweeperDependencies, account: Credentials, listed: list[Listed]) -> None:
    lost = lost_statuses.entries(deps.log, account.account_sid, listed)
    deps.statuses.send(lost)
    if lost:
        metrics.add_metric("StatusesFound", MetricUnit.Count, len(lost))


def _entry(deps: SweeperDependencies, account: Credentials, message: Listed) -> Entry:
    files = deps.twilio.media_of(account, message.sid) if message.media_count else []
    fields = message.webhook_fields(files)
    return inbound_entry(inbound_message(fields, account.account_sid, message.created_at_ms))
