"""Replays of a conversation on request: as a dry run, or as a repair that continues unfinished work."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace

from aws_lambda_powertools.metrics import MetricUnit

from richpanel.api.access import ApiDependencies, Instruction, NotFound, log_change, write_audit_row
from richpanel.api.conversations import unerased_state
from richpanel.api.views import DryRunView, RepairView
from richpanel.clients.helpdesk import HelpDesk
from richpanel.clients.tickets import Ticket
from richpanel.inbound import wakeups
from richpanel.inbound.channels import Channel
from richpanel.inbound.wakeups import WakeupEvent
from richpanel.store import events
from richpanel.store.items import AuditAction, ConversationState, Event, EventStatus
from richpanel.store.rate_limit import Priority
from richpanel.worker import turns
from richpanel.worker.turns import Reading
from shared.aws.sqs_fifo import digest
from shared.failures import Permanent, Transient
from shared.runtime import clock
from shared.runtime.observability import metrics

MOST_ROWS = 100


class NotSetUp(Exception):
    """No help-desk key is set up, so no ticket can be read."""


class HelpDeskFailed(Exception):
    """The help desk, or a service queried about an order, refused or failed; the text is one of our own codes."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Visit:
    """A ticket as it was read now. *rows* are the event rows of its newest comments, by key."""

    help_desk: HelpDesk
    ticket: Ticket
    reading: Reading
    read_at: int
    state: ConversationState | None
    rows: Mapping[str, Event]


def dry_run(deps: ApiDependencies, conversation_id: str, deadline_ms: int) -> DryRunView:
    """
    Return the decision that would be made now on the newest message. Writes only the request limit's own counter.

    Raises NotFound, Erased, NotSetUp, NothingToDecide and HelpDeskFailed.
    """
    from richpanel.api.dry_run import rehearse  # noqa: PLC0415 - loads the classifier, which no other call needs

    try:
        visit = read_visit(deps, conversation_id, deadline_ms)
        rehearsed = rehearse(deps, visit, deps.switchboard.current())
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
        visit = read_visit(deps, conversation_id, deadline_ms)
    except (Permanent, Transient) as failure:
        raise HelpDeskFailed(failure.reason) from None
    answered_at = visit.reading.last_person_at_ms
    parked = [
        comment.key
        for comment in visit.reading.customer
        if (answered_at is None or comment.at_ms > answered_at)
        and comment.key in visit.rows
        and visit.rows[comment.key].status == EventStatus.PARKED
    ]
    facts = {"change": "replay", "conversation": conversation_id}
    for about in (AuditAction.SWITCHES, conversation_id):
        write_audit_row(deps, instruction, "replay", facts, about=about)
    reopened = [key for key in parked if events.reopen(deps.idempotency, key)]
    wakeup = WakeupEvent(
        conversation_id=conversation_id,
        channel=deps.account.channels.get(visit.ticket.channel, Channel.UNKNOWN),
        source="replay",
        deduplication=digest("replay", conversation_id, instruction.request_id),
    )
    wakeups.send(deps.queues, [wakeup])
    metrics.add_metric("Replayed", MetricUnit.Count, 1)
    counted = {"correlation_id": conversation_id, "reopened": len(reopened)}
    log_change(instruction, "conversation replayed", counted)
    return RepairView(conversation_id=conversation_id, reopened=reopened)


def read_visit(deps: ApiDependencies, conversation_id: str, deadline_ms: int) -> Visit:
    """Read the ticket, its state and rows. Raises NotFound, Erased, NotSetUp, Permanent and Transient."""
    state = unerased_state(deps, conversation_id)
    help_desk = deps.help_desk(Priority.BACKGROUND, deadline_ms)
    if help_desk is None:
        raise NotSetUp("the help desk API key is missing")
    ticket = help_desk.ticket(conversation_id)
    if ticket is None:
        raise NotFound("id: ticket not found at the help desk")
    reading = turns.read(conversation_id, ticket, deps.account.robots)
    reading = replace(reading, customer=reading.customer[-MOST_ROWS:])
    return Visit(
        help_desk=help_desk,
        ticket=ticket,
        reading=reading,
        read_at=clock.now_ms(),
        state=state,
        rows=events.get_many(deps.idempotency, [comment.key for comment in reading.customer]),
    )
