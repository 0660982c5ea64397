"""
Enqueues messages and delivery statuses that Twilio has but no webhook delivered, every 15 minutes.

A list that is too long for one run is continued every minute.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from aws_lambda_powertools.metrics import MetricUnit

from conversations.inbound.webhooks.twilio_events import inbound_message
from conversations.recovery import lost_statuses
from conversations.store import routes
from conversations.store.items.records import ListPosition
from conversations.store.recovery import list_positions
from shared.events.exchange import inbound_entry
from shared.providers.outcomes import CredentialsRefused, InDoubt, NotSent, Refused
from shared.providers.twilio.api import Credentials
from shared.runtime import clock
from shared.runtime.observability import logger, metrics

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from conversations.recovery.sweep import SweeperDependencies
    from shared.aws.sqs_fifo import Entry
    from shared.providers.twilio.messages import Listed, Page

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
