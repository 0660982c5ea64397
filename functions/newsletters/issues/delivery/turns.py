"""
A turn of an issue: a worker with the lease works for a short time, then the next turn waits behind turns of others.

A turn that is lost is found by the schedule: its time is written before its message is sent.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from newsletters.inbound.events import IssueRequested, entry
from newsletters.issues import content
from newsletters.issues.delivery import dispatch, ends, settlement, subject_tests
from newsletters.issues.delivery.dispatch import OUT_OF_TIME, Sending
from newsletters.issues.delivery.limits import allowance as allowances
from newsletters.issues.delivery.limits import health
from newsletters.issues.delivery.limits.allowance import Stop
from newsletters.issues.delivery.recipients import snapshot
from newsletters.store import issues
from newsletters.store.items import IssueState
from newsletters.store.readers import recipients
from shared.aws.stored_objects import ObjectUnusable, record
from shared.aws.tables import leases
from shared.aws.tables.leases import Finished, LeaseLost
from shared.runtime import clock

if TYPE_CHECKING:
    from newsletters.configuration.resources import Resources, Run, SendingResources
    from newsletters.issues.delivery.limits.allowance import Allowance
    from newsletters.store.items import Issue

TURN_MS: Final = 20 * clock.SECOND_MS
SPARE_MS: Final = 30 * clock.SECOND_MS  # of the invocation, for the last mail
WAIT_MS: Final = (
    5 * 60 * clock.SECOND_MS
)  # after trouble of the provider, or while sending is switched off
NOT_OWNED, CONTENT_LOST = "sender_not_owned", "content_lost"


def work(resources: SendingResources, event: IssueRequested, run: Run) -> bool:
    """Run a turn; False if the issue is at another one, or is not being sent. Raises Held (Transient)."""
    table = resources.store.table
    issue = issues.get(table, event.issue_id)
    if issue is None or issue.state is not IssueState.SENDING or issue.turn != event.turn:
        return False
    lease_until = leases.expiry(run.ends_at_ms - clock.now_ms())
    try:
        claimed = issues.claim(table, issue, run.owner, lease_until)
    except Finished:
        return False
    try:
        _run(resources, claimed, run)
    except LeaseLost:
        issues.release(table, claimed)  # People have paused it, or another worker has it.
    return True


def start(resources: Resources, issue: Issue) -> None:
    """Queue the present turn of an issue. Raises NotEnqueued."""
    resources.steps.send([entry(IssueRequested(issue_id=issue.issue_id, turn=issue.turn))])


def look_after(resources: Resources, issue: Issue) -> None:
    """Begin an issue whose time has come, or queue the next turn of one that has stopped. Safe to repeat."""
    due_ms = clock.now_ms() + issues.LOOK_AFTER_MS
    if issue.state is IssueState.SCHEDULED:
        moved = issues.start(resources.store.table, issue, due_ms)
    else:
        moved = issues.next_turn(resources.store.table, issue, due_ms)
    if moved is not None:
        start(resources, moved)


def _run(resources: SendingResources, issue: Issue, run: Run) -> None:
    table = resources.store.table
    until_ms = min(clock.now_ms() + TURN_MS, run.ends_at_ms - SPARE_MS)
    has_begun = issue.phase != "snapshot" or issue.position > 0 or issue.after is not None
    if not has_begun and _is_too_late(issue):
        ends.end(resources, issue, IssueState.MISSED)
        return
    if resources.switches.in_force().safe_mode:
        issues.next_turn(table, issue, clock.now_ms() + WAIT_MS)
        return
    _work(resources, issue, run, until_ms)


def _work(resources: SendingResources, issue: Issue, run: Run, until_ms: int) -> None:
    """Work on an issue until its turn ends, or the issue does."""
    table = resources.store.table
    allowance: Allowance | None = None
    while issue.state is IssueState.SENDING:
        if clock.now_ms() >= until_ms:
            _go_on(resources, issue)
            return
        if issue.phase == "snapshot":
            issue = snapshot.plan_page(resources, issue)
        elif issue.phase == "again":
            issue = settlement.plan_again(table, issue)
        elif issue.phase == "dispatch":
            allowance = allowance or _allowed(resources, issue)
            if allowance is None:
                return
            batch = _sent(resources, issue, run, until_ms, allowance)
            if batch is None:
                return
            issue = batch
        else:
            settled = settlement.settle_shard(resources, issue)
            if settled.wait_until_ms is not None:
                issues.next_turn(table, issue, settled.wait_until_ms)
                return
            issue = settled.issue


def _is_too_late(issue: Issue) -> bool:
    return issue.not_after is not None and clock.now_ms() > issue.not_after


def _allowed(resources: SendingResources, issue: Issue) -> Allowance | None:
    """Return what the turn may use of the mail provider; None if it ends here."""
    found = allowances.of_turn(resources, issue.company_id)
    if isinstance(found, Stop):
        _stop(resources, issue, found)
        return None
    return found


def _sent(
    resources: SendingResources, issue: Issue, run: Run, until_ms: int, allowance: Allowance
) -> Issue | None:
    """Send a batch and return the issue at its next place; None if the turn ends here."""
    issue = subject_tests.decided(resources, issue)
    if issue.state is not IssueState.SENDING:
        return None
    objection = _objection(resources, issue)
    if objection is not None:
        ends.end(resources, issue, IssueState.PAUSED, pause_reason=objection)
        return None
    try:
        sealed = content.sealed_of(resources.store, issue)
    except ObjectUnusable as fault:
        record(fault, "sealed")
        ends.end(resources, issue, IssueState.PAUSED, pause_reason=CONTENT_LOST)
        return None
    batch = dispatch.send_batch(
        Sending(
            resources=resources,
            issue=issue,
            sealed=sealed,
            owner=run.owner,
            until_ms=until_ms,
            allowance=allowance,
        )
    )
    if batch.stop is None:
        return batch.issue
    _stop(resources, issue, batch.stop)
    return None


def _stop(resources: SendingResources, issue: Issue, stop: Stop) -> None:
    if stop.pauses:
        ends.end(resources, issue, IssueState.PAUSED, pause_reason=stop.reason)
    elif stop.reason == OUT_OF_TIME:
        _go_on(resources, issue)
    else:
        until_ms = stop.until_ms or clock.now_ms() + WAIT_MS
        issues.next_turn(resources.store.table, issue, until_ms)


def _objection(resources: SendingResources, issue: Issue) -> str | None:
    """Return why the issue pauses itself now, None if it goes on."""
    if resources.owners.owner_of_email(issue.sender) != issue.company_id:
        return NOT_OWNED
    return health.objection(recipients.stats(resources.store.table, issue.issue_id))


def _go_on(resources: SendingResources, issue: Issue) -> None:
    moved = issues.next_turn(resources.store.table, issue, clock.now_ms() + issues.LOOK_AFTER_MS)
    if moved is not None:
        start(resources, moved)
