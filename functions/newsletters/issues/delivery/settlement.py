"""
The end of an issue: attempts without a result become unknown, forgotten recipients go back to the dispatch, and the
issue is sent if its counters account for everyone in the audience.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from newsletters.issues import content
from newsletters.issues.delivery import ends
from newsletters.store import issues
from newsletters.store.items import IssueState, RecipientState
from newsletters.store.items.issues import SHARDS
from newsletters.store.readers import public_lists, recipients
from shared.runtime import clock

if TYPE_CHECKING:
    from newsletters.configuration.resources import SendingResources
    from newsletters.store.items import Issue, IssueStats, Recipient
    from shared.aws.dynamodb import Table

IN_DOUBT = "in_doubt"


@dataclass(frozen=True, slots=True)
class Settled:
    """The issue at its next place, and when it goes on (ms since 1970) if an attempt may still get its result."""

    issue: Issue
    wait_until_ms: int | None = None


def settle_shard(resources: SendingResources, issue: Issue) -> Settled:
    """Settle the next shard, or end the issue. Safe to repeat. Raises LeaseLost."""
    table = resources.store.table
    if issue.shard >= SHARDS:
        return Settled(_ended(resources, issue))
    after: str | None = None
    while True:
        found, after = recipients.page(table, issue.issue_id, issue.shard, limit=1_000, after=after)
        if any(one.state is RecipientState.PLANNED for one in found):
            return Settled(issues.advance(table, issue, phase="dispatch", after_recipient=None))
        waiting = [one for one in found if one.state is RecipientState.SENDING]
        latest = max((one.deadline_ms or 0 for one in waiting), default=0)
        if latest > clock.now_ms():
            return Settled(issue, latest)
        _give_up(table, issue, waiting)
        if after is None:
            break
    return Settled(issues.advance(table, issue, shard=issue.shard + 1))


def plan_again(table: Table, issue: Issue) -> Issue:
    """Plan the unknown recipients of the next shard again; after the last one they are sent to. Safe to repeat."""
    if issue.shard >= SHARDS:
        return issues.advance(table, issue, phase="dispatch", shard=0, after_recipient=None)
    after: str | None = None
    while True:
        found, after = recipients.page(table, issue.issue_id, issue.shard, limit=1_000, after=after)
        for one in found:
            if one.state is RecipientState.UNKNOWN:
                recipients.plan_again(table, issue.issue_id, one)
        if after is None:
            return issues.advance(table, issue, shard=issue.shard + 1)


def _give_up(table: Table, issue: Issue, waiting: list[Recipient]) -> None:
    for one in waiting:
        recipients.settle(table, issue.issue_id, one, RecipientState.UNKNOWN, reason=IN_DOUBT)


def _ended(resources: SendingResources, issue: Issue) -> Issue:
    table = resources.store.table
    stats = recipients.stats(table, issue.issue_id)
    if not is_complete(stats):
        # An event of the provider was written between two reads: the next look finds the sum.
        return issues.advance(table, issue, shard=0)
    if not stats.audience:
        return ends.end(resources, issue, IssueState.FAILED)
    public_lists.archive(table, content.without_names(issue), issue.started_at or issue.updated_at)
    return ends.end(resources, issue, IssueState.SENT)


def is_complete(stats: IssueStats) -> bool:
    """Whether every recipient in the audience has an end."""
    return stats.audience == stats.sent + stats.skipped + stats.failed + stats.unknown
