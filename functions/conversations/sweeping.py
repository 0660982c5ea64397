"""Every minute: work whose time has come is brought back. Every quarter of an hour: what Twilio could not deliver."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from aws_lambda_powertools.metrics import MetricUnit

from conversations import records
from conversations.ingress.twilio_events import inbound_message
from conversations.items.log import DueKind
from conversations.records import FetchFiles, Resolve, Resume
from conversations.store import due, routes, states
from shared import clock
from shared.channels.outcomes import InDoubt, NotSent, Refused
from shared.channels.twilio_api import Credentials
from shared.conversation_lanes import inbound_entry
from shared.observability import describe, logger, metrics

if TYPE_CHECKING:
    from collections.abc import Mapping

    from conversations.items.conversation import ChannelMethod
    from conversations.items.log import Due
    from conversations.records import Record
    from conversations.store.due import Waiting
    from shared.channels.twilio import Listed, Twilio
    from shared.dynamodb import Table
    from shared.queues import Entry, FifoQueue
    from shared.secrets import JsonSecret

AT_ONCE = 100  # of each partition
# Whoever takes work off the list may die before it does: the work comes once more after this.
AGAIN_MS = 15 * 60 * clock.SECOND_MS
LOOKS_BACK_MS = 30 * 60 * clock.SECOND_MS
GAP_EVERY_MINUTES = 15
# What came just now is on its way through the webhook still.
IS_LATE_AFTER_MS = 120 * clock.SECOND_MS
MARKERS_AT_ONCE = 100


@dataclass(frozen=True, slots=True, kw_only=True)
class Sweeper:
    """What the sweeper works with."""

    log: Table
    channels: Mapping[ChannelMethod, FifoQueue]
    inbound: FifoQueue
    twilio: Twilio
    accounts: JsonSecret


def bring_back(desk: Sweeper) -> int:
    """Put what is due back on its queues; how much that was. Safe to repeat: two sweepers bring it once."""
    brought = 0
    for waiting in due.come(desk.log, AT_ONCE):
        found = due.get(desk.log, waiting.ref, waiting.kind)
        if found is None or found.due_at > clock.to_text(clock.now_ms()):
            continue  # The index lags.
        state = states.read(desk.log, waiting.ref)
        if state is None:
            due.done(desk.log, waiting.ref, waiting.kind)
            continue
        if due.postpone(desk.log, waiting, found, clock.now_ms() + AGAIN_MS):
            entry = records.entry(_record(waiting, found), waiting.ref, waiting.kind, found.due_at)
            desk.channels[state.channel_method].send([entry])
            brought += 1
    return brought


def _record(waiting: Waiting, found: Due) -> Record:
    if waiting.kind is DueKind.IN_DOUBT:
        return Resolve(ref=waiting.ref)
    if waiting.kind is DueKind.MEDIA:
        return FetchFiles(ref=waiting.ref, message_sk=found.message_sk or "")
    return Resume(ref=waiting.ref)


def is_time_for_gaps(now_ms: int) -> bool:
    """Whether this minute is one in which the gap check runs."""
    minute = now_ms // (60 * clock.SECOND_MS)
    return minute % GAP_EVERY_MINUTES == 0


def close_gaps(desk: Sweeper) -> int:
    """
    Enqueue messages that Twilio has and nobody took; how many those were.

    Twilio does not repeat a webhook that failed. An account that cannot be listed holds up no other.
    """
    accounts: Mapping[str, Any] = desk.accounts.value().get("accounts") or {}
    found = 0
    for sid, proofs in sorted(accounts.items()):
        tokens = proofs.get("auth_tokens") if isinstance(proofs, dict) else None
        if not tokens:
            continue
        try:
            found += _close_gaps_of(desk, Credentials(sid, sid, str(tokens[0])))
        except (Refused, NotSent, InDoubt) as failure:
            metrics.add_metric("GapCheckFailed", MetricUnit.Count, 1)
            logger.warning("account could not be listed", extra=describe(failure))
    return found


def _close_gaps_of(desk: Sweeper, account: Credentials) -> int:
    now = clock.now_ms()
    listed = desk.twilio.received(account, now - LOOKS_BACK_MS)
    late = [message for message in listed if message.created_at_ms <= now - IS_LATE_AFTER_MS]
    missing: list[Entry] = []
    for first in range(0, len(late), MARKERS_AT_ONCE):
        some = late[first : first + MARKERS_AT_ONCE]
        taken = routes.are_marked(desk.log, "twilio", [message.sid for message in some])
        missing += [_entry(desk, account, one) for one in some if one.sid not in taken]
    desk.inbound.send(missing)
    if missing:
        metrics.add_metric("GapsFound", MetricUnit.Count, len(missing))
    return len(missing)


def _entry(desk: Sweeper, account: Credentials, message: Listed) -> Entry:
    files = desk.twilio.media_of(account, message.sid) if message.media_count else []
    fields = message.webhook_fields(files)
    return inbound_entry(inbound_message(fields, account.account_sid, message.created_at_ms))
