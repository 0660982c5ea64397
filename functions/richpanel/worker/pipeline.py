"""
Handles one event of the queue: reads the ticket, decides its turns, and acts on each once, under a lease.

    parse -> switches -> ticket and state -> turns that are due -> for each, under its lease:
        decide -> reply -> tags -> assign or close -> audit -> state -> rows of the covered messages -> finish

`processed` is the last write and proves that every step before it was done. After a crash before it the row
is still `processing`, and the next delivery rolls forward: repeating a step that was done has no effect.
"""

from dataclasses import dataclass, replace
from functools import partial

from aws_lambda_powertools.metrics import MetricUnit
from aws_lambda_powertools.utilities.typing import LambdaContext

from richpanel.clients.calls import BadAnswer
from richpanel.clients.helpdesk import HelpDesk
from richpanel.clients.tickets import Ticket
from richpanel.configuration.resources import Resources
from richpanel.decisions.facts import RouteOnly
from richpanel.decisions.switches import Switches
from richpanel.inbound.channels import Channel
from richpanel.inbound.event import BACKFILL, RichpanelEvent, event_id_of_message
from richpanel.inbound.queued_events import parse_event
from richpanel.store import events, states
from richpanel.store.items import Action, ConversationState, Event, EventStatus
from richpanel.store.lease import Finish, hold
from richpanel.store.rate_limit import Priority
from richpanel.worker import audit, backfills, contacts, event_rows, memory, parking, turns
from richpanel.worker.cases import decisions
from richpanel.worker.cases.case import Case
from richpanel.worker.turns import CustomerTurn, Reading
from shared.runtime import clock
from shared.runtime.failures import Permanent, Transient
from shared.runtime.observability import metrics

# A ticket, or one of its messages, may become visible a little later than its event arrives.
RECEIVES_UNTIL_VISIBLE = 3
# Number of deliveries after which an answer that is not JSON counts as permanent.
RECEIVES_UNTIL_BAD = 4
# Number of deliveries after which a ticket is handled without its contact.
RECEIVES_UNTIL_ALONE = 3
# Number of newest comments for which event rows are read: each costs a read unit, and older ones were handled.
MOST_ROWS = 30
NOT_FOUND = "ticket_not_found"
VISIBLE_IN_MS = 5 * clock.SECOND_MS
_WRONG_KEY = frozenset({"richpanel_401", "richpanel_403"})


@dataclass(frozen=True, slots=True)
class Delivery:
    """One delivery of a queue record. *receives* is its receive count, including this delivery."""

    body: str
    receives: int
    context: LambdaContext

    @property
    def deadline_ms(self) -> int:
        """End of this invocation, ms since 1970."""
        return clock.now_ms() + int(self.context.get_remaining_time_in_millis())


@dataclass(frozen=True, slots=True)
class Handled:
    """Result of one event, for the log: *outcome* is processed, duplicate, parked or erased."""

    event: RichpanelEvent | None
    outcome: str
    reason: str | None = None
    intents: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class _Snapshot:
    """The ticket of a delivery with the conversation's state and the switches, as read before a turn."""

    event: RichpanelEvent
    switches: Switches
    state: ConversationState | None
    help_desk: HelpDesk | None
    ticket: Ticket | None
    reading: Reading | None
    read_at: int


def process(resources: Resources, delivery: Delivery) -> Handled:
    """Handle one queue record. Raises Permanent if no retry can succeed; after other errors it is delivered again."""
    event = parse_event(delivery.body)
    try:
        return _handle(resources, delivery, event)
    except states.Erased:
        return Handled(event, "erased")
    except BadAnswer as bad:
        if delivery.receives < RECEIVES_UNTIL_BAD:
            raise
        raise Permanent(bad.reason) from None
    except Transient as failure:
        if failure.reason in _WRONG_KEY:
            resources.keys.refreshed()  # An operator may have replaced the key by now.
        raise


def _handle(resources: Resources, delivery: Delivery, event: RichpanelEvent) -> Handled:
    conversation_id = event.conversation_id
    state = states.conversation(resources.state, conversation_id)
    if state and state.erased_at:
        raise states.Erased
    snapshot = _read_ticket(resources, delivery, event, state)
    customer_turns, rows = _due(resources, delivery, snapshot)
    _notice_changed(resources, snapshot, rows)
    ends: list[Finish] = []
    for number, customer_turn in enumerate(customer_turns):
        if number:
            # The turn before has changed the ticket and the state.
            snapshot = _read_ticket(
                resources, delivery, event, states.conversation(resources.state, conversation_id)
            )
        row = _row(resources, snapshot, customer_turn, delivery)
        work = partial(_handle_turn, resources, snapshot, customer_turn, delivery)
        end = hold(resources.lease, row, delivery.context, work)
        if end is not None:
            ends.append(end)
    if not customer_turns:
        memory.touch(resources, conversation_id, snapshot.read_at)
        return Handled(event, "duplicate")
    parked = next((end for end in ends if end.status is EventStatus.PARKED), None)
    intents = tuple(end.intent for end in ends if end.intent)
    if parked:
        return Handled(event, "parked", parked.reason, intents)
    return Handled(event, "processed", intents=intents)


def _read_ticket(
    resources: Resources, delivery: Delivery, event: RichpanelEvent, state: ConversationState | None
) -> _Snapshot:
    """Read the ticket. Raises Transient while it may not be visible yet."""
    conversation_id = event.conversation_id
    priority = Priority.CHAT if event.channel is Channel.LIVECHAT else Priority.MAIL
    help_desk = resources.help_desk(priority, delivery.deadline_ms)
    # Taken before the ticket is read: a comment added during the read must not count as seen.
    read_at = clock.now_ms()
    ticket = help_desk.ticket(conversation_id) if help_desk else None
    if help_desk and ticket is None and delivery.receives <= RECEIVES_UNTIL_VISIBLE:
        raise Transient(NOT_FOUND, VISIBLE_IN_MS)
    return _Snapshot(
        event=event,
        switches=resources.switchboard.current(),
        state=state,
        help_desk=help_desk,
        ticket=ticket,
        reading=turns.read(conversation_id, ticket, resources.account.robots) if ticket else None,
        read_at=read_at,
    )


def _due(
    resources: Resources, delivery: Delivery, snapshot: _Snapshot
) -> tuple[list[CustomerTurn], dict[str, Event]]:
    """Return the turns to handle now, and the rows of the ticket's comments. Raises Transient and Permanent."""
    if snapshot.reading is None:
        return _due_unseen(resources, snapshot)
    named, shown = _named(snapshot), [comment.key for comment in snapshot.reading.customer]
    if named and named not in shown and delivery.receives <= RECEIVES_UNTIL_VISIBLE:
        raise Transient("message_not_visible", VISIBLE_IN_MS)
    newest = set(shown[-MOST_ROWS:]) | {named}
    recent = tuple(comment for comment in snapshot.reading.customer if comment.key in newest)
    rows = events.get_many(resources.idempotency, [comment.key for comment in recent])
    reading = replace(snapshot.reading, customer=recent)
    due = turns.due(reading, named, memory.head_of(snapshot.state), rows)
    if (
        due
        or snapshot.event.source != BACKFILL
        or snapshot.switches.dry_run
        or snapshot.ticket is None
    ):
        return due, rows
    decided = snapshot.event.event_id
    return backfills.due(resources.account, snapshot.ticket, reading, rows, decided), rows


def _due_unseen(
    resources: Resources, snapshot: _Snapshot
) -> tuple[list[CustomerTurn], dict[str, Event]]:
    """Return the turn built from the event, if no ticket can be read. Raises Permanent if the event has no message."""
    event = snapshot.event
    if event.source == BACKFILL:
        return [], {}  # It carries no text.
    comment = turns.queued(event, event.conversation_id)
    if comment is None:
        raise Permanent(NOT_FOUND)
    rows = events.get_many(resources.idempotency, filter(None, (comment.key, event.adopts)))
    if event.adopts in rows and comment.key not in rows:
        comment = replace(comment, key=event.adopts, name=event.adopts.rpartition(":")[2])
    if any(row.status != EventStatus.PROCESSING for row in rows.values()):
        return [], rows
    return [CustomerTurn(comment, route_only=RouteOnly.TICKET_UNREADABLE)], rows


def _named(snapshot: _Snapshot) -> str | None:
    """Return the event id of the message that the call names, or None if it names none."""
    message_id = snapshot.event.message_id
    return event_id_of_message(snapshot.event.conversation_id, message_id) if message_id else None


def _handle_turn(
    resources: Resources,
    snapshot: _Snapshot,
    customer_turn: CustomerTurn,
    delivery: Delivery,
    claimed: Event,
) -> Finish:
    case = _case(resources, snapshot, customer_turn, claimed, delivery)
    # A backfill repeats a turn that the state holds already.
    repeats = customer_turn.route_only is RouteOnly.BACKFILL
    done = None if repeats else _already_done(resources, case)
    end = done or _finish(resources, case, delivery)
    if end.status is EventStatus.PROCESSED:
        for comment in customer_turn.earlier:
            row = event_rows.row_of_earlier(comment, claimed)
            events.cover(resources.idempotency, row, by=claimed.event_id)
    return end


def _already_done(resources: Resources, case: Case) -> Finish | None:
    """Return the end of a turn that an earlier run had completed except for the last writes, or None."""
    if not memory.is_remembered(case) and not _was_answered(resources, case):
        return None
    intent = case.state.last_intent if case.state else None
    if case.ticket is None and case.help_desk is not None:
        return _parked(resources, case, NOT_FOUND, intent)
    reason = audit.reason_of(resources, case.event)
    return Finish(status=EventStatus.PROCESSED, intent=intent, reason=reason)


def _was_answered(resources: Resources, case: Case) -> bool:
    """Whether an earlier run completed a turn that was written ahead of its reply: the reply's audit row comes last."""
    from richpanel.worker.sending import reservations  # noqa: PLC0415 - events of handled messages have no turn

    key = reservations.action_id(case)
    return memory.is_ahead(case) and audit.is_written(resources, case.event, key)


def _finish(resources: Resources, case: Case, delivery: Delivery) -> Finish:
    """Decide and act, and return the end. Raises Transient when a later delivery has to continue."""
    metrics.add_metric("Turns", MetricUnit.Count, 1)
    try:
        decision = decisions.decision_on(resources, case)
        from richpanel.worker import actions  # noqa: PLC0415 - as above

        actions.act(resources, case, decision)
    except (Permanent, BadAnswer) as refusal:
        if isinstance(refusal, BadAnswer) and delivery.receives < RECEIVES_UNTIL_BAD:
            raise
        return _parked(resources, case, refusal.reason, None)
    intent = str(decision.intent)
    if case.ticket is None and case.help_desk is not None:
        return _parked(resources, case, NOT_FOUND, intent)
    return Finish(status=EventStatus.PROCESSED, intent=intent, reason=str(decision.reason))


def _parked(resources: Resources, case: Case, reason: str, intent: str | None) -> Finish:
    parking.note(resources, case.event, reason)
    return Finish(status=EventStatus.PARKED, intent=intent, reason=reason)


def _case(
    resources: Resources,
    snapshot: _Snapshot,
    customer_turn: CustomerTurn,
    claimed: Event,
    delivery: Delivery,
) -> Case:
    if event_rows.was_edited(customer_turn.target, claimed):
        # The message was edited since it was claimed: route it only, and leave the answer to agents.
        _mismatch(resources, claimed)
        customer_turn = replace(customer_turn, route_only=RouteOnly.PAYLOAD_MISMATCH)
    ticket = snapshot.ticket
    closing = Action.key(Action.CLOSE, claimed.conversation_id, customer_turn.target.name)
    return Case(
        event=claimed,
        customer_turn=customer_turn,
        channel=_channel(resources, snapshot),
        switches=snapshot.switches,
        state=snapshot.state,
        help_desk=snapshot.help_desk,
        ticket=ticket,
        reading=snapshot.reading,
        read_at=snapshot.read_at,
        owner=str(delivery.context.aws_request_id),
        remaining_ms=delivery.context.get_remaining_time_in_millis,
        customer=decisions.sender_hmac(resources, ticket, customer_turn.target) if ticket else None,
        contact_id=contacts.noted(
            resources,
            claimed.conversation_id,
            ticket,
            customer_turn.target,
            snapshot.state,
            is_needed=delivery.receives < RECEIVES_UNTIL_ALONE,
        ),
        was_closed_by_us=bool(
            ticket and ticket.is_closed and resources.ledger.action(closing) is not None
        ),
    )


def _notice_changed(resources: Resources, snapshot: _Snapshot, rows: dict[str, Event]) -> None:
    """Record in the audit that a handled message was edited. It gets no second decision."""
    customer = snapshot.reading.customer if snapshot.reading else ()
    # Only the message that the call names and the newest one: edits of others have no effect any more.
    for comment in (
        candidate
        for candidate in customer
        if candidate.key == _named(snapshot) or candidate is customer[-1]
    ):
        row = rows.get(comment.key)
        is_done = row is not None and row.status != EventStatus.PROCESSING
        if row and is_done and event_rows.was_edited(comment, row):
            _mismatch(resources, row)


def _mismatch(resources: Resources, row: Event) -> None:
    reason = "payload_mismatch"
    audit.write(resources, row, "park", {"reason": reason}, result=audit.skipped(reason))


def _channel(resources: Resources, snapshot: _Snapshot) -> Channel:
    """Return the ticket's channel if it is a known one, else the channel of the call."""
    name = snapshot.ticket.channel if snapshot.ticket else ""
    return resources.account.channels.get(name, snapshot.event.channel)


def _row(
    resources: Resources, snapshot: _Snapshot, customer_turn: CustomerTurn, delivery: Delivery
) -> Event:
    return event_rows.new_row(
        snapshot.event,
        customer_turn.target,
        snapshot.switches,
        _channel(resources, snapshot),
        str(delivery.context.aws_request_id),
    )
