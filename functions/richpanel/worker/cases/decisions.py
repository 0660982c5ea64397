"""The decision on a case: builds its inputs, and looks up the order if the decision depends on it."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from richpanel.classification import Classification, Language, Message
from richpanel.classification.taxonomy import RiskFlag
from richpanel.decisions.facts import (
    AutoReply,
    Memory,
    NoOrder,
    OrderFacts,
    PendingFlow,
    RouteOnly,
    Turn,
)
from richpanel.decisions.readings import awaits_order_number
from richpanel.decisions.routing import tier0_flags_of
from richpanel.guards import identity, opt_outs
from richpanel.guards.customer_hash import can_count, customer_hmac
from richpanel.inbound.channels import Channel
from richpanel.store import states
from richpanel.worker.cases import costs
from shared.runtime import clock

if TYPE_CHECKING:
    from richpanel.clients.language_model import Judge
    from richpanel.clients.tickets import Comment, Ticket
    from richpanel.configuration.account_settings import Account
    from richpanel.configuration.resources import Sources
    from richpanel.decisions.outcome import Decision
    from richpanel.store.items import PendingFlow as StoredFlow
    from richpanel.worker.cases.case import Case
    from richpanel.worker.turns import CustomerComment


def decision_on(resources: Sources, case: Case, at_ms: int | None = None) -> Decision:
    """
    Decide on a case, as at the time *at_ms* (ms since 1970, default now); looks up the order if the decision depends
    on it. Raises Throttled.
    """
    # Loaded here: the events of messages that are already handled need no decision.
    from richpanel.classification.classifier import classify  # noqa: PLC0415 - as above

    memory = _memory(resources, case)
    now = _moment(at_ms or clock.now_ms())
    message = _message(resources, case, awaits_order_number(memory, now))
    rules = classify(message)
    judge = costs.bounded(resources, case, recipient(case), _sender(case))
    try:
        turn = _turn(resources, case, message, rules, judge)
        decision = _decided(resources, case, turn, memory, message, now=now, judge=judge)
        return replace(decision, cost_micros=costs.spent(judge))
    finally:
        costs.settle(judge)


def _decided(
    resources: Sources,
    case: Case,
    turn: Turn,
    memory: Memory,
    message: Message,
    *,
    now: datetime,
    judge: Judge | None,
) -> Decision:
    """Decide on a turn; looks up the order, asks the verifier and reads opt-outs if the decision depends on them."""
    from richpanel.classification.classifier import classify  # noqa: PLC0415 - see decision_on
    from richpanel.decisions.engine import decide  # noqa: PLC0415 - see decision_on

    shop = resources.account.shop
    order: OrderFacts | NoOrder = NoOrder.NOT_LOOKED_UP
    decision = decide(turn, memory, order, case.switches, now, shop=shop)
    if decision.wants_order_lookup:
        if costs.may_look_up(resources, case, recipient(case), _sender(case)):
            order = _order(resources, case, turn)
        else:
            order, turn = NoOrder.LOOKUP_FAILED, replace(turn, is_over_bound=True)
        decision = decide(turn, memory, order, case.switches, now, shop=shop)
    if decision.wants_verdict and judge and turn.model:
        turn = replace(turn, model=judge.verdict(message, classify(message), turn.model))
        decision = decide(turn, memory, order, case.switches, now, shop=shop)
    # Checked last, and only if there is a reply to refuse.
    refusal = opt_out(resources, case) if decision.reply else None
    if refusal:
        turn = replace(turn, policy_refusal=refusal)
        decision = decide(turn, memory, order, case.switches, now, shop=shop)
    return decision


def opt_out(resources: Sources, case: Case) -> str | None:
    """Return the reason why the recipients must not get an automatic reply, or None if they may."""
    if case.ticket is None:
        return None  # There will be no reply.
    target = _comment(case.ticket, case.target)
    return opt_outs.refusal(
        resources.consents, resources.account.company, case.ticket, target, case.channel
    )


def _with_threats(
    classification: Classification, case: Case, *, model_classified: bool
) -> Classification:
    """
    Add the Tier 0 risk flags of the messages beside this turn: messages not handled yet, and messages that an agent
    answered before Parley first handled the ticket. A customer who has threatened gets no automatic reply.
    """
    from richpanel.classification.classifier import classify  # noqa: PLC0415 - see decision_on

    beside = [
        classify(Message(text=comment.text, channel=case.channel))
        for comment in case.customer_turn.other_comments
    ]
    flags = {
        flag
        for answer in beside
        for flag in tier0_flags_of(answer, of_strong_patterns=model_classified)
    }
    return replace(classification, risk_flags=classification.risk_flags | flags)


def sender_of(ticket: Ticket, customer_comment: CustomerComment) -> str | None:
    """Return the address that a comment came from, or None if the address is not proved."""
    comment = _comment(ticket, customer_comment)
    return identity.sender_of(ticket, comment) if comment else None


def sender_hmac(
    resources: Sources, ticket: Ticket, customer_comment: CustomerComment
) -> str | None:
    """Return the HMAC of the address that a comment came from, or None if the address is not proved."""
    address = sender_of(ticket, customer_comment)
    return customer_hmac(resources.keys, address) if address and can_count(resources.keys) else None


def _turn(
    resources: Sources, case: Case, message: Message, rules: Classification, judge: Judge | None
) -> Turn:
    ticket, reading, customer_turn = case.ticket, case.reading, case.customer_turn
    classification, opinion = rules, None
    if judge and not case.switches.safe_mode:
        classification, opinion = judge.opinion(message, rules)
    model_classified = opinion is not None and opinion.failure is None
    person_at = reading.last_person_at_ms if reading else None
    turn = Turn(
        message_id=case.target.name,
        message_at=_moment(case.target.at_ms),
        channel=case.channel,
        classification=_with_threats(classification, case, model_classified=model_classified),
        model=opinion,
        is_over_bound=costs.is_refused(judge),
        ticket_is_open=_is_open(case),
        last_person_reply_at=_moment(person_at) if person_at is not None else None,
        is_assigned_to_person=is_assigned_to_person(resources.account, ticket),
        is_handed_back=case.is_handed_back,
        route_only=customer_turn.route_only if ticket else RouteOnly.TICKET_UNREADABLE,
        earlier_auto_reply=bool(reading and reading.has_automatic_reply(case.target.position)),
        recipient_is_listed=case.customer in resources.account.allowlist,
        # Without the keys for the HMAC, the limit on replies to one customer could not be enforced.
        policy_refusal=None if can_count(resources.keys) else "customers_not_counted",
    )
    return replace(turn, newest=reading.newest) if reading else turn


def is_assigned_to_person(account: Account, ticket: Ticket | None) -> bool:
    """Whether the ticket has an assignee who is neither one of the teams' nor one of the automations."""
    assignee = ticket.assignee_id if ticket else None
    return bool(assignee) and assignee not in {*account.assignees.values(), *account.robots}


def _is_open(case: Case) -> bool:
    """Whether the ticket counts as open for this turn: if an earlier run of this turn closed it, it was open then."""
    return case.was_closed_by_us or not (case.ticket and case.ticket.is_closed)


def _message(resources: Sources, case: Case, expects_order_number: bool) -> Message:
    sender = _sender(case)
    return Message(
        text=case.target.text,
        channel=case.channel,
        subject=case.ticket.subject if case.ticket else None,
        earlier=tuple(comment.text for comment in case.customer_turn.comments[:-1]),
        has_attachment=any(comment.attachment_ids for comment in case.customer_turn.comments),
        expects_order_number=expects_order_number,
        order_mask=resources.account.order_mask,
        is_automatic=sender in resources.account.own_addresses,
    )


def _sender(case: Case) -> str | None:
    """Return the address that the help desk shows as the message's sender; it may be forged."""
    author = case.ticket and _comment(case.ticket, case.target)
    return identity.normal_address(author.via.sender) if author and author.via else None


def _memory(resources: Sources, case: Case) -> Memory:
    state = case.state
    customer = states.customer(resources.state, case.customer) if case.customer else None
    times = customer.times_beside(case.counted_as) if customer else None
    if state is None:
        return Memory(customer_reply_times=moments(times))
    # A redelivery decides from the state before its first run, not from the changes that run made.
    flow, last = state.flow_before(case.target.name), state.last_auto_reply
    return Memory(
        pending_flow=_pending_flow(flow, state.question_language) if flow else None,
        last_auto_reply=AutoReply(last.type, _of_text(last.sent_at), last.source_message_id)
        if last
        else None,
        auto_reply_times=moments(state.auto_reply_times),
        customer_reply_times=moments(times),
        risk_flags=frozenset(RiskFlag(flag) for flag in state.risk_flags or ()),
        handed_back_at=_of_text(state.handed_back_at) if state.handed_back_at else None,
    )


def _pending_flow(stored: StoredFlow, language: str | None) -> PendingFlow:
    requested_at = _of_text(stored.requested_at)
    question_language = Language(language or Language.ENGLISH)
    return PendingFlow(requested_at, stored.attempts, stored.type, question_language)


def _order(resources: Sources, case: Case, turn: Turn) -> OrderFacts | NoOrder:
    comment = _comment(case.ticket, case.target) if case.ticket else None
    if case.help_desk is None or case.ticket is None or comment is None:
        return NoOrder.NO_MATCH
    from richpanel.guards import order_ownership  # noqa: PLC0415 - few decisions need an order

    match = order_ownership.find_order(
        resources.services(case.help_desk),
        case.ticket,
        comment,
        turn.classification.order_numbers,
        is_email=case.channel is Channel.EMAIL,
    )
    if match.order is None or match.path is None:
        return NoOrder.LOOKUP_FAILED if match.is_failed else NoOrder.NO_MATCH
    values = {name: getattr(match.order, name) for name in match.order.__dataclass_fields__}
    return OrderFacts(path=match.path, **values)


def recipient(case: Case) -> str | None:
    """Return the address that the customer wrote to, which shows the brand; None if the help desk does not give it."""
    if case.ticket is None:
        return None
    comment = _comment(case.ticket, case.target)
    of_comment = comment.via.recipient if comment and comment.via else None
    return of_comment or (case.ticket.via.recipient if case.ticket.via else None)


def _comment(ticket: Ticket, customer_comment: CustomerComment) -> Comment | None:
    return next((c for c in ticket.comments if c.id and c.id == customer_comment.message_id), None)


def moments(texts: list[str] | None) -> tuple[datetime, ...]:
    """Parse stored times."""
    return tuple(_of_text(text) for text in texts or ())


def _of_text(text: str) -> datetime:
    return _moment(clock.from_text(text))


def _moment(at_ms: int) -> datetime:
    return datetime.fromtimestamp(at_ms / 1_000, UTC)
