"""
Reservations that prevent a second automatic reply: written before the send, found after a crash, and given back.

    the customer's count --> the conversation's state, in one write: slot, reservation, all changes of the turn

The write of the state is the one that every turn makes. It is conditional on the version that the decision was based
on: if two turns would answer in one ticket, one is sent and the other is decided again, as is a turn whose customer was
counted by another turn meanwhile. The ledger row is written after the attempt, with its outcome: a reservation without
a ledger row is in doubt, and the next run that finds it writes the row.
"""

from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime

from richpanel.configuration.resources import Resources
from richpanel.decisions.gates.cooldowns import is_customer_limited
from richpanel.decisions.outcome import Decision, Reply, tags_when_sent
from richpanel.decisions.templates.catalogue import templates
from richpanel.store import events, states
from richpanel.store.items import (
    Action,
    AutoReply,
    ConversationState,
    CustomerState,
    Event,
    EventStatus,
    ReservedReply,
)
from richpanel.store.states import Change
from richpanel.worker import memory
from richpanel.worker.cases import decisions
from richpanel.worker.cases.case import Case, Overtaken
from shared.providers.action_ledger import OnDoubt
from shared.runtime import clock

MOST_TIMES = 3  # of a conversation
MOST_CUSTOMER_TIMES = 5


def action_id(case: Case) -> str:
    """Return the ledger key of the reply to a turn."""
    return Action.key(Action.REPLY, case.conversation_id, case.target.name)


def existing_reply(resources: Resources, case: Case) -> Action | None:
    """Return the reply of an earlier run of the same event; in doubt if only its reservation is known."""
    row = resources.ledger.action(action_id(case))
    reserved = case.state.reservation_of(case.target.name) if case.state else None
    if row is None and reserved:
        return _entered(resources, case, case.event, reserved)
    return row


def reserve(
    resources: Resources,
    case: Case,
    decision: Decision,
    reply: Reply,
    attempt: Action,
    *,
    again: bool,
) -> None:
    """
    Write the reservation and all changes of the turn before *attempt* is made. Raises Overtaken if the state changed
    since the decision; nothing is reserved then.

    *again*: the ledger row of an attempt that was certainly not sent covers this one too, and its slot is still held.
    """
    _enter_replaced_reservation(resources, case)
    sent_at = clock.to_text(attempt.reserved_at)
    _count(resources, case, sent_at)
    name = case.target.name
    slot = AutoReply(type=str(reply.type), sent_at=sent_at, source_message_id=name)

    def take(state: ConversationState | None) -> Change | None:
        reserved = state.reservation_of(name) if state else None
        if reserved and reserved.owner == _short(attempt.owner):
            return None  # This run's own write; its response was lost.
        is_held = again and state is not None and state.is_slot_of(name)
        if _is_threatened(case, state) if is_held else _has_moved(case, state):
            raise Overtaken
        change = memory.ahead(case, decision, state, reply.template)
        noted = ConversationState.named(
            last_auto_reply=slot.model_dump(),
            auto_reply_times=[*_times_beside(state, name), sent_at][-MOST_TIMES:],
            reserved_reply=_reserved(case, reply, attempt, state),
        )
        return replace(change, put=change.put | noted)

    try:
        states.change_conversation(resources.state, case.conversation_id, take)
    except Overtaken:
        _take_off(resources, case, sent_at)
        raise


def give_back(resources: Resources, case: Case) -> None:
    """Give back the slot of a reply that was never tried or certainly not sent. Safe to repeat."""
    if case.state and case.state.is_slot_of(case.target.name):
        free(resources, case)
    elif case.event.attempts > 1:
        _uncount(
            resources, case
        )  # An earlier run may have died between writing the count and the slot.


def free(resources: Resources, case: Case) -> None:
    """Give back slot and question of a reply that was not sent; `memory.remember` removes the reservation."""
    name = case.target.name

    def give(state: ConversationState | None) -> Change | None:
        if state is None or not state.is_slot_of(name):
            return None
        times = _times_beside(state, name)
        put = ConversationState.named(auto_reply_times=times) if times else {}
        drop = ("last_auto_reply",) if times else ("last_auto_reply", "auto_reply_times")
        if memory.head_of(state) != case.target.position:
            return Change(put=put, drop=drop)  # Another turn has set the question since.
        question_before = state.flow_before(name)
        if question_before is None:
            return Change(put=put, drop=(*drop, "pending_flow"))
        return Change(
            put=put | ConversationState.named(pending_flow=question_before.model_dump()),
            drop=drop,
        )

    # The customer's count first: the slot tells a later run that there is something to give back, and this run which
    # time was counted, even if another reply was counted since.
    state = states.conversation(resources.state, case.conversation_id)
    _uncount(resources, replace(case, state=state))
    states.change_conversation(resources.state, case.conversation_id, give)


def _enter_replaced_reservation(resources: Resources, case: Case) -> None:
    """Write a ledger row for the reservation that this one will replace, unless that one's turn is processed."""
    reserved = case.state.reserved_reply if case.state else None
    if reserved is None or reserved.source_message_id == case.target.name:
        return
    key = Event.key(case.conversation_id, reserved.source_message_id)
    event = events.get_many(resources.idempotency, [key]).get(key)
    # Without an event row the turn has expired and will not be retried.
    if event and event.status != EventStatus.PROCESSED:
        _entered(resources, case, event, reserved)


def _entered(resources: Resources, case: Case, event: Event, reserved: ReservedReply) -> Action:
    state = case.state
    # Both are set in one write, so they belong to one turn unless a newer one was handled since.
    is_newest = state and state.last_processed_message_id == event.source_message_id
    row = Action.facts_of(event) | {
        "action_id": Action.key(Action.REPLY, event.conversation_id, reserved.source_message_id),
        "channel": str(case.channel),
        "on_doubt": OnDoubt.AT_MOST_ONCE,
        "payload_sha256": reserved.body_hash,
        "intent": state.last_intent if state and is_newest else None,
    }
    facts = reserved.model_dump(exclude={"source_message_id", "pending_flow"})
    facts["tags_when_sent"] = list(tags_when_sent(templates[reserved.template].tier))
    return resources.ledger.enter(Action.model_validate(row | facts))


def _reserved(
    case: Case, reply: Reply, attempt: Action, state: ConversationState | None
) -> dict[str, object]:
    return ReservedReply(
        source_message_id=case.target.name,
        owner=_short(attempt.owner),
        reserved_at=attempt.reserved_at,
        deadline=attempt.deadline,
        body_hash=attempt.body_hash or "",
        payload_bytes=attempt.payload_bytes,
        template=reply.template,
        pending_flow=state.flow_before(case.target.name) if state else None,
    ).model_dump(exclude_none=True)


def _short(owner: str) -> str:
    """Return the unique part of the owner that the ledger writes for an attempt."""
    return owner.rpartition("/")[2]


def _has_moved(case: Case, state: ConversationState | None) -> bool:
    return (state.version if state else 0) != (case.state.version if case.state else 0)


def _is_threatened(case: Case, state: ConversationState | None) -> bool:
    """Whether another turn has raised a risk flag since this one was decided."""
    flags_before = (case.state.risk_flags if case.state else None) or set()
    return bool(((state.risk_flags if state else None) or set()) - flags_before)


def _times_beside(state: ConversationState | None, name: str) -> list[str]:
    """Return the times of replies in the ticket, without the slot of this message."""
    if state is None:
        return []
    last = state.last_auto_reply
    mine = last.sent_at if last and state.is_slot_of(name) else None
    return [time for time in state.auto_reply_times or [] if time != mine]


def _customer_times_beside(case: Case, customer: CustomerState | None) -> list[str]:
    """Return the times of replies to the customer, except replies counted by this event, with or without a slot."""
    last = case.state.last_auto_reply if case.state else None
    mine = last.sent_at if last and last.source_message_id == case.target.name else None
    times = customer.times_beside(case.counted_as) if customer else []
    return [time for time in times if time != mine]


def _count(resources: Resources, case: Case, sent_at: str) -> None:
    """Count a reply to the customer. Raises Overtaken if another turn is answering the same customer now."""
    looked, attempts = False, case.event.attempts

    def count(customer: CustomerState | None) -> Change | None:
        nonlocal looked
        if customer and sent_at in (customer.auto_reply_times or []):
            return None  # This run's own write; its response was lost.
        other_times = _customer_times_beside(case, customer)
        is_overtaken = customer is not None and customer.is_counted_after(case.counted_as, attempts)
        now = datetime.fromtimestamp(clock.now_ms() / clock.SECOND_MS, UTC)
        if looked or is_overtaken or is_customer_limited(decisions.moments(other_times), now):
            raise Overtaken
        looked = True
        return Change(
            put=CustomerState.named(
                auto_reply_times=[*other_times, sent_at][-MOST_CUSTOMER_TIMES:],
                counted_for=case.counted_as,
                counted_in=attempts,
            )
        )

    if case.customer:
        states.change_customer(resources.state, case.customer, count)


def _uncount(resources: Resources, case: Case) -> None:
    """Remove the times that any run of this event counted."""
    _remove_count(resources, case, lambda customer: _customer_times_beside(case, customer))


def _take_off(resources: Resources, case: Case, sent_at: str) -> None:
    """Remove the time that this run counted, and none that a later run counted."""
    _remove_count(
        resources,
        case,
        lambda customer: [time for time in customer.auto_reply_times or [] if time != sent_at],
    )


def _remove_count(
    resources: Resources, case: Case, remaining_of: Callable[[CustomerState], list[str]]
) -> None:
    def take_off(customer: CustomerState | None) -> Change | None:
        counted_times = (customer.auto_reply_times if customer else None) or []
        if customer is None or (remaining := remaining_of(customer)) == counted_times:
            return None
        is_last = customer.counted_for == case.counted_as
        drop = ("counted_for", "counted_in") if is_last else ()
        counted = CustomerState.named(auto_reply_times=remaining)
        return (
            Change(put=counted, drop=drop)
            if remaining
            else Change(drop=(*drop, "auto_reply_times"))
        )

    if case.customer:
        states.change_customer(resources.state, case.customer, take_off)
