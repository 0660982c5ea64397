"""Replays of a conversation on request: as a dry run, or as a repair that continues unfinished work."""

import json

from aws_lambda_powertools.metrics import MetricUnit

from richpanel.api.access import ApiDependencies, Instruction, log_change, write_audit_row
from richpanel.api.dry_runs.ticket_snapshots import read_snapshot
from richpanel.api.views import DryRunView, RepairView
from richpanel.inbound import wakeups
from richpanel.inbound.channels import Channel
from richpanel.inbound.wakeups import WakeupEvent
from richpanel.store import events
from richpanel.store.items import AuditAction, EventStatus
from shared.aws.sqs_fifo import digest
from shared.runtime.failures import Permanent, Transient
from shared.runtime.observability import metrics


class HelpDeskFailed(Exception):
    """The help desk, or a service queried about an order, refused or failed; the text is one of our own codes."""


def dry_run(deps: ApiDependencies, conversation_id: str, deadline_ms: int) -> DryRunView:
    """
    Return the decision that would be made now on the newest message. Writes only the request limit's own counter.

    Raises NotFound, Erased, NotSetUp, NothingToDecide and HelpDeskFailed.
    """
    from richpanel.api.dry_runs.dry_run import rehearse  # noqa: PLC0415 - loads the classifier, which no other call needs

    try:
        snapshot = read_snapshot(deps, conversation_id, deadline_ms)
        rehearsed = rehearse(deps, snapshot, deps.switchboard.current())
    except (Permanent, Transient) as failure:
        raise HelpDeskFailed(failure.reason) from None
    return DryRunView(
        conversation_id=conversation_id,
        message_id=rehearsed.message_id,
        decision=json.loads(json.dumps(rehearsed.payload, default=str)),
    )


def repair(
    deps: ApiDependencies, conversation_id: str, instruction: Instruction, deadline_ms: int
) -> RepairView:
    """
    Queue the conversation for the worker and reopen its parked events that no agent has answered since.

    Completed steps are not repeated: a reply that was sent, or may have been, is not sent again. Safe to repeat: after
    a crash before the wake-up event, the reopened rows wait for the next one. Raises NotFound, Erased, NotSetUp,
    HelpDeskFailed and NotEnqueued.
    """
    try:
        snapshot = read_snapshot(deps, conversation_id, deadline_ms)
    except (Permanent, Transient) as failure:
        raise HelpDeskFailed(failure.reason) from None
    answered_at = snapshot.reading.last_person_at_ms
    parked = [
        comment.key
        for comment in snapshot.reading.customer
        if (answered_at is None or comment.at_ms > answered_at)
        and comment.key in snapshot.rows
        and snapshot.rows[comment.key].status == EventStatus.PARKED
    ]
    facts = {"change": "replay", "conversation": conversation_id}
    for about in (AuditAction.SWITCHES, conversation_id):
        write_audit_row(deps, instruction, "replay", facts, about=about)
    reopened = [key for key in parked if events.reopen(deps.idempotency, key)]
    wakeup = WakeupEvent(
        conversation_id=conversation_id,
        channel=deps.account.channels.get(snapshot.ticket.channel, Channel.UNKNOWN),
        source="replay",
        deduplication=digest("replay", conversation_id, instruction.request_id),
    )
    wakeups.send(deps.queues, [wakeup])
    metrics.add_metric("Replayed", MetricUnit.Count, 1)
    counted = {"correlation_id": conversation_id, "reopened": len(reopened)}
    log_change(instruction, "conversation replayed", counted)
    return RepairView(conversation_id=conversation_id, reopened=reopened)
