"""Makes a dry run: the decision on a ticket's newest message, made now and not carried out."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from richpanel.api.access import NothingToDecide
from richpanel.inbound.channels import Channel
from richpanel.store.items import DecisionOutcome, Event, EventStatus, Mode
from richpanel.worker import audit, turns
from richpanel.worker.cases import decisions
from richpanel.worker.cases.case import Case
from richpanel.worker.turns import CustomerTurn
from shared.runtime import clock

if TYPE_CHECKING:
    from richpanel.api.dry_runs.ticket_snapshots import TicketSnapshot
    from richpanel.configuration.resources import Sources
    from richpanel.decisions.switches import Switches
    from richpanel.worker.turns import CustomerTurn


@dataclass(frozen=True, slots=True)
class Rehearsed:
    """
    *message_id* is the id of the newest customer message, *payload* the audit payload of its decision, *outcome* the
    outcome that the decision would have had.
    """

    message_id: str
    payload: dict[str, Any]
    outcome: DecisionOutcome


def rehearse(
    resources: Sources, snapshot: TicketSnapshot, switches: Switches, *, at_ms: int | None = None
) -> Rehearsed:
    """
    Decide as if the newest message had just arrived; looks up its order if the decision depends on it.

    *at_ms*: the time of the decision, ms since 1970, default now. Raises NothingToDecide, Permanent and Transient.
    """
    if not snapshot.reading.customer:
        raise NothingToDecide("the ticket has no customer message")
    newest = snapshot.reading.customer[-1]
    earlier_rows = {key: row for key, row in snapshot.rows.items() if key != newest.key}
    customer_turn = turns.due(snapshot.reading, None, None, earlier_rows)[-1]
    case = _case(resources, snapshot, customer_turn, switches)
    decision = decisions.decision_on(resources, case, at_ms)
    return Rehearsed(newest.name, audit.of_decision(case, decision), audit.would_be(decision))


def _case(
    resources: Sources, snapshot: TicketSnapshot, customer_turn: CustomerTurn, switches: Switches
) -> Case:
    now = clock.to_text(clock.now_ms())
    unclaimed_event = Event(
        event_id=customer_turn.target.key,
        conversation_id=snapshot.ticket.id,
        source_message_id=customer_turn.target.message_id,
        created_at=now,
        last_processed_at=now,
        status=EventStatus.PROCESSING,
        mode=Mode.ROUTE_ONLY,
        safe_mode=switches.safe_mode,
        automation_enabled=switches.automation_enabled,
        payload_sha256="",
        payload_bytes=0,
        expires_at=Event.time_to_live(),
    )
    return Case(
        event=unclaimed_event,
        customer_turn=customer_turn,
        channel=resources.account.channels.get(snapshot.ticket.channel, Channel.UNKNOWN),
        switches=switches,
        state=snapshot.state,
        help_desk=snapshot.help_desk,
        ticket=snapshot.ticket,
        reading=snapshot.reading,
        read_at=snapshot.read_at,
        owner="nobody",
        remaining_ms=lambda: max(0, snapshot.help_desk.deadline_ms - clock.now_ms()),
        customer=decisions.sender_hmac(resources, snapshot.ticket, customer_turn.target),
    )
